"""What the card says where nobody wrote, voted or agreed in the usual way: unit tests of its sentences."""

from typing import Any

import pytest

from annotation.generation.models import Candidate
from exports.formats.release import rai
from exports.releases.datasheet_facts import datasheet_facts
from exports.releases.rules import card, datasheet, datasheet_card, gold_origins, leakage, statement
from tests import factory

RULES = {"not_sampled": "leave_out", "no_gold": "leave_out"}


def part(kind: str = "nli", rules: dict[str, Any] | None = None, protocol: Any = None, **counts: Any) -> dict[str, Any]:
    """A part of a release with these counts."""
    base = {
        "items": 18, "released": 2, "splits": {}, "left_out": {},
        "people": {"authors": 2, "voters": 3}, "votes": {"given": 4, "counted": 4, "items": 2},
    }  # fmt: skip
    told = {"name": "p", "rounds": [2], "quorum": 2, **(protocol or {})}
    return {
        "project": {"kind": kind, "language": "id"},
        "suffix": "",
        "rules": RULES | (rules or {}),
        "context": {"protocols": [{"n": 1, "rules": told}]},
        "counts": base | counts,
    }


def split(rows: int, **sources: int) -> dict[str, Any]:
    return {"rows": rows, "labels": {"entailment": rows}, "label_sources": sources}


@pytest.mark.parametrize(
    ("protocol", "words"),
    [
        ({}, "too few votes were equal"),
        ({"target": "accept", "accept": "yes"}, "also where all chose the same other answer"),
        ({"target": "key", "author": "key"}, "too few votes were for the author's label, also where all were for"),
    ],
)
def test_without_gold_is_not_without_agreement(protocol: dict[str, Any], words: str) -> None:
    (left_out,) = (
        line for line in datasheet.limits(part(protocol=protocol, left_out={"no_gold": 1})) if "left out" in line
    )
    assert left_out.startswith("Items left out without gold: 1 (")
    assert words in left_out
    kept = part(protocol=protocol, rules={"no_gold": "test"}, splits={"test": split(2, author=1, gold=1)})
    (authors,) = (line for line in datasheet.limits(kept) if "author's: 1" in line)
    assert words in authors
    assert "nobody was asked" not in authors


def test_what_is_left_out_says_why_by_itself() -> None:
    assert datasheet.missing_data(part(left_out={"no_gold": 3, "excluded": 1}))[0].startswith(
        "Left out: 4 of 18 items (validated without a gold label: 3, "
    )
    assert rai._votes_per_item(part()) == ["Counted: 4 votes on 2 items that have any: 2.00 each."]


@pytest.mark.parametrize(
    ("people", "counts", "sentence"),
    [
        ({"authors": 1, "voters": 1}, {}, "1 person wrote the items, 1 voted on them."),
        ({"authors": 2, "voters": 0}, {}, "2 people wrote the items, nobody voted on them."),
        ({"authors": 0, "voters": 2}, {"machine": {}}, "Language models wrote the items. 2 people voted on them."),
    ],
)
def test_how_many_people(people: dict[str, int], counts: dict[str, Any], sentence: str) -> None:
    assert statement.people_sentence(part(people=people, **counts)) == sentence
    assert statement.rounds_of({"rounds": [1]}) == "1 vote"
    assert statement.rounds_of({"rounds": [2, 1]}) == "2, then 1 votes"


def test_splits_say_what_is_hidden_and_whose_labels_they_have() -> None:
    from annotation import kinds

    counts = {"splits": {"train": split(2, model=2), "test": split(3, gold=3) | {"labels": {}}}}
    lines = card._splits({"hidden_test": True}, counts, kinds.get("nli"))
    assert "| test | 3 | hidden |" in lines
    assert "- train: for training; a label is the model's unless `label_source` says otherwise" in lines
    assert not any("both dev and test" in line for line in lines)
    assert "| `README.md` | – | 7 |" in card._files([part()], {"README.md": {"rows": 0, "bytes": 7}})


def test_no_bound_is_above_the_items() -> None:
    told = {
        "planned": 48, "alpha": 0.05, "agreed": 40, "audited": 10, "decided": 10, "changed": 1, "open": 0,
        "bound95": 74.6109, "seed": "", "commitment": "c",
    }  # fmt: skip
    words = gold_origins._audits({"1": told})[0]
    assert "differ: 40 of 40 agreements." in words
    assert "on average at most 5 % of them" in words
    assert "differ: 3 of 40" in gold_origins._audits({"1": told | {"bound95": 2.2}})[0]


def test_leakage_names_the_task_and_tells_test_against_train_first() -> None:
    digests = [leakage.SplitDigests(name) for name in ("train", "dev", "test")]
    for digest in digests:
        digest.add(leakage.ComparedRow(digest.name, digest.name, "s", ""))
    report = leakage.leakage_report(digests)
    lines = leakage.card_section({"one": report, "two": report}, {})
    named = lines.index("`one`:")
    assert lines[named + 2].startswith("- 1 of 1 test rows share a premise, passage or concept with train")
    assert "`two`:" in lines
    assert sorted(("test", "train_x", "validation", "extra"), key=leakage.split_rank)[0] == "train_x"


def test_answers_are_quoted_and_guidelines_told_to_nobody_are_named() -> None:
    facts = {
        "asked": {"title": "t", "texts": ["Question", "the choices"], "questions": ["Does it?"],
            "labels": ["Yes, it follows", "No"]},
        "collection": {"writing": None, "voting": ["2026-01-01", "2026-01-02"]},
        "guidelines": [{"role": "writing", "n": 1, "on": "d"}, {"role": "validation", "n": 1, "on": "d"}],
    }  # fmt: skip
    told = part()
    told["context"]["datasheet"] = facts
    sentences = datasheet.composition(told)
    assert "Answers to choose from: “Yes, it follows”, “No”." in sentences
    assert "They saw: “Question”, “the choices”." in sentences
    lines = datasheet_card._collection(told)
    seen, unused = lines.index("What people were told:"), lines.index("Guidelines by which nobody worked here:")
    assert "validation-1" in lines[seen + 4]
    assert "writing-1" in lines[unused + 4]


@pytest.mark.django_db
def test_items_of_machines_in_files_were_not_made_here() -> None:
    project = factory.project()
    factory.written_pairs(project, factory.member(project, "writer"), 1)
    n = project.items.update(origin="machine")
    assert not Candidate.objects.exists()
    collection = datasheet_facts(project, findings=True)["collection"]
    assert (collection["writing"], collection["imported_items"]) == (None, n)
