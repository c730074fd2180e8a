"""The review desk's writers: what leads do with an item, what its writer answers, what is said about it."""

from .answers import correction_accept, correction_dispute
from .correcting import correct, proposal_accept, proposal_decline, reach_of
from .deciding import adjudicate, approve, exclude, reopen, return_
from .talking import comment_add
from .writers import resubmit

__all__ = [
    "adjudicate",
    "approve",
    "comment_add",
    "correct",
    "correction_accept",
    "correction_dispute",
    "exclude",
    "proposal_accept",
    "proposal_decline",
    "reach_of",
    "reopen",
    "resubmit",
    "return_",
]
