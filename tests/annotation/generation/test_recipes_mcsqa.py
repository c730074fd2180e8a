"""Questions from ConceptNet, step by step, with answers that a test makes up (mCSQA §3.2, §3.3)."""

from collections.abc import Mapping
from typing import Any

import pytest

from annotation.generation.rules import recipes
from annotation.generation.rules.recipes.base import CHANGED, KEPT, Ask
from annotation.generation.rules.recipes.wording import shared_words
from tests.annotation.generation.recipe_driver import RecipeResult, a_frame, drive

MCSQA = recipes.get("mcsqa")
KITCHEN = {
    "relation": "AtLocation",
    "direction": "backward",
    "source": "kitchen",
    "targets": ["pan", "cutting board", "grater"],
    "uris": ["/c/en/kitchen", "/c/en/pan", "/c/en/cutting_board", "/c/en/grater"],
}
QUESTIONS = {
    "S1-1": "What in the kitchen is heated before onions are fried?",
    "S1-2": "On what in the kitchen is an onion chopped?",
    "S1-3": "What in the kitchen turns cheese into shreds?",
}


def letter_of(ask: Ask, text: str) -> str:
    """The letter under which a choice was shown."""
    return next(line[0] for line in ask.values["choices"].splitlines() if line[3:] == text)


def good(**others: Any) -> dict[str, Any]:
    """Good answers to all four steps, but for those that are given."""
    right = {"S1-1": "pan", "S1-2": "cutting board", "S1-3": "grater"}
    return {
        "question": lambda ask: {"question": QUESTIONS[ask.work_keys[0]]},
        "refinement": lambda ask: {"question": ask.values["question"]},
        "distractors": lambda ask: {"distractors": ["bucket", "saw"]},
        "answering": lambda ask: {"answer": letter_of(ask, right[ask.work_keys[0]])},
        **others,
    }


def made(language: str = "en", data: Mapping[str, Any] = KITCHEN, seed: str = "7", **answers: Any) -> RecipeResult:
    frame = a_frame(language, {"en": "English", "ja": "Japanese"}[language], seed=seed)
    return drive(MCSQA, frame, MCSQA.build_works(frame, "S1", "AtLocation", data), good(**answers))


def with_reply(step: str, reply: Any) -> RecipeResult:
    """Good answers but for those to one step."""
    return made("en", KITCHEN, "7", **{step: reply})


def test_a_set_gives_three_questions_each_with_another_target_as_its_only_answer() -> None:
    done = made().finished
    assert [work.key for work in done] == ["S1-1", "S1-2", "S1-3"]
    for work, target in zip(done, KITCHEN["targets"], strict=True):
        options = work.content["options"]
        assert [each["key"] for each in options] == list("ABCDE")
        assert [each["text"] for each in options if each["role"] == "answer"] == [target]
        assert [each["text"] for each in options if each["role"] == "distractor"] == ["bucket"]
        assert {each["text"] for each in options} == {*KITCHEN["targets"], "bucket", "saw"}
        added = [each["key"] for each in options if each["text"] in ("bucket", "saw")]
        assert work.content["made"] == {
            "level": "easy",
            "set": "S1",
            "added": added,
            "answered": next(each["key"] for each in options if each["role"] == "answer"),
        }
        assert (work.content["concept"], work.content["category"]) == ("kitchen", "AtLocation")


def test_answers_stand_at_all_letters_and_at_the_same_ones_for_the_same_seed() -> None:
    def places(seed: str) -> list[str]:
        works = [
            work for n in range(60) for work in MCSQA.build_works(a_frame(seed=seed), f"S{n}", "AtLocation", KITCHEN)
        ]
        return [each["key"] for work in works for each in work.content["options"] if each["role"] == "answer"]

    assert places("1") == places("1") != places("2")
    assert {letter: places("1").count(letter) > 20 for letter in "ABCDE"} == dict.fromkeys("ABCDE", True)


def test_the_parameters_are_the_papers() -> None:
    assert {step.slug: dict(step.parameters) for step in MCSQA.steps} == {
        "question": {"temperature": 0.0, "top_p": 0.0, "seed": 0},
        "refinement": {"temperature": 0.7, "top_p": 0.5, "seed": 0},
        "distractors": {"temperature": 1.2, "top_p": 0.7, "seed": 0},
        "answering": {"temperature": 0.0},
    }


