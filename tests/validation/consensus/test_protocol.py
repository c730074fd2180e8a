"""Protocols: what can be, what cannot, and the presets of the papers."""

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.core.rules.fields import FieldError
from validation.consensus.protocol import (
    DEFAULT_PROTOCOL,
    KALAHI_CRITERIA,
    PRESETS,
    Protocol,
    people_needed,
)

# domain.md §3: name, author, rounds, quorum, target, accepting label, plurality, tie, people with the writer.
PRESET_TABLE = [
    ("incremental-3-5", "vote", (2, 1, 1), 3, "any", "", False, "none", 5),
    ("fixed-5", "vote", (4,), 3, "any", "", False, "none", 5),
    ("answers-5", "none", (5,), 1, "any", "", True, "lowest-pseudonym", 6),
    ("unanimous-2", "none", (2,), 2, "accept", "yes", False, "none", 3),
    ("best-of-3", "key", (3,), 2, "key", "", False, "none", 4),
    ("review-1", "none", (1,), 1, "accept", "approve", False, "none", 2),
    ("rating-3", "none", (3,), 2, "any", "", False, "none", 4),
    ("two-agree-audit", "vote", (1, 1, 1, 1), 3, "any", "", False, "none", 5),
]


@pytest.mark.parametrize(
    ("name", "author", "rounds", "quorum", "target", "accept", "plurality", "tie", "people"), PRESET_TABLE
)
def test_presets(name, author, rounds, quorum, target, accept, plurality, tie, people):
    preset = PRESETS[name]
    assert (preset.author, preset.rounds, preset.quorum) == (author, rounds, quorum)
    assert (preset.target, preset.accept, preset.plurality, preset.tie) == (target, accept, plurality, tie)
    assert preset.stop_hopeless
    assert preset.votes_at_most == sum(rounds)
    assert people_needed(preset) == people


def test_only_answers_to_questions_can_exclude_one():
    """id-csqa §4.2: more than three of the five; protocols stored before there was such a field exclude nothing."""
    assert {name: preset.most_ambiguous for name, preset in PRESETS.items() if preset.most_ambiguous >= 0} == {
        "answers-5": 3
    }
    older = PRESETS["answers-5"].to_dict()
    del older["most_ambiguous"]
    assert Protocol.from_dict(older).most_ambiguous == -1


OF_AUDITS = {"alpha", "planned", "batch", "panel", "doubt", "commitment", "audit_rule"}


def test_presets_are_all_there_and_one_is_the_default():
    assert list(PRESETS) == [row[0] for row in PRESET_TABLE]
    assert DEFAULT_PROTOCOL in PRESETS
    assert PRESETS["rating-3"].criteria == KALAHI_CRITERIA
    assert len(KALAHI_CRITERIA) == 7


def test_a_machine_needs_no_chair():
    assert people_needed(PRESETS["unanimous-2"], written_by_people=False) == 2


@pytest.mark.parametrize("name", PRESETS)
def test_a_protocol_survives_json(name):
    preset = PRESETS[name]
    plain = preset.to_dict()
    # What says nothing is not written, so that protocols from before it read as they were.
    silent = {"combine"} if preset.alpha else {"combine", *OF_AUDITS}
    assert list(plain) == [field.name for field in fields(Protocol) if field.name not in silent]
    assert "combine" in replace(preset, combine="parts").to_dict()
    assert not any(isinstance(value, tuple) for value in plain.values())
    assert Protocol.from_dict(plain) == preset


def test_protocols_are_named_by_what_they_ask_for():
    """Domain.md §10, ruling 25."""
    assert PRESETS[DEFAULT_PROTOCOL].title == "author + 2, +1, +1; three equal"
    assert Protocol("x", (5,), 3, author="none").title == "5 votes, quorum 3"
    assert PRESETS["answers-5"].title.startswith("5 votes, the most votes, at least 1; ties to")
    assert Protocol("x", (12,), 11).title == "author + 12; 11 equal"
    long = Protocol("x", (3,), 2, author="none", criteria=tuple(f"criterion {n}" for n in range(40)))
    assert Protocol.from_dict(long.titled().to_dict()).title == long.title == long.titled().name


_TITLED: st.SearchStrategy[dict[str, object]] = st.builds(
    dict,
    rounds=st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple),
    quorum=st.integers(1, 4),
    author=st.sampled_from(["vote", "key", "none"]),
    target=st.sampled_from(["any", "key", "accept"]),
    accept=st.sampled_from(["", "yes", "approve"]),
    plurality=st.booleans(),
    tie=st.sampled_from(["none", "lowest-pseudonym"]),
    stop_hopeless=st.booleans(),
    criteria=st.sampled_from([(), ("grammar",), ("grammar", "spelling")]),
    most_ambiguous=st.integers(-1, 2),
)


