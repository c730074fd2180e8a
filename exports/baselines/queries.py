"""What human baselines draw from, what somebody is asked next, and what leads and administrators read.

Gold labels, the other people's answers, where an item is from and how many there are is shown to nobody who answers.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation import kinds
from annotation.content.models.item import Item, Revision
from annotation.core.access import Membership, Viewer
from annotation.core.errors import Forbidden
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs.bulk import any_of
from annotation.kinds import Kind
from exports.baselines.eligibility import has_part
from exports.baselines.models import (
    Baseline,
    BaselineAnswer,
    BaselineItem,
    BaselinePlace,
    BaselineSource,
)
from exports.baselines.rules import Answered
from exports.releases.models import Release, ReleaseRow
from exports.releases.rules.settings import TEST
from exports.releases.rules.splits import GOLD
from validation.consensus.stages import SETTLED
from validation.studies.models import DiagnosticRow, DiagnosticSet
from validation.studies.projects import counts_by, first_of, overseer_with
from validation.voting.rules.option_order import Order, order_shown

LISTED = 20


def answered_kind(project: Project) -> Kind | None:
    """The kind as which people who know nothing of the project answer its items; None where they have no labels."""
    kind = project.kind_spec
    if kind.answered:
        return kinds.get(kind.answered)
    return kind if kind.labels and "review" not in kind.features else None


def has_labels(project: Project) -> bool:
    return answered_kind(project) is not None


def sees(membership: Membership) -> bool:
    """Whether somebody draws human baselines of the project's releases, or reads their results."""
    return membership.sees_all and has_labels(membership.project)


def overseer(user: Viewer, slug: str) -> Membership:
    return overseer_with(user, slug, has_labels)


# --- for those who answer -------------------------------------------------------------------


class CardFacts(NamedTuple):
    """What a card is made of: the item's texts as they were drawn, the kind, and the order on this person's screen."""

    kind: Kind
    content: Mapping[str, Any]
    order: Order


def card_facts(asked: BaselineItem, annotator: Annotator) -> CardFacts:
    """What this person sees of an item; one statement."""
    kind = answered_kind(asked.item.target.project)
    assert kind is not None  # noqa: S101 - nothing is drawn of other projects
    content = Revision.objects.values_list("content", flat=True).get(item=asked.item_id, n=asked.revision_n)
    order = order_shown(
        kind,
        content,
        drawn_with=asked.baseline.secret or asked.baseline.seed,
        item=asked.item.key,
        annotator=annotator.pseudonym,
    )
    return CardFacts(kind, content, order)


def _open(annotator: Annotator) -> QuerySet[Baseline]:
    """The baselines in which this person has a place, or may still take one."""
    places = BaselinePlace.objects.filter(baseline=OuterRef("pk"))
    taken = places.filter(replaced_at=None).order_by().values("baseline").annotate(n=Count("pk")).values("n")
    mine = places.filter(annotator=annotator)
    rows = Baseline.objects.filter(project=annotator.project_id, ended_at=None)
    rows = rows.annotate(taken=Coalesce(Subquery(taken), 0))
    room = Q(taken__lt=F("people")) & ~Exists(mine)
    return rows.filter(Exists(mine.filter(replaced_at=None)) | room).order_by("n")


def next_item(annotator: Annotator) -> BaselineItem | None:
    """What somebody is asked next; None where nothing waits for them, or they have a part in what is asked."""
    if annotator.user is None or has_part(annotator.user, annotator.project):
        return None
    answers = BaselineAnswer.objects.filter(asked=OuterRef("pk"), annotator=annotator)
    rows = BaselineItem.objects.filter(~Exists(answers), baseline__in=_open(annotator), example=False)
    rows = rows.select_related("baseline", "item__target__project")
    return rows.order_by("baseline__n", "position").first()


def item_of(annotator: Annotator, token: str) -> BaselineItem:
    """One asked item of the person's project; NotFound for any other."""
    rows = BaselineItem.objects.select_related("baseline", "item__target__project")
    return first_of(rows.filter(token=token, example=False, baseline__project=annotator.project_id))


def examples(baseline: Baseline) -> list[tuple[Mapping[str, Any], str]]:
    """What is shown beside the task, in the order drawn: each item's texts, and the right label; two statements."""
    drawn = BaselineItem.objects.filter(baseline=baseline, example=True).order_by("position")
    rows = list(drawn.values_list("item", "revision_n", "gold"))
    wanted = {item: n for item, n, _ in rows}
    result = Revision.objects.filter(item__in=any_of(wanted)).values_list("item", "n", "content")
    contents = {item: content for item, n, content in result if wanted[item] == n}
    return [(contents[item], gold) for item, _, gold in rows]


def begins(annotator: Annotator, baseline: Baseline) -> bool:
    """Whether somebody has answered nothing of it yet: the task and the examples are open before them then."""
    return not BaselineAnswer.objects.filter(asked__baseline=baseline, annotator=annotator).exists()


def waits_for(membership: Membership) -> bool:
    """Whether somebody is asked anything now."""
    if not membership.is_baseline or membership.annotator is None or membership.project.closed_at is not None:
        return False
    return next_item(membership.annotator) is not None


# --- for leads and administrators -------------------------------------------------------------


def _seen(membership: Membership) -> QuerySet[Baseline]:
    """The project's baselines; those that ask of other projects too are for administrators."""
    if not membership.sees_all:
        raise Forbidden
    rows = Baseline.objects.filter(project=membership.project)
    if membership.is_administrator:
        return rows
    ours = Q(release__project=membership.project) | Q(diagnostic__project=membership.project)
    return rows.exclude(pk__in=BaselineSource.objects.exclude(ours).values("baseline"))


