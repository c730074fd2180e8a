"""Questions about an item and their answer types; pure.

A `Question` is a value: what is asked, with which answer type. An `AnswerType` is one object a type, a file of this
package each: it reads and checks answers, says how they are drawn, compared, aggregated and exported. Nothing else
names a type.

An answer is plain JSON in one canonical form, as `Vote.answers` keeps it under the question's key:

| type | answer |
|---|---|
| `single`, `scale`, `preference` | the key of a label, of a point, `A`, `B` or `tie` |
| `several` | the keys, each once, in the order of the question's labels |
| `spans` | a list of `{"of", "start", "end", "text", "label"}` in their order; offsets count code points |
| `free_text` | the text |
| `criteria` | a mapping of each part's key to its answer |
"""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from annotation.text.normalise import shorten_number, whole_number

# Answers as JSON: a text, a list or a mapping. None is no answer.
Answer = Any
# The fields of a posted form: each name with its values, as `QueryDict.lists` gives them.
Posted = Mapping[str, Sequence[str]]
# What a vote's answers hold besides answers to questions (validation/voting/rules/option_order.py, ballots.py).
RESERVED_KEYS = frozenset({"question", "options", "order", "personal", "error", "text_error", "author_label"})
FIELD_PREFIX = "answer-"
LONGEST_KEY = 40
# The key of an answer that chooses nothing: a set without labels, a text without spans.
NO_ANSWER_KEY = "~"


@dataclass(frozen=True)
class Label:
    """A label that authors give and validators choose: never distinguished by colour alone.

    The name of an `is_item_option` one is a text of the item, shown as it is; the others are translated.
    """

    key: str
    name: str
    letter: str
    shape: str
    help: str = ""
    is_item_option: bool = False


@dataclass(frozen=True)
class Question:
    """One thing that a person is asked about an item.

    `key` is stored with every answer and names the column of a release; `answer_type` is the slug of its answer type.
    `labels` are the labels of `single`, `several` and `spans` (none: spans without labels), and the points of a `scale`
    in their order, with `low` and `high` the words of its ends; `own_options`: the labels are the item's own options.
    `texts` are the keys of the texts that spans are marked in, or of the two that a `preference` compares; `tie`: it
    may say that neither is better. `several`: more than one span. `parts` are the questions of `criteria`.
    `optional`: it may be left without an answer. `needs_gold`: the item waits for a gold answer to it; else answers are
    collected, and aggregated as far as they agree. `longest`: characters of a `free_text`. `suggestion_text_key`: the
    key of the text that holds the labels chosen at first, separated by blanks, to be confirmed or changed.
    """

    key: str
    text: str
    answer_type: str = "single"
    labels: tuple[Label, ...] = ()
    help: str = ""
    own_options: bool = False
    low: str = ""
    high: str = ""
    texts: tuple[str, ...] = ()
    tie: bool = False
    several: bool = True
    parts: tuple["Question", ...] = ()
    optional: bool = False
    needs_gold: bool = True
    longest: int = 2000
    suggestion_text_key: str = ""

    @property
    def field(self) -> str:
        """The name of its field in a form; further fields begin with it and a hyphen."""
        return FIELD_PREFIX + self.key

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its labels."""
        return tuple(label.key for label in self.labels)

    def leaf_questions(self) -> Iterator["Question"]:
        """The question itself, or its parts: each is answered and decided by itself."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaf_questions()


