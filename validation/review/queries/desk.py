"""Queries of the review desk, for leads and administrators; a lead never gets items that they wrote."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import RowNumber, TruncWeek

from annotation import kinds
from annotation.content import queries as content_queries
from annotation.content import shapes
from annotation.content.models.item import Item, Revision
from annotation.core import access, declared
from annotation.core.access import Membership
from annotation.core.database import seconds_from_now
from annotation.core.days import start_of, zone_of
from annotation.core.errors import Forbidden, NotFound
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Target
from validation.consensus import stages
from validation.insights.queries import text_metrics as measured
from validation.review.queries import assessments as assessed
from validation.review.rules.error_counts import ReturnCount
from validation.review.rules.filters import NO_LABEL, Filters
from validation.translation.rules import FLAGGED, PARTS
from validation.voting.models.review import Flag, Review
from validation.voting.models.vote import Vote
from validation.voting.rules.flags import FAILED_CHECK, FLAG_NAMES, WEIGHTS

FLAGS_REVIEWED = "flags_reviewed"
# A corrected item belongs to the lead who returned it for so long, then to any (domain.md §8).
OWN_SECONDS = 2 * 24 * 3600

# What waits for a lead's check: handed in where a project checks first, or corrected by its writer.
TO_CHECK = Q(stage__in=[stages.SUBMITTED, stages.CORRECTED])


def waits_for_lead() -> Q:
    """What waits for some lead of the project: open flags or a check, and not with its writer.

    What only a check has flagged waits for a reviewer first, in kinds where these look at all that is flagged.
    """
    reviewed = [kind.slug for kind in kinds.all_kinds() if FLAGS_REVIEWED in kind.features]
    for_reviewers = Q(
        doubt=WEIGHTS[FAILED_CHECK],
        stage__in=[stages.WRITTEN, stages.VOTING],
        project__kind__in=reviewed,
    )
    return (Q(doubt__gt=0) & ~for_reviewers | TO_CHECK) & ~Q(stage=stages.RETURNED)


def on_desk(membership: Membership, *, returned: bool = False) -> QuerySet[Item]:
    """What waits for a lead: open flags, or to be checked; what waits for its writer only if asked for."""
    waits = waits_for_lead()
    items = content_queries.reviewable(membership).filter(waits | Q(stage=stages.RETURNED) if returned else waits)
    if membership.is_administrator or membership.annotator is None:
        return items
    return items.exclude(_with_another_lead([membership.annotator.pk]))


def desk_counts(places: Collection[Membership]) -> dict[int, tuple[int, int]]:
    """By project that these places of one person lead: what is to be checked on its desk, and what else is there."""
    led = [place.annotator for place in places if place.is_lead and place.annotator is not None]
    mine = [lead.pk for lead in led]
    items = Item.objects.filter(waits_for_lead(), project__in=[lead.project_id for lead in led])
    items = items.exclude(author__in=mine)
    for place in places:
        if place.is_voting_lead:
            open_to = content_queries.project_items(place).values("pk")
            items = items.exclude(Q(project=place.project) & ~Q(pk__in=open_to))
    if not any(place.is_administrator for place in places):
        items = items.exclude(_with_another_lead(mine))
    counted = items.values("project").annotate(n=Count("pk"), checks=Count("pk", filter=TO_CHECK))
    return {
        project: (checks, n - checks) for project, n, checks in counted.values_list("project", "n", "checks").order_by()
    }


def _with_another_lead(mine: Collection[int]) -> Q:
    """What was corrected for another lead of its project, who looks at it first; `mine` are one lead's places."""
    last = Review.objects.filter(item=OuterRef(OuterRef("pk")), event=stages.RETURN).order_by("-version")
    by_other = Review.objects.filter(pk=Subquery(last.values("pk")[:1]), by__is_lead=True, by__left_at=None).exclude(
        by__in=mine
    )
    fresh = {"item": OuterRef("pk"), "event": stages.RESUBMIT, "at__gt": seconds_from_now(-OWN_SECONDS)}
    recently = Exists(Revision.objects.filter(**fresh)) | Exists(Review.objects.filter(**fresh))
    return Q(stage=stages.CORRECTED) & Q(Exists(by_other)) & Q(recently)