def listed(membership: Membership) -> list[tuple[Baseline, int, int]]:
    """The project's baselines, the newest first, with how many items and answers that count; three statements."""
    result = list(_seen(membership).order_by("-n"))
    asked = counts_by(BaselineItem.objects.filter(baseline__in=result, example=False), "baseline")
    given = counts_by(_counted().filter(asked__baseline__in=result), "asked__baseline")
    return [(each, asked.get(each.pk, 0), given.get(each.pk, 0)) for each in result]


def _counted() -> QuerySet[BaselineAnswer]:
    """The answers that count: of people who were not replaced."""
    places = BaselinePlace.objects.filter(
        baseline=OuterRef("asked__baseline"), annotator=OuterRef("annotator"), replaced_at=None
    )
    return BaselineAnswer.objects.filter(Exists(places))


def one(membership: Membership, n: int) -> Baseline:
    """One baseline of the project."""
    return first_of(_seen(membership).filter(n=n))


def sources(of: Baseline) -> list[BaselineSource]:
    """What its items were drawn from."""
    rows = BaselineSource.objects.filter(baseline=of)
    return list(rows.select_related("release__project", "diagnostic__project").order_by("n"))


def rows_of(of: Baseline) -> list[Answered]:
    """Every item that is asked by its key, with what was said of it under pseudonyms; two statements."""
    answers: dict[int, list[tuple[str, str]]] = defaultdict(list)
    given = _counted().filter(asked__baseline=of)
    for asked, who, label in given.values_list("asked", "annotator__pseudonym", "label"):
        answers[asked].append((who, label))
    rows = BaselineItem.objects.filter(baseline=of, example=False)
    result = [
        Answered(key, source, gold, tuple(sorted(answers[pk])))
        for pk, key, source, gold in rows.values_list("pk", "item__key", "source__n", "gold")
    ]
    return sorted(result, key=lambda row: (row.source, row.key))


class Person(NamedTuple):
    """One who answers: how many items, of how many; `replaced` where it is not counted any more."""

    annotator: int
    who: str
    done: int
    total: int
    replaced: bool


def progress(of: Baseline) -> list[Person]:
    """How far each person is who took a place; two statements."""
    total = of.items.filter(example=False).count()
    answers = BaselineAnswer.objects.filter(
        asked__baseline=OuterRef("baseline"), annotator=OuterRef("annotator")
    )
    done = answers.order_by().values("annotator").annotate(n=Count("pk")).values("n")
    rows = BaselinePlace.objects.filter(baseline=of).annotate(done=Coalesce(Subquery(done), 0))
    columns = ("annotator", "annotator__pseudonym", "done", "replaced_at")
    return [
        Person(pk, who, n, total, replaced is not None)
        for pk, who, n, replaced in rows.order_by("annotator__pseudonym").values_list(*columns)
    ]


def drawable(project: Project) -> tuple[list[DiagnosticSet], list[Release]]:
    """What an administrator can draw from: sets and ready releases of alike projects, the newest first."""
    alike = {"project__kind": project.kind, "project__language": project.language}
    sets = DiagnosticSet.objects.filter(**alike).select_related("project").order_by("-pk")[:LISTED]
    ready = Release.objects.filter(**alike, state=Release.State.READY).select_related("project")
    return list(sets), list(ready.defer("manifest", "context").order_by("-pk")[:LISTED])


AT_ONCE = 5000


class Candidate(NamedTuple):
    """An item with gold: its key, id and revision."""

    key: str
    gold: str
    item: int
    revision_n: int


@dataclass(frozen=True)
class Pool:
    """Rows of items with gold, and the columns in which they have a candidate's key, label and item."""

    rows: QuerySet[Any]
    key: str
    gold: str
    item: str

    def counts(self) -> Counter[str]:
        """How many rows have each gold label; one statement."""
        return Counter(dict(self.rows.order_by().values_list(self.gold).annotate(items=Count("pk"))))

    def among(self, items: Collection[int]) -> "Pool":
        """Of these items alone."""
        return replace(self, rows=self.rows.filter(**{f"{self.item}__in": any_of(items)}))

    def without(self, others: Iterable["Pool"]) -> "Pool":
        """All but the items that one of the others has."""
        rows = self.rows
        for other in others:
            rows = rows.filter(~Exists(other.rows.filter(**{other.item: OuterRef(self.item)})))
        return replace(self, rows=rows)

    def each(self, *, but: Collection[int]) -> Iterator[Candidate]:
        """Every row but those of these items, so many at once."""
        columns = self.rows.order_by().values_list(self.key, self.gold, self.item, "revision_n")
        for row in columns.iterator(chunk_size=AT_ONCE):
            if row[2] not in but:
                yield Candidate(*row)


def askable(of: Release | DiagnosticSet) -> Pool:
    """What can be asked: a release's test rows whose label votes settled on, or all of a set."""
    if isinstance(of, Release):
        return _of_release(of, split=TEST)
    return Pool(DiagnosticRow.objects.filter(diagnostic=of), "item__key", "gold", "item")


def spare(of: Release | DiagnosticSet) -> list[Pool]:
    """What examples may be of: gold of the same release in whatever split; the set, then gold of its project."""
    if isinstance(of, Release):
        return [_of_release(of)]
    gold = Item.objects.filter(project=of.project_id, stage=SETTLED).exclude(gold="")
    return [askable(of), Pool(gold, "key", "gold", "pk")]


def _of_release(release: Release, **which: str) -> Pool:
    rows = ReleaseRow.objects.filter(release=release, label_source=GOLD, **which).exclude(split="")
    return Pool(rows, "key", "label", "item")
