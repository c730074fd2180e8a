"""The fields of finished translations: a column a target, or a column a text with the target beside it.

They differ from project to project: each target is a field, and each text that the rows of its source sets have.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from validation.imports.rules.columns import Columns, Mapped
from validation.imports.rules.problems import FileRefused, gettext_noop

TO, TEXT = "to:", "text:"
ROW, SET, SOURCE, TARGET = "row_id", "source_set", "source", "target"
# Of our own files: which text of a unit a row holds, and what the targets say, as one object.
FIELD, TARGETS = "field", "targets"

_ALIASES: Mapping[str, tuple[str, ...]] = {
    ROW: (ROW, "row", "id", "entry", "unit", "uid", "source_id"),
    SET: (SET, "set", "task"),
    FIELD: (FIELD,),
    TARGETS: (TARGETS,),
    TARGET: (TARGET, "target_language", "lang", "language"),
    "register": ("register", "target_register"),
    "translator": ("translator", "author", "writer"),
    "review": ("review", "verdict", "decision"),
    "reviewer": ("reviewer", "reviewed_by"),
    "reason": ("reason", "feedback", "comment"),
}
_HELP: Mapping[str, str] = {
    ROW: gettext_noop("The source row's id, as its source set has it. Needed."),
    SET: gettext_noop("The source set's short name, where several have rows of the same id."),
    SOURCE: gettext_noop("The source text. Compared; a row that no set has is stored with it."),
    TARGET: gettext_noop("The target of the row: its short name, or its language where that is clear."),
    FIELD: gettext_noop("Which text of its unit the row holds; the row's id is then the unit's."),
    TARGETS: gettext_noop("What each target says: an object of their short names."),
    "register": gettext_noop("The target's register, where the target is given by its language."),
    "translator": gettext_noop("Who translated it."),
    "review": gettext_noop("What the reviewer said: approve or return."),
    "reviewer": gettext_noop("Who reviewed it."),
    "reason": gettext_noop("What the reviewer said to the translator."),
}
# They stand in files with a target beside each row.
OF_LONG = (TARGET, "register", "translator", "review", "reviewer", "reason")


@dataclass(frozen=True)
class Aim:
    """A target as files name it: its key, how pages call it, and the further names that mean no other target."""

    key: str
    title: str
    register: str = ""
    names: tuple[str, ...] = ()


def plain(name: str) -> str:
    """A column's name as it is compared."""
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def unit_columns(aims: Sequence[Aim], texts: Sequence[str], language: Sequence[str]) -> Columns:
    """The fields for these targets and keys of texts; `language` is what the source's own language is called."""
    aliases = dict(_ALIASES)
    aliases[SOURCE] = (SOURCE, "source_text", "text", "sentence", *map(plain, language))
    help = dict(_HELP)
    for aim in aims:
        aliases[TO + aim.key] = tuple(dict.fromkeys(map(plain, (aim.key, *aim.names))))
        help[TO + aim.key] = aim.title
    for key in texts:
        name = plain(key)
        aliases[TEXT + key] = (f"target_{name}", f"{name}_translation", f"translated_{name}", name)
        help[TEXT + key] = key
    if "text" in texts:
        aliases[f"{TEXT}text"] += ("translation",)
    return Columns(aliases, help, _settle, _needed(bool(aims)))


def is_wide(mapping: Mapping[str, str]) -> bool:
    """Whether a row holds what several targets say."""
    return TARGETS in mapping or any(field.startswith(TO) for field in mapping)


def _settle(found: Mapped, by_name: Mapping[str, str]) -> None:
    """Columns of targets make the file wide; otherwise one column names the target."""
    wide = is_wide(found)
    drop = [*OF_LONG, *(field for field in found if field.startswith(TEXT))] if wide else [SOURCE, FIELD]
    if wide and FIELD in found:
        # A unit's id says of which set it is; our files have the task beside it.
        drop.append(SET)
    for field in drop:
        found.pop(field, None)
    if found.get(SOURCE) == found.get(ROW):
        # A plain `id` is a row's id, though it is Indonesian's code too.
        found.pop(SOURCE, None)


def _needed(targets: bool) -> Callable[[Mapped, str], FileRefused | None]:
    def needed(mapping: Mapped, columns: str) -> FileRefused | None:
        wide = is_wide(mapping)
        long = TARGET in mapping and any(field.startswith(TEXT) for field in mapping)
        if not targets:
            return FileRefused("target_none", gettext_noop("The project has no target yet: name one first."))
        if ROW not in mapping:
            message = gettext_noop(
                "No column is taken for the source row's id: say which one it is. The columns: %(columns)s."
            )
            return FileRefused("row_unmapped", message, columns=columns)
        if wide == long:
            message = gettext_noop(
                "Say which columns hold the translations: one column for each target, or one that names the target "
                "and one for each text, not both. The columns: %(columns)s."
            )
            return FileRefused("target_unmapped", message, columns=columns)
        return None

    return needed
