"""What must be true of every item, whatever happened to it: pure comparisons of plain values (I2–I5, I11, I13).

`check_integrity` reads the facts of an item, asks here what is broken, and repairs what can be computed again.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from annotation.answers import Question, label_of
from validation.consensus import engine as consensus
from validation.consensus import stages
from validation.consensus import translation_review as reviewing
from validation.consensus.engine import Decision, VoteIn
from validation.consensus.protocol import Protocol
from validation.voting.rules import flags

NEW_MEANING = "new_meaning"
LEAD, VOTES, AUTHOR = "lead", "votes", "author"


class Event(NamedTuple):
    """One append-only row that moved the item: a revision, a verdict, or a review."""

    version: int
    event: str
    label: str = ""


class VoteFact(NamedTuple):
    """One stored vote; `withdrawn` is the version at which it stopped counting, None while it stands.

    What one that stands marks in a text is told as it stands in the present one; `lost` are the words that do not.
    """

    n: int
    epoch: int
    annotator: int
    pseudonym: str
    label: str
    round: int
    answers: Mapping[str, Any]
    withdrawn: int | None
    why: str
    ambiguous: bool | None = False
    surplus: bool = False
    revision: int = 1
    lost: str = ""


class Facts(NamedTuple):
    """An item with all that belongs to it, read in one moment.

    `waits_for_decision`: the system has it to decide anyway. `reviewed`: its voters review, so only an approval can be
    gold. `asked`: the questions that its voters answer, where that is more than a label.
    """

    version: int
    stage: str
    epoch: int
    round: int
    pending: int
    slots_free: int
    votes_n: int
    revision_n: int
    gold: str
    gold_from: str
    doubt: int
    returns: int
    waits_for_decision: bool
    author: int | None
    author_label: str
    protocol: Protocol
    labels: Sequence[str]
    events: Sequence[Event]
    revisions: int
    votes: Sequence[VoteFact]
    assignments: int
    assignments_elsewhere: int
    flags: Sequence[str]
    flags_beyond: int
    content_kept: bool
    reviewed: bool = False
    asked: Sequence[Question] = ()
    gold_answers: Mapping[str, Any] | None = None
    route: str = ""

    @property
    def standing(self) -> list[VoteFact]:
        """The votes of the present epoch that count, by number."""
        return sorted(vote for vote in self.votes if vote.withdrawn is None and vote.epoch == self.epoch)

    def decision(self) -> Decision:
        """The pure recomputation of the item's verdict."""
        ballots = [VoteIn(v.label, v.pseudonym, v.round, v.n, v.answers, bool(v.ambiguous)) for v in self.standing]
        author = self.author_label or None
        found = consensus.decide(self.protocol, author, ballots, self.labels, self.asked, self.route)
        return reviewing.approved_only(found) if self.reviewed else found

    @property
    def is_decided_by_votes(self) -> bool:
        """Whether the item stands where its votes alone put it."""
        events = [step.event for step in self.steps]
        if self.stage == stages.EXCLUDED:
            return stages.is_excluded_by_votes(events)
        if self.stage == stages.RETURNED:
            return stages.is_returned_by_votes(events)
        if self.stage == stages.SETTLED:
            return not stages.is_settled_by_writer(events)
        return self.stage in (stages.VOTING, stages.NO_CONSENSUS)

    @property
    def is_held(self) -> bool:
        """Whether votes were withdrawn, and people hold more cards than are asked for now: all may answer first."""
        if self.stage != stages.VOTING or self.slots_free or self.pending != self.assignments:
            return False
        return any(vote.withdrawn is not None for vote in self.votes) and self.pending > self.decision().missing

    @property
    def steps(self) -> list[Event]:
        """The item's events in the order of their versions."""
        return sorted(self.events)


class BrokenInvariant(NamedTuple):
    """One invariant that does not hold: which, what it is about, what is there, what should be."""

    invariant: str
    what: str
    found: str
    expected: str


def broken_invariants(facts: Facts) -> list[BrokenInvariant]:
    """Everything about an item that is not as it must be; empty where all is well."""
    found = [*_broken_votes(facts), *_broken_history(facts), *_broken_numbers(facts)]
    if not facts.waits_for_decision:
        found += [*_broken_assignments(facts), *_broken_verdict(facts)]
    return found


def _broken_votes(facts: Facts) -> Iterator[BrokenInvariant]:
    standing = Counter((vote.epoch, vote.annotator) for vote in facts.votes if vote.withdrawn is None)
    for (epoch, _), count in standing.items():
        if count > 1:
            yield BrokenInvariant("I2", "standing votes of one person", str(count), "1")
        if epoch != facts.epoch:
            yield BrokenInvariant("I2", "epoch of a standing vote", str(epoch), str(facts.epoch))
    for vote in facts.standing:
        if vote.lost:
            yield BrokenInvariant("I13", f"words that vote {vote.n} marks", "not there once", repr(vote.lost))
    own = sum(1 for vote in facts.votes if vote.withdrawn is None and vote.annotator == facts.author)
    if own:
        yield BrokenInvariant("I3", "votes by the author", str(own), "0")


def expected_epoch(facts: Facts) -> int:
    """One more than the changes of meaning so far."""
    return 1 + sum(step.event in stages.STARTS_EPOCH for step in facts.events)


def expected_stage(facts: Facts) -> str | None:
    """The replay of the item's events; None where they cannot have happened in this order."""
    try:
        return stages.replay(step.event for step in facts.steps)
    except stages.IllegalStep:
        return None


