"""Gold and splits computed again from rows and votes, as tables."""

from typing import Any

import pytest

from annotation.kinds import get
from exports.releases.rules.settings import SplitRules
from exports.releases.rules.verify import RecomputedDeal, RecomputedGold, group_by_item, join_rows_and_votes
from validation.consensus.protocol import PRESETS

NLI, MCQ, JUDGED, CULTURAL = get("nli"), get("mcq"), get("mcq-judged"), get("cultural")


def protocols(*names: str) -> list[dict[str, Any]]:
    return [{"n": n, "rules": PRESETS[name].to_dict()} for n, name in enumerate(names, start=1)]


def votes(key: str, labels: list[str], column: str = "id", split: str = "test") -> list[dict[str, Any]]:
    return [
        {
            column: key,
            "n": n,
            "annotator": f"W{n}",
            "label": label,
            "round": 1,
            "answers": {},
            "ambiguous": False,
            "counted": True,
            "split": split,
        }
        for n, label in enumerate(labels, start=1)
    ]


@pytest.mark.parametrize(
    ("kind", "protocol", "row", "given", "right"),
    [
        (NLI, "incremental-3-5", {"author_label": "neutral", "gold_label": "neutral"}, ["neutral"] * 2, True),
        (NLI, "incremental-3-5", {"author_label": "neutral", "gold_label": "-"}, ["neutral"] * 2, False),
        (NLI, "incremental-3-5", {"author_label": "-", "gold_label": "neutral"}, ["neutral"] * 2, False),
        (MCQ, "answers-5", {"answer_creator": "A", "gold_label": "B"}, list("BBBCA"), True),
        (MCQ, "answers-5", {"answer_creator": "A", "gold_label": "C"}, list("CCBBA"), True),
        (MCQ, "answers-5", {"answer_creator": "A", "gold_label": "B"}, list("CCBBA"), False),
        (JUDGED, "unanimous-2", {"label": "D", "gold_label": "D"}, ["yes", "yes"], True),
        (JUDGED, "unanimous-2", {"label": "D", "gold_label": "D"}, ["yes", "no"], False),
        (
            CULTURAL,
            "best-of-3",
            {"responses": [{"key": "R1", "role": "best"}], "gold_label": "R1"},
            ["R1", "R1", "I2"],
            True,
        ),
        (
            CULTURAL,
            "best-of-3",
            {"responses": [{"key": "R1", "role": "best"}], "gold_label": "I2"},
            ["I2", "I2", "R1"],
            False,
        ),
    ],
)
def test_gold_again(kind: Any, protocol: str, row: dict[str, Any], given: list[str], right: bool) -> None:
    gold = RecomputedGold(kind, protocols(protocol))
    gold.add({kind.export.id_column: "x", "label": "", "label_source": "author", **row}, votes("x", given))
    assert (gold.gold.done, gold.gold.wrong) == (1, not right)


def test_one_of_several_protocols_is_enough() -> None:
    gold = RecomputedGold(NLI, protocols("fixed-5", "incremental-3-5"))
    row = {"pair_id": "x", "author_label": "neutral", "gold_label": "neutral", "label_source": "gold"}
    gold.add({**row, "label": "neutral"}, votes("x", ["neutral"] * 2, "pair_id"))
    assert (gold.gold.wrong, gold.labels.wrong) == (0, 0)


def test_rows_and_votes_are_read_side_by_side() -> None:
    row = {"author_label": "neutral", "gold_label": "neutral", "label_source": "gold", "label": "neutral"}
    rows = [{"pair_id": key, **row} for key in ("a", "b", "c")]
    plain = {"pair_id": "d", **row, "gold_label": "-", "label_source": "author"}
    given = [*votes("a", ["neutral"] * 2, "pair_id"), *votes("c", ["entailment"] * 2, "pair_id")]
    gold = RecomputedGold(NLI, protocols("incremental-3-5"))
    join_rows_and_votes(gold, group_by_item(given, "pair_id"), {"test": iter([*rows, plain])})
    assert (gold.gold.done, gold.gold.wrong, gold.without) == (2, 1, 1)
    assert gold.gold.faults[0].startswith("c: ")
    lost = RecomputedGold(NLI, protocols("incremental-3-5"))
    join_rows_and_votes(lost, group_by_item(given, "pair_id"), {"test": iter(rows[:1])})
    assert "no row" in lost.gold.faults[0]


def test_writers_whom_rows_do_not_tell_are_no_fault() -> None:
    rules = SplitRules(not_sampled="leave_out", no_gold="leave_out", together="writer", seed="s")
    dealing = RecomputedDeal(CULTURAL, rules)
    for n in range(6):
        row = {"label": "A", "label_source": "gold", "topic": f"t{n}"}
        dealing.add(str(n), row, "test", voted=True)
    dealing.compare()
    assert (dealing.check.done, dealing.check.wrong) == (0, 0)
    assert "do not tell" in dealing.check.note
