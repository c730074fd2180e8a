"""What views read of items, scoped by membership."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import F, Model, Q, QuerySet

from annotation.content import shapes
from annotation.content.models.item import Item, Revision
from annotation.core.access import Membership, project_for_leads
from annotation.core.database import seconds_from_now
from annotation.core.errors import first_or_not_found
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.kinds import Shape, text_at
from validation.consensus import stages

Row = TypeVar("Row", bound=Model)
Selected = TypeVar("Selected")
# Where a text stands that people may learn from: nobody judges it any more.
ACCEPTED_STAGES = (stages.SETTLED, stages.ADJUDICATED)
# Assignments after which somebody is never asked again, and one that is done in the item's present epoch.
_NEVER_AGAIN = Q(assignments__state__in=("barred", "skipped"))
_VOTED = Q(assignments__state="done", assignments__epoch=F("epoch"))


def has_concepts(project: Project) -> bool:
    """Whether writers start from concepts here."""
    return shapes.get(project.kind_spec.shape).source_column == "concept"


def own_items(annotator: Annotator) -> QuerySet[Item]:
    """What this person wrote in their project."""
    return Item.objects.filter(author=annotator, project=annotator.project_id)


def own_item(annotator: Annotator, item_id: int) -> Item:
    """One item that this person wrote in their project."""
    return first_or_not_found(own_items(annotator).select_related("author", "project").filter(pk=item_id))


def contents(items: Iterable[Item]) -> dict[int, dict[str, Any]]:
    """Items (with their projects) to their present content, two statements a shape at most."""
    by_shape: dict[Shape, list[int]] = defaultdict(list)
    for item in items:
        by_shape[item.project.kind_spec.shape].append(item.pk)
    return {
        pk: content
        for shape, ids in by_shape.items()
        for pk, content in shapes.get(shape).current_contents(ids).items()
    }


def openable_items(membership: Membership) -> QuerySet[Item]:
    """All items of the project, for leads and administrators, each of which may be opened by itself.

    For a lead who votes (`leads_vote`) those that they cannot be asked about any more, or voted on: they vote as blind
    as others.
    """
    return _items_not_asked(membership, _NEVER_AGAIN | _VOTED)


def project_items(membership: Membership) -> QuerySet[Item]:
    """The same for lists and figures, without what a lead who votes can still take their vote back on."""
    young = {"votes__annotator": membership.annotator, "votes__withdrawn_at": None}
    back = Item.objects.filter(**young, votes__cast_at__gt=seconds_from_now(-settings.TAKE_BACK_SECONDS))
    return _items_not_asked(membership, _NEVER_AGAIN | (_VOTED & ~Q(pk__in=back.values("pk"))))


def _items_not_asked(membership: Membership, over: Q) -> QuerySet[Item]:
    """The items that nobody asks the viewer about; `over`: of their assignments, where that is so."""
    items = Item.objects.filter(project=project_for_leads(membership))
    if not membership.is_voting_lead:
        return items
    mine = Item.objects.filter(assignments__annotator=membership.annotator).filter(over).values("pk")
    return items.filter(~Q(stage__in=stages.ASKED_STAGES) | Q(author=membership.annotator) | Q(pk__in=mine))


def without_asked(rows: QuerySet[Row, Selected], membership: Membership, path: str = "item") -> QuerySet[Row, Selected]:
    """Rows that belong to items (`path`) without those of items that a lead who votes can still be asked about."""
    return rows.filter(**{f"{path}__in": project_items(membership)}) if membership.is_voting_lead else rows


def counted_stage(membership: Membership, stage: str) -> str:
    """Under which stage an item is counted: for a lead who votes what was returned is among what is voted on, since
    reviewers' votes return items."""
    return stages.VOTING if membership.is_voting_lead and stage == stages.RETURNED else stage


def items_with_open_votes(items: QuerySet[Item]) -> QuerySet[Item]:
    """Those of the items whose votes may still be added to."""
    return items.filter(stage__in=stages.OPEN_VOTE_STAGES)


def current_content(item: Item) -> dict[str, Any]:
    """An item's present content: that of its last revision."""
    content: dict[str, Any] = Revision.objects.values_list("content", flat=True).get(item=item, n=item.revision_n)
    return content


def items_sharing_text(item: Item, family: Sequence[Item], field: str) -> list[Item]:
    """Those of a family that have this item's text in a field, itself among them."""
    there = contents(family)
    own = text_at(there[item.pk], field)
    return [each for each in family if text_at(there[each.pk], field) == own]


def reviewable(membership: Membership) -> QuerySet[Item]:
    """What the viewer may look at: all items of the project but their own."""
    items = project_items(membership)
    return items if membership.annotator is None else items.exclude(author=membership.annotator)
