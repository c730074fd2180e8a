"""Rows for a source set, read from the items of a project or of a release (domain.md §7, §9)."""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from annotation.content import item_choice, shapes
from annotation.content.models.item import Item, Revision
from annotation.content.rules.released_ids import released_id
from annotation.core.models.project import Project
from annotation.jobs.bulk import any_of
from annotation.translation.models import SourceEntry
from annotation.translation.rules.clean_up import upstream_hash
from annotation.translation.rules.source_units import Row
from exports.releases.models import ReleaseRow
from exports.sources.selection import ItemSelection, RowSource
from validation.consensus.protocol import Protocol

PAGE = 1000


class TakenItem(NamedTuple):
    """An item as it is taken: its content at which revision, its label and split."""

    item: int
    key: str
    revision: int
    label: str
    split: str
    content: Mapping[str, Any]


def count_rows(row_source: RowSource) -> int:
    """How many rows would come, before those that cannot be taken are refused; one statement."""
    if row_source.source_set is not None:
        units = _units_chosen(row_source)
        return SourceEntry.objects.filter(source_set=row_source.source_set, removed=False, unit__in=units).count()
    return _released(row_source).count() if row_source.release is not None else _items(row_source).count()


def rows(row_source: RowSource) -> Iterator[Row]:
    """The rows in the order in which their items came; nothing is held but a page of them."""
    taken = _of_release(row_source) if row_source.release is not None else _of_project(row_source)
    translated = row_source.project.kind_spec.export.source_row
    assert translated is not None  # noqa: S101 - `located` refused it
    number = itertools.count(1)
    for page in taken:
        beside = _further_columns(row_source, [each.item for each in page])
        entries = _entries(row_source, [each.item for each in page])
        for each in page:
            texts = dict(translated[1](each.content))
            mark = (each.item, each.revision, upstream_hash(texts))
            if row_source.source_set is None:
                data = beside.get(each.item, {}) | _further_content(each.content, texts)
                yield Row(
                    _released_id(row_source.project, each.key),
                    texts,
                    each.label,
                    each.split,
                    data,
                    next(number),
                    *mark,
                )
                continue
            for entry in entries[each.item]:
                own = {key: texts[name] for key, name in entry.fields.items() if name in texts}
                yield Row(entry.key, own, entry.label, entry.split, entry.data, next(number), *mark)


def _released_id(project: Project, key: str) -> str:
    """The name of a row: as in a release of its project, so that no id reveals a label."""
    return released_id(project.secret, key) if project.kind_spec.export.opaque_ids else key


# --- which items ---------------------------------------------------------------------------


def _items(row_source: RowSource) -> QuerySet[Item]:
    """The project's items as the filter has it; of translations those that were accepted."""
    choice, accepting = _choice(row_source), _accepting_label(row_source)
    return item_choice.chosen_items(_all_items(row_source), row_source.project, choice, accepting)


def count_not_chosen(row_source: RowSource) -> dict[str, int]:
    """How many rows that the further filters leave are not among the items that were chosen, by reason."""
    if row_source.release is not None:
        return item_choice.count_not_chosen(_all_released(row_source), row_source.project, row_source.chosen.gold)
    choice, accepting = _choice(row_source), _accepting_label(row_source)
    return item_choice.count_not_chosen(_all_items(row_source), row_source.project, choice, accepting)


def _choice(row_source: RowSource) -> str:
    """Which items of a project are asked for; of translations always those that were accepted."""
    return item_choice.SETTLED if row_source.source_set is not None else row_source.chosen.gold


def _all_items(row_source: RowSource) -> QuerySet[Item]:
    items = Item.objects.filter(project=row_source.project)
    if row_source.source_set is not None:
        items = items.filter(target=row_source.target, translation__unit__source_set=row_source.source_set)
    return _filter_items(items, row_source.chosen, "")


def _filter_items(items: QuerySet[Any], chosen: ItemSelection, prefix: str) -> QuerySet[Any]:
    if chosen.origin:
        items = items.filter(**{f"{prefix}origin": chosen.origin})
    if chosen.size:
        items = items.filter(**{f"{prefix}hypothesis__premise__sentence_class": chosen.size})
    return items


