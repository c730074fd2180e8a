"""What can be told without the source: learnt from other rows, the same again, never from the row that is asked."""

from collections.abc import Callable
from typing import Any

import pytest

from annotation import kinds
from exports.formats.rules import source_free as baseline
from exports.predictions.rules import LABEL, PROBABILITIES, Answer, AskedRow

NAMES = {"e": "entailment", "n": "neutral", "c": "contradiction"}
WORDS = {"e": "ada", "n": "banyak", "c": "tidak"}
Rows = tuple[list[AskedRow], dict[str, dict[str, Any]]]


def pairs(n: int = 150) -> Rows:
    """A word gives each label away, but for every tenth pair."""
    asked, contents = [], {}
    for at in range(n):
        key = "enc"[at % 3]
        word = WORDS["enc"[(at + at % 10 // 9) % 3]]
        asked.append(AskedRow(f"p{at}", "test", NAMES[key], tuple(NAMES.values())))
        contents[f"p{at}"] = {"premise": f"Sumber {at // 3}.", "hypothesis": f"{word} hal {at % 7}."}
    return asked, contents


def questions(n: int = 60) -> Rows:
    """The right choice is the long one."""
    asked, contents = [], {}
    for at in range(n):
        right = "ABCDE"[at % 5]
        options = [
            {"key": key, "text": "yang paling tepat" if key == right else f"lain {at % 4}", "role": ""}
            for key in "ABCDE"
        ]
        asked.append(AskedRow(f"q{at}", "test", right, tuple("ABCDE")))
        contents[f"q{at}"] = {"concept": f"konsep {at}", "question": "Apa?", "options": options}
    return asked, contents


def told(kind: str, rows: Rows) -> dict[str, Answer]:
    return baseline.baseline_answers(kinds.get(kind), *rows, "seed", lambda: None)


@pytest.mark.parametrize(("kind", "rows", "least"), [("nli", pairs, 0.8), ("mcq", questions, 0.95)])
def test_what_gives_labels_away_is_found(kind: str, rows: Callable[[], Rows], least: float) -> None:
    asked, contents = rows()
    found = told(kind, (asked, contents))
    assert set(found) == {each.id for each in asked}
    right = sum(found[each.id][LABEL] == each.gold for each in asked) / len(asked)
    assert least <= right
    for answer in found.values():
        assert sum(answer[PROBABILITIES].values()) == pytest.approx(1, abs=1e-5)
    assert told(kind, (asked, contents)) == found


def test_no_row_is_answered_by_what_was_learnt_from_it_or_its_source() -> None:
    """Another label of a row changes nothing of its own answer, nor of those that share its premise."""
    asked, contents = pairs()
    before = told("nli", (asked, contents))
    changed = [AskedRow(each.id, each.split, "neutral", each.options) if each.id == "p0" else each for each in asked]
    after = told("nli", (changed, contents))
    assert [after[f"p{n}"] for n in range(3)] == [before[f"p{n}"] for n in range(3)]
    assert after != before


def test_too_little_says_nothing() -> None:
    assert told("nli", pairs(60)) == {}
    asked, contents = pairs()
    assert told("nli", (asked, {id: {**text, "premise": "Satu."} for id, text in contents.items()})) == {}
    assert told("translation", pairs()) == {}
