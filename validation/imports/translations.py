"""Storing imported translations: compared with stored ones, with new units, and their reviews."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.content.models.source import Allocation
from annotation.content.models.units import SourceSet, SourceUnit, Translation
from annotation.content.shapes.units import columns_of
from annotation.core.database import locked, now
from annotation.core.models.project import Project
from annotation.jobs.bulk import any_of, bulk_insert
from annotation.text.gettext import gettext_noop
from annotation.translation.actions.source_sets import source_rows_add
from annotation.translation.rules.source_units import Row
from validation.imports.outcome import Outcome
from validation.imports.pipeline import ColumnMapping, ImportFormat, Records
from validation.imports.preview import PreviewRow, facts_of
from validation.imports.project_context import ProjectContext
from validation.imports.rules import Problem
from validation.imports.rules.problems import excerpt
from validation.imports.rules.units import ROW, TARGETS, TEXT_PREFIX, TO_PREFIX, UnitReader
from validation.imports.source_index import columns_for
from validation.imports.storage import ItemIn, store_items
from validation.imports.taker import HeldItem, Taker
from validation.imports.units import Bundle, ReadyTranslation, Same, UnitPreparer, sameness_key

VOTE_COLUMNS = ("label", "comment")
TEXT_COLUMNS = ("unit_revision", "source", "fields", "text", "more")
# A row that lists its targets may have so many.
MOST_TARGETS = 25


class UnitTaker(Taker):
    """Takes batches of translations; the caller has locked the first target.

    `units` are stored ones by their key, `in_hand` who has to translate what still, by the item's key.
    """

    def reset_lookups(self) -> None:
        """Begin a batch with nothing looked up; nobody is given a unit while its translation comes in."""
        super().reset_lookups()
        self.units: dict[str, int] = {}
        self.in_hand: dict[str, str] = {}
        self.targets = self.frame.source_index.targets

    def take(self, rows: Sequence[tuple[int, Bundle | Problem]]) -> Outcome:
        """Judge what each row completes, by the number of its own row."""
        if self.store:
            locked(Project.objects.filter(pk=self.frame.project_id)).get()
        apart = [row.rows if isinstance(row, Bundle) else [(n, row)] for n, row in rows]
        return super().take([each for some in apart for each in some])

    def equality_key(self, content: Mapping[str, Any]) -> Same:
        """Every text."""
        return sameness_key(content["fields"])

    def report_texts(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Each text by its key."""
        return {each["key"]: each["text"] for each in content["fields"]}

    def load_existing(self, rows: Sequence[ReadyTranslation]) -> None:
        """The units, ids and texts of these translations."""
        units = {each.unit.key for each in rows}
        if not units:
            return
        found = SourceUnit.objects.filter(project=self.frame.project_id, key__in=any_of(units))
        self.units |= dict(found.values_list("key", "pk"))
        self.load_existing_items({each.key for each in rows})
        by_target = {each.pk: key for key, each in self.targets.items()}
        by_pk = {pk: key for key, pk in self.units.items()}
        if by_pk:
            held = Allocation.objects.filter(
                unit__in=any_of(by_pk), target__in=list(by_target), state=Allocation.State.OPEN
            )
            for unit, target, name in held.values_list("unit_id", "target_id", "writer__pseudonym"):
                self.in_hand[f"{by_pk[unit]}~{by_target[target]}"] = name
        texts = {columns_of(each.content)["text"] for each in rows}
        alike = Translation.objects.filter(target__in=list(by_target), text__in=any_of(texts)).order_by("-pk")
        for key, target, source, fields in alike.values_list("item__key", "target_id", "source", "fields"):
            self.twins[(by_target[target], *sameness_key(source), *sameness_key(fields))] = key

    def resolve(self, row: ReadyTranslation) -> ItemIn | Problem | None:
        """Whether a translation goes in, why it cannot, or None where it is there already (ruling 15)."""
        key, held, texts_row = row.key, self.items.get(row.key), row.row
        if held is not None:
            return None if row.same in held.equality_keys else _id_taken(row, held.texts)
        if key in self.in_hand:
            params = {"key": excerpt(key, 60), "name": self.in_hand[key]}
            return Problem("unit_in_hand", texts_row.field or ROW, _IN_HAND, params)
        texts = {name: excerpt(text) for name, text in self.report_texts(row.content).items()}
        self.items[key] = HeldItem({row.same}, set(), texts)
        flags = self.initial_flags(row.twin, key, row.content, row.failed)
        return ItemIn(
            key=key,
            author=texts_row.translator,
            author_label="",
            source=row,
            sampled=bool(texts_row.review or flags) or self.frame.is_sampled(key, row.unit.key),
            content=row.content,
            words=row.words,
            votes=[(texts_row.reviewer, texts_row.review, texts_row.reason)] if texts_row.review else [],
            surplus=frozenset(),
            flags=flags,
            target=self.targets[texts_row.target].pk,
        )

    def store_new(self, new: Sequence[ItemIn]) -> None:
        """Insert the units that came with their translations, then these."""
        fresh = {each.source.unit.key: each.source for each in new if each.source.unit.key not in self.units}
        if fresh:
            self.units |= self._keep_units(list(fresh.values()))
        slot = self.frame.kind.authoring.slots(self.frame.rules)[0].key
        for each in new:
            each.family, each.slot = self.units[each.source.unit.key], slot
        made, project = [], self.frame.project_id
        for pk, each in zip(store_items(self.frame, new, VOTE_COLUMNS), new, strict=True):
            columns = columns_of(each.content)
            made.append((pk, project, each.target, each.family, *(columns[name] for name in TEXT_COLUMNS)))
        bulk_insert(Translation, ("item_id", "project_id", "target_id", "unit_id", *TEXT_COLUMNS), made)

    def _keep_units(self, wholes: Sequence[ReadyTranslation]) -> dict[str, int]:
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
        made = self.frame.source_index.sets[key]
        identity = {"name": made.name, "task": made.task, "shape": made.shape, "origin": made.origin}
        there, _ = SourceSet.objects.select_related("project").get_or_create(
            project_id=self.frame.project_id, key=key, defaults={**identity, "frozen_at": now()}
        )
        return there


