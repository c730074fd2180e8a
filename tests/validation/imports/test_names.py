"""Names of people: one form however their accents are stored, wherever a file names somebody."""

import json
from typing import Any

import pytest

from annotation import kinds
from annotation.tasks.rules.templates import template
from tests.data import CASES, needs_cases
from validation.imports.rules import Problem, Record
from validation.imports.rules.pairs import Reader
from validation.imports.rules.people import Team
from validation.imports.rules.questions import QuestionReader
from validation.imports.rules.tasks import TaskReader, columns_of
from validation.imports.rules.units import NamedTarget, UnitReader
from validation.imports.rules.values import ValueReplacer, checked_values

NFC, NFD = "Andr\u00e9", "Andre\u0301"
READ_NLI = kinds.get("nli").question.read_label
PAIR = {"premise": "Rina pergi.", "hypothesis": "Ia pergi.", "author": NFD, "label": "e"}
QUESTION = {"concept": "tikar", "question": "Untuk apa tikar?", "choices": ["duduk", "mandi"], "answer": "A"}
UNIT = {"row_id": "1", "target": "su", "text:text": "Abdi.", "review": "approve"}


def reader_of(row: dict[str, Any]) -> Any:
    plain = {name: name for name in row}
    if "hypothesis" in row:
        return Reader({**plain, "author_label": "label"}, "id", READ_NLI)
    if "question" in row:
        return QuestionReader(plain, ("A", "B"), lambda text: text)
    if "target" in row:
        return UnitReader(plain, {"su": NamedTarget("su", "Sunda")}, lambda text: text)
    task = template("sentiment")
    return TaskReader(columns_of(task).guess(list(row)), task, {"pos": "positive"})


def read(row: dict[str, Any]) -> Any:
    return reader_of(row).read(Record(1, row, None))


def test_every_reader_gives_a_name_in_one_form() -> None:
    pair = read({**PAIR, "votes": [{"annotator": "B", "label": "n"}]})
    assert pair.author == NFC
    question = read({**QUESTION, "creator": f" {NFD}", "answers": {"B": "A"}})
    assert question.author == NFC
    voted = read({**QUESTION, "answers": {NFD: "A"}, "uncertainty": {NFC: "uncertain"}})
    assert [(vote.name, vote.unsure) for vote in voted.votes] == [(NFC, True)]
    (unit,) = read({**UNIT, "translator": NFD, "reviewer": "B"})
    assert unit.what.translator == NFC
    (unit,) = read({**UNIT, "translator": "B", "reviewer": NFD})
    assert unit.what.reviewer == NFC
    team = Team()
    team.add({NFC: "A"})
    team.add({NFD: "B"})
    assert team.everyone == {NFC}


@pytest.mark.parametrize(
    "row",
    [
        {**PAIR, "votes": [{"annotator": NFC, "label": "n"}]},
        {**QUESTION, "creator": NFD, "answers": {NFC: "A"}},
        {**UNIT, "translator": NFC, "reviewer": NFD},
    ],
)
def test_nobody_votes_on_the_own_item_under_another_spelling(row: dict[str, Any]) -> None:
    assert read(row).code == "vote_own"


@pytest.mark.parametrize(
    "row",
    [
        {**PAIR, "author": "", "votes": [{"annotator": NFC, "label": "n"}, {"annotator": NFD, "label": "e"}]},
        {**QUESTION, "answers": {NFC: "A", NFD: "B"}},
        {"text": "Satu kalimat.", "votes": {NFC: "positive", NFD: "negative"}},
    ],
)
def test_one_person_votes_once_under_two_spellings(row: dict[str, Any]) -> None:
    problem = read(row)
    assert isinstance(problem, Problem)
    assert (problem.code, problem.params["name"]) == ("vote_twice", NFC)


def test_values_are_mapped_for_a_person_under_either_spelling() -> None:
    given = {"votes": {NFD: "1"}, "marks": [{"annotator": NFC, "label": "1"}]}
    meaning = ValueReplacer(checked_values([("votes", NFC, "1", "yes"), ("marks", NFD, "1", "yes")], list(given)))
    (record,) = meaning.apply_to(iter([Record(1, given, None)]))
    assert record.data is not None
    assert (record.data["votes"], record.data["marks"][0]["label"]) == ({NFD: "yes"}, "yes")
    assert meaning.used["votes", NFC, "1", "yes"] == meaning.used["marks", NFC, "1", "yes"] == 1


@needs_cases
def test_the_case_of_one_name_stored_in_two_ways() -> None:
    row = json.loads((CASES / "names.jsonl").read_text())
    row["votes"] = [{**vote, "label": "positive"} for vote in row["votes"]]
    assert read(row).code == "vote_twice"
