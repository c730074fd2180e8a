"""Questions made to fit another place, with answers that a test makes up (id-csqa §4.1)."""

from collections.abc import Mapping
from typing import Any

import pytest

from annotation.generation.rules import recipes
from annotation.generation.rules.recipes.base import KEPT, Ask
from annotation.generation.rules.recipes.english import is_verb, same_but_for_tense
from annotation.generation.rules.recipes.llm_adapt import read_verdict
from annotation.text.checks import blocks
from tests.annotation.generation.recipe_answers import (
    ADAPTED,
    findings,
    options,
    roles_by_key,
    written_question,
)
from tests.annotation.generation.recipe_driver import RecipeResult, a_frame, drive

ADAPT = recipes.get("llm-adapt")
CHOICES = ("gunung", "dapur", "gurun", "tungku", "perpustakaan")
NEW = written_question("hujan", "Di mana Danny melihat hujan turun pertama kali?", *CHOICES, distractor="C")
STEPS = ["select-words", "names-places", "concept-verdicts", "choice", "adapt", "names", "filter"]


def made(source: Mapping[str, Any] | None = None, **replies: Any) -> RecipeResult:
    """One question through all steps; good answers but for those that are given (a mapping: the same for all)."""
    settings = {name: replies.pop(name) for name in ("offensive_words", "also") if name in replies}
    frame = a_frame("id", "Indonesian", **settings)
    good = {
        "names-places": {"persons": ["Danny"], "places": []},
        "concept-verdicts": {"answer": "no"},
        "adapt": NEW,
        "names": {"names": [{"name": "Danny", "becomes": "Budi"}]},
    } | {name.replace("_", "-"): reply for name, reply in replies.items()}
    functions = {name: reply if callable(reply) else _always(reply) for name, reply in good.items()}
    works = ADAPT.build_works(frame, "Q1", "", {**ADAPTED, **(source or {})})
    return drive(ADAPT, frame, works, functions)


def _always(reply: Any) -> Any:
    return lambda ask: reply


NOBODY: Mapping[str, list[str]] = {"persons": [], "places": []}


def test_a_question_goes_through_all_steps_and_is_one_that_the_kind_takes() -> None:
    done = made()
    assert list(done.steps) == STEPS
    [work] = done.finished
    assert work.content["question"] == "Di mana Budi melihat hujan turun pertama kali?"
    assert work.content["concept"] == "hujan"
    assert roles_by_key(work.content) == {"answer": "A", "distractor": "C"}
    assert work.content["made"] == {
        "level": "",
        "set": "Q1",
        "from": "csqa-1",
        "persons": ["Danny"],
        "places": [],
        "adapted_for": ["persons"],
    }
    assert not blocks(findings(work, "id"))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ({}, ""),
        ({"question": "Where would a bitch find snow?"}, "offensive"),
        ({"concept": "rape"}, "offensive"),
        ({"options": options("shit", "b c", "d", "e", "f", answer="A")}, "offensive"),
        ({"question": "Where do grapes grow in Essex?"}, ""),
        ({"question": "Where do people drink whisky?"}, "offensive"),
        ({"options": options("fear", "Fear.", "d", "e", "f", answer="A")}, "choices_equal"),
        ({"options": options("passed", "passing", "d", "e", "f", answer="A")}, "choices_tense"),
        ({"options": options("went to bed", "go to bed", "d", "e", "f", answer="A")}, "choices_tense"),
        ({"options": options("go to bed", "go to work", "d", "e", "f", answer="A")}, ""),
    ],
)
def test_what_words_rule_out(source: Mapping[str, Any], reason: str) -> None:
    outcome = made(source, offensive_words="whisky").steps["select-words"]["Q1"]
    assert outcome.reason == reason


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("passed", "passing", True),
        ("stopped", "stop", True),
        ("cried", "cries", True),
        ("made", "makes", True),
        ("went", "going", True),
        ("writing letters", "wrote letters", True),
        ("die", "dying", True),
        ("cat", "cats", True),
        ("run", "fun", False),
        ("thing", "think", False),
        ("bus", "bush", False),
        ("king", "kind", False),
        ("eat dinner", "eating lunch", False),
        ("eat", "eat dinner", False),
        ("princess", "princes", False),
        ("", "", False),
        ("!", "?", False),
    ],
)
def test_forms_of_the_same_english_words(left: str, right: str, same: bool) -> None:
    assert same_but_for_tense(left, right) == same_but_for_tense(right, left) == same


