"""Translations into their tables: judged against what is there, with units that came with them, and their reviews."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.content.models.item import Item, Revision
from annotation.content.models.source import Allocation
from annotation.content.shapes.units import columns_of
from annotation.core.models.project import Project
from annotation.jobs.bulk import any_of, bulk_insert
from annotation.jobs.database import locked, now
from annotation.translation.actions.source_sets import source_rows_add
from annotation.translation.models import SourceSet, SourceUnit, Translation
from annotation.translation.rules.source_shapes import Row
from validation.imports.outcome import Outcome
from validation.imports.prepare import is_sampled
from validation.imports.project_context import Frame
from validation.imports.rules import Problem
from validation.imports.rules.problems import excerpt, gettext_noop
from validation.imports.rules.units import ROW, TEXT
from validation.imports.storage import ItemIn, store_items
from validation.imports.units import Bundle, Same, Whole, same_of
from validation.review.rules.flags import DUPLICATE, FAILED_CHECK

VOTE = ("label", "comment")
TRANSLATION = (
    "item_id",
    "project_id",
    "target_id",
    "unit_id",
    "unit_revision",
    "source",
    "fields",
    "text",
    "more",
)


@dataclass(slots=True)
class Held:
    """A translation that is there: its texts now and as they first came, the last ones to be shown."""

    sames: set[Same] = field(default_factory=set)
    fields: Sequence[Mapping[str, str]] = ()


@dataclass
class Known:
    """Looked up once a batch; in a dry run also what would be stored by then."""

    units: dict[str, int] = field(default_factory=dict)
    items: dict[str, Held] = field(default_factory=dict)
    twins: dict[tuple[str, ...], str] = field(default_factory=dict)
    in_hand: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Placed:
    """A translation that will be stored, with the flags that it starts with."""

    whole: Whole
    flags: list[tuple[str, dict[str, Any]]]


class UnitTaker:
    """Takes batches of translations; the caller owns the transaction and has locked the first target."""

    def __init__(self, frame: Frame, *, store: bool) -> None:
        self._frame, self._store, self._known = frame, store, Known()

    def take(self, rows: Sequence[tuple[int, Bundle | Problem]]) -> Outcome:
        """Judge a batch in file order, and store what is new."""
        outcome, plan = Outcome(), list[Placed]()
        if self._store:
            # Nobody is given a unit in the moment in which its translation comes in.
            locked(Project.objects.filter(pk=self._frame.project_id)).get()
            self._known = Known()
        known = self._known
        told = [each for _, row in rows if isinstance(row, Bundle) for each in row.told]
        self._look(known, [each.what for each in told if isinstance(each.what, Whole)])
        for n, row in rows:
            for at, what in row.told if isinstance(row, Bundle) else [(n, row)]:
                found = what if isinstance(what, Problem) else self._place(known, what)
                if isinstance(found, Problem):
                    outcome.refuse(at, found)
                elif found is None:
                    outcome.unchanged += 1
                else:
                    outcome.accepted += 1
                    outcome.flagged += bool(found.flags)
                    plan.append(found)
        if self._store and plan:
            self._keep(known, plan)
        return outcome

    # --- what is there ----------------------------------------------------------------------

    def _look(self, known: Known, wholes: Sequence[Whole]) -> None:
        project, targets = self._frame.project_id, self._frame.ground.targets
        units = {each.unit.key for each in wholes}
        if not units:
            return
        found = SourceUnit.objects.filter(project=project, key__in=any_of(units))
        known.units |= dict(found.values_list("key", "pk"))
        self._look_items(known, {each.key for each in wholes})
        by_target = {each.pk: key for key, each in targets.items()}
        self._look_hands(known, by_target)
        texts = {columns_of(each.content)["text"] for each in wholes}
        alike = Translation.objects.filter(target__in=list(by_target), text__in=any_of(texts)).order_by("-pk")
        for key, target, source, fields in alike.values_list("item__key", "target_id", "source", "fields"):
            known.twins[(by_target[target], *same_of(source), *same_of(fields))] = key

    def _look_hands(self, known: Known, by_target: Mapping[int, str]) -> None:
        """Which of these units somebody has to translate still."""
        by_pk = {pk: key for key, pk in known.units.items()}
        if not by_pk:
            return
        held = Allocation.objects.filter(
            unit__in=any_of(by_pk), target__in=list(by_target), state=Allocation.State.OPEN
        )
        for unit, target, name in held.values_list("unit_id", "target_id", "writer__pseudonym"):
            known.in_hand[f"{by_pk[unit]}~{by_target[target]}"] = name

    def _look_items(self, known: Known, keys: set[str]) -> None:
        """Translations of these keys, as they first came and as they are now."""
        by_pk = dict(
            Item.objects.filter(project=self._frame.project_id, key__in=any_of(keys)).values_list("pk", "key")
        )
        if not by_pk:
            return
        before = Revision.objects.filter(item__in=any_of(by_pk), n=1).values_list("item_id", "content")
        now_there = Translation.objects.filter(item__in=any_of(by_pk)).values_list("pk", "fields")
        for pk, fields in (*((pk, content["fields"]) for pk, content in before), *now_there):
            held = known.items.setdefault(by_pk[pk], Held())
            held.sames.add(same_of(fields))
            held.fields = fields

    def _place(self, known: Known, whole: Whole) -> Placed | Problem | None:
        """Whether a translation goes in, why it cannot, or None where it is there already (ruling 15)."""
        key, held = whole.key, known.items.get(whole.key)
        if held is not None:
            return None if whole.same in held.sames else _taken(whole, held.fields)
        if key in known.in_hand:
            params = {"key": excerpt(key, 60), "name": known.in_hand[key]}
            return Problem("unit_in_hand", whole.row.field or ROW, _IN_HAND, params)
        known.items[key] = Held({whole.same}, _shortened(whole.content["fields"]))
        first = known.twins.setdefault(whole.twin, key)
        flags: list[tuple[str, dict[str, Any]]] = []
        if first != key:
            flags.append((DUPLICATE, {"of": first}))
        if whole.failed:
            flags.append((FAILED_CHECK, dict(whole.failed)))
        return Placed(whole, flags)

    # --- storing ----------------------------------------------------------------------------

    def _keep(self, known: Known, plan: Sequence[Placed]) -> None:
        frame, targets = self._frame, self._frame.ground.targets
        fresh = {each.whole.unit.key: each.whole for each in plan if each.whole.unit.key not in known.units}
        if fresh:
            known.units |= self._keep_units(list(fresh.values()))
        slot = frame.kind.slots(frame.rules)[0].key
        items = [_item(frame, each, targets[each.whole.row.target].pk, known.units, slot) for each in plan]
        ids = store_items(frame, items, VOTE)
        bulk_insert(
            Translation,
            TRANSLATION,
            (
                _translation(frame, pk, item, each.whole.content)
                for pk, item, each in zip(ids, items, plan, strict=True)
            ),
        )

    def _keep_units(self, wholes: Sequence[Whole]) -> dict[str, int]:
        """Store source rows that came with their translations, behind those of their set that are there."""
        stored: dict[str, int] = {}
        by_set: dict[str, list[Row]] = {}
        for unit in (whole.unit for whole in wholes):
            texts = {each["key"]: each["text"] for each in unit.source.extra["fields"]}
            by_set.setdefault(unit.set_key, []).extend(Row(row, texts) for row in unit.rows)
        for key, rows in by_set.items():
            stored |= source_rows_add(source_set=self._set_of(key), rows=rows)
        return stored

    def _set_of(self, key: str) -> SourceSet:
        """The set of such rows: frozen from the first one on, since nothing in it was to be cleaned here."""
        made = self._frame.ground.sets[key]
        told = {"name": made.name, "task": made.task, "shape": made.shape, "origin": made.origin}
        there, _ = SourceSet.objects.select_related("project").get_or_create(
            project_id=self._frame.project_id, key=key, defaults={**told, "frozen_at": now()}
        )
        return there


def _item(frame: Frame, each: Placed, target: int, units: Mapping[str, int], slot: str) -> ItemIn:
    whole, row = each.whole, each.whole.row
    return ItemIn(
        key=whole.key,
        author=row.translator,
        author_label="",
        family=units[whole.unit.key],
        sampled=bool(row.review or each.flags) or is_sampled(frame, whole.key, whole.unit.key),
        content=whole.content,
        words=whole.words,
        votes=[(row.reviewer, row.review, row.reason)] if row.review else [],
        surplus=frozenset(),
        flags=each.flags,
        target=target,
        slot=slot,
    )


def _translation(frame: Frame, pk: int, item: ItemIn, content: Mapping[str, Any]) -> tuple[Any, ...]:
    columns = columns_of(content)
    return (
        pk,
        frame.project_id,
        item.target,
        item.family,
        columns["unit_revision"],
        columns["source"],
        columns["fields"],
        columns["text"],
        columns["more"],
    )


def _shortened(fields: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    return [{"key": each["key"], "text": excerpt(each["text"])} for each in fields]


def _taken(whole: Whole, there: Sequence[Mapping[str, str]]) -> Problem:
    """The first text that differs, as it stands there and here; neither is changed."""
    old = {each["key"]: each["text"] for each in there}
    new = {each["key"]: each["text"] for each in whole.content["fields"]}
    key = next((key for key, text in new.items() if old.get(key) != text), next(iter(new)))
    params = {"key": excerpt(whole.key, 60), "there": excerpt(old.get(key, "")), "here": excerpt(new[key])}
    return Problem("id_taken", whole.row.field or TEXT + key.split(".")[0], _OTHER, params)


_OTHER = gettext_noop(
    "“%(key)s” is there already with another text. There: “%(there)s” Here: “%(here)s” Correct it on the review desk."
)
_IN_HAND = gettext_noop("“%(key)s” is in the hands of %(name)s: take it back from them first.")
