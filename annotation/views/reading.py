"""What somebody wrote or writes from, to be read and not typed into: texts, choices with their roles, a source."""

from dataclasses import dataclass

from django.utils.translation import gettext

from annotation.kinds import FormField, Kind, SlotIn, option_field
from annotation.models import Premise, Project, SourceUnit
from annotation.shapes.base import SourceRow


@dataclass(frozen=True)
class Row:
    """A further text of a slot: an option with the roles that its writer gave it, or another field by its name."""

    name: str
    text: str
    roles: list[str]


@dataclass(frozen=True)
class Reading:
    """A slot as it reads: the main text, and below it what the kind's form asks besides."""

    text: str
    rows: list[Row]


@dataclass(frozen=True)
class SourceShown:
    """What a writer starts from: its text, what kind of thing it is, and its wording in a parallel list."""

    text: str
    about: str
    parallel: str = ""


def source_shown(row: SourceRow) -> SourceShown:
    """A premise with its sentence class, a concept with its category."""
    if isinstance(row, Premise):
        return SourceShown(row.text, row.get_sentence_class_display())
    if isinstance(row, SourceUnit):
        return SourceShown(row.text, row.source_set.name)
    return SourceShown(row.text, row.category, row.parallel)


def fields_of(project: Project) -> tuple[FormField, ...]:
    """What a slot's form asks beside the main text."""
    return project.kind_spec.fields(project.rules)


def reading_of(project: Project, content: SlotIn, *, options_only: bool = False) -> Reading:
    """What stands in a slot, its picks told beside the options that they name.

    Optional fields that hold nothing are left out, and so is what is no option where only these are wanted.
    """
    fields = [asked for asked in fields_of(project) if asked.required or content.more.get(asked.key)]
    if options_only:
        fields = [asked for asked in fields if asked.widget in ("option", "pick")]
    picks = [field for field in fields if field.widget == "pick"]
    return Reading(content.text, [_row(field, picks, content) for field in fields if field.widget != "pick"])


def _row(field: FormField, picks: list[FormField], content: SlotIn) -> Row:
    typed = content.more.get(field.key, "")
    if field.widget == "option":
        chosen = [pick for pick in picks if option_field(content.more.get(pick.key, "")) == field.key]
        return Row(field.name, typed, [gettext(pick.name) for pick in chosen])
    named = dict(field.choices).get(typed)
    return Row(gettext(field.name), typed if named is None else gettext(named), [])


def asks_tags(project: Project) -> bool:
    """Whether writers tag what they write: where the project says so and the kind has tags at all."""
    return project.rules.tags != "off" and has_tags(project.kind_spec)


def has_tags(kind: Kind) -> bool:
    return "tags_missing" in kind.checks
