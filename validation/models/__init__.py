"""The tables of judgement: seats, votes, what the house decided, what leads did, flags, proposals."""

from annotation.models import Lineage, Remark, Suggestion

from .diagnostic import DiagnosticAnswer, DiagnosticRow, DiagnosticSet
from .insight import Insight, InsightPoint, Measure
from .machine import Assessment, Comparison, ComparisonPair, Preference
from .rating import Generation, Rating, RatingRun
from .review import Comment, Flag, Proposal, Review
from .seat import Cursor, Seat
from .vote import Verdict, Vote

__all__ = [
    "Assessment",
    "Comment",
    "Comparison",
    "ComparisonPair",
    "Cursor",
    "DiagnosticAnswer",
    "DiagnosticRow",
    "DiagnosticSet",
    "Flag",
    "Generation",
    "Insight",
    "InsightPoint",
    "Lineage",
    "Measure",
    "Preference",
    "Proposal",
    "Rating",
    "RatingRun",
    "Remark",
    "Review",
    "Seat",
    "Suggestion",
    "Verdict",
    "Vote",
]
