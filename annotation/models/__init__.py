"""The tables of people, projects, sources and items; validation/ and exports/ add votes and releases."""

from .about import About, Consent, ConsentVersion, Demographics
from .group import Lineage, Remark, Suggestion
from .item import Hypothesis, Item, Option, QAPair, Revision
from .job import Heartbeat, Import, ImportRow, Job
from .machine import (
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
from .pay import Action, ApprovedEntry, Dispute, LedgerEntry, PayPeriod, Rate, Unit
from .people import Annotator, Event, Invitation
from .project import GuidelineVersion, Lane, Project, ProtocolVersion
from .session import ElicitationAnswer, ElicitationQuestion, SecondLook, Session
from .source import Concept, Draft, Premise, Share
from .translation import (
    CleanUp,
    LabelCheck,
    LabelCheckRow,
    LanePlace,
    Learnt,
    SourceEntry,
    SourceSet,
    SourceUnit,
    Translation,
)
from .user import User

__all__ = [
    "About",
    "Action",
    "Annotator",
    "ApprovedEntry",
    "Call",
    "CallAttempt",
    "Candidate",
    "CleanUp",
    "Concept",
    "Consent",
    "ConsentVersion",
    "Demographics",
    "Dispute",
    "Draft",
    "ElicitationAnswer",
    "ElicitationQuestion",
    "Endpoint",
    "Event",
    "GenerationBatch",
    "GenerationRun",
    "GuidelineVersion",
    "Heartbeat",
    "Hypothesis",
    "Import",
    "ImportRow",
    "InstructionVersion",
    "Invitation",
    "Item",
    "Job",
    "LabelCheck",
    "LabelCheckRow",
    "Lane",
    "LanePlace",
    "Learnt",
    "LedgerEntry",
    "Lineage",
    "MachineLimit",
    "Material",
    "Option",
    "PayPeriod",
    "Premise",
    "Project",
    "ProtocolVersion",
    "QAPair",
    "Rate",
    "Remark",
    "Revision",
    "SecondLook",
    "Session",
    "Share",
    "SourceEntry",
    "SourceSet",
    "SourceUnit",
    "StepResult",
    "Suggestion",
    "Translation",
    "Unit",
    "User",
]
