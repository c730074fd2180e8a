"""pair: a Premise with its Hypothesis (nli)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet

from annotation.content.models.item import Hypothesis, Item
from annotation.content.models.source import Premise
from annotation.content.shapes.base import SourceRow
from annotation.text.gettext import gettext_noop


class Pair:
    """The premise is shared by all pairs made from it; the hypothesis is the item's own."""

    name, source = "pair", "premise"
    group, group_title = "hypothesis__premise__sentence_class", gettext_noop("Sentence class")

    def group_name(self, group: str) -> str:
        return str(dict(Premise.Size.choices).get(group, group))

    def store(
        self, items: Sequence[Item], sources: Sequence[SourceRow], contents: Sequence[Mapping[str, Any]]
    ) -> None:
        Hypothesis.objects.bulk_create(
            [
                Hypothesis(
                    item=item,
                    project_id=item.project_id,
                    premise_id=source.pk,
                    text=content["hypothesis"],
                    tags=list(content.get("tags", ())),
                )
                for item, source, content in zip(items, sources, contents, strict=True)
            ]
        )

    def update(self, item: Item, content: Mapping[str, Any]) -> None:
        Hypothesis.objects.filter(item=item).update(
            text=content["hypothesis"], tags=list(content.get("tags", ()))
        )

    def present(self, items: Collection[int]) -> dict[int, dict[str, Any]]:
        rows = Hypothesis.objects.filter(item__in=items).values_list("pk", "premise__text", "text", "tags")
        return {
            pk: {"premise": premise, "hypothesis": text} | ({"tags": tags} if tags else {})
            for pk, premise, text, tags in rows
        }

    def source_of(self, item: Item) -> Premise:
        return Premise.objects.get(hypotheses__item=item)

    def of_source(self, source: SourceRow) -> QuerySet[Item]:
        return Item.objects.filter(hypothesis__premise=source.pk)

    def search(self, words: str) -> Q:
        return Q(hypothesis__text__icontains=words) | Q(hypothesis__premise__text__icontains=words)

    def holds(self, pattern: str, role: str | None = None) -> Q:
        return Q(hypothesis__text__iregex=pattern)


SHAPE = Pair()
