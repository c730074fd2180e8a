"""The tables of judgement: seats, votes, what the house decided, what leads did, flags, proposals."""

from .review import Comment, Flag, Proposal, Review
from .seat import Cursor, Seat
from .vote import Verdict, Vote

__all__ = ["Comment", "Cursor", "Flag", "Proposal", "Review", "Seat", "Verdict", "Vote"]
