"""Rows of an aligned release, derived tasks, what is missing where, and safe names: pure, as tables."""

from typing import Any

import pytest

from annotation.core.rules.fields import FieldError
from annotation.kinds.shapes import PAIR, QA, UNITS
from exports.aligned.rules import missing
from exports.aligned.rules import rows as aligned
from exports.aligned.rules.missing import ProgressBoard, SplitPlacing, TranslationStatus
from exports.aligned.rules.rows import AlignedTarget, SourceRow, TargetUnit
from exports.releases.rules.markdown import LONGEST, file_names
from exports.releases.rules.settings import (
    ALIGNED,
    BY_SPLIT,
    RULES_BY_LAYOUT,
    SplitRules,
    default_rules,
    layout_of,
    preset,
    presets_for_layout,
)

RULES = preset("loraxbench")
SU, JV = (AlignedTarget(key, key, "", key.upper(), key) for key in ("su", "jv"))


def source(key: str = "1", **more: Any) -> SourceRow:
    told: dict[str, Any] = {
        "source_set": "set",
        "task": "nli",
        "shape": "pair",
        "unit": f"set:{key}",
        "unit_revision": 1,
        "label": "e",
        "split": "",
        "data": {},
        "names": {"premise": "premise", "hypothesis": "hypothesis.1"},
        "texts": {"premise": "P", "hypothesis.1": "H"},
        "unanswerable": False,
        "position": int(key) if key.isdigit() else 0,
    }
    return SourceRow(**{**told, "key": key, **more})


def reading(key: str = "1", **more: Any) -> SourceRow:
    names = {"passage": "passage", "question": "question.1", "answer": "answer.1"}
    texts = {"passage": "Pasar dibuka 1950.", "question.1": "Kapan?", "answer.1": "1950"}
    return source(key, task="reading", shape="passage", label="", names=names, texts=texts, **more)


def row(of: SourceRow, **texts: str) -> dict[str, Any]:
    """The columns of a row before those that say whose it is."""
    line = aligned.tasks_of([of], RULES)[0].lines[0]
    found = aligned.row_of(line, SU, TargetUnit(texts or of.texts, of.texts, 1), "id", beside=False)
    names = list(found)
    return {name: found[name] for name in names[1 : names.index("split")]}


def told(shape: str, label: str, texts: dict[str, str], **data: Any) -> SourceRow:
    """A row whose fields are called as their roles."""
    return source(shape=shape, label=label, data=data, names={name: name for name in texts}, texts=texts)


def lettered(labels: str, *texts: str) -> dict[str, list[str]]:
    return {"label": list(labels), "text": list(texts)}


BY_SOURCE = {"label_source": "source"}
SHAPED = [
    (source(), {"premise": "P", "hypothesis": "H", "label": "entailment", **BY_SOURCE}),
    (
        source(label="neutral", data={"label_source": "gold"}),
        {"premise": "P", "hypothesis": "H", "label": "neutral", "label_source": "gold"},
    ),
    (source(label=""), {"premise": "P", "hypothesis": "H", "label": "", **BY_SOURCE}),
    (
        reading(),
        {"passage": "Pasar dibuka 1950.", "question": "Kapan?", "answer": "1950", "answer_start": 13},
    ),
    (
        told("choices", "B", {"choice-B": "b", "question": "Q", "choice-A": "a"}),
        {"question": "Q", "choices": lettered("AB", "a", "b"), "answer": "B", **BY_SOURCE},
    ),
    (
        told("continuations", "1", {"context": "C", "continuation-0": "a", "continuation-1": "b"}),
        {"context": "C", "continuations": lettered("01", "a", "b"), "answer": "1", **BY_SOURCE},
    ),
    (
        told(
            "alternatives",
            "1",
            {"premise": "P", "alternative-1": "a", "alternative-2": "b"},
            question="effect",
        ),
        {"premise": "P", "choice1": "a", "choice2": "b", "question": "effect", "label": 1, **BY_SOURCE},
    ),
    (told("sentence", "positive", {"text": "T"}), {"text": "T", "label": "positive", **BY_SOURCE}),
    (
        told("prompt", "R", {"prompt": "P", "response-R": "r"}),
        {"prompt": "P", "responses": lettered("R", "r"), "answer": "R", **BY_SOURCE},
    ),
]


@pytest.mark.parametrize(("given", "expected"), SHAPED, ids=[given.shape for given, _ in SHAPED])
def test_texts_stand_under_the_names_of_their_roles(given: SourceRow, expected: dict[str, Any]) -> None:
    assert row(given) == expected


