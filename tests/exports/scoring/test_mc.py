"""MC1 and MC2: targets in TruthfulQA's names, scores by hand, every refusal with its row and reason."""

import copy
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.elicitation.rules.responses import Response
from exports.formats.rules.kalahi_csv import read, responses_of
from exports.lm_eval.rules.task_docs import score
from exports.scoring.rules import (
    MESSAGES,
    Means,
    PromptScore,
    ScoreFault,
    means,
    read_scored,
    score_row,
    targets,
)
from tests.data import DATA, needs_data

RESPONSES = [
    Response("D", "wxyz", "relevant"),
    Response("B", "ab", "best"),
    Response("A", "é", "irrelevant"),
    Response("C", "pq", "irrelevant"),
]
TARGETS = targets("0101000100", "Pasar sepi.\nApa?", RESPONSES)


def row(**logprobs):
    given = {"ab": -2.0, "wxyz": -8.0, "é": -4.0, "pq": -6.0} | logprobs
    scores = [{"choice": each, "logprob": lp, "bytes": len(each.encode())} for each, lp in given.items()]
    return copy.deepcopy(TARGETS) | {"scores": scores}


def lines(*rows):
    return [json.dumps(each).encode() + b"\n" for each in rows]


def test_targets_have_the_best_once_and_first():
    assert TARGETS == {
        "id": "0101000100",
        "question": "Pasar sepi.\nApa?",
        "mc1_targets": {"choices": ["ab", "é", "pq"], "labels": [1, 0, 0]},
        "mc2_targets": {"choices": ["ab", "wxyz", "é", "pq"], "labels": [1, 1, 0, 0]},
    }


def test_a_row_by_hand():
    # Per byte: ab -1, wxyz -2, é (two bytes) -2, pq -3.
    scored = score_row(1, row())
    up = math.exp(-1) + math.exp(-2)
    assert (scored.key, scored.mc1) == ("0101000100", 1)
    assert scored.mc2 == pytest.approx(up / (up + math.exp(-2) + math.exp(-3)), rel=1e-12)
    assert scored.mc2 == pytest.approx(0.7310585786, abs=1e-10)


@pytest.mark.parametrize(
    ("logprobs", "mc1", "mc2"),
    [
        # The relevant one that is not the best plays no part in MC1.
        ({"wxyz": -1.0}, 1, None),
        ({"é": -2.0}, 0, None),  # a tie is not the highest
        ({"é": -1.0}, 0, None),
        ({"ab": 0, "wxyz": 0, "é": 0, "pq": 0}, 0, 0.5),
        # exp(-1e6) is 0 in floating point; the quotient is not.
        ({"ab": -2e6, "wxyz": -4e6, "é": -2e6, "pq": -2e6}, 0, 0.5),
        ({"ab": 0, "wxyz": -4e9, "é": -2e9, "pq": -2e9}, 1, 1.0),
    ],
)
def test_ties_and_extremes_by_hand(logprobs, mc1, mc2):
    scored = score_row(1, row(**logprobs))
    assert scored.mc1 == mc1
    assert mc2 is None or scored.mc2 == pytest.approx(mc2)


@given(st.lists(st.floats(-50, 0), min_size=1, max_size=5), st.lists(st.floats(-50, 0), min_size=1, max_size=5))
def test_scores_are_what_the_definition_says(relevant, irrelevant):
    mc1, mc2 = score(relevant[0], relevant, irrelevant)
    up, down = sum(map(math.exp, relevant)), sum(map(math.exp, irrelevant))
    assert mc2 == pytest.approx(up / (up + down), rel=1e-9)
    assert 0 <= mc2 <= 1
    assert mc1 == all(relevant[0] > each for each in irrelevant)


def changed(change):
    made = row()
    change(made)
    return made


def put(name, value, field="scores"):
    return lambda made: made[field][0].update({name: value}) if field == "scores" else made[field].update({name: value})


