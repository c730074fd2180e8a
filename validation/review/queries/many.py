"""What an act on many items would do: which it takes, which it leaves out and why."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import Prefetch, QuerySet

from annotation.content import queries as content_queries
from annotation.content.models.item import Item
from annotation.core.access import Membership
from annotation.core.errors import first_or_not_found
from annotation.jobs.models import Job
from validation.review.actions.many import KIND
from validation.review.queries import desk
from validation.review.rules.filters import Filters
from validation.review.rules.many import MOST, STALE, BulkAct, format_versions, reason_left_out
from validation.voting.models.review import Flag


@dataclass(frozen=True)
class Preview:
    """The items that an act takes, those that it leaves out by reason, and how many more fit than one act takes."""

    included_items: list[Item]
    excluded_items: Mapping[str, list[Item]]
    more: int = 0

    @property
    def versions(self) -> str:
        """What is taken, as the form sends it back."""
        return format_versions([(item.pk, item.version) for item in self.included_items])


def preview_of_filters(membership: Membership, filters: Filters, wish: BulkAct) -> Preview:
    """The preview for all items that fit the filters of a list."""
    items = desk.items_listed(membership, filters)
    shown = list(_with_flags(items)[:MOST])
    return _make_preview(shown, wish, {}, items.count() - len(shown))


def preview_of_ids(
    membership: Membership, ids: Collection[int], wish: BulkAct, seen: Mapping[int, int] | None = None
) -> Preview:
    """The preview for these items; `seen` are the versions that a page showed of them before."""
    items = content_queries.reviewable(membership).filter(pk__in=list(ids)[:MOST]).order_by("-doubt", "pk")
    return _make_preview(list(_with_flags(items)), wish, seen or {})


def _with_flags(items: QuerySet[Item]) -> QuerySet[Item]:
    return items.select_related("author", "target", "project").prefetch_related(
        Prefetch("flags", Flag.objects.filter(closed_at=None))
    )


def _make_preview(items: Collection[Item], wish: BulkAct, seen: Mapping[int, int], more: int = 0) -> Preview:
    taken: list[Item] = []
    left: dict[str, list[Item]] = {}
    for item in items:
        why = reason_left_out(wish, item.stage, {flag.code for flag in item.flags.all()})
        if seen.get(item.pk, item.version) != item.version:
            why = STALE
        if why:
            left.setdefault(why, []).append(item)
        else:
            taken.append(item)
    return Preview(taken, left, more)


def job_of(membership: Membership, job_id: int) -> Job:
    """One act on many items of the project; NotFound."""
    return first_or_not_found(Job.objects.filter(pk=job_id, project=membership.project, kind=KIND))
