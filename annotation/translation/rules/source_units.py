"""The shapes of source sets that are translated, and the units that their rows make (domain.md §7).

A row of a set is made of texts with roles. What a shape shares (a premise, a passage) is translated once for all
rows that have it: these rows make one unit, the text under its role, the others numbered behind it
(`hypothesis.2`). Rows without a shared text are units by themselves, and their texts keep their roles as keys.
More rows than one form can hold are dealt to further units, each with the shared text. Clean-up changes a unit's
texts; its sentences are what is paid for (LoraxBench, Appendix C).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation.text.gettext import gettext_noop as _
from annotation.text.normalise import key_form
from annotation.text.sentences import sentence_count
from annotation.text.tokens import word_count

# A translator has one field for each text of a unit on one page.
MOST_FIELDS = 30


class Role(NamedTuple):
    """A text of a row: its name, whether rows share it, whether a row has several (`choice-A`, `choice-B`, …).

    `contained_in` names the role of the text that this one has to be a span of.
    """

    key: str
    name: str
    shared: bool = False
    several: bool = False
    optional: bool = False
    contained_in: str = ""
    distractors: bool = False


@dataclass(frozen=True)
class SourceShape:
    """A shape of rows, with the task that it usually is; kinds say whether its rows carry their labels (`judges`).

    `asked_by` is the further column that says what a row asks for (COPA's `question`: cause or effect), and `asks` how
    that is told to who translates its first text. `model_task` is the task that models are evaluated with
    (exports/lm_eval/rules/tasks.py), `hub_tasks` are the Hugging Face hub's words for it, `labels` names of labels
    that are numbers. `sentences`: a task of plain sentences can be derived from what its rows share.
    """

    slug: str
    name: str
    task: str
    roles: tuple[Role, ...]
    asked_by: str = ""
    asks: Mapping[str, str] = field(default_factory=dict)
    model_task: str = ""
    hub_tasks: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    sentences: bool = False

    @property
    def spans(self) -> bool:
        """Whether one of its texts is a span of another."""
        return any(role.contained_in for role in self.roles)

    def role(self, key: str) -> Role:
        """The role of a field's key: `hypothesis.2` is a hypothesis, `choice-B` a choice; KeyError otherwise."""
        stem = key.split(".")[0]
        for role in self.roles:
            if stem == role.key or (role.several and stem.startswith(f"{role.key}-")):
                return role
        raise KeyError(key)

    @property
    def shared(self) -> Role | None:
        return next((role for role in self.roles if role.shared), None)


SHAPES: Mapping[str, SourceShape] = {
    shape.slug: shape
    for shape in (
        SourceShape(
            "pair",
            _("Premise and hypothesis"),
            "nli",
            (Role("premise", _("Premise"), shared=True), Role("hypothesis", _("Hypothesis"))),
            model_task="nli",
            hub_tasks=("text-classification",),
            sentences=True,
        ),
        SourceShape(
            "choices",
            _("Question and choices"),
            "question",
            (Role("question", _("Question")), Role("choice", _("Choice"), several=True, distractors=True)),
            model_task="choices",
            hub_tasks=("question-answering", "multiple-choice"),
        ),
        SourceShape(
            "continuations",
            _("Context and continuations"),
            "culture",
            (
                Role("context", _("Context")),
                Role("continuation", _("Continuation"), several=True, distractors=True),
            ),
            model_task="continuation",
            hub_tasks=("multiple-choice",),
        ),
        SourceShape(
            "passage",
            _("Passage, question and answer"),
            "reading",
            (
                Role("passage", _("Passage"), shared=True),
                Role("question", _("Question")),
                Role("answer", _("Answer"), contained_in="passage"),
            ),
            model_task="extraction",
            hub_tasks=("question-answering",),
        ),
        SourceShape(
            "alternatives",
            _("Premise and two alternatives"),
            "causal",
            (
                Role("premise", _("Premise")),
                Role("alternative", _("Alternative"), several=True, distractors=True),
            ),
            asked_by="question",
            asks={"cause": _("what was its cause?"), "effect": _("what was its effect?")},
            model_task="causal",
            hub_tasks=("multiple-choice",),
            labels=("choice1", "choice2"),  # COPA's labels are numbers, from 0
        ),
        SourceShape("sentence", _("Plain sentences"), "sentences", (Role("text", _("Text")),)),
        SourceShape(
            "prompt",
            _("Prompt and responses"),
            "culture",
            (Role("prompt", _("Prompt")), Role("response", _("Response"), several=True, distractors=True)),
            model_task="best",
            hub_tasks=("question-answering", "multiple-choice"),
        ),
    )
}


@dataclass(frozen=True)
class Row:
    """A row of a source set as it came in: its id, texts by role key (`choice-A`), label, split, further columns.

    `number` is its row in the file. `upstream` and what follows name the item that it was taken from.
    """

    key: str
    texts: Mapping[str, str]
    label: str = ""
    split: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    number: int = 0
    upstream: int | None = None
    upstream_revision: int = 0
    upstream_hash: str = ""


@dataclass(frozen=True)
class Unit:
    """What is translated in one go: its fields in order, and its rows, each with the names of its own fields."""

    key: str
    fields: tuple[Mapping[str, str], ...]
    rows: tuple[tuple[Row, Mapping[str, str]], ...]


def units_of(shape: SourceShape, rows: Iterable[Row]) -> list[Unit]:
    """Put rows that share a text into one unit each, in the order in which they come; its key is the first row's.

    A unit has at most `MOST_FIELDS` texts; what is beyond begins the next one with the same shared text.
    """
    shared, together = shape.shared, dict[str, list[Row]]()
    for row in rows:
        together.setdefault(row.texts[shared.key] if shared else row.key, []).append(row)
    return [_unit(shape, part) for mine in together.values() for part in _split_evenly(mine, shared is not None)]


def _split_evenly(rows: Sequence[Row], shares: bool) -> Iterator[Sequence[Row]]:
    """Rows of one shared text in as few units as will do, evenly dealt."""
    if not shares:
        yield rows
        return
    room = max((MOST_FIELDS - 1) // max(len(row.texts) - 1 for row in rows), 1)
    units = -(-len(rows) // room)
    for number in range(units):
        yield rows[number * len(rows) // units : (number + 1) * len(rows) // units]


def _unit(shape: SourceShape, rows: Sequence[Row]) -> Unit:
    shared, fields, named = shape.shared, list[Mapping[str, str]](), []
    if shared is not None:
        fields.append({"key": shared.key, "role": shared.key, "text": rows[0].texts[shared.key]})
    for number, row in enumerate(rows, start=1):
        names: dict[str, str] = {}
        for key, text in texts_in_order(shape, row.texts):
            role = shape.role(key)
            names[key] = key if role.shared or shared is None else f"{key}.{number}"
            if not role.shared:
                asked = _what_row_asks(shape, row) if key == shape.roles[0].key else {}
                fields.append({"key": names[key], "role": role.key, "text": text, **asked})
        named.append((row, names))
    return Unit(rows[0].key, tuple(fields), tuple(named))


def _what_row_asks(shape: SourceShape, row: Row) -> dict[str, str]:
    """What a row asks for, kept with its first text."""
    value = str(row.data.get(shape.asked_by, "")) if shape.asked_by else ""
    return {"asks": value} if value in shape.asks else {}


def texts_in_order(shape: SourceShape, texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """A row's texts in the shape's order of roles, those of one role by their keys; what is optional may be missing."""
    ordered = []
    for role in shape.roles:
        mine = sorted(key for key in texts if shape.role(key) is role)
        ordered += [(key, texts[key]) for key in mine if texts[key] or not role.optional]
    return ordered


def span_of(shape: SourceShape, key: str) -> str:
    """The key of the field that this one has to be a span of; empty for most."""
    return shape.role(key).contained_in


def field_title(shape: SourceShape, key: str) -> tuple[str, str]:
    """What a field is called: the role's name, and its letter or number where a unit has several."""
    stem, _dot, number = key.partition(".")
    letter = stem.partition("-")[2]
    return shape.role(key).name, " ".join(part for part in (number, letter) if part)


Field = Mapping[str, str]


class Size(NamedTuple):
    """How long a unit's texts are together."""

    sentences: int
    words: int


def size_of(fields: Iterable[Field], language: str) -> Size:
    """Count a unit's sentences, at least one a text, and its words."""
    texts = [each["text"] for each in fields]
    return Size(sum(sentence_count(text, language) for text in texts), sum(word_count(text) for text in texts))


def in_unit_order(shape: SourceShape, fields: Iterable[Field]) -> list[Field]:
    """The fields of a unit as `units_of` put them: the shared text, then row by row in the shape's order."""
    roles = {role.key: place for place, role in enumerate(shape.roles)}

    def place(each: Field) -> tuple[bool, int, int, str]:
        role = shape.role(each["key"])
        stem, _dot, number = each["key"].partition(".")
        return not role.shared, int(number or 0), roles[role.key], stem

    return sorted(fields, key=place)


def split_living_fields(
    shape: SourceShape, fields: Iterable[Field], living: Sequence[Mapping[str, str]]
) -> tuple[list[Field], list[Field]]:
    """What is to be translated, and what no living row needs; where none is left everything stays as it was.

    `living` holds each living row's fields, role key to field key.
    """
    everything = in_unit_order(shape, fields)
    needed = {key for row in living for key in row.values()}
    if not needed:
        return everything, []
    return [f for f in everything if f["key"] in needed], [f for f in everything if f["key"] not in needed]


def answer_key(shape: SourceShape, label: str, keys: Iterable[str]) -> str:
    """Which text of a row its label names: by letter, or by its place from 0; empty where it names none."""
    role = next((role for role in shape.roles if role.distractors), None)
    if role is None or not label:
        return ""
    choices = sorted(key for key in keys if shape.role(key) is role)
    if f"{role.key}-{label}" in choices:
        return f"{role.key}-{label}"
    if label.isascii() and label.isdecimal() and len(label) < 3 and int(label) < len(choices):
        return choices[int(label)]
    return ""


def distractors(shape: SourceShape, label: str, row: Mapping[str, str]) -> list[str]:
    """The field keys of a row's wrong choices; `row` is its fields, role key to field key.

    Of prompts only what is on the wrong side counts: a relevant response is no distractor.
    """
    answer = answer_key(shape, label, row)
    wrong = [key for key in row if shape.role(key).distractors and key != answer]
    side = answer.partition("-")[2][:1]
    if answer.partition("-")[2][1:].isdecimal():
        wrong = [key for key in wrong if key.partition("-")[2][:1] != side]
    return [row[key] for key in wrong] if answer else []


def fields_that_are_no_spans(
    shape: SourceShape, texts: Mapping[str, str], rows: Iterable[Mapping[str, str]]
) -> list[tuple[str, str]]:
    """The fields that are no span of the text that they are taken from, with that text's key.

    `texts` is field key to text, `rows` each row's fields.
    """
    broken = []
    for row in rows:
        for key, name in row.items():
            within = span_of(shape, key)
            if within and texts[name] not in texts[row[within]]:
                broken.append((name, row[within]))
    return broken


def same_choice(texts: Mapping[str, str], shape: SourceShape, row: Mapping[str, str], field: str) -> bool:
    """Say whether a choice of a row reads like another one of it."""
    others = [name for key, name in row.items() if shape.role(key).distractors and name != field]
    return key_form(texts[field], casefold=True) in {key_form(texts[name], casefold=True) for name in others}