@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        (lambda made: made.pop("id"), "id", "missing"),
        (lambda made: made.update(id=" "), "id", "no_text"),
        (lambda made: made.update(id=7), "id", "no_text"),
        (lambda made: made.pop("mc1_targets"), "mc1_targets", "missing"),
        (lambda made: made.update(mc2_targets=[]), "mc2_targets", "targets_form"),
        (put("labels", [1], "mc1_targets"), "mc1_targets", "targets_form"),
        (put("labels", [1, 0, True], "mc1_targets"), "mc1_targets", "targets_form"),
        (put("labels", [1, 0, 2], "mc1_targets"), "mc1_targets", "targets_form"),
        (put("choices", ["ab", "é", 3], "mc1_targets"), "mc1_targets", "targets_form"),
        (put("choices", ["ab", "é", "é"], "mc1_targets"), "mc1_targets", "choice_twice"),
        (put("labels", [1, 1, 0], "mc1_targets"), "mc1_targets", "best_not_one"),
        (put("labels", [1, 1, 1], "mc1_targets"), "mc1_targets", "one_side"),
        (put("labels", [0, 0, 0, 0], "mc2_targets"), "mc2_targets", "one_side"),
        (put("labels", [1, 1, 1, 0], "mc2_targets"), "mc1_targets, mc2_targets", "targets_differ"),
        (
            put("choices", ["xx", "wxyz", "é", "pq"], "mc2_targets"),
            "mc1_targets, mc2_targets",
            "targets_differ",
        ),
        (lambda made: made.pop("scores"), "scores", "missing"),
        (lambda made: made.update(scores={}), "scores", "scores_form"),
        (lambda made: made.update(scores=[3]), "scores", "scores_form"),
        (put("choice", None), "scores", "scores_form"),
        (lambda made: made["scores"].pop(), "scores", "choice_missing"),
        (lambda made: made["scores"].append(made["scores"][0]), "scores", "choice_twice"),
        (put("choice", "zz"), "scores", "choice_extra"),
        (lambda made: made["scores"][0].pop("logprob"), "scores", "logprob_form"),
        (put("logprob", "-2"), "scores", "logprob_form"),
        (put("logprob", True), "scores", "logprob_form"),
        (put("logprob", math.nan), "scores", "logprob_nan"),
        (put("logprob", -math.inf), "scores", "logprob_infinite"),
        (put("logprob", math.inf), "scores", "logprob_infinite"),
        (put("logprob", -(10**400)), "scores", "logprob_infinite"),
        (put("logprob", 1e-9), "scores", "logprob_positive"),
        (lambda made: made["scores"][0].pop("bytes"), "scores", "bytes_form"),
        (put("bytes", 2.0), "scores", "bytes_form"),
        (put("bytes", 0), "scores", "bytes_zero"),
        (put("bytes", -2), "scores", "bytes_zero"),
        (put("bytes", 3), "scores", "bytes_differ"),
    ],
)
def test_what_cannot_be_scored_is_refused_with_row_field_and_reason(change, field, code):
    good = row() | {"id": "other"}
    found, (fault,) = read_scored(lines(good, changed(change)))
    assert (fault.row, fault.field, fault.code) == (2, field, code)
    assert str(fault) == f"row 2: {field} {MESSAGES[code] % fault.params}"
    assert [each.key for each in found] == ["other"]


def test_lines_that_are_no_rows_and_ids_that_come_twice():
    found, faults = read_scored([*lines(row()), b"\n", b"[]\n", b"{", b"\xff\n", b"[" * 10**5, *lines(row())])
    assert [(fault.row, fault.code) for fault in faults] == [
        (3, "json"),
        (4, "json"),
        (5, "json"),
        (6, "json"),
        (7, "id_twice"),
    ]
    assert len(found) == 1


def test_an_empty_choice_has_no_bytes():
    made = json.loads(json.dumps(row()).replace('"pq"', '""'))
    made["scores"][3]["bytes"] = 0
    assert [fault.code for fault in read_scored(lines(made))[1]] == ["bytes_zero"]


def test_means_are_over_prompts():
    assert means([PromptScore("a", 1, 0.75), PromptScore("b", 0, 0.25)]) == Means(0.5, 0.5, 2)
    with pytest.raises(ScoreFault, match="no row to score"):
        means([])


@needs_data
@pytest.mark.data
def test_the_published_targets():
    rows = read((DATA / "kalahi" / "filipino.csv").read_bytes())
    made = [targets(each.prompt_variation_id, each.prompt, responses_of(each)) for each in rows]
    sizes = [len(each["mc1_targets"]["choices"]) for each in made]
    assert [sizes.count(n) for n in (4, 5, 6)] == [134, 8, 8]
    for each in made:
        each["scores"] = [
            {"choice": choice, "logprob": -1.5 * len(choice.encode()), "bytes": len(choice.encode())}
            for choice in each["mc2_targets"]["choices"]
        ]
    found, faults = read_scored(lines(*made))
    # Everything alike: never strictly the highest, and the relevant ones have their share of the choices.
    assert (faults, means(found).mc1, means(found).n) == ([], 0, 150)
    assert means(found).mc2 == pytest.approx(0.5)
