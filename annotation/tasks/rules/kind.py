"""A task's description as a kind: the interface that forms, pages, jobs, imports and releases use.

Texts of an item stand in its content under their columns, dialogues and table rows as lists; `group` says which items
belong together.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from annotation.answers import Label, Question, preference, values_of
from annotation.core.rules.settings import ProjectSettings
from annotation.kinds.base import Kind
from annotation.kinds.columns import only_columns, provenance
from annotation.kinds.forms import FormField, Slot, SlotIn, Source, TextField
from annotation.kinds.parts import Authoring, Export, Presentation, QuestionPart
from annotation.kinds.rendered_texts import LIST_WIDGETS, MEDIA_WIDGETS, list_entries
from annotation.kinds.shapes import TASK
from annotation.kinds.texts import text_at
from annotation.tasks.rules.question import PALETTE, TaskLabel, TaskQuestion, localised_text, names_in_languages
from annotation.tasks.rules.reading import slug_of
from annotation.tasks.rules.task import SourceField, Task
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import LabelWords

GROUP = "group"
SOURCE_FIELDS = "texts"
LABEL_FIELD = "label"
# What the text of an image or a sound is called.
ALT_NAMES = {
    "image": {"en": "What the image shows", "id": "Isi gambar"},
    "audio": {"en": "What is heard", "id": "Isi suara"},
}
YES_NO = (
    Label("yes", gettext_noop("Yes"), "Y", PALETTE["green"]),
    Label("no", gettext_noop("No"), "N", PALETTE["red"]),
)
ERROR_TYPES = (
    ("language", gettext_noop("Grammar, spelling or punctuation")),
    ("unclear", gettext_noop("Cannot be understood")),
    ("off-topic", gettext_noop("Does not fit the task")),
    ("harmful", gettext_noop("Harmful or stereotyping")),
    ("other", gettext_noop("Something else")),
)


def _has_author_label(task: Task) -> bool:
    return task.authoring is not None and task.authoring.label != "none"


def _features(task: Task) -> tuple[str, ...]:
    return (*(() if task.authoring else ("ready",)), *(() if _has_author_label(task) else ("unlabelled",)))


def is_plain(task: Task) -> bool:
    """Whether a vote on it is a label alone, not answers to questions."""
    return len(task.questions) == 1 and task.main.type == "single"


def as_kind(task: Task, language: str = "en") -> Kind:
    """The kind that a task describes, its names in this language of the interface."""
    labels, name = labels_of(task.main, language), localised_text(task.name, language)
    plain = is_plain(task)
    questions = () if plain else tuple(_question(each, language, task) for each in task.questions)
    asked = () if plain else voter_questions(task, language)
    return Kind(
        slug=slug_of(task),
        name=name,
        shape=TASK,
        source=TASK.source,
        authoring=Authoring(
            slots=partial(_slots, task, labels),
            content_from_slot=partial(_content, task),
            slot_from_content=partial(_form_values, task),
            fields=partial(_fields, task, labels),
            author_label=_author_label,
            checks=("empty", "too_long", "suspicious_characters", "doubled_blanks") if task.authoring else (),
            error_types=ERROR_TYPES,
        ),
        question=QuestionPart(
            labels=labels,
            aliases=aliases_of(task.main),
            text=localised_text(task.main.text, language),
            questions=questions,
            hidden_marks=tuple(flag for flag in ("unsure", "ambiguous") if flag not in task.flags),
        ),
        presentation=_presentation(task, language),
        export=Export(
            build_row=partial(_export_row, task, asked),
            records=_record_columns(task, asked),
            public_columns=only_columns("id", *task.columns, *task.marked_lists.values()),
            author_answer=itemgetter("author_label") if _has_author_label(task) else None,
            column_help=_column_notes(task),
            title="a task of its own",
        ),
        features=_features(task),
        settings=("allocation_size", "check_first") if task.authoring else ("check_first",),
    )


def _presentation(task: Task, language: str) -> Presentation:
    spoken = {column: localised_text(shown_name, language) for column, shown_name in names_of(task).items()}
    texts = tuple(_text_field(task, column, spoken) for column in task.columns)
    hosts = {f"{'img' if field.type == 'image' else 'media'}-src": field.hosts for field in task.source if field.hosts}
    return Presentation(
        texts=texts,
        item_texts=partial(_present_texts, texts),
        media_origins={where: tuple(f"https://{host}" for host in named) for where, named in hosts.items()},
        is_shuffled=bool(task.shuffle),
        widgets=_widgets(task),
    )


def _widgets(task: Task) -> dict[str, str]:
    """How each text is drawn that is no plain one; where spans are marked, a text stands as it is stored."""
    marked = {question.of for question in task.questions}
    return {
        column: field.type
        for field in task.source
        for column in field.columns
        if field.type != "text" and not column.endswith("_alt") and (column not in marked or field.type == "texts")
    }


def names_of(task: Task) -> dict[str, Any]:
    """What each text of an item is called, as the description has it."""
    found: dict[str, Any] = {}
    for field in task.source:
        found |= {side.key: side.name for side in field.sides} if field.sides else {field.key: field.name}
        if field.type in MEDIA_WIDGETS:
            found[f"{field.key}_alt"] = ALT_NAMES[field.type]
    return found


def labels_of(question: TaskQuestion, language: str) -> tuple[Label, ...]:
    """The labels of a question; the points of a scale, and the two sides of a preference, are labels too."""
    if question.type == "preference":
        sides = zip(("A", "B", "tie"), preference.SIDE_NAMES.values(), ("A", "B", "T"), strict=True)
        shapes = ("circle", "square", "diamond")
        found = [Label(key, name, letter, shape) for (key, name, letter), shape in zip(sides, shapes, strict=True)]
        return tuple(found if question.tie else found[:2])
    if question.type == "scale":
        assert question.scale is not None  # noqa: S101 - the description was checked
        return tuple(Label(str(n), str(n), str(n), "ring") for n in question.scale.numbers)
    taken = {PALETTE[label.colour] for label in question.labels if label.colour}
    free = [shape for shape in PALETTE.values() if shape not in taken]
    found = []
    letters = {label.letter.upper() for label in question.labels if label.letter}
    for label in question.labels:
        shape = PALETTE[label.colour] if label.colour else (free.pop(0) if free else "ring")
        found.append(_label(label, shape, letters, language))
    return tuple(found)


def _label(label: TaskLabel, shape: str, letters: set[str], language: str) -> Label:
    name = localised_text(label.name, language)
    letter = label.letter.upper()
    if not letter:
        # The first letter that no other label has, of the key: it is the same in every language.
        letter = next((each for each in label.key.upper() if each.isalpha() and each not in letters), "")
        letters.add(letter)
    return Label(label.key, name, letter, shape, localised_text(label.help, language))


def _question(question: TaskQuestion, language: str, task: Task) -> Question:
    texts: tuple[str, ...] = ()
    if question.of:
        texts = (question.of,)
    elif question.between:
        texts = next(field.columns for field in task.source if field.key == question.between)
    scale = question.scale
    return Question(
        key=question.key,
        text=localised_text(question.text, language),
        answer_type=question.type,
        labels=() if question.type in ("criteria", "preference") else labels_of(question, language),
        help=localised_text(question.help, language),
        low=localised_text(scale.low, language) if scale else "",
        high=localised_text(scale.high, language) if scale else "",
        texts=texts,
        tie=question.tie,
        several=question.many,
        parts=tuple(
            Question(
                key=f"{question.key}_{criterion.key}",
                text=localised_text(criterion.name, language),
                answer_type="scale" if scale else "single",
                labels=tuple(Label(str(n), str(n), str(n), "ring") for n in scale.numbers) if scale else YES_NO,
                help=localised_text(criterion.help, language),
                low=localised_text(scale.low, language) if scale else "",
                high=localised_text(scale.high, language) if scale else "",
                optional=not question.required,
                needs_gold=question is task.main,
            )
            for criterion in question.criteria
        ),
        optional=not question.required,
        needs_gold=question is task.main,
        longest=question.max_length,
        suggestion_text_key=question.suggested or "",
    )


def voter_questions(task: Task, language: str = "en") -> tuple[Question, ...]:
    """What voters answer, each decided by itself; of a plain task its one question."""
    posed = (_question(each, language, task) for each in task.questions)
    return tuple(leaf for question in posed for leaf in question.leaf_questions())


def aliases_of(question: TaskQuestion) -> LabelWords:
    """How files may write a label: its key, or its name in any language."""
    names = {label.key: names_in_languages(label.name) for label in question.labels}
    return LabelWords({label.key: names.get(label.key, ()) for label in labels_of(question, "en")})


def field_of(task: Task, column: str) -> SourceField:
    """The field that a column belongs to."""
    return next(field for field in task.source if column in field.columns)


def _text_field(task: Task, column: str, names: Mapping[str, str]) -> TextField:
    return TextField(column, names[column], shown=not column.endswith("_alt"))


def _present_texts(texts: tuple[TextField, ...], content: Mapping[str, Any]) -> tuple[TextField, ...]:
    """The texts that an item has: one that is not required may be missing."""
    return tuple(text for text in texts if content.get(text.key))


# --- what writers hand in -------------------------------------------------------------------


def _slots(task: Task, labels: tuple[Label, ...], settings: ProjectSettings) -> tuple[Slot, ...]:
    if task.authoring is None:
        return (Slot("item", "", gettext_noop("Item")),)
    field = field_of(task, task.authoring.writes)
    name, count = localised_text(field.name, "en"), task.authoring.count
    given = labels if task.authoring.label == "given" else ()
    if not given:
        return tuple(Slot(f"t{n}", "", f"{name} {n}" if count > 1 else name) for n in range(1, count + 1))
    return tuple(
        Slot(f"{place}-{n}", label.key, f"{label.name} {n}" if count > 1 else label.name)
        for place, label in enumerate(given, start=1)
        for n in range(1, count + 1)
    )


def _fields(task: Task, labels: tuple[Label, ...], settings: ProjectSettings) -> tuple[FormField, ...]:
    if task.authoring is None or task.authoring.label != "chosen":
        return ()
    choices = tuple((label.key, label.name) for label in labels)
    return (FormField(LABEL_FIELD, gettext_noop("Label"), "choice", choices=choices),)


def _author_label(slot: Slot, written: SlotIn) -> str:
    return slot.label or written.more.get(LABEL_FIELD, "")


def _content(task: Task, source: Source, written: SlotIn) -> dict[str, Any]:
    """An item of a source (its `extra` has the fields as files brought them) and what somebody wrote for it."""
    given = {name: text for name, text in source.extra.get(SOURCE_FIELDS, {}).items() if text}
    own = {task.authoring.writes: written.text} if task.authoring else {}
    return {**given, **own, GROUP: source.group or source.key}


def _form_values(task: Task, content: Mapping[str, Any]) -> SlotIn:
    return SlotIn(str(content.get(task.authoring.writes, "")) if task.authoring else "")


# --- a row of a release ---------------------------------------------------------------------


def _export_row(task: Task, asked: Sequence[Question], row: Mapping[str, Any]) -> dict[str, Any]:
    content, counted = row["content"], row["counted_answers"]
    authored = _has_author_label(task)
    first, by = ([row["author_label"] or None], [row["author"] or None]) if authored else ([], [])
    answers = values_of(asked, row["gold_answers"]) if asked else {task.main.key: row["gold"] or None}
    for question in asked:
        given = [values_of((question,), each)[question.key] for each in counted]
        answers[f"annotator_{question.key}"] = given
    return {
        "id": row["key"],
        **{column: as_released_value(field, content.get(column)) for field in task.source for column in field.columns},
        **{name: text_at(content, column) or None for column, name in task.marked_lists.items()},
        "label": row["label"] or "-",
        "label_source": row["label_source"],
        "gold_label": row["gold"] or "-",
        **({"author_label": row["author_label"] or "-"} if authored else {}),
        **answers,
        "annotator_labels": [*first, *row["counted_labels"]],
        "annotator_ids": [*by, *row["counted_annotators"]],
        "annotation_round": row["round"],
        "group": content.get(GROUP, ""),
        **provenance(row),
    }


def _record_columns(task: Task, asked: Sequence[Question]) -> frozenset[str]:
    """Columns that hold lists of objects with the same fields: turns, columns of a table row, spans."""
    found = {field.key for field in task.source if field.type in LIST_WIDGETS}
    spans = {question.key for question in asked if question.answer_type == "spans"}
    return frozenset(found | spans | {f"annotator_{question.key}" for question in asked})


def as_released_value(field: SourceField, stored: Any) -> Any:
    """A text as releases have it: a dialogue and a table row as lists, None where there is none."""
    if not stored:
        return None
    return list_entries(stored, field.type) if field.type in LIST_WIDGETS else stored


def _column_notes(task: Task) -> str:
    fields = ", ".join(f"`{column}`" for column in task.columns)
    return (
        f"The task is described in `task.yaml`. {fields} are what people saw; `label` is what to train or score on, "
        "`label_source` whose it is, `gold_label` what the votes settled on (`-` where they made none), "
        "`annotator_labels` the answers that counted, `group` what an item was made from. Each question has a "
        "column of its own name for the gold answer, and where more is asked than a label one beginning with "
        "`annotator_` for the answers that counted; offsets of spans count "
        "characters of the text in the row, in a dialogue or a table row of the text in `KEY_text`."
    )
