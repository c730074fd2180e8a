"""The consensus engine against published annotations, row by row, and against IndoNLI's tables."""

import csv
import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from tests.data import DATA, needs_data
from validation.consensus.engine import VoteIn, decide
from validation.consensus.protocol import PRESETS, Protocol
from validation.consensus.replay import ReplayResult, RowError, read_rows, replay
from validation.consensus.savings import compute_saving, is_comparable, percent

NLI = ("e", "n", "c")
PAPER = replace(PRESETS["incremental-3-5"], stop_hopeless=False)
INDONLI, OCNLI, CHAOSNLI = (
    "indonli/expert_replay.jsonl",
    "nli5/ocnli_dev_1000.jsonl",
    "nli5/chaosnli_snli.jsonl",
)


def run(name: str, protocol=PAPER, labels=None) -> ReplayResult:
    refused: list[RowError] = []
    with (DATA / name).open("rb") as lines:
        replayed = replay(read_rows(lines, refused.append), protocol, labels, refused.append)
    assert refused == []
    return replayed


def pct(part: int, whole: int, digits: int = 1) -> float:
    share = percent(part, whole, digits)
    assert share is not None
    return float(share)


def expected(name: str):
    return json.loads((DATA / "expected" / f"{name}.json").read_text(encoding="utf-8"))


def expected_rows(name: str) -> list[dict[str, str]]:
    with (DATA / "expected" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@needs_data
@pytest.mark.data
def test_all_243_sequences():
    rows = expected_rows("protocol_truth_table_243")
    assert len(rows) == 243
    for row in rows:
        votes = [VoteIn(row[f"v{n}"], f"V{n}", 0, n) for n in range(1, 5)]
        decision = decide(PAPER, row["author"], votes, NLI)
        found = (decision.state, decision.round, len(decision.counted), decision.label or "")
        gold = row["gold"] if row["gold"] in NLI else ""
        assert found == (row["outcome"], int(row["rounds_run"]), int(row["validators_asked"]), gold), row
        # Stopping early never changes the majority of three in five.
        assert decide(PRESETS["fixed-5"], row["author"], votes, NLI).label == decision.label, row


# file, protocol → by round entered, settled; gold, without, labels
FILES = [
    (INDONLI, False, (1489, 277, 74), (1212, 203, 74), 1489, 0, 4818),
    (INDONLI, True, (1489, 277, 74), (1212, 203, 74), 1489, 0, 4818),
    (OCNLI, False, (1000, 308, 113), (692, 195, 91), 978, 22, 3421),
    (OCNLI, True, (1000, 308, 112), (692, 195, 91), 978, 22, 3420),
    (CHAOSNLI, False, (1514, 1330, 885), (184, 445, 885), 1514, 0, 6757),
]


@needs_data
@pytest.mark.data
@pytest.mark.parametrize(("name", "stop", "entered", "settled", "gold", "none", "labels"), FILES)
def test_rounds_and_cost(name, stop, entered, settled, gold, none, labels):
    funnel = run(name, replace(PAPER, stop_hopeless=stop)).funnel
    assert tuple(funnel.by_round(funnel.entered_round).values()) == entered
    assert tuple(funnel.by_round(funnel.settled_in_round).values()) == settled
    assert (funnel.gold, funnel.no_consensus, funnel.open, funnel.labels) == (gold, none, 0, labels)
    cost = funnel.saving(authoring=True)
    assert cost is not None
    assert cost.used == labels


@needs_data
@pytest.mark.data
def test_indonli_row_by_row():
    outcomes, rows = run(INDONLI).outcomes, expected_rows("indonli_expert_replay_items")
    assert len(outcomes) == len(rows) == 1489
    with (DATA / INDONLI).open("rb") as lines:
        published = [json.loads(line) for line in lines]
    for outcome, row, source in zip(outcomes, rows, published, strict=True):
        decision = outcome.decision
        assert outcome.row.id == row["pair_id"] == str(source["pair_id"])
        assert (decision.state, decision.label) == (row["outcome"], row["gold"])
        assert (decision.round, len(decision.counted) + 1) == (
            int(row["rounds_run"]),
            int(row["labels_incl_author"]),
        )
        assert (decision.label, decision.round) == (source["label"], source["annotation_round"])


@needs_data
@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "items"), [(OCNLI, "nli5_ocnli_dev_1000_items"), (CHAOSNLI, "nli5_chaosnli_snli_items")]
)
def test_five_real_labels_row_by_row(name, items):
    outcomes, rows = run(name).outcomes, expected_rows(items)
    fixed = run(name, PRESETS["fixed-5"]).outcomes
    for outcome, at_once, row in zip(outcomes, fixed, rows, strict=True):
        decision = outcome.decision
        assert outcome.row.id == row["id"]
        assert decision.state == row["sequential_outcome"]
        assert (decision.label or "-") == (row["sequential_gold"] or "-")
        assert decision.round == int(row["sequential_rounds"])
        assert len(decision.counted) + 1 == int(row["sequential_labels_used"])
        # Four labels in all (7 rows of ChaosNLI) run out before four votes are in: open, not without consensus.
        five = len(outcome.labels) == 4
        assert at_once.decision.state == ("open" if not five else decision.state)
        assert not five or (at_once.decision.label or "-") == row["published_gold"]


