"""What somebody wrote or writes from, to be read and not typed into: texts, choices with their roles, a source."""

from dataclasses import dataclass, field

from django.utils.translation import gettext

from annotation.content.models.source import Premise
from annotation.content.models.units import SourceUnit
from annotation.content.shapes.base import SourceRow
from annotation.core.models.project import Project
from annotation.kinds import WHY_PREFIX, FormField, Kind, SlotIn, option_field
from annotation.text import checks
from annotation.writing.views.form import Form


@dataclass(frozen=True)
class Row:
    """A further text of a slot: an option with the roles that its writer gave it, or another field by its name.

    `source` is the text that it says in another language.
    """

    name: str
    text: str
    roles: list[str]
    source: str = ""


@dataclass(frozen=True)
class SlotReading:
    """A slot as it reads: the main text, and below it what the kind's form asks besides.

    `whys` are what its writer said to checks that warned, by the checks' titles; `bare` is one without a main text.
    """

    text: str
    rows: list[Row]
    bare: bool = False
    whys: list[tuple[str, str]] = field(default_factory=list)


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


def reading_of(form: Form, content: SlotIn, *, options_only: bool = False) -> SlotReading:
    """What stands in a slot, its picks told beside the options that they name.

    Optional fields that hold nothing are left out, and so is what is no option where only these are wanted.
    """
    fields = [asked for asked in form.fields if asked.required or content.more.get(asked.key)]
    if options_only:
        fields = [asked for asked in fields if asked.widget in ("option", "pick")]
    picks = [asked for asked in fields if asked.widget == "pick"]
    rows = [_row(asked, picks, content) for asked in fields if asked.widget != "pick"]
    return SlotReading(content.text, rows, not form.has_text, _check_answers(form, content))


def _row(field: FormField, picks: list[FormField], content: SlotIn) -> Row:
    typed = content.more.get(field.key, "")
    if field.widget == "option":
        chosen = [pick for pick in picks if option_field(content.more.get(pick.key, "")) == field.key]
        return Row(field.name, typed, [gettext(pick.name) for pick in chosen])
    named = dict(field.choices).get(typed)
    return Row(field_words(field), typed if named is None else gettext(named), [], field.source)


def field_words(field: FormField) -> str:
    """A field's name in the reader's language, with the number or letter of one of several, and what it asks for.

    Each of the three is translated by itself: "Premise 2 (what was its cause?)".
    """
    named, bracket, asked = field.name.partition(" (")
    words = named.split(" ")
    for n in range(len(words), 0, -1):
        known = " ".join(words[:n])
        if gettext(known) != known:
            named = " ".join((gettext(known), *words[n:]))
            break
    return f"{named} ({gettext(asked.removesuffix(')'))})" if bracket else named


def _check_answers(form: Form, content: SlotIn) -> list[tuple[str, str]]:
    """What the writer said to checks, where a person reads it."""
    if not form.asks_why:
        return []
    whys = [(check, content.more.get(WHY_PREFIX + check, "")) for check in form.kind.authoring.checks]
    return [(gettext(checks.get(check).title), words) for check, words in whys if words]


def asks_tags(project: Project) -> bool:
    """Whether writers tag what they write: where the project says so and the kind has tags at all."""
    return project.rules.tags != "off" and has_tags(project.kind_spec)


def has_tags(kind: Kind) -> bool:
    return "tags_missing" in kind.authoring.checks
