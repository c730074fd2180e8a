"""units: a SourceUnit with its Translation into one target."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from annotation.content.models.item import Item
from annotation.content.models.units import SourceUnit, Translation
from annotation.content.shapes.base import Shape, SourceRow
from annotation.core.models.project import Project
from annotation.text.gettext import gettext_noop

# What has a column of its own, and what follows from the unit; every other name of a content stands in `more`.
_OWN_FIELDS = frozenset({"unit", "task", "shape", "unit_revision", "source", "fields"})


class Units(Shape):
    """The source belongs to every target of the project; the translation is the item's own."""

    source_column, source_path, model = "unit", "translation__unit", SourceUnit
    text_paths = ("translation__text",)
    group_path, group_title = f"{source_path}__source_set__name", gettext_noop("Source set")
    document_path = f"{source_path}__source_set__key"
    source_join = (
        "LEFT JOIN annotation_translation t ON t.item_id = r.item_id "
        "LEFT JOIN annotation_sourceunit u ON u.id = t.unit_id LEFT JOIN annotation_sourceset s "
        "ON s.id = u.source_set_id"
    )
    source_columns = "u.key, '', s.key, s.origin"

    def store(self, items: Sequence[Item], sources: Sequence[SourceRow], contents: Sequence[Mapping[str, Any]]) -> None:
        Translation.objects.bulk_create(
            [
                Translation(
                    item=item,
                    project_id=item.project_id,
                    target_id=item.target_id,
                    unit_id=source.pk,
                    **columns_of(content),
                )
                for item, source, content in zip(items, sources, contents, strict=True)
            ]
        )

    def update(self, item: Item, content: Mapping[str, Any]) -> None:
        Translation.objects.filter(item=item).update(**columns_of(content))

    def current_contents(self, items: Collection[int]) -> dict[int, dict[str, Any]]:
        rows = Translation.objects.filter(item__in=items).values_list(
            "pk",
            "unit__key",
            "unit__source_set__task",
            "unit__source_set__shape",
            "unit_revision",
            "source",
            "fields",
            "more",
        )
        return {
            pk: {
                "unit": key,
                "task": task,
                "shape": shape,
                "unit_revision": revision,
                "source": source,
                "fields": fields,
                **more,
            }
            for pk, key, task, shape, revision, source, fields, more in rows
        }

    def source_of(self, item: Item) -> SourceUnit:
        return SourceUnit.objects.select_related("source_set").get(translations__item=item)

    def open_sources(self, project: Project) -> QuerySet[Any]:
        return SourceUnit.objects.filter(project=project, removed=False)


def columns_of(content: Mapping[str, Any]) -> dict[str, Any]:
    """A content as the columns of its Translation."""
    return {
        "unit_revision": content["unit_revision"],
        "source": list(content["source"]),
        "fields": list(content["fields"]),
        "text": "\n".join(str(each["text"]) for each in content["fields"]),
        "more": {name: value for name, value in content.items() if name not in _OWN_FIELDS},
    }


SHAPE = Units()
