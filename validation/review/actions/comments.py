"""What leads say about an item; the votes' own words stand on the votes."""

from django.db import transaction

from annotation.content.models.item import Item
from annotation.core.errors import NotFound
from annotation.core.models.member import Annotator
from validation.review.actions import steps
from validation.review.models.review import Comment


def comment_add(*, lead: Annotator, item_id: int, text: str) -> Comment:
    """Add a comment; it changes nothing about the item, so no version is needed."""
    said = steps.words_given(text, field="text")
    with transaction.atomic():
        item = Item.objects.filter(pk=item_id, project=lead.project_id).first()
        if item is None:
            raise NotFound
        steps.lead_may(lead, item)
        return Comment.objects.create(project_id=item.project_id, item=item, by=lead, text=said)
