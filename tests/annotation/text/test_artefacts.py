"""Artefacts of writing by hand and on the published pairs: figures of texts, habits, shared types, the classifier."""

import numpy as np
import pytest

from annotation.core.rules.draws import draw
from annotation.text import classifier, languages, overlap
from annotation.text.artefacts import Figures, Summary, measure_text, summary, to_columns
from annotation.text.classifier import cross_validated, features_of
from annotation.text.overlap import SharedTypes, Types, count_shared
from annotation.text.tokens import tokens, word_pattern
from annotation.text.writer_habits import WordHabit, strongest_habits
from tests.annotation.text.test_lexical import read
from tests.data import needs_data

NOT = frozenset({"tidak", "isn't"})


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        ("Ibu tidak pergi.", "Ibu pergi.", Figures(0.75, 0.75, 0.25, 3, True)),
        ("Ibu pergi", "Ayah tidak di sini", Figures(0, 0, 1, 2, False)),
        ("It isn’t", "", Figures(0, 0, 1, 3, True)),
        ("", "Ibu", Figures(0, 0, 0, 0, False)),
    ],
)
def test_one_text(text: str, source: str, expected: Figures) -> None:
    assert measure_text(text, source, NOT) == expected
    stored = to_columns([expected, expected])
    assert stored["lcs"] == [expected.lcs] * 2
    assert stored["negated"] == [float(expected.negated)] * 2


def test_many_texts() -> None:
    rows = [
        Figures(0.2, 0.5, 0.1, 4, True),
        Figures(0.3333, 1, 0.2, 6, False),
        Figures(0.4, 1, 0.7, 5, False),
    ]
    assert summary(to_columns(rows)) == Summary(3, 33.3, 100.0, 20.0, 5.0, 0.8, 33.3)
    assert summary(to_columns([])) is None


@needs_data
@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lay_sample", {"e": (33.3, 73.3, 14.3), "c": (27.8, 66.7, 25.0), "n": (21.1, 57.1, 33.3)}),
        ("expert_replay", {"e": (20.7, 60.0, 30.4), "c": (21.4, 62.5, 28.6), "n": (14.8, 42.9, 46.9)}),
    ],
)
def test_published_medians(name: str, expected: dict[str, tuple[float, float, float]]) -> None:
    negations = languages.get("id").negations
    for label, medians in expected.items():
        rows = [row for row in read(name) if row["label"] == label]
        figures = [measure_text(row["hypothesis"], row["premise"], negations) for row in rows]
        found = summary(to_columns(figures))
        assert found is not None
        assert (found.jaccard, found.lcs, found.new) == medians


# --- a word where statistics cut it out ---------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ia tidak pergi.", True),
        ("tidak", True),
        ("«tidak», katanya", True),
        ("tidaklah", False),
        ("setidak-tidaknya", False),
        ("tidak-tidak saja", False),
        ("ini/tidak", False),
    ],
)
def test_the_pattern_finds_what_tokens_gives(text: str, found: bool) -> None:
    import re

    assert bool(re.search(word_pattern("tidak"), text)) is found
    assert ("tidak" in tokens(text)) is found


# --- habits -------------------------------------------------------------------------------


def counted(texts: dict[tuple[str, str], list[str]]) -> list[WordHabit]:
    """Habits of texts by writer and class."""
    having: dict[tuple[str, str, str], int] = {}
    for (writer, told), rows in texts.items():
        for row in rows:
            for word in set(tokens(row)):
                having[writer, told, word] = having.get((writer, told, word), 0) + 1
    return strongest_habits({key: len(rows) for key, rows in texts.items()}, having)


def test_a_habit_is_what_most_texts_of_a_class_have_and_the_others_have_not() -> None:
    denied = ["Ia tidak pergi."] * 7 + ["Ia pulang."]
    assert counted({("W1", "c"): denied, ("W1", "e"): ["Ia pergi."] * 4}) == [WordHabit("W1", "c", "tidak", 7, 8, 0, 4)]


@pytest.mark.parametrize(
    "texts",
    [
        {("W1", "c"): ["tidak"] * 4, ("W1", "e"): ["ya"]},
        {("W1", "c"): ["tidak"] * 9},
        {("W1", "c"): ["tidak"] * 5 + ["ini", "itu"] * 3, ("W1", "e"): ["ya"]},
        {("W1", "c"): ["tidak"] * 6 + ["ini"] * 4, ("W1", "e"): ["tidak"] * 2 + ["ya", "lagi", "pula"]},
        {("W1", "c"): ["."] * 9, ("W1", "e"): ["ya"]},
        {},
    ],
    ids=["too few texts", "nothing to compare with", "too rare", "elsewhere too", "a mark", "nothing"],
)
def test_no_habit(texts: dict[tuple[str, str], list[str]]) -> None:
    assert counted(texts) == []


