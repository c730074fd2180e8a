"""Review by another speaker (LoraxBench §3.4, domain.md §7): consequences of corrections and returns.

Kinds with the feature `review` have these three labels. Whatever the protocol, only an approval can be gold; where
the votes end without one, a correction becomes the text and is asked about afresh (ruling 19), else what somebody
sent back goes to its writer. Where neither is possible it stays without consensus, for a lead.
"""

from collections.abc import Sequence
from typing import NamedTuple

from validation.consensus.engine import GOLD, NO_CONSENSUS, Decision
from validation.consensus.stages import SEND_BACK, TAKE_CORRECTION

FEATURE = "review"
APPROVE, CORRECT, RETURN = "approve", "correct", "return"
LABELS = (APPROVE, CORRECT, RETURN)


class ReviewVote(NamedTuple):
    """A standing vote as the review reads it; `changes`: it proposes texts that differ from those that stand."""

    label: str
    changes: bool = False


def approved_only(decision: Decision) -> Decision:
    """The decision with every gold label but an approval taken as none."""
    if decision.state != GOLD or decision.label == APPROVE:
        return decision
    return decision._replace(state=NO_CONSENSUS, label=None)


def correction_position(votes: Sequence[ReviewVote]) -> int | None:
    """The place of the vote whose correction becomes the text: the first that changes anything; None without."""
    places = (place for place, vote in enumerate(votes) if vote.label == CORRECT and vote.changes)
    return next(places, None)


def unapproved_event(decision: Decision, votes: Sequence[ReviewVote], *, writer_there: bool) -> str:
    """The event by which the system goes on with what was not approved; empty where it is approved, open, or a lead's.

    `votes` are all that stand, in their order. An item whose writer is gone cannot be sent back.
    """
    if decision.state != NO_CONSENSUS:
        return ""
    if correction_position(votes) is not None:
        return TAKE_CORRECTION
    back = writer_there and any(vote.label == RETURN for vote in votes)
    return SEND_BACK if back else ""
