"""What is taken from a project or a release for a source set: the filter, as forms and jobs hand it on."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

from django.utils.translation import gettext_noop as _

from annotation.content import item_choice
from annotation.content.models.units import SourceSet
from annotation.core import access
from annotation.core.access import Viewer
from annotation.core.errors import Forbidden, Invalid, NotFound
from annotation.core.models.project import Project, Target
from annotation.text.sentences import CLASSES
from exports.releases.models import Release

ANY = ""
ORIGINS: Mapping[str, str] = {
    ANY: _("any"),
    "written": _("written here"),
    "imported": _("imported"),
    "machine": _("written by a model"),
}
# What a premise can be filtered by.
SIZES: Mapping[str, str] = {
    ANY: _("any"),
    "single": _("single sentences"),
    "double": _("two sentences"),
    "paragraph": _("paragraphs"),
}


@dataclass(frozen=True)
class ItemSelection:
    """Which items become rows. `release` is 0 where they come from the project as it stands.

    `gold` is a choice of `annotation.content.item_choice`. `split` is what rows of a project are put into; a release
    brings its own, of which `splits` are taken (all where it is empty, with blanks between). `source_set` and `target`
    say which texts of a project of translations.
    """

    project: str
    release: int = 0
    gold: str = item_choice.SETTLED
    origin: str = ANY
    size: str = ANY
    split: str = "test"
    splits: str = ""
    source_set: str = ""
    target: str = ""

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> "ItemSelection":
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in raw.items() if name in known})

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def some_splits(self) -> list[str]:
        return self.splits.replace(",", " ").split()


class RowSource(NamedTuple):
    """Where the rows are, fetched for somebody who may see it."""

    chosen: ItemSelection
    project: Project
    release: Release | None
    source_set: SourceSet | None
    target: Target | None

    @property
    def shape(self) -> str:
        """The shape that the rows have: the kind's, or that of the set that was translated."""
        if self.source_set is not None:
            return self.source_set.shape
        translated = self.project.kind_spec.export.source_row
        return translated[0] if translated is not None else ""


def find_row_source(viewer: Viewer, chosen: ItemSelection) -> RowSource:
    """What was chosen, for leads of that project and administrators; Invalid where it is not theirs or not there."""
    try:
        membership = access.lead_membership(viewer, chosen.project)
    except (NotFound, Forbidden):
        raise Invalid(field="project", code="source_project_missing") from None
    return locate_selection(membership.project, chosen)


def locate_selection(project: Project, chosen: ItemSelection) -> RowSource:
    """The parts of a project that were chosen. Raises Invalid for one that is not there."""
    if project.kind_spec.export.source_row is None:
        raise Invalid(field="project", code="source_project_missing")
    if chosen.gold not in item_choice.CHOICES or chosen.origin not in ORIGINS or chosen.size not in (ANY, *CLASSES):
        raise Invalid(field="gold", code="source_filter_wrong")
    release = None
    if chosen.release:
        ready = Release.objects.filter(project=project, n=chosen.release, state=Release.State.READY)
        release = ready.first()
        if release is None:
            raise Invalid(field="release", code="source_release_missing")
    if not access.has_targets(project):
        return RowSource(chosen, project, release, None, None)
    source_set = SourceSet.objects.filter(project=project, key=chosen.source_set).first()
    target = Target.objects.filter(project=project, key=chosen.target).first()
    if source_set is None or target is None:
        raise Invalid(field="target", code="source_target_missing")
    return RowSource(chosen, project, release, source_set, target)