def test_the_strongest_habit_of_each_writer_and_class() -> None:
    found = counted(
        {
            ("W2", "n"): ["banyak orang lain"] * 3 + ["banyak lain"] * 3,
            ("W2", "e"): ["ada lain"],
            ("W1", "c"): ["tidak ada"] * 6,
            ("W1", "e"): ["ada apa", "pergi", "pulang"],
        }
    )
    assert [(each.writer, each.label, each.word, each.having) for each in found] == [
        ("W1", "c", "tidak", 6),
        ("W2", "n", "banyak", 6),
    ]
    assert found[0].share == 1


# --- two sets -----------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [1, 1000])
def test_shared_types(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlap, "_KEPT", kept)
    numbers: dict[str, int] = {}
    left, right = Types(numbers, [["a", "b", "c"], ["a", "b"]]), Types(numbers, [["b", "c", "d"]])
    ones, twos = count_shared(left, right)
    assert (ones, twos) == (SharedTypes(2, 3, 3), SharedTypes(1, 2, 2))
    assert (ones.of_left, twos.of_right) == (2 / 3, 1 / 2)
    none = count_shared(Types(numbers), right)[0]
    assert (none.of_left, none.of_right) == (None, 0.0)


# --- the classifier -----------------------------------------------------------------------


def split(rows: list[tuple[str, int, str]]) -> tuple[classifier.Features, np.ndarray, np.ndarray]:
    """Features, classes and folds of text, class and group."""
    features = features_of([tokens(text) for text, _, _ in rows])
    folds = [draw("s", "fold", group) % classifier.FOLDS for _, _, group in rows]
    return features, np.array([told for _, told, _ in rows]), np.array(folds)


def test_a_word_that_gives_the_class_away_is_learnt() -> None:
    rows = [(f"kata{n} tidak {n % 7}", 1, f"g{n}") for n in range(100)]
    rows += [(f"kata{n} ya {n % 7}", 0, f"g{n}") for n in range(100)]
    told = cross_validated(*split(rows), 2)
    assert (told.argmax(axis=1) == [1] * 100 + [0] * 100).all()
    assert (told.max(axis=1) > classifier.SURE_PROBABILITY).all()
    assert told.sum(axis=1) == pytest.approx(1, abs=1e-5)


def test_what_is_of_no_class_is_told_and_not_learnt_from() -> None:
    rows = [(f"kata{n} {'tidak' if n % 2 else 'ya'}", n % 2, f"g{n}") for n in range(200)]
    features, classes, folds = split([*rows, ("tidak", -1, "x")])
    assert cross_validated(features, classes, folds, 2)[-1].argmax() == 1
    with pytest.raises(ValueError):
        cross_validated(features, np.full_like(classes, -1), folds, 2)


def test_the_same_source_never_helps() -> None:
    """A text that its source alone gives away cannot be told: its whole group is held out."""
    rows = [(f"kata{n // 2}", n // 2 % 2, f"g{n // 2}") for n in range(200)]
    told = cross_validated(*split(rows), 2)
    assert (told.max(axis=1) < classifier.SURE_PROBABILITY).all()


def test_a_text_without_words_is_told_by_how_many_there_are() -> None:
    rows = [("", int(n > 30), f"g{n}") for n in range(200)]
    assert (cross_validated(*split(rows), 2).argmax(axis=1) == 1).all()


@needs_data
@pytest.mark.data
@pytest.mark.parametrize(("name", "accuracy", "sure"), [("lay_sample", 0.48, 0.8), ("expert_replay", 0.40, 0.8)])
def test_published_pairs_can_be_told_in_part(name: str, accuracy: float, sure: float) -> None:
    """Lay pairs more often than experts', as in IndoNLI's Table 8; four of five certain answers are right."""
    rows = [(row["hypothesis"], "enc".index(row["label"]), row["premise"]) for row in read(name)]
    features, classes, folds = split(sorted(rows, key=lambda row: draw("s", "order", row[0])))
    told = cross_validated(features, classes, folds, 3)
    right = told.argmax(axis=1) == classes
    assert right.mean() == pytest.approx(accuracy, abs=0.03)
    certain = told.max(axis=1) >= classifier.SURE_PROBABILITY
    assert certain.sum() > 10
    assert right[certain].mean() >= sure - 0.05
    assert (cross_validated(features, classes, folds, 3) == told).all()
