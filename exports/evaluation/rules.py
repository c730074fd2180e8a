"""How well people answer a release: a drawn part of dev and test, the majority answer, and how often it is right.

mCSQA §4.1: 100 items of dev and of test, five people each, the majority; ties go by seeded chance. Pure.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotation.core.rules.draws import order
from exports.releases.rules.settings import DEV, TEST
from validation.studies.rules.comparisons import RightShare

PURPOSE = "evaluation"
SPLITS = (DEV, TEST)
RIGHT, WRONG, LEFT_OUT, WAITING = "right", "wrong", "left_out", "waiting"


def draw_keys(seed: str, there: Mapping[str, Iterable[str]], sizes: Mapping[str, int]) -> dict[str, list[str]]:
    """So many keys of each split, drawn; all where there are fewer."""
    return {split: order(seed, f"{PURPOSE}:{split}", there.get(split, ()))[: sizes.get(split, 0)] for split in SPLITS}


def majority(seed: str, key: str, labels: Sequence[str]) -> tuple[str, bool]:
    """What most people said, and whether that was a tie; tied answers are drawn from, empty where nobody said any."""
    counts = Counter(labels)
    top = max(counts.values(), default=0)
    tied = [answer for answer, n in counts.items() if n == top]
    if not tied:
        return "", False
    return order(seed, f"{PURPOSE}-tie:{key}", tied)[0], len(tied) > 1


@dataclass(frozen=True)
class AnsweredItem:
    """One item: the release's answer, and what each person said; `is_complete` once all have, `excluded` where it
    was.
    """

    key: str
    split: str
    level: str
    answer: str
    answers: tuple[tuple[str, str], ...]
    is_complete: bool
    excluded: bool = False


@dataclass(frozen=True)
class JudgedItem:
    """The same with what most people said; `outcome` is a constant of this module."""

    row: AnsweredItem
    majority: str
    tied: bool

    @property
    def outcome(self) -> str:
        if self.row.excluded:
            return LEFT_OUT
        if not self.row.is_complete:
            return WAITING
        return RIGHT if self.majority == self.row.answer else WRONG


@dataclass(frozen=True)
class Accuracy(RightShare):
    """How many of so many majorities are the release's answer; of one split (empty: both) and level (empty: all)."""

    split: str
    level: str
    n: int
    right: int


class PersonResult(NamedTuple):
    """One who answers: how many items, how many as the release has it, how many as most of the others."""

    pseudonym: str
    n: int
    right: int
    with_others: int
    of_others: int


def judge_items(seed: str, rows: Iterable[AnsweredItem]) -> list[JudgedItem]:
    """Each item with its majority, as far as everybody answered it."""
    return [
        JudgedItem(
            row,
            *(majority(seed, row.key, [label for _, label in row.answers]) if row.is_complete else ("", False)),
        )
        for row in rows
    ]


def accuracies(judged: Sequence[JudgedItem]) -> list[Accuracy]:
    """Of dev, of test and of both: of all levels, then of each that there is."""
    done = [each for each in judged if each.outcome in (RIGHT, WRONG)]
    levels = sorted({each.row.level for each in judged} - {""})
    result = []
    for split in (*SPLITS, ""):
        for level in ("", *levels):
            here = [each for each in done if split in ("", each.row.split) and level in ("", each.row.level)]
            if here or not level:
                right = sum(each.outcome == RIGHT for each in here)
                result.append(Accuracy(split, level, len(here), right))
    return result


def person_results(seed: str, judged: Iterable[JudgedItem]) -> list[PersonResult]:
    """Everybody who answered, by pseudonym, over the items that are complete.

    An item on which the others are tied says nothing about whether somebody is with them.
    """
    by_person: dict[str, Counter[str]] = {}
    for each in judged:
        if each.outcome not in (RIGHT, WRONG):
            continue
        for who, label in each.row.answers:
            own = by_person.setdefault(who, Counter())
            own["n"] += 1
            own["right"] += label == each.row.answer
            others, tied = majority(seed, each.row.key, [answer for name, answer in each.row.answers if name != who])
            if others and not tied:
                own["of_others"] += 1
                own["with_others"] += label == others
    return [
        PersonResult(who, own["n"], own["right"], own["with_others"], own["of_others"])
        for who, own in sorted(by_person.items())
    ]


def count_outcomes(judged: Iterable[JudgedItem]) -> Counter[str]:
    """How many items have which outcome."""
    return Counter(each.outcome for each in judged)