def _id_taken(whole: ReadyTranslation, old: Mapping[str, str]) -> Problem:
    """The first text that differs, as it stands there and here; neither is changed."""
    new = {each["key"]: each["text"] for each in whole.content["fields"]}
    key = next((key for key, text in new.items() if old.get(key) != text), next(iter(new)))
    params = {"key": excerpt(whole.key, 60), "there": excerpt(old.get(key, "")), "here": excerpt(new[key])}
    return Problem("id_taken", whole.row.field or TEXT_PREFIX + key.split(".")[0], _OTHER, params)


_OTHER = gettext_noop(
    "“%(key)s” is there already with another text. There: “%(there)s” Here: “%(here)s” Correct it on the review desk."
)
_IN_HAND = gettext_noop("“%(key)s” is in the hands of %(name)s: take it back from them first.")


def _reader(frame: ProjectContext, mapping: ColumnMapping, records: Records) -> tuple[UnitReader, Problem | None]:
    return UnitReader(mapping, frame.source_index.target_names, frame.kind.question.read_label), None


def _preview_rows(frame: ProjectContext, n: int, bundle: Bundle) -> list[PreviewRow]:
    """A row of translations: the source once, each target that it has below it, and what is wrong with others."""
    refused = [PreviewRow(each.n, each.what) for each in bundle.rows if isinstance(each.what, Problem)]
    wholes = [each for each in bundle.rows if isinstance(each.what, ReadyTranslation)]
    if not wholes:
        return refused
    first, targets = wholes[0].what, frame.source_index.targets
    row = first.row
    translated = tuple(
        (targets[whole.row.target].title, targets[whole.row.target].language, text["text"])
        for _, whole in wholes
        for text in whole.content["fields"]
    )
    shown = PreviewRow(
        wholes[0].n,
        None,
        row.row_id,
        facts_of(("", first.unit.set_key)),
        tuple(each["text"] for each in first.content["source"]),
        author=row.translator,
        votes=((row.reviewer, row.review, False, row.reason),) if row.review else (),
        failed=tuple(check for _, whole in wholes for check in whole.failed.get("checks", ())),
        translated=translated,
    )
    return [shown, *refused]


FORMAT = ImportFormat(
    make_reader=_reader,
    make_preparer=UnitPreparer,
    item_taker=UnitTaker,
    columns=columns_for,
    preview_row=_preview_rows,
    joins_rows=True,
    items_per_row=lambda mapping: (
        MOST_TARGETS if TARGETS in mapping else sum(field.startswith(TO_PREFIX) for field in mapping) or 1
    ),
)
