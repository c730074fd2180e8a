"""Votes on a row of a team's own task: a column of votes, or for each question a column of answers, as releases have.

An answer is read by its answer type; labels are also known by their names. Nobody's name is `?1`, `?2`, … (ruling 3).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.answers import AnswerProblem, Question, ShownItem, as_key, label_of, type_of
from annotation.answers.problems import PROBLEMS
from annotation.tasks.rules.kind import aliases_of, is_plain, voter_questions
from annotation.tasks.rules.task import Task
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import labels_shared_by, match_label
from validation.imports.rules.cells import (
    LONGEST_TEXT,
    MOST_VOTES,
    check_storable,
    read_label,
    read_list,
    read_literal,
    read_person_name,
    read_whole_text,
    refuse_second_votes,
)
from validation.imports.rules.json_values import number_text
from validation.imports.rules.people import Answer
from validation.imports.rules.problems import RowRefused, excerpt

VOTES, IDS, LABELS = "votes", "annotator_ids", "annotator_labels"
ANNOTATOR, ANSWERS, LABEL, COMMENT = "annotator", "answers", "label", "comment"
MARKS = ("unsure", "ambiguous")


def answer_columns(task: Task) -> dict[str, str]:
    """The columns in which releases of a task have the answers that counted, with the question of each."""
    if is_plain(task):
        return {LABELS: task.main.key}
    return {f"annotator_{question.key}": question.key for question in voter_questions(task)}


_UNKNOWN = gettext_noop("“%(answer)s” is not one of the labels. Use one of these, or its name: %(labels)s.")


class VoteCells:
    """Reads the votes of rows under one mapping, field → column."""

    def __init__(self, mapping: Mapping[str, str], task: Task) -> None:
        self._mapping, self._plain = mapping, is_plain(task)
        self._asked = voter_questions(task)
        self._spelt: dict[str, Mapping[str, str]] = {
            each.key: aliases_of(each) for each in task.questions if each.labels or each.type == "scale"
        }
        self._columns = {field: key for field, key in answer_columns(task).items() if field in mapping}
        # Releases name the author first, and have the author's label first, where there is one.
        self._behind = int(task.authoring is not None and task.authoring.label != "none")
        self.there = VOTES in mapping or bool(self._columns)

    def read(self, data: Mapping[str, Any], shown: ShownItem) -> tuple[Answer, ...]:
        """Everybody's vote, in order. Raises RowRefused."""
        given = list(self._objects(data) if VOTES in self._mapping else self._side_by_side(data))
        if len(given) > MOST_VOTES:
            message = gettext_noop("There are more than %(most)s votes on one item.")
            raise RowRefused("votes_too_many", VOTES, message, most=MOST_VOTES)
        votes = tuple(self._vote(place, vote, shown) for place, vote in given)
        refuse_second_votes((vote.name for vote in votes), VOTES)
        return votes

    def _objects(self, data: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """The column of votes: a list of labels, or of objects, or an object of names; blank ones are none."""
        given = data.get(self._mapping[VOTES])
        if isinstance(given, str) and given.lstrip().startswith("{"):
            given = read_literal(given, VOTES)
        listed = () if isinstance(given, dict) else read_list(given, VOTES, self._is_label)
        named = given.items() if isinstance(given, dict) else ((None, each) for each in listed)
        for place, (name, each) in enumerate(named, start=1):
            if each is None or each == "":
                continue
            if not isinstance(each, dict):
                if len(self._asked) > 1:
                    message = gettext_noop("A vote is an object here, with an answer to each of: %(keys)s.")
                    keys = ", ".join(question.key for question in self._asked)
                    raise RowRefused("wrong_type", VOTES, message, keys=keys)
                if isinstance(each, str) and name is None and type_of(self._asked[0]).known_answer_form == "set":
                    # Whether it is one label of a vote or a vote of its own, nobody says.
                    message = gettext_noop("A vote is a list of labels here; write them as [[…], […]], a list a vote.")
                    raise RowRefused("wrong_type", VOTES, message)
                each = {self._asked[0].key: each}
            yield place, each if name is None else {**each, ANNOTATOR: name}

    def _side_by_side(self, data: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """A column for each question, each a list in the order of the people."""
        columns = {key: self._list(data, field) for field, key in self._columns.items()}
        if self._plain:
            columns = {key: values[self._behind :] for key, values in columns.items()}
        names = self._list(data, IDS)[self._behind :] if IDS in self._mapping else []
        sizes = {len(values) for values in columns.values()} | ({len(names)} if names else set())
        if len(sizes) > 1:
            message = gettext_noop("These columns have lists of different lengths: %(columns)s.")
            known = [*self._columns, *([IDS] if names else [])]
            raise RowRefused("votes_uneven", next(iter(self._columns)), message, columns=", ".join(known))
        for place in range(max(sizes, default=0)):
            vote = {key: values[place] for key, values in columns.items()}
            if any(value is not None for value in vote.values()):
                yield place + 1, {ANNOTATOR: names[place] if names else None, **vote}

    def _list(self, data: Mapping[str, Any], field: str) -> list[object]:
        value = data.get(self._mapping[field])
        # Commas stand in passages and in texts: only a list of labels may do without brackets.
        if isinstance(value, str) and not self._plain and field != IDS and value.strip()[:1] not in ("", "["):
            raise RowRefused("wrong_type", field, gettext_noop("This has to be a list."))
        # A name can have blanks: it is all that stands between commas.
        return read_list(value, field, (lambda name: True) if field == IDS else self._is_label)

    def _is_label(self, text: str) -> bool:
        """Whether a text between commas or blanks is an answer to the one question."""
        spelt = self._spelt.get(self._asked[0].key, {}) if len(self._asked) == 1 else {}
        return match_label(text, spelt) is not None or bool(labels_shared_by(text, spelt))

    def _vote(self, place: int, given: Mapping[str, Any], shown: ShownItem) -> Answer:
        name = given.get(ANNOTATOR)
        pseudonym = read_person_name(name, VOTES) if name is not None else ""
        inner = given.get(ANSWERS)
        values = {**given, **(inner if isinstance(inner, dict) else {})}
        if len(self._asked) == 1 and LABEL in values:
            values.setdefault(self._asked[0].key, values[LABEL])
        self._only_known(values)
        read = {question.key: self._answer(question, values.get(question.key), shown) for question in self._asked}
        answers = {key: answer for key, answer in read.items() if answer is not None}
        comment = values.get(COMMENT)
        if comment:
            check_storable(read_whole_text(comment, VOTES), VOTES, LONGEST_TEXT)
        return Answer(
            pseudonym or f"?{place}",
            label_of(self._asked, answers),
            self._mark(values.get("unsure"), "unsure"),
            self._mark(values.get("ambiguous"), "ambiguous"),
            str(comment or ""),
            {} if self._plain else answers,
        )

    def _only_known(self, values: Mapping[str, Any]) -> None:
        known = {question.key for question in self._asked} | {ANNOTATOR, ANSWERS, LABEL, COMMENT, *MARKS}
        for key in values:
            if key not in known:
                message = gettext_noop("A vote has “%(key)s”, which nobody is asked; there are %(keys)s.")
                keys = ", ".join(question.key for question in self._asked)
                raise RowRefused("answer_unasked", VOTES, message, key=excerpt(str(key), 40), keys=keys)

    def _answer(self, question: Question, value: Any, shown: ShownItem) -> Any:
        kind = type_of(question)
        field = VOTES if VOTES in self._mapping else f"annotator_{question.key}"
        try:
            return kind.parse_value(question, self._spell(question, self._opened(question, value, field), field), shown)
        except AnswerProblem as found:
            if found.code == "answer_unknown" and question.labels:
                labels = excerpt(", ".join(label.key for label in question.labels), 200)
                raise RowRefused(found.code, field, _UNKNOWN, **found.params, labels=labels) from None
            raise RowRefused(found.code, field, PROBLEMS[found.code], **found.params) from None

    def _opened(self, question: Question, value: Any, field: str) -> Any:
        """A list or an object that stands in a text, as cells have them; labels may stand between commas."""
        kind = type_of(question)
        if not isinstance(value, str):
            return value
        if kind.known_answer_form == "set":
            spelt = self._spelt.get(question.key, {})
            return read_list(value, field, lambda text: match_label(text, spelt) is not None)
        return read_literal(value, field) if kind.marks_places and value.lstrip()[:1] == "[" else value

    def _spell(self, question: Question, value: Any, field: str) -> Any:
        """A label by its name, or in another case, becomes its key; so do true and false as JSON has them.

        Where own words are the answer they stay as they are written.
        """
        if type_of(question).is_own_text:
            number = number_text(value) if isinstance(value, int | float) else value
            return str(number).lower() if isinstance(number, bool) else number
        spelt = self._spelt.get(question.key, {})
        if isinstance(value, bool):
            word = str(value).lower()
            value = word if word in spelt else {"true": "yes", "false": "no"}[word]
        if isinstance(value, float):
            value = str(as_key(value))
        if isinstance(value, str):
            return read_label(value, spelt, field) or value
        if isinstance(value, list):
            return [self._spell(question, each, field) for each in value]
        if isinstance(value, dict) and isinstance(value.get(LABEL), (str, bool)):
            return {**value, LABEL: self._spell(question, value[LABEL], field)}
        return value

    def _mark(self, value: Any, mark: str) -> bool | None:
        if value is None or isinstance(value, bool):
            return value
        message = gettext_noop("“%(mark)s” is true or false; leave it out where it is not known.")
        raise RowRefused("wrong_type", VOTES, message, mark=mark)


def votes_of(answers: Sequence[Answer]) -> list[tuple[Any, ...]]:
    """Votes as they are stored: a name, then the columns of `VOTE`."""
    return [(v.name, v.label, v.unsure, v.ambiguous, v.comment, dict(v.answers)) for v in answers]
