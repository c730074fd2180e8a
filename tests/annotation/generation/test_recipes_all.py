"""What holds for every recipe, whatever a model answers: nothing breaks, and every question has one outcome."""

import ast
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from annotation.generation.rules import instructions, recipes
from annotation.generation.rules.batches import NOT_STORABLE
from annotation.generation.rules.plans import ITEM_REFUSED, KEY_TAKEN, STEP_FAILED
from annotation.generation.rules.recipes import lists
from annotation.generation.rules.recipes.base import DROPPED, KEPT, Ask, Recipe
from annotation.generation.rules.recipes.reasons import REASONS, notes_of, words_of
from annotation.generation.rules.recipes.wording import Sort, phrase_in, question_faults
from annotation.text.normalise import storage_problem
from tests.annotation.generation.recipe_answers import ADAPTED, CONCEPT, ITEM
from tests.annotation.generation.recipe_driver import RecipeResult, a_frame, drive

FOLDER = Path(recipes.__file__).parent
SET = {
    "relation": "UsedFor",
    "direction": "forward",
    "source": "sarung",
    "targets": ["salat", "selimut", "ayunan bayi"],
    "uris": ["/c/id/sarung", "/c/id/salat", "/c/id/selimut", "/c/id/ayunan_bayi"],
}
MATERIALS: Mapping[str, Mapping[str, Any]] = {
    "mcsqa": SET,
    "llm-gen": CONCEPT,
    "llm-adapt": ADAPTED,
    "llm-translate": ITEM,
}
ALL = [pytest.param(recipe, id=recipe.slug) for recipe in recipes.all_recipes()]


def codes_in_code() -> set[str]:
    """Every reason that is written in the recipes' code: `Fault("…")` and `dropped_outcome(work, "…")`."""
    found = set()
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                place = {"Fault": 0, "dropped_outcome": 1}.get(name, 9)
                said = node.args[place] if len(node.args) > place else None
                if isinstance(said, ast.Constant):
                    found.add(str(said.value))
    return found


def test_every_reason_that_a_recipe_can_give_has_words_and_no_other_has() -> None:
    of_the_runner = {KEY_TAKEN, ITEM_REFUSED, STEP_FAILED, NOT_STORABLE}
    assert codes_in_code() | {"unusable_answer"} | of_the_runner == set(REASONS)


def test_the_words_of_a_reason_are_filled_by_its_parameters_or_stay_readable_without() -> None:
    for reason in REASONS:
        text, values = words_of(reason, {})
        assert (text % values).strip()
    text, values = words_of("opinion", {"words": "100 % best"})
    assert text % values == "It asks for an opinion: “100 % best”."
    text, values = words_of("of_another_hand_%", {})
    assert text % values == "of_another_hand_%"


def test_what_is_told_beside_an_outcome_has_words_too() -> None:
    told = notes_of({"not_asked_for": ["nasi", "100 %"], "scores": {"chrf": 0.91, "likeness-1": 0.5}, "best": 1})
    assert [text % values for text, values in told] == [
        "The same answer held questions about what nobody asked for: nasi, 100 %.",
        "Likeness to the original: chrf 0.91, likeness-1 0.5.",
    ]
    assert notes_of({"too_many": [], "words": "x"}) == []


@pytest.mark.parametrize("recipe", ALL)
def test_every_instruction_of_a_step_is_there_and_takes_no_more_than_the_step_gives(recipe: Recipe) -> None:
    for step in recipe.steps:
        for name in step.instructions:
            text = instructions.default_text(name)
            instructions.check(name, text)
            assert text.count("\n---\n") == 1
            assert "JSON" in text


def test_no_instruction_of_the_house_is_without_a_step() -> None:
    used = {name for recipe in recipes.all_recipes() for step in recipe.steps for name in step.instructions}
    assert used == set(instructions.names())


@pytest.mark.parametrize("recipe", ALL)
def test_a_recipe_reads_the_material_that_it_names_and_begins_with_different_keys(recipe: Recipe) -> None:
    data = MATERIALS[recipe.slug]
    recipe.material_form.model_validate(dict(data))
    frame = a_frame("id", "Indonesian", questions_per_concept=2)
    begun = recipe.build_works(frame, "M", "group", data)
    assert begun == recipe.build_works(frame, "M", "group", data)
    assert len({work.key for work in begun}) == len(begun) > 0
    assert {(work.material, work.group, work.data) == ("M", "group", data) for work in begun} == {True}
    assert all(work.content["made"]["set"] == "M" for work in begun)
    assert len({step.slug for step in recipe.steps}) == len(recipe.steps)
    assert all(step.asked or not step.instructions for step in recipe.steps)