@pytest.mark.parametrize(
    ("concept", "verb"),
    [
        ("skiing", True),
        ("studying", True),
        ("eat", True),
        ("eat dinner", True),
        ("to run", True),
        ("go to bed", True),
        ("fish for trout", True),
        ("snow", False),
        ("bald eagle", False),
        ("string", False),
        ("wedding", False),
        ("drink", False),
        ("fish tank", False),
        ("a run", False),
        ("to", False),
        ("", False),
    ],
)
def test_what_is_done_is_told_from_what_is_a_thing(concept: str, verb: bool) -> None:
    assert is_verb(concept) == verb


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("yes", "yes"),
        ("Yes, it can.", "yes"),
        ("NO.", "no"),
        ("Tidak", "no"),
        ("maybe", ""),
        ("", ""),
        ("nothing", ""),
    ],
)
def test_how_a_verdict_is_read(said: str, verdict: str) -> None:
    assert read_verdict(said) == verdict


def verdicts(*said: str) -> Any:
    """A reply for each of the five prompts, by its number."""
    return lambda ask: {"answer": said[int(ask.instruction[-1]) - 1]} if said[int(ask.instruction[-1]) - 1] else None


@pytest.mark.parametrize(
    ("said", "reason", "told"),
    [
        (("no", "no", "no", "yes", "yes"), "", {"yes": 2, "no": 3}),
        (("yes", "yes", "no", "yes", "no"), "relevant", {"yes": 3, "no": 2}),
        (("no", "", "", "", ""), "", {"yes": 0, "no": 1}),
        (("yes", "no", "perhaps", "", ""), "no_majority", {}),
        (("perhaps",) * 5, "no_majority", {}),
        (("",) * 5, "unusable_answer", {}),
    ],
)
def test_the_majority_of_five_verdicts_says_whether_the_concept_fits(
    said: tuple[str, ...], reason: str, told: Mapping[str, int]
) -> None:
    done = made(names_places=NOBODY, concept_verdicts=verdicts(*said), adapt={**NEW, "question": "Kapan hujan turun?"})
    assert [dropped for _step, dropped in done.dropped().values()] == [reason][: bool(reason)]
    if told:
        assert done.steps["concept-verdicts"]["Q1"].content["made"]["verdicts"] == told


def test_a_verb_is_asked_about_in_other_words() -> None:
    def asked(concept: str) -> list[str]:
        done = made({"concept": concept}, names_places=NOBODY)
        return [ask.instruction for ask in done.asked["concept-verdicts"]]

    assert asked("snow") == [f"adapt-thing-{n}" for n in range(1, 6)]
    assert asked("skiing") == [f"adapt-verb-{n}" for n in range(1, 6)]


@pytest.mark.parametrize("found", [{"persons": ["Danny"]}, {"places": ["Danny"]}])
def test_what_has_a_name_or_a_place_is_taken_not_to_fit_without_asking(found: Mapping[str, Any]) -> None:
    done = made(names_places=found)
    assert done.asked["concept-verdicts"] == []
    assert done.steps["choice"]["Q1"].content["made"]["adapted_for"] == [*found]


def test_names_that_stand_nowhere_count_for_nothing() -> None:
    done = made(
        names_places={"persons": ["Peter", "Dan", ""], "places": ["?", "London"]},
        concept_verdicts={"answer": "yes"},
    )
    assert done.dropped() == {"Q1": ("choice", "relevant")}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (NEW, ""),
        ({**NEW, "concept": "salju"}, "concept_missing"),
        ({**NEW, "concept": " "}, "concept_missing"),
        ({**NEW, "concept": "hujan " * 50 + "x"}, "concept_too_long"),
        ({**NEW, "options": options(*CHOICES[:4])}, "choices_count"),
        ({**NEW, "options": options(*CHOICES[:4], "Gunung")}, "choices_equal"),
        ({**NEW, "answer": "Z"}, "answer_no_choice"),
        ({**NEW, "question": "Apa itu hujan [nama]?"}, "unfit"),
        ({"question": "Apa itu hujan?"}, "unusable_answer"),
    ],
)
def test_what_an_adaptation_has_to_be(answer: Mapping[str, Any], reason: str) -> None:
    done = made(adapt=answer)
    assert [dropped for _step, dropped in done.dropped().values()] == [reason][: bool(reason)]


