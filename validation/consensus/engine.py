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

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from annotation.answers import Answer, Question, Tally, label_of, type_of
from annotation.answers.tallies import EqualTally
from annotation.answers.tallies import pseudonym_rank as pseudonym_rank
from validation.consensus.audit import HELD, PANEL, TWO_AGREE
from validation.consensus.protocol import NEVER, Protocol

_NO_KEYS: frozenset[str] = frozenset()
OPEN, GOLD, NO_CONSENSUS, EXCLUDED = "open", "gold", "no_consensus", "excluded"
_NO_ANSWERS: Mapping[str, Any] = MappingProxyType({})


class VoteIn(NamedTuple):
    """One standing vote as the engine reads it; `label` is None where questions were answered (`answers`).

    `ambiguous`: the annotator marked the question or any option.
    """

    label: str | None
    annotator: str
    round: int
    seq: int
    answers: Mapping[str, Any] = _NO_ANSWERS
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
    """The gold label, or the key of the gold answers; None without gold, and for ratings, whose are in `criteria`."""
    counted: tuple[int, ...]
    surplus: tuple[int, ...]
    hopeless: bool
    """Whether it ended without gold before the last round, as no label could reach the quorum any more."""
    hits: int | None
    """The counted votes for the target, where that is the key or the accepting label."""
    criteria: tuple[tuple[str, Answer], ...]
    """Each question, or criterion of a rating, with its answer, None where it has none (yet)."""
    tied: bool = False
    """Whether several labels had equally many votes when it was decided, whatever the rule for ties made of it."""

    @property
    def share(self) -> Fraction | None:
        """The share of the counted votes that chose the target (Kalahi §3.2); None without target or votes."""
        if self.hits is None or not self.counted:
            return None
        return Fraction(self.hits, len(self.counted))


def decide(
    protocol: Protocol,
    author_label: str | None,
    votes: Sequence[VoteIn],
    labels: Sequence[str],
    questions: Sequence[Question] = (),
    route: str = "",
) -> Decision:
    """Decide one item from the standing votes of its epoch, under its protocol, over its labels (domain.md §3).

    `route` is where its first vote led it under a protocol with audits (`audit.ROUTES`): it stops at two, waits for
    its draw (`audit.HELD`), or is asked for every label (the panel); any other is asked as the rounds say.

    `questions` are what its voters are asked, where that is more than a label: each is decided by itself, on the same
    votes. Votes may come in any order. A label outside `labels`, the author's too, counts as cast but never makes gold.
    Votes that run out before a decision leave the item open, never without consensus.
    """
    order = _in_order(votes)
    tallies = _tallies(protocol, author_label, labels, questions)
    collected = {question.key for question in questions if not question.needs_gold} if questions else _NO_KEYS
    used = number = 0
    left, asking = protocol.votes_at_most, True
    while asking and number < len(protocol.rounds):
        size = protocol.rounds[number]
        number += 1
        batch = order[used : used + size]
        for name, tally in tallies:
            cast = tally.add_answer
            for place in batch:
                vote = votes[place]
                cast(vote.answers.get(name) if name else vote.label, vote.annotator)
        used += len(batch)
        if len(batch) < size:
            return _decision(protocol, OPEN, number, tallies, questions, order, used, size - len(batch))
        left -= size
        if route in (TWO_AGREE, HELD) and number == 1 and _agrees(author_label, votes[order[0]], labels):
            if route == HELD:
                return _decision(protocol, OPEN, number, tallies, questions, order, used, 0)
            stopped = _decision(protocol, GOLD, number, tallies, questions, order, used, 0)
            return stopped._replace(label=author_label)
        asking = route == PANEL
        for name, tally in tallies:
            if not tally.done:  # what is settled stays settled while other criteria are asked
                of_use = tally.close_round(left)
                asking |= of_use and name not in collected
    settled = True
    for name, tally in tallies:
        if tally.answer is None and name not in collected:
            settled = False
    state = GOLD if settled else NO_CONSENSUS
    if protocol.most_ambiguous != NEVER and _too_ambiguous(protocol, [votes[at] for at in order[:used]]):
        state = EXCLUDED
    hopeless = left > 0 and not settled
    return _decision(protocol, state, number, tallies, questions, order, used, 0, hopeless)


