"""Items returned to writers: which texts, why, and where to correct each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation.content import queries as content_queries
from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.kinds import Label
from validation.consensus import stages
from validation.voting.models.review import Review


@dataclass(frozen=True)
class Feedback:
    """The comments of a lead or reviewers who returned an item, without their names."""

    error: str
    words: str
    at: datetime


@dataclass(frozen=True)
class ReturnedItem:
    """One returned item with its text, and what was said last."""

    item: Item
    text: str
    label: Label | None
    feedback: Feedback | None


def feedback_of(project: Project, rows: Iterable[Review]) -> list[Feedback]:
    """Returns as their writer reads them, in the same order."""
    errors = dict(project.kind_spec.authoring.error_types) | dict(project.error_types)
    return [Feedback(errors.get(row.error_type, row.error_type), row.words, row.at) for row in rows]


def items_returned_to(writers: Sequence[int]) -> list[ReturnedItem]:
    """What waits for these places of one person, the longest waiting first: as many statements for one as for all."""
    rows = Item.objects.filter(author__in=writers, stage=stages.RETURNED)
    items = list(rows.select_related("project", "target").order_by("pk")) if writers else []
    reviews: dict[int, Review] = {}
    for row in Review.objects.filter(item__in=items, event__in=stages.RETURNS).order_by("version"):
        reviews[row.item_id] = row
    contents = content_queries.contents(items)
    return [_returned(item, contents[item.pk], reviews.get(item.pk)) for item in items]


def _returned(item: Item, content: dict[str, object], review: Review | None) -> ReturnedItem:
    kind = item.project.kind_spec
    return ReturnedItem(
        item,
        kind.presentation.headline(content)[0],
        kind.question.item_label(content, item.author_label),
        next(iter(feedback_of(item.project, [review] if review else [])), None),
    )