def test_distractors_are_asked_for_once_a_set_and_without_the_question() -> None:
    asked = made().asked["distractors"]
    assert [ask.work_keys for ask in asked] == [("S1-1", "S1-2", "S1-3")]
    assert not any(question in "".join(asked[0].values.values()) for question in QUESTIONS.values())


def test_the_model_is_shown_the_choices_in_another_order_than_they_are_kept_in() -> None:
    done = made()
    shown = [[line[3:] for line in ask.values["choices"].splitlines()] for ask in done.asked["answering"]]
    kept = [[each["text"] for each in work.content["options"]] for work in done.finished]
    assert [sorted(each) for each in shown] == [sorted(each) for each in kept]
    assert shown != kept


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("What in the kitchen is heated before a PAN cake?", "choice_in_question"),
        ("What in the kitchen lies under the board?", "choice_in_question"),
        ("What in the kitchen is heated", "no_question_mark"),
        ("It stands in the kitchen. What is it?", "several_sentences"),
        ("What in the kitchen has a name of three letters, and how many letters?", "surface_clue"),
        ("What is the best thing in the kitchen?", "opinion"),
        ("What in the kitchen do you think is hot?", "opinion"),
        ("I'm sorry, what in the kitchen is hot?", "unfit"),
        ("As an AI, what would I heat in the kitchen?", "unfit"),
        ("What in the kitchen is {answer}?", "unfit"),
        ("What the fuck is hot in the kitchen?", "offensive"),
        ("Что стоит на кухне?", "other_script"),
        ("???", "empty"),
        (" ".join(["very"] * 100) + "?", "too_long"),
    ],
)
@pytest.mark.parametrize("step", ["question", "refinement"])
def test_a_question_is_dropped_by_the_same_filter_when_written_and_when_bettered(
    step: str, question: str, reason: str
) -> None:
    done = with_reply(step, lambda ask: {"question": question})
    assert set(done.dropped().values()) == {(step, reason)}
    outcome = next(iter(done.steps[step].values()))
    assert outcome.content["question"] == " ".join(question.split())


@pytest.mark.parametrize(
    "question",
    [
        "What in the kitchen is most likely hot?",
        "What is the most common thing to heat in Mr. Brown's kitchen?",
        "What is heated in a “kitchen?”",
        "What in the kitchen do letters, syllables and sorry cooks have nothing to do with?",
    ],
)
def test_a_question_that_only_looks_like_a_fault_is_kept(question: str) -> None:
    assert made(question=lambda ask: {"question": question}).dropped() == {}


def test_what_was_bettered_is_told_from_what_was_left_as_it_was() -> None:
    def better(ask: Ask) -> Mapping[str, Any]:
        text = ask.values["question"]
        return {"question": text.replace("shreds", "thin shreds")}

    outcomes = made(refinement=better).steps["refinement"]
    assert {key: outcome.state for key, outcome in outcomes.items()} == {
        "S1-1": KEPT,
        "S1-2": KEPT,
        "S1-3": CHANGED,
    }


@pytest.mark.parametrize(
    ("distractors", "reason"),
    [
        (["Pan.", "saw"], "distractor_repeats"),
        (["saw", "SAW"], "distractor_repeats"),
        (["saw"], "distractors_few"),
        ([], "distractors_few"),
        (["saw", " "], "empty"),
        (["saw", "x" * 121], "choice_too_long"),
        (["saw", "[a knife]"], "unfit"),
        (["saw", "big fucking knife"], "offensive"),
        (["kitchen knife", "saw"], "choice_in_question"),
    ],
)
def test_a_question_is_dropped_for_its_distractors(distractors: list[str], reason: str) -> None:
    done = made(distractors=lambda ask: {"distractors": distractors})
    assert set(done.dropped().values()) == {("distractors", reason)}


def test_a_distractor_that_stands_in_one_question_drops_that_one_only() -> None:
    done = made(distractors=lambda ask: {"distractors": ["bucket", "cheese knife"]})
    assert done.dropped() == {"S1-3": ("distractors", "choice_in_question")}


