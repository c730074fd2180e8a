"""How answers to one question are counted, round by round: equal ones, the median of points, part by part.

Pure and total: what cannot be an answer is cast and counts for none. The engine asks each tally after each round.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence

from annotation.answers.base import AggregationRule, Answer

LOWEST_PSEUDONYM = "lowest-pseudonym"
WHOLE, PARTS = "whole", "parts"
_DIGITS = re.compile(r"([0-9]+)")


def pseudonym_rank(pseudonym: str) -> tuple[list[tuple[int, str]], str]:
    """Order pseudonyms as people count, W2 before W10, whatever the number of digits."""
    parts = _DIGITS.split(pseudonym)
    for place in range(1, len(parts), 2):
        parts[place] = parts[place].lstrip("0")
    return [(len(part) if place % 2 else 0, part) for place, part in enumerate(parts)], pseudonym


class EqualTally:
    """Equal answers, by key: the label that has the quorum, or the most votes (domain.md §3)."""

    __slots__ = ("answer", "counts", "done", "holders", "rule", "tied")

    def __init__(self, rule: AggregationRule, targets: Iterable[str]) -> None:
        self.rule = rule
        self.counts = dict.fromkeys(targets, 0)
        self.holders: list[tuple[str, str]] = []
        self.answer: Answer = None
        self.done = self.tied = False

    def add_answer(self, answer: object, annotator: str | None) -> None:
        """Count one vote; a label outside the scheme is cast, but never counts for any."""
        if isinstance(answer, str) and answer in self.counts:
            self.counts[answer] += 1
            if annotator is not None:
                self.holders.append((annotator, answer))

    def close_round(self, left: int) -> bool:
        """Decide as far as the votes so far allow, with `left` to come; say whether more votes are of use."""
        rule, counts = self.rule, self.counts
        top = max(counts.values(), default=0)
        if top < rule.quorum:
            self.done = rule.stop_hopeless and top + left < rule.quorum
            return not self.done
        leaders = [label for label, count in counts.items() if count == top]
        if rule.plurality and left and not self._out_of_reach(top, left):
            return True
        self.tied = len(leaders) > 1
        if not self.tied:
            self.answer = leaders[0]
        elif rule.tie == LOWEST_PSEUDONYM:
            self.answer = label_of_lowest(self.holders, leaders)
        self.done = self.answer is not None
        return not self.done

    def _out_of_reach(self, top: int, left: int) -> bool:
        """Say whether no other label can catch up with the leading one, not even for a tie."""
        ranked = sorted(self.counts.values(), reverse=True)
        return (ranked[1] if len(ranked) > 1 else 0) + left < top


def label_of_lowest(holders: Iterable[tuple[str, str]], leaders: Collection[str]) -> str:
    """Take the tied label of the lowest pseudonym (id-csqa §4.2, data as published).

    The author has none here: where labels tie at one vote each, that of the author stands behind the voters'.
    """
    return min((pseudonym_rank(annotator), label) for annotator, label in holders if label in leaders)[1]


class EquivalenceTally(EqualTally):
    """Equal answers that are no labels: `key` gives equal ones the same key, None to what cannot be an answer.

    Of those with one key the smallest stands for all, so that the order of votes plays no part.
    """

    __slots__ = ("_key", "_met")

    def __init__(self, rule: AggregationRule, key: Callable[[object], str | None]) -> None:
        super().__init__(rule, ())
        self._key = key
        self._met: dict[str, list[Answer]] = {}

    def close_round(self, left: int) -> bool:
        """Decide among the keys, and take the answer of the one that is settled."""
        of_use = super().close_round(left)
        if self.answer is not None:
            self.answer = min(self._met[self.answer], key=repr)
        return of_use

    def add_answer(self, answer: object, annotator: str | None) -> None:
        """Count one answer."""
        key = self._key(answer)
        if key is not None:
            self._met.setdefault(key, []).append(answer)
            self.counts.setdefault(key, 0)
            super().add_answer(key, annotator)


class MedianTally:
    """The median of points on a scale, with the quorum of votes at most one point from it.

    Where the two in the middle differ the protocol's rule for ties decides between them. It is settled before the
    last round only where no vote to come can move it: one point holds more than half.
    """

    def __init__(self, rule: AggregationRule, points: Sequence[str]) -> None:
        self.rule, self.points = rule, points
        self.cast_n = 0
        self.holders: list[tuple[str, str]] = []
        self.places: list[int] = []
        self.answer: Answer = None
        self.done = self.tied = False

    def add_answer(self, answer: object, annotator: str | None) -> None:
        """Count one point."""
        self.cast_n += 1
        if isinstance(answer, str) and answer in self.points:
            self.places.append(self.points.index(answer))
            if annotator is not None:
                self.holders.append((annotator, answer))

    def close_round(self, left: int) -> bool:
        """Decide where nothing to come can move the median."""
        places = sorted(self.places)
        if len(places) + left < self.rule.quorum:
            self.done = not left or self.rule.stop_hopeless
            return not self.done
        if not places:
            return True
        low, high = places[(len(places) - 1) // 2], places[len(places) // 2]
        held = 2 * places.count(low) > len(places) + left
        if left and not (held and self._near(low) >= self.rule.quorum):
            return True
        self.tied = low != high
        if self.tied and self.rule.tie == LOWEST_PSEUDONYM and self.holders:
            middle = [self.points[low], self.points[high]]
            low = high = self.points.index(label_of_lowest(self.holders, middle))
        if low == high and self._near(low) >= self.rule.quorum:
            self.answer = self.points[low]
        self.done = self.answer is not None
        return not self.done

    def _near(self, place: int) -> int:
        return sum(abs(other - place) <= 1 for other in self.places)


class PartsTally:
    """Each part of an answer by itself: what the quorum gave it has, what can no longer reach it has not.

    `split` gives an answer's parts, None for what cannot be an answer; `join` makes an answer of those that have
    the quorum (with `plurality` also more than half of the votes). It is settled once every part is decided. An answer
    without parts has to have the quorum itself; where it has not and no part has it either, there is no answer.
    """

    def __init__(
        self,
        rule: AggregationRule,
        split: Callable[[object], Collection[Hashable] | None],
        join: Callable[[Collection[Hashable]], Answer],
    ) -> None:
        self.rule, self._split, self._join = rule, split, join
        self.votes = self.empty = 0
        self.counts: Counter[Hashable] = Counter()
        self.answer: Answer = None
        self.done = self.tied = False

    def add_answer(self, answer: object, annotator: str | None) -> None:
        """Count the parts of one answer."""
        self.votes += 1
        parts = self._split(answer)
        if parts is not None:
            self.counts.update(set(parts))
            self.empty += not parts

    def close_round(self, left: int) -> bool:
        """Decide where every part is in or out, whatever is to come."""
        total = self.votes + left
        within = [part for part, count in self.counts.items() if self._has(count, total)]
        undecided = any(
            not self._has(count, total) and self._has(count + left, total)
            for count in (*self.counts.values(), 0, self.empty)
        )
        if left and undecided:
            return True
        if within or self._has(self.empty, total):
            self.answer = self._join(within)
        self.tied = self.rule.plurality and any(2 * count == total for count in self.counts.values())
        self.done = self.answer is not None or not left or self.rule.stop_hopeless
        return not self.done

    def _has(self, count: int, total: int) -> bool:
        return count >= self.rule.quorum and (not self.rule.plurality or 2 * count > total)