def test_each_language_of_the_lists_has_letters_and_every_list_is_in_lower_case() -> None:
    known = lists.lists_by_language()
    assert {"en", "id", "su", "ja", "zh", "de", "pt", "nl", "fr", "ru"} <= set(known)
    for each in known.values():
        assert re.compile(f"[{each.script}]")
        for listed in (each.small, each.surface, each.opinions, each.refusals, each.offensive, each.harmless):
            assert all(phrase == phrase.lower().strip() for phrase in listed)
    assert lists.get("pt-BR").code == "pt"
    assert lists.get("xx").offensive == frozenset()


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Womit wird im Winter eine Wohnung geheizt?"),
        ("nl", "Waarmee wordt in de winter een huis verwarmd?"),
        ("fr", "Avec quoi chauffe-t-on une maison en hiver ?"),
        ("pt", "Com que se aquece uma casa no inverno?"),
        ("ru", "Чем обогревают дом зимой?"),
        ("zh", "冬天人们用什么给房子取暖？"),
        ("ja", "冬に家を暖めるために使うものは何ですか？"),
        ("id", "Dengan apa rumah dihangatkan pada malam hari?"),
        ("su", "Ku naon imah dihaneutkeun peuting-peuting?"),
        ("en", "What heats a house in winter?"),
        ("th", "อะไรทำให้บ้านอบอุ่นในฤดูหนาว?"),
    ],
)
def test_a_plain_question_of_any_language_is_a_fault_in_none_of_the_rules(language: str, question: str) -> None:
    assert list(question_faults(a_frame(language, language), question, ["x y", "z"])) == []


@pytest.mark.parametrize(
    ("language", "text", "sort", "hit"),
    [
        ("de", "So eine SCHEISSE", "offensive", "scheisse"),
        ("de", "So eine Scheiße", "offensive", "scheisse"),
        ("en", "grapes in Essex", "offensive", ""),
        ("ja", "これは何文字ですか", "surface", "何文字"),
        ("id", "yang paling sering", "opinions", ""),
        ("xx", "shit", "offensive", ""),
    ],
)
def test_phrases_are_found_whatever_their_case(language: str, text: str, sort: Sort, hit: str) -> None:
    assert phrase_in(text, language, sort) == hit


# Texts that a filter may stumble over, among texts of any kind.
HARD = [
    "",
    " ",
    "?",
    "A",
    "E.",
    "yes",
    "No",
    "Apa itu sarung?",
    "sambal",
    "SAMBAL",
    "$x ${y} %s %(a)s {}",
    "İſß",
    "ﷺ" * 9,
]
TEXTS = st.one_of(st.sampled_from(HARD), st.text(max_size=25))
CHOICE = st.fixed_dictionaries({"key": TEXTS, "text": TEXTS})
CHOICES = st.one_of(
    st.lists(CHOICE, max_size=7),
    st.dictionaries(TEXTS, TEXTS, max_size=6),
    st.lists(TEXTS, max_size=7),
    st.lists(st.text("xyzäß", min_size=3, max_size=9), min_size=5, max_size=5, unique=True),
)
WRITTEN = st.fixed_dictionaries(
    {"concept": TEXTS, "question": TEXTS, "options": CHOICES, "answer": TEXTS}, optional={"distractor": TEXTS}
)
RAW: Mapping[str, st.SearchStrategy[Any]] = {
    "QuestionText": st.fixed_dictionaries({"question": TEXTS}),
    "Distractors": st.fixed_dictionaries({"distractors": st.lists(TEXTS, max_size=4)}),
    "Chosen": st.fixed_dictionaries({"answer": TEXTS}),
    "Verdict": st.fixed_dictionaries({"answer": TEXTS}),
    "Named": st.fixed_dictionaries({}, optional={"persons": st.lists(TEXTS), "places": st.lists(TEXTS)}),
    "Written": WRITTEN,
    "WrittenQuestions": st.fixed_dictionaries({"questions": st.lists(WRITTEN, max_size=4)}),
    "Renames": st.fixed_dictionaries(
        {"names": st.lists(st.fixed_dictionaries({"name": TEXTS, "becomes": TEXTS}), max_size=4)}
    ),
    "Translated": st.fixed_dictionaries({"text": TEXTS}),
    "Vector": st.fixed_dictionaries({"vector": st.lists(st.floats(), min_size=1, max_size=3)}),
}


