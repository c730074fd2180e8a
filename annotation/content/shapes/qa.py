"""qa: a Concept (or topic) with a QAPair and its Options (mcq, cultural)."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, TextField, When

from annotation.content.models.item import Item, Option, QAPair
from annotation.content.models.source import Concept
from annotation.content.shapes.base import Shape, SourceRow
from annotation.core.models.project import Project
from annotation.text.gettext import gettext_noop

# What has a column of its own; every other name of a content stands in `more`.
COLUMNS = frozenset({"concept", "question", "options"})


class QA(Shape):
    """The wording of the concept belongs to the item (domain.md §5), so nothing here is shared between items."""

    source_column, source_path, model = "concept", "qa__concept", Concept
    text_paths = ("qa__question", "qa__wording")
    same_text_path = "qa__question"
    group_path, group_title = f"{source_path}__category", gettext_noop("Category")
    document_path = f"{source_path}__category"
    source_join = (
        "LEFT JOIN annotation_qapair q ON q.item_id = r.item_id LEFT JOIN annotation_concept c ON c.id = q.concept_id"
    )
    source_columns = "c.key, '', c.category, c.extra"
    split_text = Case(When(qa__wording="", then=F("qa__question")), default=F("qa__wording"), output_field=TextField())

    def store(self, items: Sequence[Item], sources: Sequence[SourceRow], contents: Sequence[Mapping[str, Any]]) -> None:
        QAPair.objects.bulk_create(
            [
                QAPair(item=item, project_id=item.project_id, concept_id=source.pk, **_columns(content))
                for item, source, content in zip(items, sources, contents, strict=True)
            ]
        )
        Option.objects.bulk_create(
            [
                Option(item=item, **option)
                for item, content in zip(items, contents, strict=True)
                for option in options_of(content)
            ]
        )

    def update(self, item: Item, content: Mapping[str, Any]) -> None:
        QAPair.objects.filter(item=item).update(**_columns(content))
        wanted = {option["key"]: option for option in options_of(content)}
        stored = {option.key: option for option in Option.objects.filter(item=item)}
        Option.objects.filter(item=item).exclude(key__in=wanted).delete()
        # Places and the one answer are unique: old ones go first, out of the way of the new.
        for place, option in enumerate(stored.values(), start=1 + len(wanted) + len(stored)):
            option.role, option.position = "", place
        kept = [option for key, option in stored.items() if key in wanted]
        Option.objects.bulk_update(kept, ["role", "position"])
        for option in kept:
            for name, value in wanted[option.key].items():
                setattr(option, name, value)
        Option.objects.bulk_update(kept, ["text", "role", "position"])
        Option.objects.bulk_create([Option(item=item, **option) for key, option in wanted.items() if key not in stored])

    def current_contents(self, items: Collection[int]) -> dict[int, dict[str, Any]]:
        options: dict[int, list[dict[str, Any]]] = defaultdict(list)
        rows = Option.objects.filter(item__in=items).order_by("item_id", "position")
        for item, key, text, role in rows.values_list("item_id", "key", "text", "role"):
            options[item].append({"key": key, "text": text, "role": role})
        pairs = QAPair.objects.filter(item__in=items).values_list("pk", "wording", "question", "more")
        return {
            pk: {"concept": wording, "question": question, "options": options[pk], **more}
            for pk, wording, question, more in pairs
        }

    def source_of(self, item: Item) -> Concept:
        return Concept.objects.get(questions__item=item)

    def open_sources(self, project: Project) -> QuerySet[Any]:
        return Concept.objects.filter(project=project, state=Concept.State.APPROVED)

    def text_matches(self, pattern: str, role: str | None = None) -> Q:
        own = Option.objects.filter(item=OuterRef("pk"), text__iregex=pattern)
        return Q(Exists(own if role is None else own.filter(role=role)))


def _columns(content: Mapping[str, Any]) -> dict[str, Any]:
    more = {name: value for name, value in content.items() if name not in COLUMNS}
    return {"wording": content.get("concept", ""), "question": content["question"], "more": more}


def options_of(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of a content's options, in their order."""
    return [
        {"key": option["key"], "position": place, "text": option["text"], "role": option.get("role", "")}
        for place, option in enumerate(content["options"], start=1)
    ]


SHAPE = QA()