def stop_reason(protocol: Protocol, decision: Decision, route: str = "") -> str:
    """Say why nobody else is asked; empty while somebody is.

    `quorum`: a label had it before the last round; `all_votes`: every round was run; `hopeless`; `ambiguous`: excluded;
    under a protocol with audits the item's route.
    """
    if decision.state == OPEN:
        return ""
    if protocol.alpha and route:
        return route
    if decision.state == EXCLUDED:
        return "ambiguous"
    if len(decision.counted) >= protocol.votes_at_most:
        return "all_votes"
    return "hopeless" if decision.hopeless else "quorum"


def _agrees(author_label: str | None, vote: VoteIn, labels: Sequence[str]) -> bool:
    """Say whether a vote gives the author's label, which no label outside the scheme does."""
    return author_label in labels and vote.label == author_label


def _too_ambiguous(protocol: Protocol, counted: Sequence[VoteIn]) -> bool:
    """Say whether more annotators than the protocol allows called the item ambiguous."""
    return len({vote.annotator for vote in counted if vote.ambiguous}) > protocol.most_ambiguous


def _in_order(votes: Sequence[VoteIn]) -> list[int]:
    """Give the positions of the votes by round and sequence; equal ones stay in the order given."""
    return sorted(range(len(votes)), key=lambda place: (votes[place].round, votes[place].seq))


def _tallies(
    protocol: Protocol, author_label: str | None, labels: Sequence[str], questions: Sequence[Question]
) -> list[tuple[str, Tally]]:
    """What is to be decided, by name, with the author's vote already cast where it counts."""
    targets = (protocol.accept,) if protocol.target == "accept" else labels
    if protocol.criteria and not questions:
        return [(name, EqualTally(protocol, targets)) for name in protocol.criteria]
    first = questions[0] if questions else None
    if protocol.target == "key":
        known = author_label is not None and author_label in (first.keys if first else labels)
        targets = (author_label,) if known and author_label is not None else ()
    if first is None:
        tally = EqualTally(protocol, targets)
        if protocol.author == "vote":
            tally.add_answer(author_label, None)
        return [("", tally)]
    made = [(question.key, _tally(protocol, question)) for question in questions]
    if not protocol.criteria and first.needs_gold and type_of(first).is_single_key:
        # The author's label answers the first question.
        if protocol.target == "key":
            made[0] = (first.key, EqualTally(protocol, targets))
        if protocol.author == "vote":
            made[0][1].add_answer(author_label, None)
    return made


def _tally(protocol: Protocol, question: Question) -> Tally:
    """How one question is counted: as its type does, or only the label that accepts."""
    if protocol.target == "accept" and protocol.accept in question.keys and type_of(question).is_single_key:
        return EqualTally(protocol, (protocol.accept,))
    return type_of(question).tally(question, protocol)


def _decision(
    protocol: Protocol,
    state: str,
    number: int,
    tallies: Sequence[tuple[str, Tally]],
    questions: Sequence[Question],
    order: list[int],
    used: int,
    missing: int,
    hopeless: bool = False,
) -> Decision:
    """Put the answer together."""
    name, first = tallies[0]
    label = None if name else first.answer
    hits: int | None = None
    if questions and state == GOLD:
        label = label_of(questions, {key: tally.answer for key, tally in tallies})
    if not name and protocol.target != "any" and isinstance(first, EqualTally):
        hits = sum(first.counts.values())
    return Decision(
        state=state,
        round=number,
        missing=missing,
        label=None if state in (EXCLUDED, OPEN) else label,
        counted=tuple(order[:used]),
        surplus=tuple(order[used:]),
        hopeless=hopeless,
        hits=hits,
        criteria=tuple((key, tally.answer) for key, tally in tallies) if name else (),
        tied=state != OPEN and (any(tally.tied for _, tally in tallies) if name else first.tied),
    )
