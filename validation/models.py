"""The tables of judgement: assignments, votes, what the system decided, what leads did, flags, proposals."""

from validation.insights.models import (
    Insight,
    InsightPoint,
    Measure,
)
from validation.review.models.assessment import (
    Assessment,
    Comparison,
    ComparisonPair,
    Preference,
)
from validation.review.models.review import (
    Comment,
    Flag,
    Proposal,
    Review,
)
from validation.studies.models import (
    DiagnosticAnswer,
    DiagnosticRow,
    DiagnosticSet,
    Generation,
    Rating,
    RatingRun,
)
from validation.voting.models.assignment import (
    Assignment,
    Cursor,
)
from validation.voting.models.vote import (
    Verdict,
    Vote,
)

__all__ = [
    "Assessment",
    "Assignment",
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
    "Measure",
    "Preference",
    "Proposal",
    "Rating",
    "RatingRun",
    "Review",
    "Verdict",
    "Vote",
]
