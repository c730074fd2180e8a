"""The fetchers of diagnostic sets: what an expert goes through next, what leads read of it, what a release tells."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotation.content.models.item import Revision
from annotation.core import access
from annotation.core.access import Membership, Viewer
from annotation.core.errors import Forbidden, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs.bulk import any_of
from validation.consensus.stages import SETTLED
from validation.studies.models.diagnostic import DiagnosticAnswer, DiagnosticRow, DiagnosticSet
from validation.studies.rules.diagnostic import Tagged, known

FEATURE = "tags"


def tagged(project: Project) -> bool:
    """Whether writers of the project's kind say which phenomena an item turns on."""
    return FEATURE in project.kind_spec.settings


def overseer(user: Viewer, slug: str) -> Membership:
    """The viewer as lead or administrator; NotFound where the kind has no tags, Forbidden for other members."""
    membership = access.membership(user, slug)
    if not tagged(membership.project):
        raise NotFound
    if not membership.sees_all:
        raise Forbidden
    return membership


def expert(user: Viewer, slug: str) -> tuple[Membership, Annotator]:
    """The viewer as an expert of a diagnostic set; NotFound where the kind has no tags, Forbidden for others."""
    membership = access.membership(user, slug)
    if not tagged(membership.project):
        raise NotFound
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
    rows = DiagnosticRow.objects.filter(~_done(), expert__in=wanted).order_by().values("expert")
    return dict(rows.annotate(n=Count("pk")).values_list("expert", "n"))


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
    found = DiagnosticRow.objects.filter(token=token, expert=of).select_related("item__target").first()
    if found is None:
        raise NotFound
    return found


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


@dataclass(frozen=True)
class Listed:
    """A set in the list: how many items it has, and how many an expert went through."""

    diagnostic: DiagnosticSet
    size: int
    done: int


@dataclass(frozen=True)
class Line:
    """One item of a set: what it is, whose, and its tags; `expert` is empty where nobody may go through it."""

    item: int
    row: Tagged
    author: str
    expert: str


def sets(membership: Membership) -> list[Listed]:
    """The project's sets, the newest first; one statement."""
    if not membership.sees_all:
        raise Forbidden
    standing = Q(rows__answers__standing=True)
    found = DiagnosticSet.objects.filter(project=membership.project).order_by("-n")
    found = found.annotate(size=Count("rows", distinct=True), done=Count("rows__answers", filter=standing))
    return [Listed(each, vars(each)["size"], vars(each)["done"]) for each in found]


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
    written = _author_tags({item: revision for _, item, _, _, revision, _, _ in rows})
    answers = DiagnosticAnswer.objects.filter(row__diagnostic=of, standing=True)
    said = dict(answers.values_list("row", "tags"))
    return [
        Line(
            item,
            Tagged(key, gold, written[item], tuple(said[pk]) if pk in said else None),
            author or "",
            expert or "",
        )
        for pk, item, key, gold, _, author, expert in rows
    ]


def _author_tags(wanted: dict[int, int]) -> dict[int, tuple[str, ...]]:
    rows = Revision.objects.filter(item__in=any_of(wanted)).values_list("item", "n", "content")
    return {item: author_tags(content) for item, n, content in rows if wanted[item] == n}


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
