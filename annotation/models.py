"""The tables of people, projects, sources and items; validation/ and exports/ add votes and releases."""

from annotation.api.models import (
    ApiToken,
    IdempotentAnswer,
)
from annotation.content.models.item import (
    Hypothesis,
    Item,
    Option,
    QAPair,
    Revision,
)
from annotation.content.models.source import (
    Allocation,
    Concept,
    Draft,
    Premise,
)
from annotation.content.models.units import SourceSet, SourceUnit, Translation
from annotation.core.models.feed import FeedEvent
from annotation.core.models.member import (
    Annotator,
    Event,
    Invitation,
)
from annotation.core.models.project import (
    GuidelineVersion,
    Project,
    ProtocolVersion,
    Target,
    TaskVersion,
)
from annotation.core.models.session import BrowserSession
from annotation.core.models.user import (
    User,
)
from annotation.datasheet.models import (
    About,
    Consent,
    ConsentVersion,
    Demographics,
)
from annotation.elicitation.models import (
    ElicitationAnswer,
    ElicitationQuestion,
    Lineage,
    Remark,
    SecondLook,
    Session,
    Suggestion,
)
from annotation.generation.models import (
    Call,
    CallAttempt,
    Candidate,
    Endpoint,
    GenerationBatch,
    GenerationRun,
    InstructionVersion,
    MachineLimit,
    Material,
    StepResult,
)
from annotation.jobs.models import (
    Heartbeat,
    Import,
    ImportRow,
    Job,
)
from annotation.media.models import MediaFile
from annotation.pay.models import (
    Action,
    Adjustment,
    Approval,
    LedgerEntry,
    Rate,
    Unit,
)
from annotation.translation.models import CleanUp, SourceEntry, TargetMember, TargetStatistics
from annotation.webhooks.models import Delivery, Webhook
from annotation.writing.models import TypingChoice, TypingRecord

__all__ = [
    "About",
    "Action",
    "Adjustment",
    "Allocation",
    "Annotator",
    "ApiToken",
    "Approval",
    "BrowserSession",
    "Call",
    "CallAttempt",
    "Candidate",
    "CleanUp",
    "Concept",
    "Consent",
    "ConsentVersion",
    "Delivery",
    "Demographics",
    "Draft",
    "ElicitationAnswer",
    "ElicitationQuestion",
    "Endpoint",
    "Event",
    "FeedEvent",
    "GenerationBatch",
    "GenerationRun",
    "GuidelineVersion",
    "Heartbeat",
    "Hypothesis",
    "IdempotentAnswer",
    "Import",
    "ImportRow",
    "InstructionVersion",
    "Invitation",
    "Item",
    "Job",
    "LedgerEntry",
    "Lineage",
    "MachineLimit",
    "Material",
    "MediaFile",
    "Option",
    "Premise",
    "Project",
    "ProtocolVersion",
    "QAPair",
    "Rate",
    "Remark",
    "Revision",
    "SecondLook",
    "Session",
    "SourceEntry",
    "SourceSet",
    "SourceUnit",
    "StepResult",
    "Suggestion",
    "Target",
    "TargetMember",
    "TargetStatistics",
    "TaskVersion",
    "Translation",
    "TypingChoice",
    "TypingRecord",
    "Unit",
    "User",
    "Webhook",
]