def test_an_answer_that_is_not_in_the_passage_has_no_start() -> None:
    texts = {"passage": "Pasar dibukak taun 1950.", "question.1": "Kapan?", "answer.1": "seket"}
    assert row(reading(), **texts)["answer_start"] is None


def names_of(rows: list[SourceRow], **rules: Any) -> dict[str, list[str]]:
    return {task.folder: [line.id for line in task.lines] for task in aligned.tasks_of(rows, SplitRules(**rules))}


def test_two_tasks_are_derived() -> None:
    rows = [source("2", unit="u"), source("1", unit="u"), reading("1"), reading("2", unanswerable=True)]
    assert names_of(rows) == {
        "nli": ["1", "2"],
        "reading": ["1", "2"],
        "translation": ["u"],
        "open-qa": ["1"],
    }
    assert list(names_of(rows, open_qa="", sentences="")) == ["nli", "reading"]
    assert list(names_of([*rows, source("9", task="translation", shape="sentence")])) == [
        "nli",
        "reading",
        "translation",
        "translation-2",
        "open-qa",
    ]


def test_ids_that_two_sets_share_say_which_set() -> None:
    rows = [source("1"), source("2"), source("1", source_set="other")]
    assert names_of(rows)["nli"] == ["other:1", "set:1", "2"]


def test_a_folder_a_split_where_there_are_several() -> None:
    one = aligned.tasks_of([source("1"), source("2", split="test")], RULES)[0]
    assert one.path("test", "su") == "nli/su"
    two = aligned.tasks_of([source("1"), source("2", split="train/../x")], RULES)[0]
    assert [two.path(split, "su") for split in two.splits] == ["nli/test/su", "nli/train-x/su"]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["nli", "NLI", "nli"], ["nli", "NLI-2", "nli-3"]),
        (["../../etc", "a/b", ".hidden", "-x-", ""], ["etc", "a-b", "hidden", "x", "x-2"]),
        (["con", "LPT1", "console"], ["x-con", "x-LPT1", "console"]),
        (["a\0b", "jv\u202eso", "日本"], ["a-b", "jv-so", "x"]),
        (["x" * 99], ["x" * LONGEST]),
        (["a-2", "a", "a"], ["a-2", "a", "a-3"]),
    ],
)  # fmt: skip
def test_names_are_safe_and_no_two_alike(names: list[str], expected: list[str]) -> None:
    assert file_names(names) == expected


@pytest.mark.parametrize(
    ("stage", "sampled", "gold", "state", "reason"),
    [
        ("settled", True, "approve", "rows", ""),
        ("settled", True, "return", "excluded", "not_approved"),
        ("adjudicated", True, "approve", "rows", ""),
        ("adjudicated", False, "correct", "excluded", "not_approved"),
        ("written", False, "", "rows", ""),
        ("written", True, "", "in_work", "not_validated"),
        ("voting", True, "", "in_work", "voting"),
        ("no_consensus", True, "", "in_work", "no_gold"),
        ("returned", True, "", "in_work", "returned"),
        ("corrected", True, "", "in_work", "corrected"),
        ("submitted", True, "", "in_work", "submitted"),
        ("excluded", True, "approve", "excluded", "excluded"),
    ],
)  # fmt: skip
def test_how_far_a_translation_is(stage: str, sampled: bool, gold: str, state: str, reason: str) -> None:
    found = missing.judge_translation(RULES, "approve", stage, sampled, gold)
    assert (found.state, found.reason) == (state, reason)
    assert bool(found.source) is (state == "rows")


def test_what_nobody_reviewed_can_be_left_out() -> None:
    rules = SplitRules(unreviewed="leave_out")
    assert missing.judge_translation(rules, "approve", "written", False, "") == TranslationStatus(
        "in_work", reason="not_sampled"
    )


def board(**states: str) -> ProgressBoard:
    """`su_1="rows"`: the unit of row 1 in Sundanese; a field that lacks stands behind a blank."""
    found = ProgressBoard([JV, SU])
    for place, told in states.items():
        target, key = place.split("_")
        state, _, lacks = told.partition(" ")
        found.add(target, f"set:{key}", state, frozenset(lacks.split()))
    return found