@dataclass(frozen=True)
class ShownItem:
    """What stands on one person's card: the item's texts and their names by key, its own options as they stand there.

    `order`: of a preference the two of `A`, `B` in the order shown; empty: as they are stored. `swapped_pairs`: pairs
    of keys of texts that stand in each other's place, each called by it.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    options: tuple[Label, ...] = ()
    order: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    swapped_pairs: tuple[tuple[str, ...], ...] = ()

    def stored_key(self, key: str) -> str:
        """The key of the text that a card calls by this one, and the other way round."""
        return next((pair[1 - pair.index(key)] for pair in self.swapped_pairs if key in pair), key)

    def labels(self, question: Question) -> tuple[Label, ...]:
        """The labels of a question on this card."""
        return self.options if question.own_options else question.labels


class AnswerProblem(ValueError):
    """An answer that cannot be: the question, a code (its words are in problems.py), parameters."""

    def __init__(self, question: str, code: str, **params: Any) -> None:
        self.question, self.code, self.params = question, code, params
        super().__init__(f"{question}: {code}")


class AggregationRule(Protocol):
    """What a protocol says about aggregation, for every question alike (validation/consensus/protocol.py).

    `combine`: `whole` (answers are compared as they are), `parts` (the median of points, each label and each
    character of a span by itself), or empty for the type's own.
    """

    @property
    def quorum(self) -> int: ...
    @property
    def plurality(self) -> bool: ...
    @property
    def tie(self) -> str: ...
    @property
    def stop_hopeless(self) -> bool: ...
    @property
    def combine(self) -> str: ...


class Tally(Protocol):
    """One question while its votes are read, round by round (validation/consensus/engine.py)."""

    @property
    def answer(self) -> Answer:
        """What the votes settled on; None while, and where, they have not."""

    @property
    def done(self) -> bool:
        """Further votes change nothing: it is settled, or nothing can settle it."""

    @property
    def tied(self) -> bool:
        """When it was last decided several had equally many votes, whatever the rule for ties made of it."""

    def add_answer(self, answer: object, annotator: str | None) -> None:
        """Count one answer; what cannot be an answer to the question is cast and never counts for any."""

    def close_round(self, left: int) -> bool:
        """Decide as far as the votes so far allow, with `left` to come; whether more votes are of use."""


@dataclass(frozen=True)
class Column:
    """A column of a release: its name, and its type as `datasets` names it (`string`, `int64`, or a list of them)."""

    name: str
    feature: Any


class PlaceLost(ValueError):
    """Words that an answer marks do not stand in another version of the text, or not once."""


class AnswerType:
    """One way to answer. A subclass a file; `TYPE` is its object, and `sample` shows it in tests and documents."""

    slug: str
    name: str
    help: str
    level: str
    """`nominal`, `ordinal` or `interval` (Krippendorff's alpha), `masi` or `overlap`: what `distance` is."""
    shuffled_sides: tuple[str, ...] = ()
    """What each person sees in an order of their own: the two sides of a preference."""
    flags: Mapping[str, str] = {}
    """What answers can raise together for leads to look at: a code, and its words, English and translatable."""
    is_single_key: bool = False
    """Whether an answer is one key: then a single such question may stand in `Vote.label` alone."""

    is_own_text: bool = False
    """Whether an answer is a text of one's own: then a number or a truth value of a file is the text that it is."""

    marks_places: bool = False
    """Whether an answer names places in a text, which belong to one revision of it."""

    known_answer_form: str = ""
    """How an answer can be known to be right: `one` of several keys, or a `set` of them; empty: it cannot."""

    @property
    def template(self) -> str:
        """Draws the question on a card, from what `template_context` gives."""
        return f"validation/voting/answers/{self.slug}.html"

    def sample(self) -> tuple[Question, ShownItem, tuple[Answer, ...]]:
        """A question, a card and at least two different answers to it."""
        raise NotImplementedError

    def definition_errors(self, question: Question) -> tuple[tuple[str, str], ...]:
        """Why a question cannot be asked: the field of `Question` and the reason, in English and translatable."""
        raise NotImplementedError

    def parse_form(self, question: Question, posted: Posted, shown: ShownItem) -> Answer:
        """The answer in a posted form; None where an optional question has none. Raises AnswerProblem."""
        raise NotImplementedError

    def parse_value(self, question: Question, value: object, shown: ShownItem) -> Answer:
        """A value of a file, an API or the database in canonical form. Raises AnswerProblem."""
        raise NotImplementedError

    def form_data(self, question: Question, answer: Answer, shown: ShownItem) -> dict[str, list[str]]:
        """The form that `parse_form` reads as this answer: a vote that was taken back stands on its card again."""
        raise NotImplementedError

    def template_context(self, question: Question, posted: Posted, shown: ShownItem) -> dict[str, Any]:
        """What the template needs beside the question: its choices, and what was typed."""
        raise NotImplementedError

    def choices(self, question: Question, shown: ShownItem) -> tuple[Label, ...]:
        """The labels of a card, with the keys by which a script names them (`from_card_value`)."""
        return question.labels

    def from_card_value(self, question: Question, value: object, shown: ShownItem) -> object:
        """What `parse_value` takes of what a script sends: what stands in an order of its own is named by its place."""
        return value

    def to_card_value(self, question: Question, answer: Answer, shown: ShownItem) -> Answer:
        """An answer as a script sends it: the reverse of `from_card_value`."""
        return answer

    def key(self, question: Question, answer: Answer) -> str:
        """The answer as at most 40 characters, never empty, equal for equal answers: `Vote.label`, `Item.gold`."""
        raise NotImplementedError

    def display_text(self, question: Question, answer: Answer) -> str:
        """The answer in one line, for people. Names of labels are English: pages translate before they ask."""
        raise NotImplementedError

    def accepted_keys(self, question: Question, answer: Answer) -> list[str]:
        """Where answers can be known: the keys that are right where people agree on this answer."""
        raise NotImplementedError

    def distance(self, question: Question, one: Answer, other: Answer) -> float:
        """How far two answers are apart: 0 for equal ones, symmetric; the measure of `level`."""
        raise NotImplementedError

    def differences(self, question: Question, one: Answer, other: Answer) -> tuple[str, ...]:
        """In what two answers differ, for the review desk: keys, points or passages; empty where they are equal."""
        raise NotImplementedError

    def raised_flags(self, question: Question, answers: Sequence[Answer]) -> Mapping[str, Collection[int]]:
        """The `flags` that these answers of different people raise, each with the places of those that do."""
        return {}

    def carried(self, question: Question, answer: Answer, before: ShownItem, now: ShownItem) -> Answer:
        """The answer to one revision of an item as it stands in another. Raises PlaceLost."""
        return answer

    def tally(self, question: Question, rule: AggregationRule) -> Tally:
        """Count votes for the engine."""
        raise NotImplementedError

    def columns(self, question: Question) -> tuple[Column, ...]:
        """The columns of a release that hold an answer."""
        raise NotImplementedError

    def values(self, question: Question, answer: Answer) -> dict[str, Any]:
        """An answer in these columns; None in each where there is none."""
        raise NotImplementedError


def as_key(value: object) -> object:
    """The key of a label as files may have it: "0" for 0, 0.0 and "0.0"."""
    if isinstance(value, str):
        return shorten_number(value) if "." in value else value
    number = whole_number(value)
    return value if number is None else str(number)


def answer_digest(answer: Answer) -> str:
    """A short key of an answer that is too long for one: `=` and 16 hexadecimal digits of its canonical JSON."""
    plain = json.dumps(answer, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return "=" + hashlib.sha256(plain.encode()).hexdigest()[:16]


def single_value(question: Question, posted: Posted) -> str:
    """The single value of a question's field; empty where nothing was chosen."""
    values = posted.get(question.field) or ("",)
    return values[-1]
