"""Who answered a question and how: objects by name, as id-csqa publishes them; and the creators of questions."""

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation.text.gettext import gettext_noop
from validation.imports.rules.cells import (
    LONGEST_LABEL,
    LONGEST_TEXT,
    check_storable,
    read_list,
    read_literal,
    read_person_name,
    read_short_text,
    refuse_second_votes,
)
from validation.imports.rules.json_values import parse_literal
from validation.imports.rules.problems import Problem, RowRefused, excerpt
from validation.voting.rules.option_order import MARKED, OPTIONS, OPTIONS_UNKNOWN, QUESTION, UNKNOWN

UNCERTAIN_WORDS = {"certain": False, "uncertain": True, "sure": False, "unsure": True}
AMBIGUOUS_WORDS = {"clear": False, "ambiguous": True}
MARK_WORDS = frozenset({*UNCERTAIN_WORDS, *AMBIGUOUS_WORDS})
MARKS = ("uncertainty", "question_ambiguity", "option_ambiguity", "reason")
LONGEST_SHOWN = 40
# What stands where somebody was asked for a mark and gave none; null says that it is unknown.
_EMPTY: tuple[object, ...] = ("", [])
# So many different sets of names are no team any more.
MOST_TEAMS = 10_000
# A file of which a tenth does not fit was not made that way.
LEAST_PERCENT = 90
LEAST_PEOPLE = 3


class Answer(NamedTuple):
    """One person's answer: the choice's key, what is marked (`answers` as votes keep it), and the reason.

    `unsure` and `ambiguous` are None where the file does not say.
    """

    name: str
    label: str
    unsure: bool | None = None
    ambiguous: bool | None = None
    comment: str = ""
    answers: Mapping[str, str] = {}


class UnreadMark(NamedTuple):
    """A mark that cannot be read: the file's field, whose it is (empty: everybody's), and the value."""

    field: str
    name: str
    value: str


def answers_of(given: object, keys: Sequence[str], read_label: Callable[[str], str | None]) -> tuple[Answer, ...]:
    """Everybody's answer, in the order of the answers; of marks nothing is known. Raises `RowRefused`."""
    return tuple(Answer(name, label) for name, label in _labels(given, keys, read_label).items())


def marked_answers(
    given: object, marks: Mapping[str, object], keys: Sequence[str], read_label: Callable[[str], str | None]
) -> tuple[tuple[Answer, ...], tuple[UnreadMark, ...]]:
    """Everybody's answer with its marks, and the marks that cannot be read, which are unknown. Raises `RowRefused`."""
    labels, unread = _labels(given, keys, read_label), list[UnreadMark]()
    marked = {field: _words_by_name(marks[field], field, labels, unread) for field in MARKS}
    # Where others have a mark and somebody has none, it is missing: it is not said to be unknown (null).
    unread += [
        UnreadMark(field, name, "")
        for field in MARKS
        if field != "reason" and any(value not in _EMPTY for value in marked[field].values())
        for name in labels
        if marked[field].get(name, "") in _EMPTY
    ]
    found = []
    for name, label in labels.items():
        words = _MarkReader(name, unread)
        question = words.read(marked["question_ambiguity"].get(name), "question_ambiguity", AMBIGUOUS_WORDS)
        options = _option_marks(marked["option_ambiguity"].get(name), keys, words)
        answers = _stored_marks(question, options)
        ambiguous = None if UNKNOWN in answers.values() or OPTIONS_UNKNOWN in answers else False
        if question or OPTIONS in answers:
            ambiguous = True
        unsure = words.read(marked["uncertainty"].get(name), "uncertainty", UNCERTAIN_WORDS)
        found.append(Answer(name, label, unsure, ambiguous, _reason(marked["reason"].get(name)), answers))
    return tuple(found), tuple(unread)


def _stored_marks(question: bool | None, options: Mapping[str, bool | None]) -> dict[str, str]:
    """What a vote keeps of marks; what is clear is not listed."""
    marked = "".join(sorted(key for key, mark in options.items() if mark))
    unknown = "".join(sorted(key for key, mark in options.items() if mark is None))
    uncertainty = {
        QUESTION: UNKNOWN if question is None else MARKED * question,
        OPTIONS: marked,
        OPTIONS_UNKNOWN: unknown,
    }
    return {name: value for name, value in uncertainty.items() if value}


@dataclass
class _MarkReader:
    """Reads one person's marks; what cannot be read is noted and unknown."""

    name: str
    unread: list[UnreadMark]

    def read(self, value: object, field: str, words: Mapping[str, bool]) -> bool | None:
        if value is None or value == "":
            return None  # an empty one is noted where others have a mark
        word = value.strip().casefold() if isinstance(value, str) else ""
        if word not in words:
            self.note(value, field)
        return words.get(word)

    def note(self, value: object, field: str) -> None:
        self.unread.append(UnreadMark(field, self.name, _shown_value(value)))


def _shown_value(value: object) -> str:
    """A value as reports show it."""
    # Not by orjson: a value may hold a number of any length, or half a surrogate pair.
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return excerpt("".join(mark if mark.isprintable() else " " for mark in text), LONGEST_SHOWN)