def test_the_table_counts_every_row_once_in_each_target() -> None:
    tasks = aligned.tasks_of([source(str(n)) for n in range(1, 7)], SplitRules(sentences=""))
    at = board(su_1="rows", su_2="rows hypothesis.1", su_3="in_work", su_4="excluded", jv_1="rows", jv_2="rows")
    (found,) = missing.missing_table(tasks, at, RULES)
    su = next(each for each in found["targets"] if each["target"] == "su")
    assert {name: su[name] for name in missing.STATES} == {
        "rows": 1, "missing": 2, "in_work": 1, "incomplete": 1, "excluded": 1,
    }  # fmt: skip
    assert (found["source_rows"], found["complete"], found["released"], su["released"]) == (6, 1, 6, 1)
    (only,) = missing.missing_table(tasks, at, SplitRules(complete_only=True))
    assert (only["released"], [each["released"] for each in only["targets"]]) == (1, [1, 1])


def test_a_field_that_a_row_has_no_use_for_may_be_empty() -> None:
    tasks = aligned.tasks_of([source()], RULES)
    nli, translation = (missing.missing_table([task], board(su_1="rows hypothesis.1"), RULES)[0] for task in tasks)
    assert (nli["targets"][1]["rows"], translation["targets"][1]["rows"]) == (0, 1)


def test_a_translation_goes_where_its_rows_go() -> None:
    rows = [source("1"), source("2", split="train"), source("3", unit="set:2", split="dev"), source("4")]
    at = board(su_1="rows", su_2="rows", su_4="rows hypothesis.1", jv_1="rows")
    rules = SplitRules(sentences="")
    placing = SplitPlacing(aligned.tasks_of(rows, rules), at, rules)
    ready = TranslationStatus("rows", "gold")
    assert placing.outcome("su", "set:1", ready, "approve")[:4] == ("test", "approve", "gold", "")
    assert placing.outcome("su", "set:2", ready, "approve").split == "several"
    assert placing.outcome("su", "set:4", ready, "approve").left_out == "incomplete"
    assert placing.outcome("su", "set:9", ready, "approve").left_out == "source_removed"
    assert placing.outcome("xx", "set:1", ready, "approve").left_out == "other_target"
    assert placing.outcome("jv", "set:2", TranslationStatus("in_work", reason="voting"), "").left_out == "voting"


def test_the_source_is_named_before_a_target_that_is_called_alike() -> None:
    told = {key: {"language": "id", "register": "", "name": ""} for key in ("id", "su")}
    own, targets = missing.targets_of(RULES, "id", told)
    assert (own.file, [target.file for target in targets]) == ("id", ["id-2", "su"])
    assert [target.key for target in missing.targets_of(SplitRules(targets="su xx"), "id", told)[1]] == ["su"]
    assert missing.unknown_targets(SplitRules(targets="su xx"), told) == ["xx"]


@pytest.mark.parametrize(
    ("field", "value"), [("open_qa", "../x"), ("sentences", "a b"), ("targets", "x" * 2001), ("unreviewed", "maybe")]
)  # fmt: skip
def test_rules_that_cannot_be(field: str, value: str) -> None:
    with pytest.raises(FieldError) as raised:
        RULES.changed({field: value})
    assert raised.value.field == field


def test_presets_belong_to_a_layout() -> None:
    assert (layout_of(UNITS), layout_of(PAIR), layout_of(QA)) == (ALIGNED, BY_SPLIT, BY_SPLIT)
    assert presets_for_layout(ALIGNED) == ("loraxbench",)
    assert "loraxbench" not in presets_for_layout(BY_SPLIT)
    assert (default_rules(ALIGNED, "indonli-lay").preset, default_rules(BY_SPLIT, "idcsqa").preset) == (
        "loraxbench",
        "idcsqa",
    )
    assert set(RULES.chosen(RULES_BY_LAYOUT[ALIGNED])).isdisjoint({"dev_percent", "strict", "seed"})
    assert "complete_only" not in preset("indonli-lay").chosen(RULES_BY_LAYOUT[BY_SPLIT])


def test_a_premise_of_its_own_carries_nothing_of_one_of_its_rows() -> None:
    """It is of several rows: the label and the votes of the first of them are none of its facts."""
    shared = {"unit": "set:1", "data": {"label": "entailment", "annotator_labels": ["entailment", "neutral"]}}
    rows = [source("1", **shared), source("2", **shared, label="n")]
    whole, derived = aligned.tasks_of(rows, RULES)
    assert (derived.name, len(derived.lines)) == ("translation", 1)
    found = aligned.row_of(derived.lines[0], SU, TargetUnit(rows[0].texts, rows[0].texts, 1), "id", beside=False)
    assert found["data"] == {}
    assert "entailment" not in str(found)
    kept = aligned.row_of(whole.lines[0], SU, TargetUnit(rows[0].texts, rows[0].texts, 1), "id", beside=False)
    assert kept["data"] == {"annotator_labels": ["entailment", "neutral"], "label": "entailment"}
