"""The sources of finished translations: targets and the rows of source sets, read once for a file."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Max

from annotation.content.models.units import SourceSet, SourceUnit
from annotation.core.models.project import Project, Target
from annotation.kinds import Source
from annotation.text.gettext import gettext_noop
from annotation.text.language_codes import names_of
from annotation.translation.actions.source_sets import KEY
from annotation.translation.models import SourceEntry
from annotation.translation.queries.targets import resources_of
from annotation.translation.rules.source_units import SHAPES, SourceShape
from annotation.translation.rules.target_resources import TargetResources
from validation.imports.rules import Columns, Problem
from validation.imports.rules.problems import excerpt
from validation.imports.rules.units import ROW, SET, NamedTarget, TextsRow, unit_columns

# What a set is called, and what shape it has, whose rows came with their translations.
DEFAULT_SET, DEFAULT_SHAPE = "sentences", "sentence"
# Letters of choices, and rows of one passage, that a file can have columns for.
LETTERS, MOST_NUMBERED = "ABCDEFGH", 12


@dataclass(slots=True)
class IndexedUnit:
    """A unit that translations are laid beside. `rows` are its rows that are left, each text's key to the field's.

    `comes_from_file` says that no set has it: it is stored with its first translation.
    """

    key: str
    set_key: str
    source: Source
    rows: Mapping[str, Mapping[str, str]]
    frozen: bool = True
    removed: bool = False
    comes_from_file: bool = False

    @property
    def fields(self) -> list[str]:
        return [each["key"] for each in self.source.extra["fields"]]


@dataclass
class SourceIndex:
    """The project's open targets by key, what is known of them, and its units by what files call them."""

    targets: dict[str, Target]
    target_resources: dict[str, TargetResources | None]
    target_names: dict[str, NamedTarget]
    sets: dict[str, SourceSet]
    units: dict[str, IndexedUnit] = field(default_factory=dict)
    by_row: dict[str, list[IndexedUnit]] = field(default_factory=dict)
    removed_rows: set[str] = field(default_factory=set)

    @classmethod
    def for_project(cls, project_id: int) -> "SourceIndex":
        targets = {
            target.key: target
            for target in Target.objects.select_related("project").filter(project=project_id, ended_at=None)
        }
        sets = {each.key: each for each in SourceSet.objects.filter(project=project_id)}
        lores = {key: resources_of(target) for key, target in targets.items()}
        ground = cls(targets, lores, named_targets(targets.values()), sets)
        ground._read(project_id)
        return ground

    def _read(self, project_id: int) -> None:
        rows: dict[int, dict[str, Mapping[str, str]]] = {}
        entries = SourceEntry.objects.filter(source_set__project=project_id).order_by("position")
        for unit, key, names, removed in entries.values_list("unit_id", "key", "fields", "removed"):
            if removed:
                self.removed_rows.add(key)
            else:
                rows.setdefault(unit, {})[key] = names
        by_pk = {each.pk: each for each in self.sets.values()}
        units = SourceUnit.objects.filter(project=project_id).order_by("source_set", "position")
        columns = units.values_list("pk", "key", "source_set", "fields", "revision", "removed")
        for pk, key, of_set, fields, revision, removed in columns:
            owner = by_pk[of_set]
            source = _source(key, owner, fields, revision)
            frozen = owner.frozen_at is not None
            self.add(IndexedUnit(key, owner.key, source, rows.get(pk, {}), frozen, removed))

    def add(self, unit: IndexedUnit) -> None:
        self.units[unit.key] = unit
        for row in unit.rows:
            self.by_row.setdefault(row, []).append(unit)

    def find(self, row: TextsRow) -> IndexedUnit | Problem:
        """The unit that a row speaks of, by its row's id or the unit's own key."""
        own = self.units.get(row.row_id)
        there = self.by_row.get(row.row_id, []) if own is None else [own]
        if row.source_set:
            there = [unit for unit in there if unit.set_key == row.source_set]
        if len(there) > 1:
            return _problem("row_unclear", SET, _UNCLEAR, row, sets=", ".join(unit.set_key for unit in there))
        if there:
            return self._usable(there[0], row)
        if row.row_id in self.removed_rows:
            return _problem("row_removed", ROW, _REMOVED, row)
        return self._new(row) if row.source else _problem("row_unknown", ROW, _UNKNOWN, row)

    def _usable(self, unit: IndexedUnit, row: TextsRow) -> IndexedUnit | Problem:
        if unit.removed:
            return _problem("row_removed", ROW, _REMOVED, row)
        return unit if unit.frozen else _problem("set_open", SET, _OPEN, row, set=unit.set_key)

    def _new(self, row: TextsRow) -> IndexedUnit | Problem:
        """A unit for a row that comes with its source: in a set that such files make, never in another."""
        key = row.source_set or DEFAULT_SET
        there = self.sets.get(key)
        if there is None and not KEY.fullmatch(key):
            return _problem("set_key_wrong", SET, _NO_KEY, row, set=excerpt(key, 40))
        if there is None:
            there = self.sets[key] = SourceSet(
                key=key,
                name=key,
                task=SHAPES[DEFAULT_SHAPE].task,
                shape=DEFAULT_SHAPE,
                origin={"from": "file", "with": "translations"},
            )
        elif there.origin.get("with") != "translations":
            return _problem("set_frozen", ROW, _FROZEN, row, set=key)
        role = SHAPES[DEFAULT_SHAPE].roles[0].key
        fields = [{"key": role, "role": role, "text": row.source}]
        name = row.row_id.removeprefix(f"{key}:") if row.of_unit else row.row_id
        unit_key = f"{key}:{name}"
        source = _source(unit_key, there, fields, 1)
        unit = IndexedUnit(unit_key, key, source, {name: {role: role}}, comes_from_file=True)
        self.add(unit)
        return unit


