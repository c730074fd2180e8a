"""The fetchers of diagnostic sets: what an expert goes through next, what leads read of it, what a release tells."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotation.content.models.item import Revision
from annotation.core.access import Membership, Viewer
from annotation.core.errors import Forbidden, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs.bulk import any_of
from validation.consensus.stages import SETTLED
from validation.studies.models import DiagnosticAnswer, DiagnosticRow, DiagnosticSet
from validation.studies.projects import counts_by, first_of, membership_with, overseer_with
from validation.studies.rules.diagnostic import Tagged, known

FEATURE = "tags"


def tagged(project: Project) -> bool:
    """Whether writers of the project's kind say which phenomena an item turns on."""
    return FEATURE in project.kind_spec.settings


def overseer(user: Viewer, slug: str) -> Membership:
    return overseer_with(user, slug, tagged)


def expert(user: Viewer, slug: str) -> tuple[Membership, Annotator]:
    """The viewer as an expert of a diagnostic set; NotFound where the kind has no tags, Forbidden for others."""
    membership = membership_with(user, slug, tagged)
    if membership.annotator is None or not membership.annotator.diagnostic_rows.exists():
        raise Forbidden
    return membership, membership.annotator


# --- for experts ----------------------------------------------------------------------------


def _done() -> Exists:
    return Exists(DiagnosticAnswer.objects.filter(row=OuterRef("pk"), standing=True))


def rows_left(experts: Iterable[int]) -> dict[int, int]:
    """By expert: how many items they have not gone through; no statement where nobody is asked for."""
    wanted = list(experts)
    if not wanted:
        return {}
    return counts_by(DiagnosticRow.objects.filter(~_done(), expert__in=wanted), "expert")


def next_row(of: Annotator) -> DiagnosticRow | None:
    """What somebody goes through next; None where nothing waits for them."""
    rows = DiagnosticRow.objects.filter(~_done(), expert=of).select_related("item__target")
    return rows.order_by("diagnostic__n", "position").first()


def last_row(of: Annotator) -> DiagnosticRow | None:
    """What somebody went through last, to look at it again."""
    rows = DiagnosticAnswer.objects.filter(row__expert=of, standing=True).order_by("-pk")
    last = rows.values_list("row", flat=True).first()
    return None if last is None else DiagnosticRow.objects.select_related("item__target").get(pk=last)


def row_of(of: Annotator, token: str) -> DiagnosticRow:
    """One item of this expert's; NotFound for any other."""
    return first_of(DiagnosticRow.objects.filter(token=token, expert=of).select_related("item__target"))


def content_of(row: DiagnosticRow) -> dict[str, Any]:
    """The texts as they were when drawn."""
    found: dict[str, Any] = Revision.objects.values_list("content", flat=True).get(
        item=row.item_id, n=row.revision_n
    )
    return found


def tags_of(row: DiagnosticRow, content: dict[str, Any]) -> tuple[str, ...]:
    """The tags as they stand: the expert's, else the author's."""
    own = DiagnosticAnswer.objects.filter(row=row, standing=True).values_list("tags", flat=True).first()
    return author_tags(content) if own is None else tuple(own)


def author_tags(content: Mapping[str, Any]) -> tuple[str, ...]:
    """The tags that the author gave, as they are compared."""
    return known(str(tag) for tag in content.get(FEATURE, ()))


# --- for leads and administrators -------------------------------------------------------------


class Line(NamedTuple):
    """One item of a set: what it is, whose, and its tags; `expert` is empty where nobody may go through it."""

    item: int
    row: Tagged
    author: str
    expert: str


def sets(project: Project) -> list[tuple[DiagnosticSet, int, int]]:
    """The sets, the newest first, with how many items each has and how many an expert went through; one statement."""
    standing = Q(rows__answers__standing=True)
    found = DiagnosticSet.objects.filter(project=project).order_by("-n")
    found = found.annotate(size=Count("rows", distinct=True), done=Count("rows__answers", filter=standing))
    return [(each, vars(each)["size"], vars(each)["done"]) for each in found]


def one(membership: Membership, n: int) -> DiagnosticSet:
    """One set of the project."""
    found = DiagnosticSet.objects.filter(project=membership.project, n=n).first()
    if found is None or not membership.sees_all:
        raise NotFound
    return found


def people(project: Project) -> QuerySet[Annotator]:
    """Who can be an expert: everybody with an account here who does not answer a baseline."""
    there = Annotator.objects.filter(project=project, user__isnull=False, left_at=None, is_baseline=False)
    return there.order_by("pseudonym")


def lines(of: DiagnosticSet) -> list[Line]:
    """Every item of a set in the order drawn; three statements."""
    rows = list(
        DiagnosticRow.objects.filter(diagnostic=of)
        .order_by("position")
        .values_list(
            "pk", "item", "item__key", "gold", "revision_n", "item__author__pseudonym", "expert__pseudonym"
        )
    )
    wanted = {row[1]: row[4] for row in rows}
    contents = Revision.objects.filter(item__in=any_of(wanted)).values_list("item", "n", "content")
    written = {item: author_tags(content) for item, n, content in contents if wanted[item] == n}
    standing = DiagnosticAnswer.objects.filter(row__diagnostic=of, standing=True)
    tags = {row: tuple(given) for row, given in standing.values_list("row", "tags")}
    return [
        Line(item, Tagged(key, gold, written[item], tags.get(pk)), author or "", expert or "")
        for pk, item, key, gold, _, author, expert in rows
    ]


def progress(found: Iterable[Line]) -> list[tuple[str, int, int]]:
    """Each expert with how many items they went through, of how many; the empty name for what is nobody's."""
    sums: dict[str, tuple[int, int]] = {}
    for line in found:
        done, total = sums.get(line.expert, (0, 0))
        sums[line.expert] = done + (line.row.expert is not None), total + 1
    return [(who, done, total) for who, (done, total) in sorted(sums.items())]


# --- for releases -----------------------------------------------------------------------------


def told(project: Project) -> dict[str, Any]:
    """What a release freezes of the project's newest set: the tags of what an expert went through, by key.

    Items that were given another meaning, or another gold label, since they were drawn are not in it.
    """
    made = DiagnosticSet.objects.filter(project=project).order_by("-n").first()
    if made is None:
        return {}
    then = Revision.objects.filter(item=OuterRef("row__item"), n=OuterRef("row__revision_n"))
    answers = DiagnosticAnswer.objects.filter(
        Exists(then.filter(epoch=OuterRef("row__item__epoch"))),
        row__diagnostic=made,
        row__item__stage=SETTLED,
        row__item__gold=F("row__gold"),
        standing=True,
    )
    tags = dict(answers.values_list("row__item__key", "tags"))
    return {"diagnostic": {"n": made.n, "tags": dict(sorted(tags.items()))}} if tags else {}
