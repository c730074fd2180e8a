"""What the system does with an item once its votes are read: ask for a round, settle it, end it, or start again.

Pure: the item's standing and the engine's decision in, the events and the new standing out. The batch decider, the
repair check and the simulation of a project all call this, so an item's stage is always the replay of its events.
"""

from typing import NamedTuple

from validation.consensus import stages
from validation.consensus.engine import EXCLUDED, GOLD, NO_CONSENSUS, OPEN, Decision


class ItemStanding(NamedTuple):
    """Where an item stands. `assignments` are the open ones: people who hold a slot and have not voted yet.

    `decided_by_votes`: where it is excluded or returned, its voters made it so, not a lead
    (`stages.is_excluded_by_votes`, `stages.is_returned_by_votes`). `accepted`: it is settled by its writer's word
    (`stages.is_settled_by_writer`).
    """

    stage: str
    round: int
    gold: str
    assignments: int
    decided_by_votes: bool = False
    accepted: bool = False


class SystemEvent(NamedTuple):
    """One event of the system, as a row of verdicts keeps it."""

    event: str
    round: int
    requested_votes: int
    label: str
    hopeless: bool


class Advance(NamedTuple):
    """The item's next standing; `pending` are at least the votes that are held, also where fewer are asked for."""

    events: tuple[SystemEvent, ...]
    stage: str
    round: int
    gold: str
    pending: int
    slots_free: int


DECIDED = (stages.SETTLED, stages.NO_CONSENSUS, stages.EXCLUDED)
_END_EVENTS = {GOLD: stages.SETTLE, NO_CONSENSUS: stages.END, EXCLUDED: stages.EXCLUDE_AMBIGUOUS}


def advance(standing: ItemStanding, decision: Decision, unapproved: str = "") -> Advance | None:
    """The next step, or None where votes decide nothing: a person's word stands, or the item is not offered.

    `unapproved` is what the system does instead of ending without consensus, where voters review (`reviewing`).
    """
    if not _is_decided_by_votes(standing):
        return None
    events: list[SystemEvent] = []
    stage, at_round = standing.stage, standing.round
    label = decision.label or ""

    def happened(event: str, asked: int = 0, label: str = "") -> None:
        nonlocal stage
        stage = stages.next_stage(stage, event)
        events.append(SystemEvent(event, decision.round, asked, label, decision.hopeless))

    if stage == stages.RETURNED or stage in DECIDED:
        if _is_unchanged(standing, decision, unapproved):
            return Advance((), stage, decision.round, standing.gold, 0, 0)
        happened(stages.RECALL if stage == stages.RETURNED else stages.RECOMPUTE, decision.missing)
        at_round = decision.round
    elif stage == stages.WRITTEN:
        happened(stages.OPEN, decision.missing)
        at_round = decision.round
    if decision.state != OPEN and stage == stages.VOTING and standing.assignments:
        # Votes were withdrawn, and the others decide: whoever answers meanwhile is refused nothing, and counts or is
        # surplus by the order of votes.
        return Advance(tuple(events), stage, at_round, "", standing.assignments, 0)
    if decision.state == OPEN:
        if decision.round > at_round:
            happened(stages.ASK, decision.missing)
        elif decision.round < at_round:
            happened(stages.RECOMPUTE, decision.missing)
        # A card of a later round stays its holder's: their vote counts for the round that is open again.
        pending = max(decision.missing, standing.assignments)
        return Advance(tuple(events), stage, decision.round, "", pending, pending - standing.assignments)
    if unapproved and decision.state == NO_CONSENSUS:
        happened(unapproved)
        at_round = 0 if unapproved in stages.STARTS_EPOCH else decision.round
        return Advance(tuple(events), stage, at_round, "", 0, 0)
    happened(_END_EVENTS[decision.state], label=label)
    return Advance(tuple(events), stage, decision.round, label, 0, 0)


def _is_decided_by_votes(standing: ItemStanding) -> bool:
    """Say whether votes decide about the item: no person's word stands, and it is offered at all."""
    if standing.stage not in (stages.WRITTEN, stages.VOTING, stages.RETURNED, *DECIDED):
        return False
    by_person = standing.stage in (stages.EXCLUDED, stages.RETURNED) and not standing.decided_by_votes
    return not by_person and not standing.accepted


def _is_unchanged(standing: ItemStanding, decision: Decision, unapproved: str) -> bool:
    """Say whether the votes give the very verdict that the item has, in the same round.

    What reviewers sent back is not sent back a second time for that: only its round follows.
    """
    if standing.stage == stages.RETURNED:
        return unapproved == stages.SEND_BACK
    if decision.round != standing.round:
        return False
    if standing.stage == stages.SETTLED:
        return decision.state == GOLD and (decision.label or "") == standing.gold
    return decision.state == (EXCLUDED if standing.stage == stages.EXCLUDED else NO_CONSENSUS)
