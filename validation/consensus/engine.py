"""The consensus engine: the standing votes of one epoch in, a decision out.

Pure and total: no database, no clock, no randomness, and no odd vote makes it raise. The same function serves the
web, the jobs, `replay` and the repair check, so an item's verdict always equals a recomputation (domain.md §3).

The engine reads the author's label where it counts, then the votes by round and server sequence (ruling 2), and
deals them out to the rounds in that order: two to the first, one to the second, and so on. A round is asked for
whole and decided when its last vote is in, never in the middle. Between rounds it stops when a label is settled, or
hopeless: when no label can still reach the quorum with the votes left. What stands beyond is surplus.

An item that is at its end is excluded, whatever it settled on, when more counted annotators than the protocol allows
called it ambiguous (id-csqa §4.2): each counts once, whether they marked the question or several options.
"""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from validation.consensus.protocol import NEVER, Protocol

OPEN, GOLD, NO_CONSENSUS, EXCLUDED = "open", "gold", "no_consensus", "excluded"
_NO_ANSWERS: Mapping[str, str | None] = MappingProxyType({})
_DIGITS = re.compile(r"([0-9]+)")


class VoteIn(NamedTuple):
    """One standing vote as the engine reads it; `label` is None where only criteria were rated (`answers`).

    `ambiguous`: the annotator marked the question or any option.
    """

    label: str | None
    annotator: str
    round: int
    seq: int
    answers: Mapping[str, str | None] = _NO_ANSWERS
    ambiguous: bool = False


class Decision(NamedTuple):
    """What the votes say. `counted` and `surplus` are positions in the votes as they were given, all of them."""

    state: str
    """`open`, `gold`, `no_consensus`, or `excluded`: too many called it ambiguous."""
    round: int
    """The round that is open, that made gold, or the last one run where there is no gold (ruling 1)."""
    missing: int
    """The votes still to be given in the open round; 0 once decided."""
    label: str | None
    """The gold label; None without gold, and for ratings, whose labels stand in `criteria`."""
    counted: tuple[int, ...]
    surplus: tuple[int, ...]
    hopeless: bool
    """Whether it ended without gold before the last round, as no label could reach the quorum any more."""
    hits: int | None
    """The counted votes for the target, where that is the key or the accepting label."""
    criteria: tuple[tuple[str, str | None], ...]
    """For ratings: each criterion with its label, None where it has none (yet)."""

    @property
    def share(self) -> Fraction | None:
        """The share of the counted votes that chose the target (Kalahi §3.2); None without target or votes."""
        if self.hits is None or not self.counted:
            return None
        return Fraction(self.hits, len(self.counted))


class _Question:
    """One thing that the votes decide: the item's label, or one criterion of a rating."""

    __slots__ = ("counts", "done", "holders", "label", "name", "protocol")

    def __init__(self, protocol: Protocol, name: str, targets: Sequence[str]) -> None:
        self.protocol, self.name = protocol, name
        self.counts = dict.fromkeys(targets, 0)
        self.holders: list[tuple[str, str]] = []
        self.label: str | None = None
        self.done = False

    def cast(self, label: object, annotator: str | None) -> None:
        """Count one vote; a label outside the scheme is cast, but never counts for any."""
        if isinstance(label, str) and label in self.counts:
            self.counts[label] += 1
            if annotator is not None:
                self.holders.append((annotator, label))

    def close_round(self, left: int) -> bool:
        """Decide as far as the votes so far allow, with `left` to come; say whether more votes are of use."""
        protocol, counts = self.protocol, self.counts
        top = max(counts.values(), default=0)
        if top < protocol.quorum:
            self.done = protocol.stop_hopeless and top + left < protocol.quorum
            return not self.done
        leaders = [label for label, count in counts.items() if count == top]
        if protocol.plurality and left and not self._out_of_reach(top, left):
            return True
        if len(leaders) == 1:
            self.label = leaders[0]
        elif protocol.tie == "lowest-pseudonym":
            self.label = self._of_lowest(leaders)
        self.done = self.label is not None
        return not self.done

    def _out_of_reach(self, top: int, left: int) -> bool:
        """Say whether no other label can catch up with the leading one, not even for a tie."""
        ranked = sorted(self.counts.values(), reverse=True)
        return (ranked[1] if len(ranked) > 1 else 0) + left < top

    def _of_lowest(self, leaders: list[str]) -> str:
        """Take the tied label of the lowest pseudonym (id-csqa §4.2, data as published).

        The author has none here: where labels tie at one vote each, that of the author stands behind the voters'.
        """
        held = [(rank(annotator), label) for annotator, label in self.holders if label in leaders]
        return min(held)[1]


