"""Questions translated and translated back, with answers that a test makes up (id-csqa §4.1)."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from annotation.generation.rules import recipes
from annotation.generation.rules.recipes.base import Ask
from annotation.generation.rules.recipes.llm_translate import chrf, cosine
from tests.annotation.generation.recipe_answers import ITEM, roles_by_key
from tests.annotation.generation.recipe_driver import RecipeResult, a_frame, drive

TRANSLATE = recipes.get("llm-translate")
THERE = {
    "pasar": "pasar",
    "Apa yang dijual di pasar?": "Naon anu dijual di pasar?",
    "sayur": "sayuran",
    "rumah": "imah",
    "pulau": "nusa",
    "awan": "mega",
    "sungai": "walungan",
}
BACK = {there: original for original, there in THERE.items()} | {"sayuran": "sayur"}
Reply = Callable[[Ask], Mapping[str, Any] | None]


def by(table: Mapping[str, str]) -> Reply:
    return lambda ask: {"text": table[ask.values["text"]]} if ask.values["text"] in table else None


def made(similarity: float = 0.9, **replies: Reply) -> RecipeResult:
    """One question there, back and judged, by translation endpoints unless other replies are given."""
    given = replies if replies else {"translate": by(THERE), "back_translate": by(BACK)}
    frame = a_frame("su", "Sundanese", similarity=similarity)
    works = TRANSLATE.build_works(frame, "M1", "place", ITEM)
    return drive(TRANSLATE, frame, works, {name.replace("_", "-"): reply for name, reply in given.items()})


def test_a_question_that_comes_back_as_it_was_is_kept() -> None:
    done = made()
    [work] = done.finished
    assert work.content["question"] == "Naon anu dijual di pasar?"
    assert [each["text"] for each in work.content["options"]] == [
        "sayuran",
        "imah",
        "nusa",
        "mega",
        "walungan",
    ]
    assert roles_by_key(work.content) == {"answer": "A"}
    assert work.content["made"]["scores"] == {"chrf": 1.0}
    assert done.steps["score"]["M1"].params == {"scores": {"chrf": 1.0}, "best": 1.0, "least": 0.9}


def test_a_translation_endpoint_is_told_both_languages_and_each_text_once() -> None:
    done = made()
    there, back = done.asked["translate"], done.asked["back-translate"]
    assert [ask.values["text"] for ask in there] == list(THERE)
    assert {(ask.values["source"], ask.values["target"]) for ask in there} == {("id", "su")}
    assert {(ask.values["source"], ask.values["target"]) for ask in back} == {("su", "id")}


def test_a_language_model_translates_where_it_is_named() -> None:
    done = made(translate_chat=by(THERE), back_translate_chat=by(BACK))
    assert [work.key for work in done.finished] == ["M1"]
    both = made(translate=by(THERE), translate_chat=by({}), back_translate=by(BACK), back_translate_chat=by({}))
    assert both.asked["translate-chat"] == both.asked["back-translate-chat"] == []
    assert [work.key for work in both.finished] == ["M1"]


AWAY = dict.fromkeys(BACK, "sesuatu yang lain sama sekali")


def test_a_question_that_comes_back_otherwise_is_dropped_with_its_scores() -> None:
    done = made(translate=by(THERE), back_translate=by(AWAY))
    assert done.dropped() == {"M1": ("score", "similarity_low")}
    outcome = done.steps["score"]["M1"]
    assert outcome.params["least"] == 0.9
    assert outcome.params["best"] == outcome.params["scores"]["chrf"] < 0.5
    assert outcome.content["made"]["scores"] == outcome.params["scores"]


@pytest.mark.parametrize(
    ("vectors", "kept", "names"),
    [
        (([1.0, 0.0], [1.0, 0.1]), True, {"chrf", "likeness-1"}),
        (([1.0, 0.0], [0.0, 1.0]), False, {"chrf", "likeness-1"}),
        (([1.0, 0.0], [1.0, 0.0, 0.0]), False, {"chrf"}),
        (([0.0, 0.0], [1.0, 0.0]), False, {"chrf"}),
        ((None, None), False, {"chrf"}),
    ],
)
def test_any_scorer_is_enough(vectors: tuple[Any, Any], kept: bool, names: set[str]) -> None:
    def embed(ask: Ask) -> Mapping[str, Any] | None:
        vector = vectors[ask.values["text"].startswith("sesuatu")]
        return None if vector is None else {"vector": vector}

    done = made(translate=by(THERE), back_translate=by(AWAY), likeness_1=embed)
    assert bool(done.finished) == kept
    assert set(done.steps["score"]["M1"].params["scores"]) == names


def test_two_scorers_are_both_told() -> None:
    def embed(ask: Ask) -> Mapping[str, Any]:
        return {"vector": [1.0, 2.0]}

    done = made(translate=by(THERE), back_translate=by(AWAY), likeness_1=embed, likeness_2=embed)
    assert done.finished[0].content["made"]["scores"] | {"chrf": 0} == {
        "chrf": 0,
        "likeness-1": 1.0,
        "likeness-2": 1.0,
    }


def test_nothing_is_kept_that_was_not_translated_or_did_not_come_back() -> None:
    assert made(back_translate=by(BACK)).dropped() == {"M1": ("score", "not_translated")}
    assert made(translate=by(THERE)).dropped() == {"M1": ("score", "not_scored")}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rumah": "sayuran"}, "choices_equal"),
        ({"rumah": ""}, "choice_empty"),
        ({"pasar": "warung"}, "concept_missing"),
        ({"pasar": "pasar " * 50 + "x"}, "concept_too_long"),
        ({"Apa yang dijual di pasar?": "anying, naon di pasar?"}, "offensive"),
    ],
)
def test_a_translation_that_is_no_question_is_dropped(change: Mapping[str, str], reason: str) -> None:
    assert made(translate=by({**THERE, **change})).dropped() == {"M1": ("translate", reason)}


def test_a_text_that_was_not_translated_drops_the_question() -> None:
    some = {text: there for text, there in THERE.items() if text != "awan"}
    assert made(translate=by(some)).dropped() == {"M1": ("translate", "unusable_answer")}
    fewer = {text: original for text, original in BACK.items() if text != "mega"}
    done = made(translate=by(THERE), back_translate=by(fewer))
    assert done.dropped() == {"M1": ("back-translate", "unusable_answer")}


@pytest.mark.parametrize(
    ("one", "other", "score"),
    [
        ([1.0, 0.0], [2.0, 0.0], 1.0),
        ([1.0, 0.0], [0.0, 3.0], 0.0),
        ([1.0], [-1.0], -1.0),
        ([1e308, 1e308], [1e308, 1e308], 1.0),
        ([5e-324, 0.0], [1.0, 0.0], 1.0),
        ([0.0], [1.0], None),
        ([1.0], [1.0, 1.0], None),
        ([], [], None),
    ],
)
def test_cosine(one: list[float], other: list[float], score: float | None) -> None:
    assert cosine(one, other) == score


def test_chrf_is_one_for_the_same_text_and_nothing_for_none() -> None:
    assert chrf("Apa yang dijual?", "Apa yang dijual?") == 1.0
    assert chrf("", "Apa?") == chrf("Apa?", " ") == 0.0
    assert 0.3 < chrf("Apa yang dibeli di pasar?", "Apa yang dijual di pasar?") < 0.9