def any_answer(draw: st.DataObject) -> Any:
    """A function that answers every ask with anything of its form, with nothing, or with what fits no form."""

    def reply(ask: Ask) -> Mapping[str, Any] | None:
        strange = st.one_of(st.none(), st.dictionaries(st.text(max_size=9), st.integers(), max_size=2))
        answer: Mapping[str, Any] | None = draw.draw(st.one_of(RAW[ask.answer.__name__], strange))
        return answer

    return reply


def good_or_any(draw: st.DataObject) -> Any:
    """As `any_answer`, but now and then an answer that gets a question further, so that later steps are reached."""
    further: Mapping[str, Mapping[str, Any]] = {
        "QuestionText": {"question": "Untuk apa sarung dipakai?"},
        "Distractors": {"distractors": ["tirai", "lap"]},
        "Verdict": {"answer": "no"},
        "Named": {"persons": ["Danny"]},
        "Translated": {"text": "pasar?"},
    }
    anything = any_answer(draw)

    def reply(ask: Ask) -> Mapping[str, Any] | None:
        known = further.get(ask.answer.__name__)
        if ask.answer.__name__ == "Written":
            known = written_about("hujan")
        if ask.answer.__name__ == "WrittenQuestions":
            known = {"questions": [written_about("sambal")]}
        if known is not None and draw.draw(st.booleans()):
            return known
        answer: Mapping[str, Any] | None = anything(ask)
        return answer

    return reply


def written_about(concept: str) -> dict[str, Any]:
    return {
        "concept": concept,
        "question": f"Apa itu {concept}, Danny?",
        "options": ["satu", "dua", "tiga", "empat", "lima"],
        "answer": "B",
    }


def holds(recipe: Recipe, driven: RecipeResult) -> None:
    """What is true of everything that came of it."""
    for outcomes in driven.steps.values():
        for outcome in outcomes.values():
            kept = json.dumps([outcome.content, outcome.params], allow_nan=False)
            assert not storage_problem(kept)
            assert "\\u0000" not in kept
            assert (outcome.state == DROPPED) == bool(outcome.reason)
            text, values = words_of(outcome.reason or "empty", outcome.params)
            assert text % values
            assert not outcome.reason or outcome.reason in REASONS
    for work in driven.finished:
        options = work.content["options"]
        assert [each["key"] for each in options] == list("ABCDE")
        assert [each["role"] for each in options].count("answer") == 1
        assert [each["role"] for each in options].count("distractor") <= 1
        assert work.content["made"]["level"] in ("", "easy", "hard")


@pytest.mark.parametrize("recipe", ALL)
@given(data=st.data())
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_that_a_model_answers_breaks_a_step(recipe: Recipe, data: st.DataObject) -> None:
    frame = a_frame("id", "Indonesian", questions_per_concept=2)
    begun = recipe.build_works(frame, "M", "group", MATERIALS[recipe.slug])
    replies = data.draw(st.sampled_from([any_answer, good_or_any]))(data)
    driven = drive(recipe, frame, begun, {step.slug: replies for step in recipe.steps if step.asked})
    holds(recipe, driven)
    assert len(driven.finished) + len(driven.dropped()) == len(begun)


@pytest.mark.parametrize("recipe", ALL)
def test_a_step_drops_what_no_answer_came_for_and_keeps_what_it_asks_nothing_about(recipe: Recipe) -> None:
    frame = a_frame("id", "Indonesian")
    begun = recipe.build_works(frame, "M", "group", MATERIALS[recipe.slug])
    for step in recipe.steps:
        asked = {key for ask in step.build_asks(frame, begun) for key in ask.work_keys}
        outcomes = step.apply_answers(frame, begun, [])
        for work in begun:
            state, reason = outcomes[work.key].state, outcomes[work.key].reason
            expected = (DROPPED, "unusable_answer") if work.key in asked and not step.optional else (state, reason)
            assert (state, reason) == expected
            assert state == KEPT or reason in REASONS


def test_the_forms_of_answers_refuse_what_cannot_be_kept() -> None:
    for recipe in recipes.all_recipes():
        for step in recipe.steps:
            frame = a_frame("id", "Indonesian")
            for ask in step.build_asks(frame, recipe.build_works(frame, "M", "group", MATERIALS[recipe.slug])):
                assert issubclass(ask.answer, BaseModel)
                assert ask.answer.__name__ in RAW
