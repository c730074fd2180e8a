"""task: a Premise as the source of a team's own task, with a Hypothesis that stores the item's texts by column."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import Case, F, TextField, When

from annotation.content.models.item import Hypothesis, Item
from annotation.content.shapes.base import SourceRow
from annotation.content.shapes.pair import Pair
from annotation.kinds.texts import text_at
from annotation.text.gettext import gettext_noop


class TaskItem(Pair):
    """Every text of the content belongs to the item; sources say which items belong together (`group`)."""

    same_text_path = "hypothesis__text"
    group_title = gettext_noop("Group")
    text_class_path, published_columns = "", {}
    source_columns = "p.key, '', p.document, p.extra"
    split_text = Case(
        When(hypothesis__premise__document="", then=F("hypothesis__premise__key")),
        default=F("hypothesis__premise__document"),
        output_field=TextField(),
    )
    is_split_text_hashed = False

    def store(self, items: Sequence[Item], sources: Sequence[SourceRow], contents: Sequence[Mapping[str, Any]]) -> None:
        Hypothesis.objects.bulk_create(
            [
                Hypothesis(item=item, project_id=item.project_id, premise_id=source.pk, **columns_of(content))
                for item, source, content in zip(items, sources, contents, strict=True)
            ]
        )

    def update(self, item: Item, content: Mapping[str, Any]) -> None:
        Hypothesis.objects.filter(item=item).update(**columns_of(content))

    def current_contents(self, items: Collection[int]) -> dict[int, dict[str, Any]]:
        rows = Hypothesis.objects.filter(item__in=items).values_list("pk", "more")
        return {pk: content or {} for pk, content in rows}


def columns_of(content: Mapping[str, Any]) -> dict[str, Any]:
    """A content as the columns of its Hypothesis: what is searched, and the texts by column."""
    texts = [text_at(content, name) for name in sorted(content) if name != "group" and content[name]]
    return {"text": "\n".join(texts), "more": dict(content)}


SHAPE = TaskItem()