@needs_data
@pytest.mark.data
def test_indonli_expert_figures():
    known, funnel = expected("indonli_expert_replay"), run(INDONLI).funnel
    assert funnel.gold_counts == known["gold_label_counts"]
    assert (funnel.gold_is_author, funnel.gold_differs) == (1421, 68)
    assert funnel.individual == 4818
    assert funnel.individual_is_gold == known["individual_equals_gold"]
    assert funnel.individual_is_author == known["individual_equals_author_DEPENDS_ON_RECONSTRUCTION"]
    shares = {str(n): pct(c, funnel.decided, 2) for n, c in funnel.cumulative().items()}
    assert shares == known["cumulative_consensus_pct_2_digits"]
    both, votes = funnel.saving(authoring=True), funnel.saving(authoring=False)
    assert both is not None
    assert votes is not None
    assert (both.used, both.fixed_5, pct(both.saved, both.fixed_5, 2)) == (4818, 7445, 35.29)
    assert (votes.used, votes.fixed_5, pct(votes.saved, votes.fixed_5)) == (3329, 5956, 44.1)


@needs_data
@pytest.mark.data
def test_table_3_of_five_real_labels():
    known, funnel = expected("nli5_ocnli_dev_1000"), run(OCNLI, PRESETS["fixed-5"]).funnel
    assert funnel.individual == 5000
    assert pct(funnel.individual_is_gold, 5000) == known["individual_equals_gold_pct"]
    assert pct(funnel.individual_is_author, 5000) == known["individual_equals_author_pct"]
    assert funnel.gold_is_author == known["gold_equals_author"]
    assert pct(funnel.gold_differs, 1000) == known["gold_differs_from_author_pct"]
    assert pct(funnel.no_consensus, 1000) == known["no_gold_pct"]


# IndoNLI, Table 2: pairs entering each round → annotations with authoring, five each; without; percent saved
TABLE_2 = [
    ("expert", (3008, 602, 188), 9814, 15040, 6806, 12032, "34.7", "43.4"),
    ("lay", (4489, 1155, 237), 14859, 22445, 10370, 17956, "33.8", "42.2"),
]


@pytest.mark.parametrize(("who", "entered", "used", "five", "votes", "four", "both_pct", "votes_pct"), TABLE_2)
def test_table_2_of_indonli(who, entered, used, five, votes, four, both_pct, votes_pct):
    with_author, without = (
        compute_saving(PAPER, entered, authoring=True),
        compute_saving(PAPER, entered, authoring=False),
    )
    assert (with_author.used, with_author.fixed_5) == (used, five)
    assert (without.used, without.fixed_5) == (votes, four)
    assert str(percent(with_author.saved, five)) == both_pct
    assert str(percent(without.saved, four)) == votes_pct


def test_savings_are_for_rounds_in_which_the_author_counts():
    assert [name for name, preset in PRESETS.items() if is_comparable(preset)] == [
        "incremental-3-5",
        "two-agree-audit",
    ]


