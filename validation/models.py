"""The tables of judgement: assignments, votes, what the system decided, what leads did, flags, proposals."""

from validation.insights.models import (
    Insight,
    InsightPoint,
    Measure,
)
from validation.model_votes.models import (
    ModelVote,
)
from validation.notices.models import (
    NoticeState,
)
from validation.qualification.models import (
    QuizAttempt,
    QuizItem,
)
from validation.quality.models import (
    GoldQuestion,
    GoldStanding,
    Pause,
    Repeat,
    SetAside,
    SetAsideVote,
)
from validation.questions.models import (
    Question,
    Reply,
)
from validation.review.models.assessment import (
    Assessment,
)
from validation.review.models.comment import Comment
from validation.studies.models import (
    Study,
    StudyRow,
)
from validation.voting.models.assignment import (
    Assignment,
    Cursor,
    Dealing,
)
from validation.voting.models.review import Flag, Proposal, Review
from validation.voting.models.stopping import (
    StopStep,
)
from validation.voting.models.vote import (
    Verdict,
    Vote,
)

__all__ = [
    "Assessment",
    "Assignment",
    "Comment",
    "Cursor",
    "Dealing",
    "Flag",
    "GoldQuestion",
    "GoldStanding",
    "Insight",
    "InsightPoint",
    "Measure",
    "ModelVote",
    "NoticeState",
    "Pause",
    "Proposal",
    "Question",
    "QuizAttempt",
    "QuizItem",
    "Repeat",
    "Reply",
    "Review",
    "SetAside",
    "SetAsideVote",
    "StopStep",
    "Study",
    "StudyRow",
    "Verdict",
    "Vote",
]