@given(_TITLED, _TITLED)
def test_two_rules_never_share_a_name(one, other):
    try:
        first, second = Protocol("x", **one), Protocol("x", **other)
    except FieldError:
        return
    assert (first.title == second.title) == (first == second)


@given(_TITLED, st.data())
def test_one_other_rule_is_another_name(one, data):
    name = data.draw(st.sampled_from(sorted(one)))
    try:
        first = Protocol("x", **one)
        second = Protocol("x", **{**one, name: data.draw(_TITLED)[name]})
    except FieldError:
        return
    assert (first.title == second.title) == (first == second)


def test_left_out_fields_have_their_default():
    assert Protocol.from_dict({"name": "x", "rounds": [4], "quorum": 3}) == Protocol("x", (4,), 3)


def test_every_field_is_explained_and_every_choice_has_words():
    declared = Protocol.declared()
    # What binds a version to its seed is the system's, and no rule that anybody chooses.
    assert [*declared, "commitment", "audit_rule"] == [field.name for field in fields(Protocol)]
    assert all(told.title and told.help.endswith(".") for told in declared.values())
    assert {name for name, told in declared.items() if told.choices} == {
        "author",
        "combine",
        "doubt",
        "target",
        "tie",
    }


GOOD = PRESETS[DEFAULT_PROTOCOL].to_dict()
BAD = [
    ({"colour": "red"}, "colour", "no field"),
    ({"name": None}, "name", "a text"),
    ({"name": "  "}, "name", "empty"),
    ({"name": "x" * 2001}, "name", "2000 characters"),
    ({"accept": 3}, "accept", "a text"),
    ({"author": ["vote"]}, "author", "one of vote, key, none"),
    ({"author": "boss"}, "author", "one of vote, key, none"),
    ({"target": "some"}, "target", "one of any, key, accept"),
    ({"tie": "coin"}, "tie", "one of none, lowest-pseudonym"),
    ({"plurality": 1}, "plurality", "true or false"),
    ({"stop_hopeless": "yes"}, "stop_hopeless", "true or false"),
    ({"quorum": "3"}, "quorum", "whole number"),
    ({"quorum": True}, "quorum", "whole number"),
    ({"quorum": 0}, "quorum", "at least 1"),
    ({"quorum": 6}, "quorum", "with 5 votes"),
    ({"author": "none", "quorum": 5}, "quorum", "with 4 votes"),
    ({"rounds": 4}, "rounds", "must be a list"),
    ({"rounds": [2, 1.5]}, "rounds", "list of whole numbers"),
    ({"rounds": [2, True]}, "rounds", "list of whole numbers"),
    ({"rounds": []}, "rounds", "at least 1 entries"),
    ({"rounds": [1] * 10}, "rounds", "more than 9 entries"),
    ({"rounds": [2, 0]}, "rounds", "at least one vote"),
    ({"rounds": [99, 1]}, "rounds", "more than 99 votes"),
    ({"target": "accept"}, "accept", "which label"),
    ({"accept": "yes"}, "accept", "only where"),
    ({"target": "key"}, "target", "no key"),
    ({"plurality": True, "author": "key", "target": "key"}, "plurality", "any label"),
    ({"criteria": "all"}, "criteria", "must be a list"),
    ({"criteria": [1]}, "criteria", "list of texts"),
    ({"criteria": ["tone", " "], "author": "none"}, "criteria", "empty"),
    ({"criteria": ["tone", "tone"], "author": "none"}, "criteria", "twice"),
    ({"criteria": ["tone"]}, "criteria", "rates nothing"),
    ({"most_ambiguous": "3"}, "most_ambiguous", "whole number"),
    ({"most_ambiguous": False}, "most_ambiguous", "whole number"),
    ({"most_ambiguous": -2}, "most_ambiguous", "at least -1"),
    ({"most_ambiguous": 4}, "most_ambiguous", "with 4 votes"),
]


@pytest.mark.parametrize(("change", "field", "reason"), BAD)
def test_what_cannot_be_names_its_field(change, field, reason):
    with pytest.raises(FieldError) as caught:
        Protocol.from_dict(GOOD | change)
    assert caught.value.field == field
    assert reason in str(caught.value)


@pytest.mark.parametrize("field", ["name", "rounds", "quorum"])
def test_what_must_be_there(field):
    with pytest.raises(ValueError, match=f"{field}: is missing"):
        Protocol.from_dict({name: value for name, value in GOOD.items() if name != field})


def test_a_change_is_checked_too():
    with pytest.raises(FieldError):
        replace(PRESETS[DEFAULT_PROTOCOL], quorum=9)
