"""The tables of people, projects, sources and items; validation/ and exports/ add votes and releases."""

from .item import Hypothesis, Item, Revision
from .job import Heartbeat, Import, ImportRow, Job
from .people import Annotator, Event, Invitation
from .project import GuidelineVersion, Lane, Project, ProtocolVersion
from .source import Draft, Premise, Share
from .user import User

__all__ = [
    "Annotator",
    "Draft",
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
    "Premise",
    "Project",
    "ProtocolVersion",
    "Revision",
    "Share",
    "User",
]
