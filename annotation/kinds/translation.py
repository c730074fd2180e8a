"""translation: a source unit in another language or register, approved by another speaker (LoraxBench §3.4)."""

from collections.abc import Mapping
from typing import Any

from annotation.answers import Label
from annotation.core.rules.settings import ProjectSettings
from annotation.kinds.base import Kind
from annotation.kinds.columns import provenance
from annotation.kinds.forms import FormField, Slot, SlotIn, Source, TextField
from annotation.kinds.parts import Authoring, Export, Presentation, QuestionPart
from annotation.kinds.shapes import UNITS
from annotation.kinds.texts import FIELD_PREFIX, WHY_PREFIX, field_name
from annotation.text.gettext import gettext_noop
from annotation.translation.rules.source_units import SHAPES, field_title, span_of

APPROVE, CORRECT, RETURN = "approve", "correct", "return"
LABELS = (
    Label(APPROVE, gettext_noop("Approve"), "A", "circle", gettext_noop("It says what the source says.")),
    Label(CORRECT, gettext_noop("Fix the text"), "F", "square", gettext_noop("I wrote it as it should be.")),
    Label(
        RETURN,
        gettext_noop("Return to translator"),
        "R",
        "triangle",
        gettext_noop("The translator has to change it."),
    ),
)
ALIASES = {label.key: label.key for label in LABELS} | {"approved": APPROVE, "returned": RETURN}


def slots(settings: ProjectSettings) -> tuple[Slot, ...]:
    """One translation of a unit."""
    return (Slot("t", "", gettext_noop("Translation")),)


def own_fields(source: Source) -> tuple[FormField, ...]:
    """One field for each text of the unit, named by its role."""
    shape = SHAPES[str(source.extra["shape"])]
    made = []
    for each in source.extra["fields"]:
        within = span_of(shape, each["key"])
        title, inside = _field_title(shape.slug, each), field_name(within) if within else ""
        made.append(FormField(field_name(each["key"]), title, "area", source=each["text"], contained_in=inside))
    return tuple(made)


def _field_title(shape: str, each: Mapping[str, Any]) -> str:
    """A field's name, its number where there are several, and what its row asks for."""
    name, number = field_title(SHAPES[shape], str(each["key"]))
    asked = SHAPES[shape].asks.get(str(each.get("asks", "")), "")
    return " ".join(part for part in (name, number, f"({asked})" if asked else "") if part)


def content(source: Source, written: SlotIn) -> dict[str, Any]:
    """A translation as revisions keep it: the fields as the source has them, and as they were translated."""
    asked = source.extra["fields"]
    made: dict[str, Any] = {
        "unit": source.key,
        "task": source.extra["task"],
        "shape": source.extra["shape"],
        "unit_revision": source.extra["revision"],
        "source": [dict(each) for each in asked],
        "fields": [{**each, "text": written.more.get(field_name(each["key"]), "")} for each in asked],
    }
    whys = {
        key.removeprefix(WHY_PREFIX): why for key, why in written.more.items() if key.startswith(WHY_PREFIX) and why
    }
    return made | ({"whys": whys} if whys else {})


def form_values(content: Mapping[str, Any]) -> SlotIn:
    """The form's fields of a stored translation."""
    more = {field_name(str(each["key"])): str(each["text"]) for each in content.get("fields", ())}
    return SlotIn("", True, more=more | {WHY_PREFIX + key: why for key, why in content.get("whys", {}).items()})


def own_texts(content: Mapping[str, Any]) -> tuple[TextField, ...]:
    """The unit's fields, in their order."""
    shape = str(content.get("shape", ""))
    return tuple(
        TextField(field_name(str(each["key"])), _field_title(shape, each)) for each in content.get("fields", ())
    )


def source_of_field(content: Mapping[str, Any], key: str) -> str:
    """The source of a field, as it stood when it was translated."""
    wanted = key.removeprefix(FIELD_PREFIX)
    return next((str(each["text"]) for each in content.get("source", ()) if each["key"] == wanted), "")


def as_source_row(content: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The translated texts, by the unit's fields: a further project can translate from this target."""
    return tuple((str(each["key"]), str(each["text"])) for each in content["fields"])


def export_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """One translated unit, source beside target; releases write rows by task (exports.aligned.rules.rows)."""
    content = row["content"]
    return {
        "id": row["key"],
        "unit": content["unit"],
        "task": content["task"],
        "source": {each["key"]: each["text"] for each in content["source"]},
        "target": {each["key"]: each["text"] for each in content["fields"]},
        "label": row["label"],
        "label_source": row["label_source"],
        "gold_label": row["gold"] or "-",
        "translator": row["author"],
        "annotation_round": row["round"],
        **provenance(row),
    }


KIND = Kind(
    slug="translation",
    name=gettext_noop("Translation"),
    shape=UNITS,
    source=UNITS.source,
    authoring=Authoring(
        slots=slots,
        content_from_slot=content,
        slot_from_content=form_values,
        checks=(
            "translation_empty",
            "numbers_differ",
            "placeholders_differ",
            "answer_not_in_passage",
            "source_copied",
            "other_language",
            "other_register",
            "length_unusual",
            "end_mark_differs",
            "alternatives_slash",
            "brackets_added",
            "outer_blanks",
            "blanks_doubled",
            "mixed_unicode",
        ),
        fields_by_source=own_fields,
        error_types=(
            ("meaning", gettext_noop("Does not say what the source says")),
            ("left-out", gettext_noop("Something is missing or added")),
            ("number", gettext_noop("A number, name or date is wrong")),
            ("register", gettext_noop("The wrong register")),
            ("language", gettext_noop("Words of another language")),
            ("fluency", gettext_noop("Nobody would say it like this")),
            ("mechanics", gettext_noop("Spelling or punctuation")),
            ("other", gettext_noop("Something else")),
        ),
    ),
    question=QuestionPart(
        labels=LABELS,
        aliases=ALIASES,
        text=gettext_noop("Does it say what the source says, in good language?"),
    ),
    presentation=Presentation(
        item_name=gettext_noop("translation"),
        item_plural=gettext_noop("translations"),
        texts=(),
        item_texts=own_texts,
        source_text=source_of_field,
        activity_names={"write": gettext_noop("Translate"), "vote": gettext_noop("Review")},
    ),
    export=Export(
        build_row=export_row,
        source_row=("", as_source_row),
        id_column="id",
        column_help="`source` and `target` hold the texts by field; `label` is the reviewer's word.",
    ),
    features=("targets", "review", "flags_reviewed"),
    settings=("allocation_size", "numerals_stay", "take_size", "length_limit", "clean_up_reasons"),
)
