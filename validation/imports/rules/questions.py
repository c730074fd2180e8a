"""The form of a row of questions: a question with its choices and everybody's answers; or only a concept.

Reads id-csqa's published form, CommonsenseQA's (`question` holds stem and choices) and sheets with a column a choice.
An answer that is no choice of its question, and a mark or reason of somebody who does not answer, cannot be stored.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from annotation.text.gettext import gettext_noop
from validation.imports.rules.cells import (
    LONGEST_ID,
    LONGEST_LABEL,
    MOST_VOTES,
    Cells,
    read_list,
    read_literal,
    read_short_text,
    read_whole_text,
    same_hash,
)
from validation.imports.rules.columns import PLAIN_ID, SPLIT, SPLIT_HELP, SPLIT_NAMES, ColumnMapping, Columns
from validation.imports.rules.people import MARKS, Answer, UnreadMark, marked_answers
from validation.imports.rules.problems import FileRefused, RowRefused, excerpt

# A sheet may have more choices than a kind has keys for: they are read, so that the row can be refused for them.
LETTERS = "ABCDEFGH"
CHOICE = "choice_"
LEFT_OUT = "left_out"
CONCEPT_FIELDS = ("item_id", "category", "concept", "shared_key", "parallel")

_ALIASES: Mapping[str, tuple[str, ...]] = {
    "item_id": ("item_id", "question_id", "q_id", "qid", "uid"),
    "category": ("category", "kategori"),
    "concept": ("question_concept", "concept", "konsep"),
    "shared_key": ("shared_key",),
    "parallel": ("parallel",),
    "question": ("question", "stem", "pertanyaan"),
    "choices": ("choices", "options"),
    **{
        f"{CHOICE}{letter.lower()}": (f"choice_{letter.lower()}", f"option_{letter.lower()}", letter.lower())
        for letter in LETTERS
    },
    "answer": ("answer_creator", "answerkey", "answer_key", "author_label", "answer", "label"),
    "distractor": ("distractor",),
    "majority": ("answer_majority",),
    "creator": ("creator", "author", "writer", "author_id", "writer_id"),
    "answers": ("answers", "votes"),
    "uncertainty": ("answers_uncertainty",),
    "question_ambiguity": ("question_ambiguity",),
    "option_ambiguity": ("option_ambiguity",),
    "reason": ("reason", "reasons"),
    LEFT_OUT: (),
    SPLIT: SPLIT_NAMES,
}
_HELP: Mapping[str, str] = {
    "item_id": gettext_noop("What the question is called; made from its texts where there is none."),
    "category": gettext_noop("The category of the concept."),
    "concept": gettext_noop("What the question is about. Alone, without a question: the file holds concepts."),
    "shared_key": gettext_noop("The concept's key in the projects of all languages; for files of concepts."),
    "parallel": gettext_noop("The concept's wording in the other language."),
    "question": gettext_noop("The text of the question, or an object of its stem and choices."),
    "choices": gettext_noop("The choices: lists of labels and texts, or a list of objects of both."),
    **{f"{CHOICE}{letter.lower()}": gettext_noop("The text of one choice.") for letter in LETTERS},
    "answer": gettext_noop("The writer's answer: its letter, or its text."),
    "distractor": gettext_noop("The letter of the choice that is meant to mislead."),
    "majority": gettext_noop("The published gold answer: compared with what the answers give, not stored."),
    "creator": gettext_noop("Who wrote the question."),
    "answers": gettext_noop("What each person answered: an object of names and letters."),
    "uncertainty": gettext_noop("Whether each person was certain or uncertain."),
    "question_ambiguity": gettext_noop("Whether each person calls the question clear or ambiguous."),
    "option_ambiguity": gettext_noop("For each person a list: each choice clear or ambiguous."),
    "reason": gettext_noop("Each person's reason."),
    LEFT_OUT: gettext_noop("Who wrote it: the one person of the file who does not answer it."),
    SPLIT: SPLIT_HELP,
}


def _complete_mapping(found: ColumnMapping, by_name: Mapping[str, str]) -> None:
    """A plain `id` names the question; where nobody is named as its creator, who does not answer may tell."""
    if PLAIN_ID in by_name:
        found.setdefault("item_id", by_name[PLAIN_ID])
    if "answers" in found and "creator" not in found:
        found[LEFT_OUT] = found["answers"]
    if "choices" in found:
        for letter in LETTERS:
            found.pop(f"{CHOICE}{letter.lower()}", None)


def _missing_field(mapping: ColumnMapping, columns: str) -> FileRefused | None:
    if "question" in mapping or "concept" in mapping:
        return None
    message = gettext_noop(
        "No column is taken for the question, nor for the concept: say which one it is. The columns: %(columns)s."
    )
    return FileRefused("question_unmapped", message, columns=columns)


def _fields_read(mapping: ColumnMapping) -> Collection[str]:
    if "question" not in mapping:
        return CONCEPT_FIELDS
    lettered = "choices" in mapping
    return [field for field in mapping if not (lettered and field.startswith(CHOICE))]


QUESTIONS = Columns(
    _ALIASES,
    _HELP,
    _complete_mapping,
    _missing_field,
    hidden_fields=(LEFT_OUT,),
    fields_read=_fields_read,
    ids=("item_id", "shared_key", "creator"),
)


LONGEST_CATEGORY, LONGEST_CONCEPT = 120, 300
ReadLabel = Callable[[str], str | None]


@dataclass(slots=True)
class ConceptRow:
    """A concept as the file gives it."""

    n: int
    key: str
    category: str
    text: str
    shared_key: str
    parallel: str
    source: str = ""


@dataclass(slots=True)
class QuestionRow:
    """A question: `options` are (key, text) in the file's order; an `author` or `author_label` may be missing.

    `majority` is the published gold answer, as a key where it is one; `unread` are marks of votes that cannot be read.

    What stands behind is set later: the `content` as revisions keep it, what its writer calls the answer (`label`), its
    concept by category and text (`place`), what tells equal ones (`same`), and the checks that it `failed`.
    """

    n: int
    key: str
    category: str
    concept: str
    question: str
    options: tuple[tuple[str, str], ...]
    author_label: str
    distractor: str
    author: str
    votes: tuple[Answer, ...]
    parallel: str
    majority: str
    unread: tuple[UnreadMark, ...] = field(default=(), kw_only=True)
    content: dict[str, Any] = field(default_factory=dict, kw_only=True)
    label: str = field(default="", kw_only=True)
    place: tuple[str, str] = field(default=("", ""), kw_only=True)
    same: str = field(default="", kw_only=True)
    words: int = field(default=0, kw_only=True)
    failed: tuple[str, ...] = field(default=(), kw_only=True)
    surplus: frozenset[int] = field(default=frozenset(), kw_only=True)
    split: str = field(default="", kw_only=True)


def read_letter(label: str) -> str | None:
    """The letter of a choice, whatever the kind calls its own."""
    letter = label.strip().upper()
    return letter if letter in LETTERS and len(letter) == 1 else None


class QuestionReader(Cells[ConceptRow | QuestionRow]):
    """Reads records under one mapping. `everyone` are the file's people, where who does not answer is the creator.

    `by_machine`: nobody wrote the questions, so a row that names somebody is refused.
    """

    def __init__(
        self,
        mapping: Mapping[str, str],
        keys: Sequence[str],
        read_label: ReadLabel,
        everyone: Collection[str] = (),
        *,
        by_machine: bool = False,
    ) -> None:
        super().__init__(mapping)
        self._by_machine = by_machine
        self._keys, self._read_label, self._everyone = tuple(keys), read_label, frozenset(everyone)
        self.whole = "question" in mapping
        self._columns = [(letter, CHOICE + letter.lower()) for letter in LETTERS]

    def _source(self, n: int, data: Mapping[str, Any]) -> ConceptRow:
        return ConceptRow(
            n,
            self._id(data, "item_id"),
            self._line(data, "category", LONGEST_CATEGORY, needed=True).strip(),
            self._line(data, "concept", LONGEST_CONCEPT, needed=True).strip(),
            self._id(data, "shared_key"),
            self._line(data, "parallel", LONGEST_CONCEPT).strip(),
        )

    def _item(self, n: int, data: Mapping[str, Any]) -> QuestionRow:
        data = self._unfolded(data)
        question = self._text(data, "question")
        options = self._options(data)
        keys = tuple(key for key, _ in options)
        answer = self._pick(data, "answer", options)
        votes, unread = self._votes(data, keys)
        return QuestionRow(
            n=n,
            key=self._id(data, "item_id") or _made_key(question, options, answer),
            category=self._line(data, "category", LONGEST_CATEGORY),
            concept=self._line(data, "concept", LONGEST_CONCEPT),
            question=question,
            options=options,
            author_label=answer,
            distractor=self._pick(data, "distractor", options),
            author=self._author(data, [vote.name for vote in votes]),
            votes=votes,
            parallel=self._line(data, "parallel", LONGEST_CONCEPT),
            majority=self._majority(data),
            unread=unread,
        )

    def _unfolded(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """CommonsenseQA keeps stem, concept and choices inside `question`: laid out as columns of their own."""
        column = self.mapping["question"]
        inner = data.get(column)
        if type(inner) is not dict:
            return data
        flat = {**data, column: inner.get("stem")}
        for ours, name in (("concept", "question_concept"), ("choices", "choices")):
            if name in inner:
                flat[self.mapping.setdefault(ours, f"{column}.{name}")] = inner[name]
        return flat

    def _options(self, data: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
        if "choices" in self.mapping:
            pairs = list(parse_choices(self._value(data, "choices")))
        else:
            cells = [(letter, self._value(data, field)) for letter, field in self._columns]
            pairs = [(letter, cell) for letter, cell in cells if cell is not None and cell != ""]
        if not pairs:
            raise RowRefused("choices_missing", "choices", gettext_noop("There are no choices."))
        return tuple(choices_by_key(pairs, self._key).items())

    def _key(self, label: object) -> str:
        given = read_short_text(label, "choices", LONGEST_LABEL)
        key = self._read_label(given)
        if key is None:
            message = gettext_noop("“%(label)s” names no choice here: they are called %(keys)s.")
            listed_keys = ", ".join(self._keys)
            raise RowRefused("choice_unknown", "choices", message, label=excerpt(given, 40), keys=listed_keys)
        return key

    def _pick(self, data: Mapping[str, Any], field: str, options: tuple[tuple[str, str], ...]) -> str:
        """The key of the choice that a cell names by its letter or, where only one reads so, by its text."""
        given = self._short(data, field, 10_000)
        if not given:
            return ""
        key = self._read_label(given)
        if key is not None and any(key == known for known, _ in options):
            return key
        same = [known for known, text in options if text.strip() == given]
        if len(same) == 1:
            return same[0]
        message = gettext_noop("“%(label)s” is none of the choices %(keys)s.")
        keys = ", ".join(known for known, _ in options)
        raise RowRefused("answer_unknown", field, message, label=excerpt(given, 40), keys=keys)

    def _votes(
        self, data: Mapping[str, Any], keys: tuple[str, ...]
    ) -> tuple[tuple[Answer, ...], tuple[UnreadMark, ...]]:
        given = self._value(data, "answers")
        if given is None or given == "":
            given = {}
        marks = {field: self._value(data, field) for field in MARKS}
        votes, unread = marked_answers(given, marks, keys, self._read_label)
        if len(votes) > MOST_VOTES:
            message = gettext_noop("There are more than %(most)s votes on one question.")
            raise RowRefused("votes_too_many", "answers", message, most=MOST_VOTES)
        return votes, unread

    def _author(self, data: Mapping[str, Any], names: Sequence[str]) -> str:
        author = self._person(data, "creator")
        if self._by_machine:
            if author:
                message = gettext_noop("A machine wrote this, and “%(name)s” did: leave this column out.")
                raise RowRefused("author_of_machine", "creator", message, name=excerpt(author, 40))
            return ""
        if author and author in names:
            raise RowRefused("vote_own", "answers", gettext_noop("The creator answers the own question."))
        if not author and names and LEFT_OUT in self.mapping:
            missing = self._everyone.difference(names)
            author = next(iter(missing)) if len(missing) == 1 else ""
        return author

    def _majority(self, data: Mapping[str, Any]) -> str:
        given = self._short(data, "majority", LONGEST_ID)
        return self._read_label(given) or given


def choices_by_key(pairs: Iterable[tuple[object, object]], read_key: Callable[[object], str]) -> dict[str, str]:
    """The texts of choices by their keys. Raises RowRefused where two have one key."""
    found: dict[str, str] = {}
    for label, text in pairs:
        key = read_key(label)
        if key in found:
            message = gettext_noop("Two choices are called “%(label)s”.")
            raise RowRefused("choice_twice", "choices", message, label=key)
        found[key] = read_whole_text(str(text) if type(text) is int else text, "choices")
    return found


def parse_choices(value: object) -> Iterator[tuple[object, object]]:
    """Labels with texts: `{"label": […], "text": […]}`, a list of `{"label", "text"}`, or texts in order."""
    if isinstance(value, str):
        value = read_literal(value, "choices")
    if isinstance(value, dict):
        labels, texts = value.get("label"), value.get("text")
        if not isinstance(labels, list) or not isinstance(texts, list):
            message = gettext_noop("Choices are a list of labels and a list of texts.")
            raise RowRefused("wrong_type", "choices", message)
        if len(labels) != len(texts):
            message = gettext_noop("There are %(labels)s labels and %(texts)s texts.")
            raise RowRefused("choices_uneven", "choices", message, labels=len(labels), texts=len(texts))
        yield from zip(labels, texts, strict=True)
        return
    for place, each in enumerate(read_list(value, "choices")):
        if isinstance(each, dict):
            yield each.get("label"), each.get("text")
        else:
            yield LETTERS[place] if place < len(LETTERS) else str(place + 1), each


def _made_key(question: str, options: tuple[tuple[str, str], ...], answer: str) -> str:
    """The same question has the same key in every file that gives it none."""
    texts = ":".join(f"{key}={same_hash(text)}" for key, text in options)
    digest = sha256(f"{same_hash(question)}:{texts}:{answer}".encode()).hexdigest()
    return f"q-{digest[:20]}"