def questions() -> list[dict[str, Any]]:
    """The published questions of id-csqa with their answers."""
    rows: list[dict[str, Any]] = json.loads((DATA / "idcsqa/human_gen_ind.json").read_text(encoding="utf-8"))
    assert len(rows) == 1498
    return rows


def answered(rows: list[dict[str, Any]], protocol: Protocol) -> ReplayResult:
    refused: list[RowError] = []
    lines = [json.dumps(row).encode() + b"\n" for row in rows]
    replayed = replay(read_rows(lines, refused.append), protocol, tuple("ABCDE"), refused.append)
    assert refused == []
    return replayed


@needs_data
@pytest.mark.data
def test_all_published_majorities_of_id_csqa():
    rows = questions()
    replayed = answered(rows, PRESETS["answers-5"])
    found = [outcome.decision.label for outcome in replayed.outcomes]
    assert found == [row["answer_majority"] for row in rows]
    assert (replayed.funnel.gold_differs, replayed.funnel.excluded) == (13, 0)
    assert replayed.funnel.saving(authoring=True) is None


@needs_data
@pytest.mark.data
def test_the_creator_counts_and_ties_have_no_gold_where_a_project_says_so():
    rows, answers = questions(), PRESETS["answers-5"]
    majorities = [row["answer_majority"] for row in rows]
    # No gold on ties: three rows have a 2-2-1.
    strict = answered(rows, replace(answers, tie="none")).outcomes
    assert [o.decision.state for o in strict].count("no_consensus") == 3
    assert all(o.decision.label in (None, gold) for o, gold in zip(strict, majorities, strict=True))
    # With the creator as a sixth voice: five ties, and one row where the published answer loses.
    creator = answered(rows, replace(answers, author="vote", tie="none")).outcomes
    assert [o.decision.state for o in creator].count("no_consensus") == 5
    wrong = [o for o, gold in zip(creator, majorities, strict=True) if o.decision.label not in (None, gold)]
    assert [outcome.row.id[:19] for outcome in wrong] == ["orig_h_ind_57d4b3f8"]
    equal = sum(o.decision.label == gold for o, gold in zip(creator, majorities, strict=True))
    assert equal == 1492


@needs_data
@pytest.mark.data
def test_marks_of_ambiguity_exclude_a_published_question():
    """None has more than two annotators who mark something (1,387 / 102 / 9); marks added reach more than three."""
    rows = questions()
    marks = [len(outcome.row.ambiguous) for outcome in answered(rows, PRESETS["answers-5"]).outcomes]
    assert Counter(marks) == {0: 1387, 1: 102, 2: 9}
    four, three = [place for place, marked in enumerate(marks) if not marked][:2]
    for row, marked in ((rows[four], 4), (rows[three], 3)):
        people = list(row["answers"])[:marked]
        row["question_ambiguity"] |= dict.fromkeys(people[:2], "ambiguous")
        row["option_ambiguity"] |= dict.fromkeys(people[1:], ["clear"] * 4 + ["ambiguous"])
    replayed = answered(rows, PRESETS["answers-5"])
    states = [outcome.decision.state for outcome in replayed.outcomes]
    assert (states[four], states[three], replayed.funnel.excluded) == ("excluded", "gold", 1)
    assert len(replayed.outcomes[four].decision.counted) == 5
    never = answered(rows, replace(PRESETS["answers-5"], most_ambiguous=-1))
    assert never.funnel.excluded == 0


@needs_data
@pytest.mark.data
def test_published_answers_in_rounds():
    """incremental-3-5 on five choices: the creator first, then two, one, one; nobody is asked where it is hopeless."""
    rows = questions()
    patient = answered(rows, PAPER).funnel
    stopped = answered(rows, PRESETS["incremental-3-5"]).funnel
    assert (patient.items, patient.open) == (1498, 0)
    assert (stopped.gold, stopped.gold_counts) == (patient.gold, patient.gold_counts)
    hopeless = [o for o in answered(rows, PRESETS["incremental-3-5"]).outcomes if o.decision.hopeless]
    assert stopped.labels == patient.labels - len(hopeless)
    for outcome in hopeless:
        assert len({outcome.author, *outcome.labels[:3]}) == 4
        assert len(outcome.decision.counted) == 3
