"""Words shared by sets of one project: of human-written and machine-written items (id-csqa §5.2)."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from annotation.content.models.item import Item
from annotation.kinds import Kind, text_at
from annotation.text.gettext import gettext_noop
from annotation.text.overlap import SharedTypes, Types, count_shared
from annotation.text.tokens import tokens
from validation.consensus.stages import EXCLUDED
from validation.insights.reports.base import Column, Insight, Table, TableRows
from validation.insights.reports.reading import Reading

NAMES = {
    Item.Origin.WRITTEN: gettext_noop("Written here"),
    Item.Origin.IMPORTED: gettext_noop("Imported"),
    Item.Origin.MACHINE: gettext_noop("Written by a machine"),
}
SIZES = (gettext_noop("One token"), gettext_noop("Two tokens"))


def compute(reading: Reading) -> TableRows:
    """Compare the origins of items, and the targets where there are several, two by two."""
    items, numbers = reading.items, dict[str, int]()
    stages = dict(zip(items.index.tolist(), items["stage"].tolist(), strict=True))
    origins = dict(zip(items.index.tolist(), items["origin"].tolist(), strict=True))
    of_target = dict(zip(items.index.tolist(), items["target"].tolist(), strict=True))
    by_origin: dict[str, Types] = {}
    by_target: dict[str, Types] = {}
    several = len(reading.targets) > 1
    for item, _, content in reading.keeping_lease(reading.texts()):
        if stages.get(item, EXCLUDED) == EXCLUDED:
            continue
        for text in own_texts(reading.kind, content):
            found = tokens(text)
            by_origin.setdefault(NAMES[Item.Origin(origins[item])], Types(numbers)).add(found)
            if several:
                name = reading.targets[of_target[item]].title
                by_target.setdefault(name, Types(numbers)).add(found)
    return {"origins": _rows(reading, by_origin), "targets": _rows(reading, by_target)}


def types_of(reading: Reading, numbers: dict[str, int]) -> Types:
    """The types of all that is written in a project, but for what is excluded."""
    items = Item.objects.using(reading.using).filter(project=reading.project)
    excluded = set(items.filter(stage=EXCLUDED).values_list("pk", flat=True))
    found = Types(numbers)
    for item, _, content in reading.texts():
        if item not in excluded:
            for text in own_texts(reading.kind, content):
                found.add(tokens(text))
    return found


def own_texts(kind: Kind, content: Mapping[str, Any]) -> Iterator[str]:
    """An item's own texts as people see them, without what it was made from."""
    for text in kind.correctable_texts(content):
        if text.shown and not text.shared:
            yield text_at(content, text.key)


def _rows(reading: Reading, sets: Mapping[str, Types]) -> list[dict[str, Any]]:
    rows = []
    for left, right in combinations(sorted(sets), 2):
        reading.tick()
        for size, found in zip(SIZES, count_shared(sets[left], sets[right]), strict=True):
            rows.append(_row(size, left, right, found))
    return rows


def _row(size: str, left: str, right: str, found: SharedTypes) -> dict[str, Any]:
    return {
        "left": left,
        "right": right,
        "size": size,
        "both": found.both,
        "left_types": found.left,
        "left_share": None if found.of_left is None else 100 * found.of_left,
        "right_types": found.right,
        "right_share": None if found.of_right is None else 100 * found.of_right,
    }


COLUMNS = (
    Column("left", gettext_noop("Set"), "text"),
    Column("right", gettext_noop("Beside"), "text"),
    Column("size", gettext_noop("Types of"), "text"),
    Column("both", gettext_noop("In both"), "number"),
    Column("left_types", gettext_noop("In the first"), "number"),
    Column("left_share", gettext_noop("Of the first"), "percent"),
    Column("right_types", gettext_noop("In the second"), "number"),
    Column("right_share", gettext_noop("Of the second"), "percent"),
)
INSIGHT = Insight(
    slug="sets",
    title=gettext_noop("What sets share"),
    introduction=gettext_noop(
        "How many types of one and of two tokens occur in both of two sets. Where most of a set's words are in another "
        "and few the other way round, it is the poorer one."
    ),
    order=64,
    compute=compute,
    tables=(
        Table(
            key="origins",
            title=gettext_noop("By where they come from"),
            columns=COLUMNS,
            note=gettext_noop("Empty where all items are of one origin."),
        ),
        Table(
            key="targets",
            title=gettext_noop("By language and register"),
            columns=COLUMNS,
            note=gettext_noop("Empty where there is one."),
        ),
    ),
)