def _labels(given: object, keys: Sequence[str], read_label: Callable[[str], str | None]) -> dict[str, str]:
    """Names to the keys that they chose; a blank answer is none, and nobody's name is `?1`, `?2`, … (ruling 3)."""
    found = list[tuple[str, str]]()
    for name, value in _name_value_pairs(given):
        label = "" if value is None else read_short_text(value, "answers", LONGEST_LABEL)
        if not label:
            continue
        key = read_label(label)
        if key not in keys:
            message = gettext_noop("%(name)s answers “%(label)s”, which is none of the choices %(keys)s.")
            params = {"name": excerpt(name, 40), "label": excerpt(label, 40), "keys": ", ".join(keys)}
            raise RowRefused("answer_unknown", "answers", message, **params)
        found.append((name, str(key)))
    refuse_second_votes((name for name, _ in found), "answers")
    return dict(found)


def _name_value_pairs(given: object) -> Iterable[tuple[str, object]]:
    if isinstance(given, str) and given.lstrip().startswith("{"):
        given = read_literal(given, "answers")
    if isinstance(given, dict):
        for name, value in given.items():
            yield _person_name(name, "answers"), value
        return
    for place, each in enumerate(read_list(given, "answers"), start=1):
        if isinstance(each, dict):
            named = each.get("annotator")
            yield (_person_name(named, "answers") if named is not None else f"?{place}"), each.get("label")
        else:
            yield f"?{place}", each


def _person_name(name: object, field: str) -> str:
    found = read_person_name(name, field)
    if not found:
        raise RowRefused("name_missing", field, gettext_noop("Somebody has no name."))
    return found


def _words_by_name(given: object, field: str, voters: Mapping[str, str], unread: list[UnreadMark]) -> dict[str, Any]:
    """What each person said beside the answer; somebody who does not answer has nothing to say."""
    if given is None or given == "":
        return {}
    if isinstance(given, str) and given.lstrip().startswith("{"):
        with contextlib.suppress(ValueError):
            given = parse_literal(given)
    if not isinstance(given, dict):
        if field == "reason":
            raise RowRefused("wrong_type", field, gettext_noop("This has to be an object of names."))
        unread.append(UnreadMark(field, "", _shown_value(given)))
        return {}
    found: dict[str, Any] = {}
    for name, value in given.items():
        person = _person_name(name, field)
        if person in voters:
            found[person] = value
        elif value not in (None, "", []):
            message = gettext_noop("%(name)s does not answer this question.")
            raise RowRefused("no_voter", field, message, name=excerpt(person, 40))
    return found


def _option_marks(value: object, keys: Sequence[str], words: _MarkReader) -> dict[str, bool | None]:
    """What is said of each choice; the list has a word for each in its order."""
    if value is None or value == "" or value == []:
        return dict.fromkeys(keys)
    try:
        each = read_list(value, "option_ambiguity")
    except RowRefused:
        each = []
    if len(each) != len(keys):
        words.note(value, "option_ambiguity")
        return dict.fromkeys(keys)
    if "" in each and any(each):
        words.note("", "option_ambiguity")
    return {key: words.read(word, "option_ambiguity", AMBIGUOUS_WORDS) for key, word in zip(keys, each, strict=True)}


def _reason(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RowRefused("wrong_type", "reason", gettext_noop("This has to be a text in quotation marks."))
    check_storable(value, "reason", LONGEST_TEXT)
    return value


@dataclass
class Team:
    """Who answers in a file, so that the one who does not answer a question may be taken for its creator."""

    people_sets: Counter[frozenset[str]] = field(default_factory=Counter)
    too_many: bool = False

    def add(self, given: object) -> None:
        """Count one row's people; what cannot be read is refused later, at its row."""
        try:
            names = frozenset(name for name, value in _name_value_pairs(given) if value not in (None, ""))
        except RowRefused:
            return
        if names and (names in self.people_sets or len(self.people_sets) < MOST_TEAMS):
            self.people_sets[names] += 1
        else:
            self.too_many |= bool(names)

    @property
    def everyone(self) -> frozenset[str]:
        return frozenset().union(*self.people_sets)

    @property
    def rows_leaving_out_one(self) -> int:
        """How many rows leave out exactly one."""
        everyone = self.everyone
        return sum(n for names, n in self.people_sets.items() if len(everyone - names) == 1)

    @property
    def tells_creators(self) -> bool:
        """Whether the file was made so that everybody answers what they did not write."""
        enough = self.rows_leaving_out_one * 100 >= self.people_sets.total() * LEAST_PERCENT
        return bool(self.people_sets) and not self.too_many and len(self.everyone) >= LEAST_PEOPLE and enough

    def problem(self) -> Problem | None:
        """What is assumed of the file, in words; None where nobody answers."""
        if not self.people_sets:
            return None
        names = excerpt(", ".join(sorted(self.everyone)), 60)
        params = {
            "names": names,
            "rows": self.rows_leaving_out_one,
            "rest": self.people_sets.total() - self.rows_leaving_out_one,
        }
        if not self.tells_creators:
            message = gettext_noop(
                "Nobody is named as creator, and the rows do not leave out one of %(names)s each: "
                "the questions are stored without a creator."
            )
            return Problem("creators_unknown", "creator", message, params)
        message = gettext_noop(
            "Nobody is named as creator. Who of %(names)s does not answer a question is taken for its creator: "
            "%(rows)s rows; %(rest)s rows leave out none or several and are stored without one."
        )
        return Problem("creators_assumed", "creator", message, params)
