"""The tables of people, projects, sources and items; validation/ and exports/ add votes and releases."""

from .group import Lineage, Remark, Suggestion
from .item import Hypothesis, Item, Option, QAPair, Revision
from .job import Heartbeat, Import, ImportRow, Job
from .people import Annotator, Event, Invitation
from .project import GuidelineVersion, Lane, Project, ProtocolVersion
from .session import ElicitationAnswer, ElicitationQuestion, SecondLook, Session
from .source import Concept, Draft, Premise, Share
from .user import User

__all__ = [
    "Annotator",
    "Concept",
    "Draft",
    "ElicitationAnswer",
    "ElicitationQuestion",
    "Event",
    "GuidelineVersion",
    "Heartbeat",
    "Hypothesis",
    "Import",
    "ImportRow",
    "Invitation",
    "Item",
    "Job",
    "Lane",
    "Lineage",
    "Option",
    "Premise",
    "Project",
    "ProtocolVersion",
    "QAPair",
    "Remark",
    "Revision",
    "SecondLook",
    "Session",
    "Share",
    "Suggestion",
    "User",
]