def items_listed(membership: Membership, filters: Filters) -> QuerySet[Item]:
    """The items of a list, narrowed and in its order: most doubtful first on the desk, then the oldest."""
    if filters.of == "desk":
        items = on_desk(membership, returned=filters.stage == stages.RETURNED).order_by("-doubt", "pk")
    else:
        items = content_queries.reviewable(membership).order_by("pk")
    exact = {
        "stage": filters.stage,
        "author_label": filters.label,
        "gold": filters.gold if filters.gold != NO_LABEL else "",
        "target__key": filters.target,
        shapes.get(membership.project.kind_spec.shape).group_path: filters.group,
    }
    items = items.filter(**{name: value for name, value in exact.items() if value})
    if filters.part:
        of_part = Q(stage__in=PARTS.get(filters.part, ()))
        items = items.filter(Q(doubt__gt=0) if filters.part == FLAGGED else of_part)
    if filters.check:
        items = items.filter(TO_CHECK)
    if filters.verdict or filters.wrote:
        items = _of_machines(membership, items, filters)
    if filters.word or filters.labelled or filters.sure:
        items = items.filter(measured.word_condition(membership.project, filters))
    if filters.against:
        items = items.filter(declared.attribute("narrows", "against")())
    if filters.writer:
        items = items.filter(author__pseudonym=filters.writer)
    if filters.error or filters.week:
        items = items.filter(Exists(_returns_of(membership, filters)))
    if filters.round is not None:
        items = items.filter(round=filters.round)
    if filters.gold == NO_LABEL:
        items = items.filter(gold="")
    if filters.flag:
        items = items.filter(Exists(Flag.objects.filter(item=OuterRef("pk"), code=filters.flag, closed_at=None)))
    if filters.person:
        voted = Vote.objects.filter(item=OuterRef("pk"), annotator__pseudonym=filters.person)
        items = items.filter(Q(author__pseudonym=filters.person) | Exists(voted))
    if filters.q:
        items = items.filter(pk__in=_searched(membership, filters))
    return items


def _searched(membership: Membership, filters: Filters) -> QuerySet[Item, int]:
    """The keys of the project's items with the searched words in a text, in the id or as their writer's name.

    Each place is looked through by itself: joined, the text that six items share would be read six times. Who may see
    which of them is the caller's.
    """
    items = Item.objects.filter(project=membership.project)
    shape = shapes.get(membership.project.kind_spec.shape)
    found: list[QuerySet[Item]] = []
    for words in filters.spellings:
        found += shape.items_with_text(items, words)
        found += [items.filter(key__icontains=words), items.filter(author__pseudonym__iexact=words)]
    first, *others = (each.order_by().values_list("pk", flat=True) for each in found)
    return first.union(*others, all=True)


def _of_machines(membership: Membership, items: QuerySet[Item], filters: Filters) -> QuerySet[Item]:
    """Items by what was said of a machine's work, and by what wrote them."""
    if filters.verdict:
        items = items.filter(assessed.has_verdict(filters.verdict))
    return items.filter(assessed.items_written_by(membership.project, filters.wrote)) if filters.wrote else items


def _returns_of(membership: Membership, filters: Filters) -> QuerySet[Review]:
    """The returns of an item that a list is narrowed to: for which error, in which week."""
    rows = Review.objects.filter(item=OuterRef("pk"), event__in=stages.RETURNS)
    if filters.error:
        rows = rows.filter(error_type=filters.error)
    if filters.week:
        first, zone = date.fromisoformat(filters.week), zone_of(membership.project.rules)
        rows = rows.filter(at__gte=start_of(first, zone), at__lt=start_of(first + timedelta(days=7), zone))
    return rows


def targets(membership: Membership) -> list[Target]:
    """Every target of the project in order of its key, for leads and administrators; NotFound where it has none."""
    if not access.has_targets(membership.project):
        raise NotFound
    if not membership.sees_all:
        raise Forbidden
    return list(Target.objects.filter(project=membership.project).order_by("key"))


def check_counts(membership: Membership) -> dict[str, int]:
    """How many items of the desk wait for a check, by stage; one statement."""
    waiting = on_desk(membership).filter(TO_CHECK)
    return dict(waiting.values("stage").annotate(n=Count("pk")).values_list("stage", "n").order_by())


def _returns(membership: Membership) -> QuerySet[Review]:
    """Every return of an item that the viewer may look at, by leads and by reviewers."""
    rows = Review.objects.filter(project=membership.project, event__in=stages.RETURNS)
    rows = content_queries.without_asked(rows, membership)
    return rows if membership.annotator is None else rows.exclude(item__author=membership.annotator)