def _accepting_label(row_source: RowSource) -> str:
    """The one label that accepts an item, where the project's protocol has one."""
    return Protocol.from_stored(row_source.project.protocols.order_by("-n")[0].rules).accept


def _released(row_source: RowSource) -> QuerySet[ReleaseRow]:
    """The rows of the release that are in a split, as the filter has it."""
    return item_choice.chosen_items(_all_released(row_source), row_source.project, row_source.chosen.gold)


def _all_released(row_source: RowSource) -> QuerySet[ReleaseRow]:
    listed = ReleaseRow.objects.filter(release=row_source.release).exclude(split="")
    if row_source.chosen.some_splits:
        listed = listed.filter(split__in=row_source.chosen.some_splits)
    if row_source.source_set is not None:
        listed = listed.filter(
            item__target=row_source.target, item__translation__unit__source_set=row_source.source_set
        )
    narrowed: QuerySet[ReleaseRow] = _filter_items(listed, row_source.chosen, "item__")
    return narrowed


def _units_chosen(row_source: RowSource) -> QuerySet[Any]:
    if row_source.release is not None:
        return _released(row_source).values("item__translation__unit")
    return _items(row_source).values("translation__unit")


# --- what they say -------------------------------------------------------------------------


def _of_project(row_source: RowSource) -> Iterator[list[TakenItem]]:
    """A project's items as they stand, by key; the label is gold, or the author's where a protocol only accepts."""
    accepts, shape, last = (
        bool(_accepting_label(row_source)),
        shapes.get(row_source.project.kind_spec.shape),
        0,
    )
    while page := list(_items(row_source).filter(pk__gt=last).order_by("pk")[:PAGE]):
        contents, last = shape.current_contents([item.pk for item in page]), page[-1].pk
        yield [
            TakenItem(
                item.pk,
                item.key,
                item.revision_n,
                item.author_label if accepts else item.gold or item.author_label,
                row_source.chosen.split,
                contents[item.pk],
            )
            for item in page
            if item.pk in contents
        ]


def _of_release(row_source: RowSource) -> Iterator[list[TakenItem]]:
    """A release's rows as they were frozen, with the texts of that revision."""
    last = 0
    while page := list(_released(row_source).filter(item__gt=last).order_by("item")[:PAGE]):
        last = page[-1].item_id
        at = {(row.item_id, row.revision_n) for row in page}
        kept = Revision.objects.filter(item__in=any_of([row.item_id for row in page]))
        texts = {
            (item, n): content for item, n, content in kept.values_list("item_id", "n", "content") if (item, n) in at
        }
        yield [
            TakenItem(row.item_id, row.key, row.revision_n, row.label, row.split, texts[row.item_id, row.revision_n])
            for row in page
            if (row.item_id, row.revision_n) in texts
        ]


def _further_columns(row_source: RowSource, items: Sequence[int]) -> dict[int, dict[str, Any]]:
    names = shapes.get(row_source.project.kind_spec.shape).published_columns
    if not names or not items:
        return {}
    columns = Item.objects.filter(pk__in=any_of(items)).values_list("pk", *names.values())
    return {pk: dict(zip(names, values, strict=True)) for pk, *values in columns}


def _further_content(content: Mapping[str, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    """What an item's content holds beside the texts that are translated."""
    translated = set(texts.values())
    return {
        name: value
        for name, value in content.items()
        if value and not (isinstance(value, str) and value in translated) and name != "options"
    }


def _entries(row_source: RowSource, items: Sequence[int]) -> dict[int, list[SourceEntry]]:
    """The living rows of the units that were translated, by the translation."""
    if row_source.source_set is None:
        return {}
    by_unit: dict[int, list[SourceEntry]] = defaultdict(list)
    units = dict(Item.objects.filter(pk__in=any_of(items)).values_list("pk", "translation__unit"))
    living = Q(unit__in=any_of(list(units.values())), removed=False)
    for entry in SourceEntry.objects.filter(living).order_by("position"):
        by_unit[entry.unit_id].append(entry)
    return {item: by_unit[unit] for item, unit in units.items()}
