"""The only writers of seats, votes, verdicts and reviews: keyword-only, typed, each owns its transaction."""

from .ballots import Ballot
from .decide import decide_due, decide_item
from .nobody import flag_nobody_left
from .seats import seat_claim, seat_extend, seat_pass, seats_expire
from .votes import vote_cast, vote_take_back, vote_void

__all__ = [
    "Ballot",
    "decide_due",
    "decide_item",
    "flag_nobody_left",
    "seat_claim",
    "seat_extend",
    "seat_pass",
    "seats_expire",
    "vote_cast",
    "vote_take_back",
    "vote_void",
]
