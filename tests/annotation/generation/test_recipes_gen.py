"""Questions for concepts, with answers that a test makes up (id-csqa §4.3)."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from annotation.generation.rules import recipes
from annotation.generation.rules.recipes.base import Ask, Work
from annotation.text.checks import blocks
from tests.annotation.generation.recipe_answers import findings, listed_lines, roles_by_key, written_question
from tests.annotation.generation.recipe_driver import RecipeResult, Replies, a_frame, drive

GEN = recipes.get("llm-gen")
FOOD = ("sambal", "kerupuk", "tempe", "soto", "rendang", "klepon", "es cendol")


def works(concepts: Sequence[str] = FOOD, category: str = "culinary", **settings: Any) -> list[Work]:
    """The works of some concepts of one category."""
    frame = a_frame("id", "Indonesian", **settings)
    return [
        work
        for concept in concepts
        for work in GEN.build_works(frame, concept, category, {"concept": concept, "category": category})
    ]


def good(ask: Ask) -> dict[str, Any]:
    """A good question for every concept, as many as were asked for."""
    wanted = range(int(ask.values["count"]))
    return {
        "questions": [
            written_question(concept, f"Apa yang dimakan bersama {concept} pada hari {n}?")
            for concept in listed_lines(ask, "concepts")
            for n in wanted
        ]
    }


def made(replies: Replies, some: Sequence[Work] | None = None, **settings: Any) -> RecipeResult:
    frame = a_frame("id", "Indonesian", **settings)
    begun = works(**{name: value for name, value in settings.items() if name != "also"})
    return drive(GEN, frame, begun if some is None else some, {"questions": replies})


def one(question: Mapping[str, Any], **more: Any) -> tuple[str, Mapping[str, Any]]:
    """Why the question about sambal was dropped that came with these fields, and what was told."""
    some = works(["sambal"])
    done = made(
        lambda ask: {"questions": [{**written_question("sambal", "Apa isi sambal?"), **question}]},
        some,
        **more,
    )
    outcome = done.steps["questions"]["sambal-1"]
    return outcome.reason, outcome.params


@pytest.mark.parametrize(("size", "calls"), [(5, [5, 2]), (1, [1] * 7), (50, [7]), (0, [1] * 7)])
def test_a_call_has_so_many_concepts_as_the_project_says(size: int, calls: list[int]) -> None:
    done = made(good, concepts_per_call=size)
    assert [len(ask.work_keys) for ask in done.asked["questions"]] == calls
    assert len(done.finished) == len(FOOD)


def test_a_call_has_concepts_of_one_category_only() -> None:
    some = works(FOOD[:2]) + works(["angklung", "wayang"], "culture") + works(FOOD[2:4])
    done = made(good, some)
    told = [(ask.values["category"], listed_lines(ask, "concepts")) for ask in done.asked["questions"]]
    assert told == [("culinary", list(FOOD[:4])), ("culture", ["angklung", "wayang"])]


def test_each_concept_gets_as_many_questions_as_the_project_says() -> None:
    done = made(good, questions_per_concept=2)
    assert len(done.finished) == 2 * len(FOOD)
    assert [ask.values["count"] for ask in done.asked["questions"]] == ["2", "2"]
    assert done.finished[1].content["question"] == "Apa yang dimakan bersama sambal pada hari 1?"


def test_a_finished_question_is_one_that_the_kind_takes() -> None:
    for work in made(good).finished:
        assert not blocks(findings(work, "id"))
        assert roles_by_key(work.content) == {"answer": "A", "distractor": "B"}
        assert work.content["made"] == {"level": "", "set": work.material}


def test_answers_are_matched_by_concept_whatever_their_order_and_case() -> None:
    def turned(ask: Ask) -> dict[str, Any]:
        answers = good(ask)["questions"][::-1]
        return {"questions": [{**each, "concept": f" {each['concept'].upper()}. "} for each in answers]}

    done = made(turned)
    assert len(done.finished) == len(FOOD)
    assert all(work.material in work.content["question"] for work in done.finished)
    assert [work.content["concept"] for work in done.finished] == list(FOOD)


def test_what_was_not_asked_for_is_refused_and_told() -> None:
    def strange(ask: Ask) -> dict[str, Any]:
        wanted = good(ask)["questions"]
        return {"questions": [written_question("nasi", "Apa itu nasi?"), *wanted[:-1], wanted[0]]}

    done = made(strange, works(FOOD[:3]))
    assert done.dropped() == {"tempe-1": ("questions", "not_written")}
    assert done.steps["questions"]["sambal-1"].params == {"not_asked_for": ["nasi"], "too_many": ["sambal"]}
    assert not any("nasi" in work.content["question"] for work in done.finished)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ({}, ""),
        ({"question": "Apa isi sambalnya?"}, ""),
        ({"question": "Apa isi bumbu itu?"}, "concept_missing"),
        ({"question": ""}, "empty"),
        ({"question": "Sebagai model bahasa, apa isi sambal?"}, "unfit"),
        ({"question": "Apa isi sambal {bumbu}?"}, "unfit"),
        ({"question": "Apa isi sambal brengsek itu?"}, "offensive"),
        ({"options": {"A": "cabai", "B": "garam", "C": "gula", "D": "tomat"}}, "choices_count"),
        ({"options": ["cabai", "garam", "gula", "tomat", "Cabai."]}, "choices_equal"),
        ({"options": ["cabai", "garam", "gula", "tomat", " "]}, "choice_empty"),
        ({"options": ["cabai", "garam", "gula", "tomat", "kata kontol"]}, "offensive"),
        ({"options": ["cabai", "garam", "gula", "tomat", "x" * 200]}, "choice_too_long"),
        ({"options": ["cabai", "garam", "gula", "tomat", "Saya tidak bisa"]}, ""),
        ({"options": ["+", "-", "×", ":", "="]}, ""),
        ({"answer": "F"}, "answer_no_choice"),
        ({"answer": ""}, "answer_no_choice"),
        ({"answer": "gula"}, ""),
        ({"distractor": "A"}, ""),
        ({"distractor": "Z"}, ""),
    ],
)
def test_why_a_question_is_dropped(question: Mapping[str, Any], reason: str) -> None:
    assert one(question)[0] == reason


def test_words_of_the_project_drop_a_question_too() -> None:
    assert one({"question": "Apa isi sambal daging paus?"}, offensive_words="Daging  Paus\n\n")[0] == "offensive"
    assert one({"question": "Apa isi sambal daging ikan?"}, offensive_words="Daging Paus\n\n")[0] == ""


def test_letters_are_kept_where_they_are_five_and_given_anew_where_not() -> None:
    def letters(options: Any, answer: str) -> list[tuple[str, str]]:
        some = works(["sambal"])
        question = {**written_question("sambal", "Apa isi sambal?"), "options": options, "answer": answer}
        [work] = made(lambda ask: {"questions": [question]}, some).finished
        return [(each["key"], each["text"]) for each in work.content["options"]] + [
            ("answer", roles_by_key(work.content)["answer"])
        ]

    turned = [{"key": key, "text": text} for key, text in zip("EDCBA", "vwxyz", strict=True)]
    assert letters(turned, "E") == [*zip("ABCDE", "zyxwv", strict=True), ("answer", "E")]
    numbered = [{"key": str(n), "text": text} for n, text in enumerate("vwxyz", 1)]
    assert letters(numbered, "x") == [*zip("ABCDE", "vwxyz", strict=True), ("answer", "C")]


def test_the_same_question_is_kept_once() -> None:
    def same(ask: Ask) -> dict[str, Any]:
        return {
            "questions": [written_question(each, "Sambal soto  atau tempe?") for each in listed_lines(ask, "concepts")]
        }

    done = made(same, works(["sambal", "soto", "tempe"]))
    assert done.dropped() == {"soto-1": ("questions", "duplicate"), "tempe-1": ("questions", "duplicate")}
    there = {"taken": ["sambal soto atau tempe"]}
    assert len(made(same, works(["sambal", "soto", "tempe"]), also=there).dropped()) == 3


def test_a_call_without_a_usable_answer_drops_its_own_concepts_only() -> None:
    done = made(lambda ask: None if "sambal" in ask.values["concepts"] else good(ask))
    assert set(done.dropped().values()) == {("questions", "unusable_answer")}
    assert len(done.dropped()) == 5
    assert done.steps["questions"]["sambal-1"].params == {"fault": "no_answer"}
