"""What views read of items, scoped by membership."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import F, Q, QuerySet

from annotation.content import shapes
from annotation.content.models.item import Item, Revision
from annotation.core.access import Membership, project_for_leads
from annotation.core.errors import first_or_not_found
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.kinds import Shape, text_at
from validation.consensus import stages

# Where a text stands that people may learn from: nobody judges it any more.
ACCEPTED_STAGES = (stages.SETTLED, stages.ADJUDICATED)
# Where an item is, or will be, asked about; and an assignment that is done in the item's present epoch.
VOTABLE_STAGES = (stages.SUBMITTED, stages.WRITTEN, stages.VOTING)
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


def project_items(membership: Membership) -> QuerySet[Item]:
    """All items of the project, for leads and administrators.

    For a lead who votes (`leads_vote`) those that they cannot be asked about any more: they vote as blind as others.
    """
    items = Item.objects.filter(project=project_for_leads(membership))
    if not (membership.is_lead and membership.is_validator):
        return items
    assignments = Item.objects.filter(assignments__annotator=membership.annotator)
    over = assignments.filter(Q(assignments__state__in=("barred", "skipped")) | _VOTED).values("pk")
    return items.filter(~Q(stage__in=VOTABLE_STAGES) | Q(author=membership.annotator) | Q(pk__in=over))


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
