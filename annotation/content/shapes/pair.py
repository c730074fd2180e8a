"""pair: a Premise with its Hypothesis (nli)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import F, QuerySet
from django.db.models.expressions import Combinable

from annotation.content.models.item import Hypothesis, Item
from annotation.content.models.source import Premise
from annotation.content.shapes.base import Shape, SourceRow
from annotation.core.models.project import Project
from annotation.kinds.shapes import PUBLISHED_COLUMNS
from annotation.text.gettext import gettext_noop


def published_fields(content: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a published file says of a pair beside its texts; None where nothing does."""
    if content.keys().isdisjoint(PUBLISHED_COLUMNS):
        return None
    return {name: content[name] for name in PUBLISHED_COLUMNS if name in content}


class Pair(Shape):
    """The premise is shared by all pairs made from it; the hypothesis is the item's own."""

    source_column, source_path, model = "premise", "hypothesis__premise", Premise
    text_paths = ("hypothesis__text", "hypothesis__premise__text")
    same_text_path = f"{source_path}__text_hash"
    group_path, group_title = f"{source_path}__sentence_class", gettext_noop("Sentence class")
    text_class_path, document_path = f"{source_path}__sentence_class", f"{source_path}__document"
    published_columns = {
        "premise_id": f"{source_path}__key",
        "sentence_size": f"{source_path}__sentence_class",
    }
    source_join = (
        "LEFT JOIN annotation_hypothesis h ON h.item_id = r.item_id "
        "LEFT JOIN annotation_premise p ON p.id = h.premise_id"
    )
    source_columns = "p.key, p.sentence_class, p.document, p.extra"
    split_text: Combinable | None = F(f"{source_path}__text_hash")
    is_split_text_hashed = True

    def group_name(self, group: str) -> str:
        return str(dict(Premise.Size.choices).get(group, group))

    def store(self, items: Sequence[Item], sources: Sequence[SourceRow], contents: Sequence[Mapping[str, Any]]) -> None:
        Hypothesis.objects.bulk_create(
            [
                Hypothesis(
                    item=item,
                    project_id=item.project_id,
                    premise_id=source.pk,
                    text=content["hypothesis"],
                    tags=list(content.get("tags", ())),
                    more=published_fields(content),
                )
                for item, source, content in zip(items, sources, contents, strict=True)
            ]
        )

    def update(self, item: Item, content: Mapping[str, Any]) -> None:
        Hypothesis.objects.filter(item=item).update(
            text=content["hypothesis"], tags=list(content.get("tags", ())), more=published_fields(content)
        )

    def current_contents(self, items: Collection[int]) -> dict[int, dict[str, Any]]:
        columns = ("pk", "premise__text", "text", "tags", "more")
        return {
            pk: {"premise": premise, "hypothesis": text, **({"tags": tags} if tags else {}), **(more or {})}
            for pk, premise, text, tags, more in Hypothesis.objects.filter(item__in=items).values_list(*columns)
        }

    def source_of(self, item: Item) -> Premise:
        return Premise.objects.get(hypotheses__item=item)

    def open_sources(self, project: Project) -> QuerySet[Any]:
        return Premise.objects.filter(project=project)


SHAPE = Pair()
