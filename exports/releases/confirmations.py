"""What has to be confirmed before a release is frozen, and what cannot be frozen at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.core.models.project import Project
from annotation.datasheet.queries import about_of
from exports.releases import queries as access
from exports.releases.actions import PartIn
from exports.releases.rules.shared_sources import passes


@dataclass(frozen=True)
class Sharing:
    """A project of which a release shares more than it allows: so many of so many rows."""

    project: Project
    rows: int
    of: int


@dataclass
class Asked:
    """What is asked of a release: which projects share too much, which state no licence; `rows` it would hold."""

    items: int = 0
    rows: int = 0
    sharing: list[Sharing] = field(default_factory=list)
    unlicensed: list[Project] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether there are items, and none of them would be in it."""
        return bool(self.items and not self.rows)

    def open(self, *, shared: bool, licence: bool) -> bool:
        """Whether something is left to confirm, with these two confirmed or not."""
        return bool(self.sharing and not shared) or bool(self.unlicensed and not licence)


def asked(parts: Sequence[PartIn]) -> Asked:
    """What a release of these projects, frozen now, would have to be asked."""
    return asked_of([(part.project, access.preview(part.project, part.rules)) for part in parts])


def asked_of(counted: Sequence[tuple[Project, Mapping[str, Any]]]) -> Asked:
    """The same of projects whose previews are there."""
    found = Asked()
    for project, counts in counted:
        found.items += counts["items"]
        found.rows += counts["released"]
        if not passes(counts, project.rules.shared_percent):
            found.sharing.append(Sharing(project, counts["shared"]["rows"], counts["shared"]["of"]))
        if not about_of(project).licence.strip():
            found.unlicensed.append(project)
    return found