@pytest.mark.parametrize(
    ("names", "question", "reason"),
    [
        ([("Danny", "Budi")], "Di mana Budi melihat hujan turun pertama kali?", ""),
        ([("Danny", "Budi"), ("Peter", "Agus")], "Di mana Budi melihat hujan turun pertama kali?", ""),
        ([("Danny", "Budi Santoso")], "Di mana Budi Santoso melihat hujan turun pertama kali?", ""),
        ([("Danny", "Ludwig van Daha")], "Di mana Ludwig van Daha melihat hujan turun pertama kali?", ""),
        ([("Danny", "Budi yang Baik")], "", "names_only"),
        ([], "", "name_stays"),
        ([("Danny", "Danny")], "", "name_stays"),
        ([("Dan", "Budi")], "", "name_stays"),
        ([("Danny", "Budi"), ("hujan", "Salju")], "", "names_only"),
        ([("Danny", "Budi"), ("Di", "Ke")], "", "names_only"),
        ([("Danny", "anak itu")], "", "names_only"),
        ([("Danny melihat", "Budi Mendengar")], "", "names_only"),
        ([("Danny", "")], "", "names_only"),
    ],
)
def test_only_names_change(names: list[tuple[str, str]], question: str, reason: str) -> None:
    answer = {"names": [{"name": name, "becomes": becomes} for name, becomes in names]}
    done = made(names=answer)
    assert [dropped for _step, dropped in done.dropped().values()] == [reason][: bool(reason)]
    if question:
        assert done.finished[0].content["question"] == question


def test_two_names_that_change_places_do_so_at_once_and_in_the_choices_too() -> None:
    adapted = written_question("hujan", "Siapa melihat hujan, Danny atau Budi?", "Danny", "Budi", "Ani", "Siti", "Joko")
    swap = {
        "names": [
            {"name": "Danny", "becomes": "Agus"},
            {"name": "Budi", "becomes": "Ani"},
            {"name": "Ani", "becomes": "Budi"},
        ]
    }
    [work] = made(adapt=adapted, names=swap).finished
    assert work.content["question"] == "Siapa melihat hujan, Agus atau Ani?"
    assert [each["text"] for each in work.content["options"]] == ["Agus", "Ani", "Budi", "Siti", "Joko"]


def test_names_are_asked_for_only_where_there_were_some() -> None:
    done = made(names_places={"places": ["winter"]}, adapt={**NEW, "question": "Kapan hujan turun?"})
    assert done.asked["names"] == []
    assert done.steps["names"]["Q1"].state == KEPT


def test_the_last_look_sees_what_a_change_of_names_did() -> None:
    adapted = written_question("rumah Budi", "Di mana rumah Budi dan Danny?", *CHOICES)
    swap = {"names": [{"name": "Budi", "becomes": "Agus"}, {"name": "Danny", "becomes": "Siti"}]}
    assert made(adapt=adapted, names=swap).dropped() == {"Q1": ("filter", "concept_missing")}
    twice = written_question("hujan", "Siapa suka hujan, Danny?", "Danny", "Budi", "Ani", "Siti", "Joko")
    equal = {"names": [{"name": "Danny", "becomes": "Budi"}]}
    assert made(adapt=twice, names=equal).dropped() == {"Q1": ("filter", "choices_equal")}
    there = {"taken": ["di mana budi melihat hujan turun pertama kali"]}
    assert made(also=there).dropped() == {"Q1": ("filter", "duplicate")}


def test_an_answer_that_does_not_come_drops_the_question_where_it_was_wanted() -> None:
    for step in ("names-places", "adapt", "names"):
        assert made(**{step.replace("-", "_"): None}).dropped() == {"Q1": (step, "unusable_answer")}


def test_an_ask_says_what_its_instruction_needs() -> None:
    done = made(names_places=NOBODY)
    ask: Ask = done.asked["adapt"][0]
    assert ask.values["choices"].splitlines()[0] == "A. mountain"
    assert (ask.values["place"], ask.values["language"]) == ("Indonesia", "Indonesian")