def rank(pseudonym: str) -> tuple[list[tuple[int, str]], str]:
    """Order pseudonyms as people count, W2 before W10, whatever the number of digits."""
    parts = _DIGITS.split(pseudonym)
    for place in range(1, len(parts), 2):
        parts[place] = parts[place].lstrip("0")
    return [(len(part) if place % 2 else 0, part) for place, part in enumerate(parts)], pseudonym


def decide(
    protocol: Protocol, author_label: str | None, votes: Sequence[VoteIn], labels: Sequence[str]
) -> Decision:
    """Decide one item from the standing votes of its epoch, under its protocol, over its labels (domain.md §3).

    Votes may come in any order. A label outside `labels`, the author's too, counts as cast but never makes gold.
    Votes that run out before a decision leave the item open, never without consensus.
    """
    order = _in_order(votes)
    questions = _questions(protocol, author_label, labels)
    used = number = 0
    left, asking = protocol.votes_at_most, True
    while asking and number < len(protocol.rounds):
        size = protocol.rounds[number]
        number += 1
        batch = order[used : used + size]
        for place in batch:
            _cast(questions, votes[place])
        used += len(batch)
        if len(batch) < size:
            return _decision(OPEN, number, questions, order, used, size - len(batch))
        left -= size
        asking = False
        for question in questions:
            if not question.done:  # what is settled stays settled while other criteria are asked
                asking |= question.close_round(left)
    settled = all(question.label is not None for question in questions)
    state = GOLD if settled else NO_CONSENSUS
    if _too_ambiguous(protocol, [votes[place] for place in order[:used]]):
        state = EXCLUDED
    return _decision(state, number, questions, order, used, 0, left > 0 and not settled)


def _too_ambiguous(protocol: Protocol, counted: Sequence[VoteIn]) -> bool:
    """Say whether more annotators than the protocol allows called the item ambiguous."""
    if protocol.most_ambiguous == NEVER:
        return False
    return len({vote.annotator for vote in counted if vote.ambiguous}) > protocol.most_ambiguous


def _in_order(votes: Sequence[VoteIn]) -> list[int]:
    """Give the positions of the votes by round and sequence; equal ones stay in the order given."""
    return sorted(range(len(votes)), key=lambda place: (votes[place].round, votes[place].seq))


def _questions(protocol: Protocol, author_label: str | None, labels: Sequence[str]) -> list[_Question]:
    """Lay out what is to be decided, with the author's vote already cast where it counts."""
    if protocol.criteria:
        targets = (protocol.accept,) if protocol.target == "accept" else labels
        return [_Question(protocol, name, targets) for name in protocol.criteria]
    if protocol.target == "accept":
        targets = (protocol.accept,)
    elif protocol.target == "key":
        targets = (author_label,) if author_label is not None and author_label in labels else ()
    else:
        targets = labels
    question = _Question(protocol, "", targets)
    if protocol.author == "vote":
        question.cast(author_label, None)
    return [question]


def _cast(questions: list[_Question], vote: VoteIn) -> None:
    """Put one vote to every question."""
    for question in questions:
        question.cast(vote.answers.get(question.name) if question.name else vote.label, vote.annotator)


def _decision(
    state: str,
    number: int,
    questions: list[_Question],
    order: list[int],
    used: int,
    missing: int,
    hopeless: bool = False,
) -> Decision:
    """Put the answer together."""
    first = questions[0]
    rated = bool(first.name)
    aimed = not rated and first.protocol.target != "any"
    return Decision(
        state=state,
        round=number,
        missing=missing,
        label=None if rated or state == EXCLUDED else first.label,
        counted=tuple(order[:used]),
        surplus=tuple(order[used:]),
        hopeless=hopeless,
        hits=sum(first.counts.values()) if aimed else None,
        criteria=tuple((question.name, question.label) for question in questions) if rated else (),
    )
