"""Evaluations of releases: what is drawn, what most people say, how often that is right (mCSQA §4.1)."""

from collections import Counter

import pytest

from exports.evaluation.rules import (
    LEFT_OUT,
    RIGHT,
    WAITING,
    WRONG,
    AnsweredItem,
    accuracies,
    count_outcomes,
    draw_keys,
    judge_items,
    majority,
    person_results,
)

SEED = "s1"


def row(said: str, *, key: str = "q1", split: str = "dev", level: str = "easy", **more: bool) -> AnsweredItem:
    """An item whose answer is A; people W1, W2 … say the letters."""
    told = tuple((f"W{n}", label) for n, label in enumerate(said, start=1))
    return AnsweredItem(key, split, level, "A", told, more.get("over", True), more.get("excluded", False))


@pytest.mark.parametrize(
    ("said", "answer", "tied"),
    [
        ("AAABC", "A", False),
        ("AABBB", "B", False),
        ("AABBC", "AB", True),
        ("ABCDE", "ABCDE", True),
        ("", "", False),
    ],
)
def test_what_most_people_say(said: str, answer: str, tied: bool) -> None:
    found = majority(SEED, "q1", said)
    assert found[0] in answer or not answer
    assert found == (found[0], tied)
    assert majority(SEED, "q1", said[::-1]) == found


def test_ties_are_drawn_and_every_answer_has_its_chance() -> None:
    found = Counter(majority(SEED, f"q{n}", "AABBC")[0] for n in range(400))
    assert set(found) == {"A", "B"}
    assert 140 < found["A"] < 260
    assert [majority("other", f"q{n}", "AABBC")[0] for n in range(50)] != [
        majority(SEED, f"q{n}", "AABBC")[0] for n in range(50)
    ]


@pytest.mark.parametrize(
    ("what", "outcome"),
    [
        (row("AAABC"), RIGHT),
        (row("BBBAC"), WRONG),
        (row("AAA", over=False), WAITING),
        (row("AAAAA", excluded=True), LEFT_OUT),
    ],
)
def test_outcomes(what: AnsweredItem, outcome: str) -> None:
    (judged,) = judge_items(SEED, [what])
    assert judged.outcome == outcome
    assert count_outcomes([judged]) == {outcome: 1}


def test_accuracy_by_split_and_level() -> None:
    rows = [
        *(row("AAAAA", key=f"e{n}") for n in range(9)),
        row("BBBBB", key="e9"),
        row("AAABB", key="h1", split="test", level="hard"),
        row("BBBAA", key="h2", split="test", level="hard"),
        row("AA", key="h3", split="test", level="hard", over=False),
    ]
    found = {(each.split, each.level): each for each in accuracies(judge_items(SEED, rows))}
    assert list(found) == [
        ("dev", ""),
        ("dev", "easy"),
        ("test", ""),
        ("test", "hard"),
        ("", ""),
        ("", "easy"),
        ("", "hard"),
    ]
    assert (found["dev", ""].right, found["dev", ""].n, found["dev", ""].share) == (9, 10, 0.9)
    assert found["test", "hard"].share == 0.5
    between = found["dev", "easy"].interval
    assert between is not None
    assert (round(between.low, 4), round(between.high, 4)) == (0.5958, 0.9821)


def test_nothing_answered_has_no_share() -> None:
    first = accuracies(judge_items(SEED, [row("", over=False)]))[0]
    assert (first.n, first.share, first.interval) == (0, None, None)


def test_people_are_compared_with_the_release_and_with_the_others() -> None:
    found = {
        each.pseudonym: each for each in person_results(SEED, judge_items(SEED, [row("AAB"), row("BBA", key="q2")]))
    }
    assert (found["W1"].n, found["W1"].right) == (2, 1)
    # Of three the other two are tied wherever they differ.
    assert (found["W3"].with_others, found["W3"].of_others) == (0, 2)
    assert (found["W1"].with_others, found["W1"].of_others) == (0, 0)
    assert person_results(SEED, judge_items(SEED, [row("A", over=False)])) == []


def test_the_draw() -> None:
    keys = [f"q{n}" for n in range(300)]
    first = draw_keys(SEED, {"dev": keys, "test": keys[:40]}, {"dev": 100, "test": 100})
    assert (len(first["dev"]), len(set(first["dev"])), len(first["test"])) == (100, 100, 40)
    assert draw_keys(SEED, {"dev": keys[::-1], "test": keys}, {"dev": 100})["dev"] == first["dev"]
    assert draw_keys("s2", {"dev": keys}, {"dev": 100})["dev"] != first["dev"]
