"""Votes on rows of teams' own tasks: one column of them, or a column for each question; what cannot be says why."""

from typing import Any

import pytest

from annotation.tasks.rules.kind import aliases_of
from annotation.tasks.rules.templates import template
from validation.imports.rules import Problem, Record
from validation.imports.rules.json_values import WrittenNumber
from validation.imports.rules.tasks import TaskReader, TaskRow, columns_of

CLAIM = {"id": "c", "claim": "Jembatan itu ditutup.", "evidence": "Jembatan lama ditutup sejak Senin."}
PASSAGE = {"start": 14, "end": 21}
MARKED = {"of": "evidence", "start": 14, "end": 21, "text": "ditutup", "label": ""}
# One name, its accent stored in two ways.
NFC, NFD = "Andr\u00e9", "Andre\u0301"
TEXT = {"id": "s", "text": "Sotonya hangat."}
COMMENT_ROW = {"id": "k", "comment": "Diam saja."}


def read(slug: str, row: dict[str, Any]) -> TaskRow | Problem:
    task = template(slug)
    reader = TaskReader(columns_of(task).guess(list(row)), task, aliases_of(task.main))
    found = reader.read(Record(1, row, None))
    assert isinstance(found, TaskRow | Problem)
    return found


def votes(slug: str, row: dict[str, Any]) -> list[tuple[Any, ...]]:
    found = read(slug, row)
    assert isinstance(found, TaskRow), found.reason
    return [(vote.name, vote.label, vote.answers) for vote in found.votes]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"votes": ["positive", "Netral", None]}, [("?1", "positive"), ("?2", "neutral")]),
        ({"votes": "positive negative"}, [("?1", "positive"), ("?2", "negative")]),
        ({"votes": {"A": "positive", "B": "Negatif"}}, [("A", "positive"), ("B", "negative")]),
        ({"votes": '{"A": "positive"}'}, [("A", "positive")]),
        ({"votes": [{"annotator": "A", "label": "neutral"}]}, [("A", "neutral")]),
        ({"votes": {NFD: "neutral"}}, [(NFC, "neutral")]),
        ({"annotator_labels": ["neutral"], "annotator_ids": [NFD]}, [(NFC, "neutral")]),
        ({"votes": [{"annotator": 7, "sentiment": "neutral"}]}, [("7", "neutral")]),
        (
            {"annotator_labels": ["positive", "neutral"], "annotator_ids": ["A", "B"]},
            [("A", "positive"), ("B", "neutral")],
        ),
        ({"annotator_labels": "neutral", "annotator_ids": "Budi Santoso"}, [("Budi Santoso", "neutral")]),
        (
            {"annotator_labels": "neutral positive", "annotator_ids": "Budi Santoso; Ani"},
            [("Budi Santoso", "neutral"), ("Ani", "positive")],
        ),
        ({"votes": None}, []),
        ({"votes": ""}, []),
        ({"votes": ["positive"], "annotator_labels": ["x"]}, [("?1", "positive")]),
    ],
)
def test_labels_alone(given: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert [(name, label) for name, label, _ in votes("sentiment", {**TEXT, **given})] == expected


def test_answers_with_marks_and_a_reason() -> None:
    vote = {
        "annotator": "A",
        "verdict": "Didukung",
        "passages": [PASSAGE],
        "unsure": True,
        "comment": "Baris 1",
    }
    found = read("claims", {**CLAIM, "votes": [vote, {"annotator": "B", "answers": {"verdict": "open"}}]})
    assert isinstance(found, TaskRow)
    first, second = found.votes
    assert (first.label, first.unsure, first.ambiguous, first.comment) == ("supported", True, None, "Baris 1")
    assert first.answers == {"verdict": "supported", "passages": [MARKED]}
    assert (second.name, second.answers, second.unsure) == ("B", {"verdict": "open", "passages": []}, None)


def test_a_column_for_each_question() -> None:
    given = {
        "annotator_ids": ["A", "B"],
        "annotator_verdict": ["supported", "open"],
        "annotator_passages": [[PASSAGE], []],
    }
    assert votes("claims", {**CLAIM, **given}) == [
        ("A", "supported", {"verdict": "supported", "passages": [MARKED]}),
        ("B", "open", {"verdict": "open", "passages": []}),
    ]


def test_a_passage_keeps_the_blanks_at_its_ends() -> None:
    passage = {"start": 13, "end": 22, "text": " ditutup "}
    ((_, _, answers),) = votes("claims", {**CLAIM, "votes": [{"verdict": "open", "passages": [passage]}]})
    assert answers["passages"] == [{**passage, "of": "evidence", "label": ""}]


@pytest.mark.parametrize(
    ("own_words", "stored"),
    [
        ("  depan\r\n", "  depan\r\n"),
        (NFD, NFD),
        (3.0, "3.0"),
        (WrittenNumber("3.50"), "3.50"),
        (3, "3"),
        (True, "true"),
    ],
)
def test_own_words_stay_as_they_are_written(own_words: object, stored: str) -> None:
    ((_, _, answers),) = votes("toxicity", {**COMMENT_ROW, "votes": [{"toxicity": 3.0, "why": own_words}]})
    assert answers == {"toxicity": "3", "reasons": [], "why": stored}


@pytest.mark.parametrize(
    ("slug", "given", "code", "words"),
    [
        (
            "claims",
            {"votes": [{"verdict": "open", "passages": [{"start": 13, "end": 14}]}]},
            "span_blank",
            "13 to 14, “ ”",
        ),
        ("claims", {"votes": [{"verdict": "open", "passages": [PASSAGE, PASSAGE]}]}, "spans_overlap", "ditutup"),
        (
            "claims",
            {"votes": [{"verdict": "open", "passages": [PASSAGE, {"start": 13, "end": 22}]}]},
            "spans_overlap",
            "ditutup",
        ),
        ("sentiment", {"votes": ["happy"]}, "answer_unknown", "happy"),
        ("sentiment", {"votes": {"A": "positive", "B": {"mood": 1}}}, "answer_unasked", "mood"),
        ("sentiment", {"votes": '{"A": '}, "wrong_type", "not a complete list"),
        ("sentiment", {"votes": ["positive"] * 201}, "votes_too_many", "200"),
        (
            "sentiment",
            {"votes": [{"annotator": NFC, "label": "positive"}, {"annotator": f" {NFD}", "label": "positive"}]},
            "vote_twice",
            f"“{NFC}” votes twice",
        ),
        ("claims", {"votes": ["supported"]}, "wrong_type", "verdict, passages"),
        ("claims", {"votes": [{"passages": [PASSAGE]}]}, "question_unanswered", "answer this question"),
        (
            "claims",
            {"votes": [{"verdict": "open", "passages": [{"start": 3, "end": 999}]}]},
            "span_outside",
            "34",
        ),
        ("claims", {"votes": [{"verdict": "open", "unsure": "maybe"}]}, "wrong_type", "true or false"),
        (
            "claims",
            {"annotator_ids": ["A"], "annotator_verdict": ["open", "open"], "annotator_passages": [[], []]},
            "votes_uneven",
            "annotator_verdict, annotator_passages, annotator_ids",
        ),
    ],
)
def test_what_cannot_be_a_vote_says_why(slug: str, given: dict[str, Any], code: str, words: str) -> None:
    found = read(slug, {**(CLAIM if slug == "claims" else TEXT), **given})
    assert isinstance(found, Problem)
    assert found.code == code
    assert words in found.reason