def return_counts(membership: Membership) -> list[ReturnCount]:
    """How often items were returned, by error type, writer and week; one statement."""
    week = TruncWeek("at", tzinfo=zone_of(membership.project.rules))
    rows = _returns(membership).annotate(week=week).values("error_type", "item__author__pseudonym", "week")
    counts = rows.annotate(n=Count("pk")).order_by("week", "error_type", "item__author__pseudonym")
    return [
        ReturnCount(error, writer or "", week.date(), n)
        for error, writer, week, n in counts.values_list("error_type", "item__author__pseudonym", "week", "n")
    ]


def return_words(membership: Membership, most: int) -> dict[str, list[Review]]:
    """What leads wrote to the writers, by error type: the newest few of each; one statement."""
    newest = Window(RowNumber(), partition_by="error_type", order_by="-pk")
    rows = _returns(membership).select_related("item__author", "by").annotate(place=newest).filter(place__lte=most)
    found: dict[str, list[Review]] = {}
    for row in rows.order_by("-pk"):
        found.setdefault(row.error_type, []).append(row)
    return found


def notes_of(membership: Membership) -> dict[str, Event]:
    """When each error type was noted in the guidelines for the last time."""
    rows = Event.objects.filter(project=membership.project, verb="guideline_note").order_by("pk")
    return {row.data["error"]: row for row in rows}


def flag_counts(membership: Membership) -> dict[str, int]:
    """How many items of the desk carry each flag, in the order of the desk; one statement."""
    open_flags = Flag.objects.filter(item__in=on_desk(membership).values("pk"), closed_at=None)
    counts = dict(open_flags.values("code").annotate(n=Count("pk")).values_list("code", "n").order_by())
    return {code: counts[code] for code in FLAG_NAMES if code in counts}


def item(membership: Membership, item_id: int) -> Item:
    """One item of the project; Forbidden where the viewer wrote it."""
    found = (
        content_queries.openable_items(membership)
        .select_related("author", "target", "protocol", "project")
        .filter(pk=item_id)
        .first()
    )
    if found is None:
        raise NotFound
    if membership.annotator is not None and found.author_id == membership.annotator.pk:
        raise Forbidden(code="own_item")
    return found


@dataclass(frozen=True)
class Neighbours:
    """The items before and after one in its list; None at the ends."""

    before: int | None
    after: int | None


def stands_behind(here: Item) -> Q:
    """What stands behind an item on the desk."""
    return Q(doubt__lt=here.doubt) | Q(doubt=here.doubt, pk__gt=here.pk)


def neighbours(membership: Membership, filters: Filters, here: Item) -> Neighbours:
    """Who stands beside an item in the list, by where it stands now; two statements, whatever the length."""
    items = items_listed(membership, filters)
    if filters.of == "desk":
        after, ahead = stands_behind(here), Q(doubt__gt=here.doubt) | Q(doubt=here.doubt, pk__lt=here.pk)
    else:
        after, ahead = Q(pk__gt=here.pk), Q(pk__lt=here.pk)
    following = items.filter(after).values_list("pk", flat=True).first()
    previous = items.filter(ahead).reverse().values_list("pk", flat=True).first()
    return Neighbours(previous, following)


def corrections_to_judge(items: QuerySet[Item]) -> QuerySet[Item]:
    """Of these items, those that wait for their writer's word on a reviewer's correction (ruling 19)."""
    last = Revision.objects.filter(item=OuterRef("pk"), n=OuterRef("revision_n"), event=stages.TAKE_CORRECTION)
    since = Revision.objects.filter(item=OuterRef("item"), n=OuterRef("item__revision_n"))
    answered = Review.objects.filter(
        item=OuterRef("pk"), event=stages.DISPUTE, version__gt=Subquery(since.values("version"))
    )
    voted = Vote.objects.filter(item=OuterRef("pk"), epoch=OuterRef("epoch"), withdrawn_at=None)
    return items.filter(Exists(last), ~Exists(answered), ~Exists(voted), stage=stages.VOTING)


def own_corrections_to_judge(writer: Annotator) -> QuerySet[Item]:
    """What reviewers corrected of this writer's and nobody has judged since, the longest waiting first."""
    return corrections_to_judge(content_queries.own_items(writer)).select_related("project", "target").order_by("pk")


def count_corrections_to_judge(writers: Collection[int]) -> dict[int, int]:
    """Writers to how many corrections wait for their word; one statement, none where nobody is asked for."""
    if not writers:
        return {}
    rows = corrections_to_judge(Item.objects.filter(author__in=writers)).values("author").annotate(n=Count("pk"))
    return dict(rows.values_list("author", "n").order_by())
