"""Reading a model's answers from a file and matching them with a release. Pure.

A file is JSON Lines, a JSON list or CSV, a row an item: its id, and `prediction` (a label, or a text), `probabilities`
(an object of label and number; in CSV columns `p_LABEL`); of cultural prompts also `scores`, as score_mc takes them,
or `response`, what the model wrote to the prompt.
Rows of an aligned set say which `config` they are of. Samples that lm-evaluation-harness logged (`--log_samples`) are
known by `doc_id` and `filtered_resps`.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.answers import as_key
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import storage_problem
from exports.lm_eval.rules.task_docs import letter_in, mc
from exports.predictions.rules import LABEL, MC, PROBABILITIES, TEXT, Answer, AskedRow
from validation.imports.rules.problems import Problem, RowRefused, excerpt

PREDICTION, GIVEN_PROBABILITIES, SCORES, RESPONSE = "prediction", "probabilities", "scores", "response"
CSV_PREFIX = "p_"
# Which set of an aligned release a row is of.
CONFIG = "config"
# A rounded file is taken; one whose numbers are no probabilities is not.
SUMS_TO_ONE = 0.02
MOST_REPORTED = 50


@dataclass
class ReadFile:
    """The outcome of a file: answers by id, and what is wrong by row number."""

    answers: dict[str, Answer] = field(default_factory=dict)
    problems: list[tuple[int, Problem]] = field(default_factory=list)
    refused: int = 0

    def refuse(self, n: int, problem: Problem) -> None:
        """Count a row that cannot be read; the first ones are listed."""
        self.refused += 1
        if len(self.problems) < MOST_REPORTED:
            self.problems.append((n, problem))


class Reader:
    """Reads rows against what the release asks. `ids` are the names that the id may have in a file."""

    def __init__(self, asked: Sequence[AskedRow], ids: Sequence[str]) -> None:
        self.by_id = {each.id: each for each in asked}
        self.ids = ids
        self.documents: dict[str, list[AskedRow]] = {}
        for each in asked:
            if each.document is not None:
                self.documents.setdefault(each.split, []).append(each)

    def read(self, records: Iterable[tuple[int, Mapping[str, Any] | None, Problem | None]]) -> ReadFile:
        """Every row of a file; each of the splits that it answers has to be answered whole."""
        found = ReadFile()
        for n, data, problem in records:
            if data is None:
                found.refuse(n, problem or Problem("row_unreadable", "", _UNREADABLE))
                continue
            try:
                each = self._row(data)
                if each.id in found.answers:
                    raise RowRefused("id_twice", "id", _TWICE, id=excerpt(each.id, 60))
                found.answers[each.id] = self._answer(n, data, each)
            except RowRefused as refused:
                found.refuse(n, refused.problem)
        if not found.refused:
            self._whole(found)
        return found

    def _whole(self, found: ReadFile) -> None:
        answered = {self.by_id[id].split for id in found.answers}
        missing = [each.id for each in self.by_id.values() if each.split in answered and each.id not in found.answers]
        if not found.answers:
            found.refuse(0, Problem("file_empty", "", _EMPTY))
        elif missing:
            params = {"n": len(missing), "id": excerpt(missing[0], 60)}
            found.refuse(0, Problem("rows_missing", "", _MISSING, params))

    def _row(self, data: Mapping[str, Any]) -> AskedRow:
        """Which row is answered. Raises RowRefused."""
        if _is_logged_sample(data):
            return self._of_document(data)
        name = next((name for name in self.ids if data.get(name) not in (None, "")), None)
        if name is None:
            raise RowRefused("id_missing", self.ids[0], _NO_ID, name=self.ids[0])
        config = data.get(CONFIG)
        # As the file has it, else as the whole number that it is.
        given = dict.fromkeys((str(data[name]), str(as_key(data[name]))))
        keys = (f"{config}:{key}" if config else key for key in given)
        found = next((self.by_id[key] for key in keys if key in self.by_id), None)
        if found is None:
            raise RowRefused("id_unknown", name, _NO_ROW, id=excerpt(str(data[name]), 60))
        return found

    def _of_document(self, data: Mapping[str, Any]) -> AskedRow:
        """The row behind a logged sample: by its place in the split, and by what was asked."""
        place, document = data["doc_id"], data.get("doc") or {}
        for rows in self.documents.values():
            if type(place) is int and 0 <= place < len(rows):
                asked = rows[place].document or {}
                if all(document.get(name) == value for name, value in asked.items()):
                    return rows[place]
        raise RowRefused("document_unknown", "doc_id", _NO_DOCUMENT, id=excerpt(str(place), 60))

    def _answer(self, n: int, data: Mapping[str, Any], each: AskedRow) -> Answer:
        """What a row says. Raises RowRefused."""
        if _is_logged_sample(data):
            return _sampled_answer(data["filtered_resps"], each)
        if each.reference:
            return {TEXT: _written_text(data, PREDICTION)}
        answer: Answer = {}
        if each.targets is not None and data.get(SCORES) is not None:
            answer[MC] = _mc(n, data, each)
        if each.targets is not None and RESPONSE in data:
            answer[TEXT] = _written_text(data, RESPONSE)
        if (probabilities := _probabilities(data, each)) is not None:
            answer[PROBABILITIES] = probabilities
        if PREDICTION in data:
            answer[LABEL] = _label(data[PREDICTION], each)
        elif probabilities is not None:
            answer[LABEL] = _most_likely_label(probabilities)
        if not answer:
            raise RowRefused("prediction_missing", PREDICTION, _NO_ANSWER)
        return answer


def _is_logged_sample(data: Mapping[str, Any]) -> bool:
    return "doc_id" in data and "filtered_resps" in data


def _written_text(data: Mapping[str, Any], field: str) -> str:
    """The text that a model wrote; empty where it wrote none. Raises RowRefused."""
    if field not in data:
        raise RowRefused("prediction_missing", field, _NO_TEXT, column=field)
    value = "" if data[field] is None else data[field]
    if not isinstance(value, str) or storage_problem(value):
        raise RowRefused("text_wrong", field, _NO_TEXT, column=field)
    return value.strip()


def _label(value: Any, each: AskedRow) -> str:
    """One of the labels, or empty for no answer. Raises RowRefused."""
    if value is None or value == "":
        return ""
    if value not in each.options:
        value = as_key(value)
    if not isinstance(value, str) or value not in each.options:
        told = {"value": excerpt(str(value), 60), "options": ", ".join(each.options)}
        raise RowRefused("label_unknown", PREDICTION, _NO_LABEL, **told)
    return value


def _probabilities(data: Mapping[str, Any], each: AskedRow) -> dict[str, float] | None:
    """Label and probability, as an object or as columns; None where there are none. Raises RowRefused."""
    given = data.get(GIVEN_PROBABILITIES)
    if given in (None, ""):
        given = {
            name.removeprefix(CSV_PREFIX): value
            for name, value in data.items()
            if name.startswith(CSV_PREFIX) and value != ""
        }
    if not given:
        return None
    if not isinstance(given, Mapping):
        raise RowRefused("probabilities_form", GIVEN_PROBABILITIES, _FORM)
    found = {}
    for label, value in given.items():
        if label not in each.options:
            told = {"value": excerpt(str(label), 60), "options": ", ".join(each.options)}
            raise RowRefused("label_unknown", GIVEN_PROBABILITIES, _NO_LABEL, **told)
        found[label] = _number(value, label)
    if abs(math.fsum(found.values()) - 1) > SUMS_TO_ONE:
        raise RowRefused("probabilities_sum", GIVEN_PROBABILITIES, _SUM, sum=f"{math.fsum(found.values()):.4g}")
    return found


def _number(value: Any, label: str) -> float:
    try:
        number = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else -1
    except (ValueError, OverflowError):
        number = -1
    if not 0 <= number <= 1:
        told = {"value": excerpt(str(value), 60), "label": label}
        raise RowRefused("probability_wrong", GIVEN_PROBABILITIES, _NO_PROBABILITY, **told)
    return number


def _most_likely_label(probabilities: Mapping[str, float]) -> str:
    """The one label that is likelier than all others; no answer where two are."""
    first, *rest = sorted(probabilities.items(), key=lambda pair: -pair[1])
    return "" if rest and rest[0][1] == first[1] else first[0]


def _mc(n: int, data: Mapping[str, Any], each: AskedRow) -> list[float]:
    """MC1 and MC2 of a row's scores against the release's own targets. Raises RowRefused."""
    from exports.scoring.rules import ScoreFault, score_row

    try:
        scored = score_row(n, {**(each.targets or {}), "id": each.id, SCORES: data[SCORES]})
    except ScoreFault as fault:
        raise RowRefused(f"scores_{fault.code}", fault.field, fault.message, **fault.params) from None
    return [scored.mc1, scored.mc2]


def _sampled_answer(responses: Any, each: AskedRow) -> Answer:
    """What a logged sample says: log-probabilities of the choices, or a text. Raises RowRefused."""
    document = each.document or {}
    if each.reference:
        if isinstance(responses, list) and len(responses) == 1 and isinstance(responses[0], str):
            return {TEXT: responses[0].strip()}
        raise RowRefused("sample_form", "filtered_resps", _SAMPLE, n=0)
    options = _choices_in_order(document, each)
    if isinstance(responses, list) and len(responses) == 1 and isinstance(responses[0], str):
        said = responses[0].strip()
        if each.targets is not None:
            return {TEXT: said}
        if "letters" in document:
            return {LABEL: letter_in(said, list(options))}
        named = [name for name in options if said.casefold().startswith(name.casefold())]
        return {LABEL: named[0] if len(named) == 1 else ""}
    values = _log_probabilities(responses)
    if values is None or len(values) != len(options):
        raise RowRefused("sample_form", "filtered_resps", _SAMPLE, n=len(options))
    if "relevant" in document:
        found = mc(dict(document), [(value, False) for value in values])
        return {MC: [found["mc1"], found["mc2"]]}
    highest = max(values)
    weights = [math.exp(value - highest) for value in values]
    probabilities = {label: weight / math.fsum(weights) for label, weight in zip(options, weights, strict=True)}
    return {PROBABILITIES: probabilities, LABEL: _most_likely_label(dict(zip(options, values, strict=True)))}


def _choices_in_order(document: Mapping[str, Any], each: AskedRow) -> tuple[str, ...]:
    """The choices in the order in which the harness asks them, by their labels."""
    if "relevant" in document:
        return tuple(document["texts"])
    if "letters" in document:
        return tuple(document["letters"])
    by_name = {name.casefold(): name for name in each.options}
    return tuple(by_name.get(name.casefold(), name) for name in document.get("choices", each.options))


def _log_probabilities(responses: Any) -> list[float] | None:
    """The first value of each response, which the harness writes as a number or as text."""
    try:
        values = [float(each[0]) for each in responses]
    except (TypeError, ValueError, IndexError, KeyError):
        return None
    return values if values and all(math.isfinite(value) for value in values) else None


def problem_texts(
    problems: Iterable[tuple[int, Problem]],
) -> Iterator[tuple[int, str, str, Mapping[str, object]]]:
    """Row number, field, message and its parameters, for pages and reports."""
    for n, problem in problems:
        yield n, problem.field, problem.message, problem.params


_UNREADABLE = gettext_noop("The row cannot be read.")
_EMPTY = gettext_noop("The file has no row.")
_TWICE = gettext_noop("An earlier row has “%(id)s” too; keep one.")
_NO_ID = gettext_noop("The row has no id: write the release's id of the item as “%(name)s”.")
_NO_ROW = gettext_noop("The release has no row “%(id)s” that is scored; take ids from its files.")
_NO_DOCUMENT = gettext_noop(
    "Document %(id)s is not what the release asks there; run the release's own tasks in lm-evaluation-harness."
)
_NO_ANSWER = gettext_noop("The row says nothing: it needs prediction, probabilities, scores or response.")
_NO_LABEL = gettext_noop("“%(value)s” is none of the item's labels (%(options)s); leave it empty for no answer.")
_NO_TEXT = gettext_noop("The row needs the text that the model wrote as %(column)s; empty where it wrote none.")
_FORM = gettext_noop("Probabilities are an object of label and number, or columns p_LABEL.")
_SUM = gettext_noop("The probabilities add up to %(sum)s, not to 1.")
_NO_PROBABILITY = gettext_noop("“%(value)s” of “%(label)s” is no number from 0 to 1.")
_SAMPLE = gettext_noop("A sample needs one text, or a log-probability of each of the %(n)d choices.")
_MISSING = gettext_noop(
    "%(n)d rows of a split are not answered, “%(id)s” first. A split is answered whole: write an empty prediction "
    "where the model gave none."
)
