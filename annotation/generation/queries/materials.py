"""Queries of the page of materials: the list, its groups, their origin, and what can still be added."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.content.models.source import Concept
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Forbidden, first_or_not_found
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.generation.actions.materials import has_questions
from annotation.generation.models import Candidate, Material
from annotation.generation.rules.conceptnet import BACKWARD
from annotation.generation.rules.recipes.forms import CONCEPT, ITEM, QUESTION, SET
from annotation.jobs.models import Import
from annotation.text.gettext import gettext_noop as _

# Where the words of a material stand, for a search; by the sort, since each has its own form.
SEARCHED_FIELDS: Mapping[str, tuple[str, ...]] = {
    SET: ("source", *(f"targets__{n}" for n in range(3))),
    CONCEPT: ("concept", "parallel"),
    QUESTION: ("concept", "question"),
    ITEM: ("concept", "question"),
}
# The columns of the filters' table, in which every set that was cut is counted once.
COUNT_NAMES: Mapping[str, str] = {
    "sources": _("Sources"),
    "few": _("Fewer than three targets"),
    "left": _("Targets left over"),
    "sets": _("Sets cut"),
    "words": _("Five words or more"),
    "letter": _("One character"),
    "part": _("Part of another"),
    "synonym": _("Synonyms"),
    "kept": _("Left"),
    "drawn": _("Drawn"),
}


def list_materials(membership: Membership, sort: str, *, group: str = "", words: str = "") -> QuerySet[Material]:
    """The project's materials of a sort in drawn order; `runs` says of each whether a run has begun with it."""
    if not membership.sees_all:
        raise Forbidden
    begun = Exists(Candidate.objects.filter(material=OuterRef("pk")))
    rows = Material.objects.filter(project=membership.project, sort=sort).annotate(begun=begun)
    if group:
        rows = rows.filter(group=group)
    if words:
        fits = Q(key__icontains=words)
        for name in SEARCHED_FIELDS.get(sort, ()):
            fits |= Q(**{f"data__{name}__icontains": words})
        rows = rows.filter(fits)
    return rows.order_by("position", "pk")


def groups(membership: Membership, sort: str) -> list[tuple[str, int]]:
    """The relations or categories of the materials, with how many each has."""
    rows = Material.objects.filter(project=membership.project, sort=sort).exclude(group="")
    return list(rows.values_list("group").annotate(n=Count("pk")).order_by("group"))


@dataclass(frozen=True)
class FilterReport:
    """The last import of question sets: the outcome of the lines, and of the sets cut from them.

    `rows` have a relation, whether it is read backward, and each figure with its name: what every filter dropped.
    """

    event: Event
    report: Mapping[str, Any]
    rows: list[tuple[str, bool, list[tuple[str, int]]]]
    totals: Mapping[str, int]
    unlisted: list[tuple[str, int]]

    @property
    def foreign(self) -> int:
        """Assertions whose other end is in another language."""
        return sum(self.report.get("foreign", {}).values())

    @property
    def same_ends(self) -> int:
        return sum(self.report.get("same_ends", {}).values())


def filter_report(membership: Membership) -> FilterReport | None:
    """The report of the last import of question sets; None before the first."""
    events = Event.objects.select_related("actor").filter(project=membership.project, verb="sets_imported")
    event = events.order_by("-pk").first()
    if event is None:
        return None
    report: Mapping[str, Any] = event.data.get("report", {})
    relations = report.get("relations", ())
    rows = [
        (
            row["relation"],
            row["direction"] == BACKWARD,
            [(words, row[name]) for name, words in COUNT_NAMES.items()],
        )
        for row in relations
    ]
    totals = {name: sum(row[name] for row in relations) for name in COUNT_NAMES}
    unlisted = sorted(report.get("unlisted", {}).items(), key=lambda each: (-each[1], each[0]))
    return FilterReport(event, report, rows, totals, unlisted)


def concepts_waiting(project: Project) -> int:
    """How many approved concepts are no materials yet."""
    rows = Concept.objects.filter(project=project, state=Concept.State.APPROVED)
    return rows.filter(~Exists(Material.objects.filter(concept=OuterRef("pk"), sort=CONCEPT))).count()


def source_projects(membership: Membership) -> list[Project]:
    """The other projects whose questions the viewer may take over: those that they lead or administer."""
    if not membership.sees_all:
        raise Forbidden
    others = [other.project for other in access.memberships(membership.user) if other.sees_all]
    return [other for other in others if other.pk != membership.project.pk and has_questions(other)]


def question_files(membership: Membership) -> QuerySet[Import]:
    """The files of finished questions taken in, newest first."""
    if not membership.sees_all:
        raise Forbidden
    rows = Import.objects.filter(project=membership.project, what=Import.What.MATERIALS)
    return rows.select_related("by").order_by("-pk")


def question_file(membership: Membership, import_id: int) -> Import:
    """One of those files; NotFound for any other."""
    return first_or_not_found(question_files(membership).filter(pk=import_id))
