"""Reading a model's answers: what is taken, what is refused and where, and samples of lm-evaluation-harness."""

import json
from typing import Any

import pytest

from annotation import kinds
from exports.lm_eval.rules.task_docs import nli
from exports.predictions.reading import Reader
from exports.predictions.rules import AskedRow, asked_of

NLI = kinds.get("nli")
LABELS = ("entailment", "neutral", "contradiction")


def row(n: int, label: str, **more: Any) -> dict[str, Any]:
    return {
        "pair_id": f"p{n}",
        "premise": f"Premis {n}.",
        "hypothesis": f"Hipotesis {n}.",
        "label": label,
        "annotator_labels": [label] * 3,
        "sentence_size": "single",
        "inference_phenomena": ["NUM", "NEG"],
        **more,
    }


def asked() -> list[AskedRow]:
    found = [asked_of(NLI, row(n, label), "test", f"p{n}") for n, label in enumerate(LABELS)]
    return [each for each in found if each is not None]


def read(*rows: dict[str, Any]) -> Any:
    reader = Reader(asked(), ["pair_id", "id"])
    return reader.read((n, data, None) for n, data in enumerate(rows, 1))


def test_what_a_row_asks() -> None:
    one = asked()[0]
    assert (one.gold, set(one.options), one.people, one.agreed) == (
        "entailment",
        {*LABELS},
        {one.gold: 3},
        True,
    )
    assert one.groups["inference_phenomena"] == ("NUM", "NEG")
    assert asked_of(NLI, row(9, "-"), "test", "p9") is None
    for labels, people in (([None, "neutral", "-"], {"neutral": 1}), ([], {})):
        told = asked_of(NLI, row(9, "neutral", annotator_labels=labels), "test", "p9")
        assert told is not None
        assert (told.people, told.agreed) == (people, False)


def test_labels_and_probabilities_are_taken() -> None:
    found = read(
        {"pair_id": "p0", "prediction": "neutral"},
        {"id": "p1", "probabilities": {"neutral": 0.6, "entailment": 0.4}},
        {"id": "p2", "prediction": "", "p_entailment": "0.5", "p_neutral": "0.5"},
    )
    assert not found.problems
    assert found.answers == {
        "p0": {"l": "neutral"},
        "p1": {"l": "neutral", "p": {"neutral": 0.6, "entailment": 0.4}},
        "p2": {"l": "", "p": {"entailment": 0.5, "neutral": 0.5}},
    }


def test_two_labels_as_likely_are_no_answer() -> None:
    rows = [{"id": f"p{n}", "probabilities": {"neutral": 0.5, "entailment": 0.5}} for n in range(3)]
    assert [answer["l"] for answer in read(*rows).answers.values()] == ["", "", ""]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"prediction": "neutral"}, "id_missing"),
        ({"id": "p7", "prediction": "neutral"}, "id_unknown"),
        ({"id": "p0"}, "prediction_missing"),
        ({"id": "p0", "prediction": "Neutral"}, "label_unknown"),
        ({"id": "p0", "prediction": 1}, "label_unknown"),
        ({"id": "p0", "probabilities": [1, 0]}, "probabilities_form"),
        ({"id": "p0", "probabilities": {"neutral": 0.5}}, "probabilities_sum"),
        ({"id": "p0", "probabilities": {"maybe": 1}}, "label_unknown"),
        ({"id": "p0", "probabilities": {"neutral": -1, "entailment": 2}}, "probability_wrong"),
        ({"id": "p0", "probabilities": {"neutral": "much"}}, "probability_wrong"),
        ({"id": "p0", "probabilities": {"neutral": True}}, "probability_wrong"),
        ({"id": "p0", "probabilities": {"neutral": float("nan")}}, "probability_wrong"),
        ({"doc_id": 0, "doc": {"premise": "x"}, "filtered_resps": []}, "document_unknown"),
        ({"doc_id": 99, "doc": {}, "filtered_resps": []}, "document_unknown"),
    ],
)
def test_what_is_wrong_is_told_by_row(data: dict[str, Any], code: str) -> None:
    found = read({"id": "p1", "prediction": "neutral"}, data)
    assert [(n, problem.code) for n, problem in found.problems] == [(2, code)]


def test_a_row_twice_and_a_split_that_is_not_whole() -> None:
    twice = read(*[{"id": "p0", "prediction": "neutral"}] * 2)
    assert [(n, problem.code) for n, problem in twice.problems] == [(2, "id_twice")]
    short = read({"id": "p0", "prediction": "neutral"}, {"id": "p2", "prediction": "neutral"})
    ((n, problem),) = short.problems
    assert (n, problem.code, problem.params) == (0, "rows_missing", {"n": 1, "id": "p1"})
    assert [problem.code for _, problem in read().problems] == ["file_empty"]


def test_logged_samples_are_known_by_what_was_asked() -> None:
    def sample(n: int, responses: Any) -> dict[str, Any]:
        return {
            "doc_id": n,
            "doc": {**(nli(row(n, LABELS[n])) or {}), "more": 1},
            "filtered_resps": responses,
        }

    found = read(
        sample(0, [["-1.0", "True"], ["-2.0", "False"], ["-3.0", "False"]]),
        sample(1, [[-3.0, False], [-3.0, False], [-4.0, False]]),
        sample(2, ["Contradiction, I think."]),
    )
    assert not found.problems, json.dumps(found.problems, default=str)
    assert [answer["l"] for answer in found.answers.values()] == ["entailment", "", "contradiction"]
    assert sum(found.answers["p0"]["p"].values()) == pytest.approx(1)
    wrong = read(sample(0, [[-1.0, True]]))
    assert [problem.code for _, problem in wrong.problems] == ["sample_form"]