def _source(key: str, owner: SourceSet, fields: Sequence[Mapping[str, str]], revision: int) -> Source:
    extra: dict[str, Any] = {
        "set": owner.key,
        "task": owner.task,
        "shape": owner.shape,
        "fields": fields,
        "revision": revision,
    }
    return Source(key, fields[0]["text"] if fields else "", owner.key, extra=extra)


def _problem(code: str, at: str, message: str, row: TextsRow, **more: object) -> Problem:
    return Problem(code, at, message, {"id": excerpt(row.row_id, 40), **more})


_NO_KEY = gettext_noop("“%(set)s” is no short name for a source set: small letters, digits and hyphens.")
_UNKNOWN = gettext_noop("No source set has a row “%(id)s”. Make the set first, or give the source text too.")
_UNCLEAR = gettext_noop("Several source sets have a row “%(id)s” (%(sets)s): name the set in a column.")
_REMOVED = gettext_noop("The row “%(id)s” was removed from its source set.")
_OPEN = gettext_noop("The source set “%(set)s” of the row “%(id)s” is being cleaned still: freeze it first.")
_FROZEN = gettext_noop("The source set “%(set)s” is frozen and has no row “%(id)s”; name another set for it.")


# --- names --------------------------------------------------------------------------------


def named_targets(targets: Collection[Target]) -> dict[str, NamedTarget]:
    """The targets as files name them: a language's own names only where the project has one target of it."""
    languages = [target.language for target in targets]
    found = {}
    for target in sorted(targets, key=lambda each: each.key):
        names = [target.title]
        if languages.count(target.language) == 1:
            names += [target.name, *names_of(target.language)]
        elif target.register:
            names += [f"{name}-{target.register}" for name in (target.name, *names_of(target.language)) if name]
        unique = tuple(dict.fromkeys(name for name in names if name and name != target.key))
        found[target.key] = NamedTarget(target.key, target.title, target.register, unique)
    return found


def columns_for(project: Project) -> Columns:
    """The fields that a file of translations into this project can have."""
    aims = named_targets(list(project.targets.filter(ended_at=None)))
    texts = list(dict.fromkeys(_text_keys(project)))
    return unit_columns(list(aims.values()), texts, names_of(project.language))


def _text_keys(project: Project) -> Iterator[str]:
    """What the texts of the source rows are called; those of a unit with several rows are numbered too."""
    shapes = sorted(set(project.source_sets.values_list("shape", flat=True))) or [DEFAULT_SHAPE]
    most = SourceUnit.objects.filter(project=project).annotate(n=Count("entries")).aggregate(most=Max("n"))["most"] or 1
    for slug in shapes:
        shape = SHAPES[slug]
        own = _keys_of_shape(shape)
        yield from own
        if shape.shared is not None:
            for number in range(1, min(most, MOST_NUMBERED) + 1):
                yield from (f"{key}.{number}" for key in own if not shape.role(key).shared)


def _keys_of_shape(shape: SourceShape) -> list[str]:
    return [
        f"{role.key}-{letter}" if role.several else role.key
        for role in shape.roles
        for letter in (LETTERS if role.several else " ")
    ]