def _broken_history(facts: Facts) -> Iterator[BrokenInvariant]:
    stage = expected_stage(facts)
    if stage is None:
        events = " ".join(step.event for step in facts.steps)
        yield BrokenInvariant("I5", "events", events or "none", "a walk through the stage table")
    elif stage != facts.stage:
        yield BrokenInvariant("I5", "stage", facts.stage, stage)
    if facts.epoch != expected_epoch(facts):
        yield BrokenInvariant("I5", "epoch", str(facts.epoch), str(expected_epoch(facts)))
    returns = sum(step.event in stages.RETURNS for step in facts.events)
    if facts.returns != returns:
        yield BrokenInvariant("I5", "times returned", str(facts.returns), str(returns))
    accounted = Counter(step.version for step in facts.events)
    starts = {step.version for step in facts.events if step.event in stages.STARTS_EPOCH}
    for vote in facts.votes:
        if vote.withdrawn is None or (vote.why == NEW_MEANING and vote.withdrawn in starts):
            continue
        accounted[vote.withdrawn] += 1
    for version in sorted({*accounted, *range(1, facts.version + 1)}):
        if version > facts.version:
            yield BrokenInvariant("I11", "version of the item", str(facts.version), f"at least {version}")
        elif accounted[version] != 1:
            yield BrokenInvariant("I11", f"rows for version {version}", str(accounted[version]), "1")


def _broken_numbers(facts: Facts) -> Iterator[BrokenInvariant]:
    last = max((vote.n for vote in facts.votes), default=0)
    if facts.votes_n != last or last != len(facts.votes):
        yield BrokenInvariant("I11", "votes", str(facts.votes_n), f"{len(facts.votes)}, the last being number {last}")
    if facts.revision_n != facts.revisions:
        yield BrokenInvariant("I11", "revisions", str(facts.revision_n), str(facts.revisions))
    if not facts.content_kept:
        yield BrokenInvariant("I11", "present text", "another", "that of the last revision")
    if facts.flags_beyond:
        yield BrokenInvariant("I11", "flags beyond the item's version", str(facts.flags_beyond), "0")
    doubt = flags.doubt_of(facts.flags)
    if facts.doubt != doubt:
        yield BrokenInvariant("doubt", "doubt", str(facts.doubt), str(doubt))


def _broken_assignments(facts: Facts) -> Iterator[BrokenInvariant]:
    if facts.assignments_elsewhere:
        yield BrokenInvariant("I4", "open assignments of another epoch", str(facts.assignments_elsewhere), "0")
    if facts.stage != stages.VOTING:
        if facts.pending or facts.slots_free or facts.assignments:
            counted = f"{facts.pending} pending, {facts.slots_free} free, {facts.assignments} assignments"
            yield BrokenInvariant("I4", "votes asked for where nobody is asked", counted, "none")
        return
    if facts.pending - facts.slots_free != facts.assignments:
        yield BrokenInvariant("I4", "open assignments", str(facts.assignments), str(facts.pending - facts.slots_free))
    asked = sum(facts.protocol.rounds[: facts.round])
    if len(facts.standing) + facts.pending != asked and not facts.is_held:
        counted = f"{len(facts.standing)} given, {facts.pending} pending"
        yield BrokenInvariant("I4", "votes asked for", counted, str(asked))


def _broken_verdict(facts: Facts) -> Iterator[BrokenInvariant]:
    gold = expected_gold(facts)
    if gold is not None and (facts.gold, facts.gold_from) != gold:
        gold_text = f"{facts.gold or '-'} {facts.gold_from}".strip()
        yield BrokenInvariant("I5", "gold label", gold_text, f"{gold[0] or '-'} {gold[1]}".strip())
    key = label_of(facts.asked, facts.gold_answers) if facts.asked and facts.gold_answers else ""
    if facts.asked and key != facts.gold:
        yield BrokenInvariant("I5", "gold answers", key or "-", facts.gold or "-")
    if not facts.is_decided_by_votes:
        return
    if facts.is_held:
        return
    decision = facts.decision()
    wanted = {
        consensus.GOLD: stages.SETTLED,
        # What was not approved may have gone back to its writer instead.
        consensus.NO_CONSENSUS: stages.RETURNED if facts.stage == stages.RETURNED else stages.NO_CONSENSUS,
        consensus.EXCLUDED: stages.EXCLUDED,
    }
    stage = wanted.get(decision.state, stages.VOTING)
    if stage != facts.stage:
        yield BrokenInvariant("I5", "verdict", facts.stage, stage)
    elif decision.round != facts.round:
        yield BrokenInvariant("I5", "round", str(facts.round), str(decision.round))
    elif decision.missing != facts.pending:
        yield BrokenInvariant("I5", "votes still asked for", str(facts.pending), str(decision.missing))
    beyond = [facts.standing[place].n for place in sorted(decision.surplus)]
    marked = [vote.n for vote in facts.standing if vote.surplus]
    if marked != beyond:
        yield BrokenInvariant("I5", "votes marked as surplus", str(marked), str(beyond))


def expected_gold(facts: Facts) -> tuple[str, str] | None:
    """The gold label and who gave it, by the item's stage; None where no rule says."""
    if facts.stage == stages.SETTLED and stages.is_settled_by_writer(step.event for step in facts.steps):
        return reviewing.APPROVE, AUTHOR
    if facts.stage == stages.SETTLED:
        label = facts.decision().label or ""
        return label, VOTES if label else ""
    if facts.stage == stages.ADJUDICATED:
        given = [step.label for step in facts.steps if step.event == stages.ADJUDICATE]
        return (given[-1], LEAD) if given else None
    return "", ""