@pytest.mark.parametrize(
    ("answer", "level"),
    [
        ("%s", "easy"),
        ("(%s)", "easy"),
        ("**%s**", "easy"),
        ("%s. pan", "easy"),
        ("pan", "easy"),
        ("The Pan", "hard"),
        ("F", "hard"),
        ("", "hard"),
        ("A pan", "hard"),
        ("I cannot say", "hard"),
    ],
)
def test_an_answer_that_is_no_choice_counts_as_wrong(answer: str, level: str) -> None:
    done = made(
        answering=lambda ask: {"answer": answer.replace("%s", letter_of(ask, "pan"))},
    )
    assert done.finished[0].content["made"]["level"] == level


def test_no_answer_drops_a_question_wherever_it_fails_to_come() -> None:
    for step in MCSQA.steps:
        done = with_reply(step.slug, lambda ask: None)
        assert set(done.dropped().values()) == {(step.slug, "unusable_answer")}
        done = with_reply(step.slug, lambda ask: {"something": "else"})
        assert set(done.dropped().values()) == {(step.slug, "unusable_answer")}
        done = with_reply(step.slug, lambda ask: {"question": "a\x00?", "answer": "\ud800"})
        assert set(done.dropped().values()) == {(step.slug, "unusable_answer")}


@pytest.mark.parametrize(
    ("question", "choice", "language", "words"),
    [
        ("Where is the pan?", "pan", "en", ["pan"]),
        ("Where are the pans?", "pan", "en", []),
        ("Where does company go?", "pan", "en", []),
        ("Where is the pan of it?", "the lid of a pot", "en", []),
        ("Where is it?", "it", "en", ["it"]),
        ("Was liegt in der Küche?", "in der Bäckerei", "de", []),
        ("Was liegt in der KÜCHE?", "in der Küche", "de", ["küche"]),
        ("Apa yang dijual di pasar?", "di Pasar", "id", ["pasar"]),
        ("Naon nu aya di sakola?", "sakolá", "su", []),
        ("Naon nu aya di sékolah?", "sekolah", "su", ["sekolah"]),
        ("台所で温めるものは何ですか？", "フライパン", "ja", []),
        ("台所でフライパンを温めますか？", "フライパン", "ja", ["フライパン"]),
        ("アイスを食べるのは何時ですか？", "アイス クリーム", "ja", ["アイス"]),
        ("NHKの番組はどこで見ますか？", "NHK", "ja", ["nhk"]),
        ("XNHKの番組はどこで見ますか？", "NHK", "ja", []),
        ("人们用什么切菜？", "切菜 板", "zh", ["切菜"]),
        ("Где стоит стол?", "на столе", "ru", []),
    ],
)
def test_words_of_a_choice_in_a_question(question: str, choice: str, language: str, words: list[str]) -> None:
    assert shared_words(question, choice, language) == words


def test_a_set_in_japanese() -> None:
    data = {
        "relation": "AtLocation",
        "direction": "backward",
        "source": "台所",
        "targets": ["まな板", "冷蔵庫", "おろし金"],
        "uris": ["/c/ja/台所", "/c/ja/まな板", "/c/ja/冷蔵庫", "/c/ja/おろし金"],
    }
    questions = {
        "S1-1": "台所で野菜を切るときに下に敷くものは何ですか？",
        "S1-2": "台所で一番好きなものは何ですか？",
        "S1-3": "台所で冷蔵庫の横にあるものは何ですか？",
    }
    done = made(
        "ja",
        data,
        question=lambda ask: {"question": questions[ask.work_keys[0]]},
        distractors=lambda ask: {"distractors": ["のこぎり", "バケツ"]},
        answering=lambda ask: {"answer": letter_of(ask, "まな板")},
    )
    assert done.dropped() == {"S1-2": ("question", "opinion"), "S1-3": ("question", "choice_in_question")}
    assert [work.content["made"]["level"] for work in done.finished] == ["easy"]


@pytest.mark.parametrize("field", ["source", "targets"])
def test_nothing_is_asked_about_a_set_with_an_offensive_word(field: str) -> None:
    offensive = {"source": "shit", "targets": ["pan", "big shit", "grater"]}
    done = made(data={**KITCHEN, field: offensive[field]})
    assert done.asked["question"] == []
    assert set(done.dropped().values()) == {("question", "offensive")}
