"""Lexical statistics, by hand and on the published pairs; what the checks make of those."""

import json
from collections import Counter, defaultdict
from statistics import median

import pytest

from annotation import kinds
from annotation.text.checks import BLOCK, SetContext, SlotText, run_checks
from annotation.text.common_words import CommonWords
from annotation.text.languages import get
from annotation.text.lexical import Overlap, WordScore, overlap, rank_words
from annotation.text.tokens import tokens, words
from tests.data import DATA, needs_data

PUBLISHED = [("lay_sample", "label"), ("expert_replay", "author_label")]


def read(name):
    with (DATA / "indonli" / f"{name}.jsonl").open(encoding="utf-8", newline="\n") as lines:
        return [json.loads(line) for line in lines]


def medians(rows):
    """Each label's median overlap in percent, one decimal (IndoNLI Table 5); rows are premise, hypothesis, label."""
    by_label = defaultdict(list)
    for premise, hypothesis, label in rows:
        by_label[label].append(overlap(premise, hypothesis))

    def percent(shares):
        return round(100 * median(shares), 1)

    return {
        label: Overlap(*(percent([getattr(each, name) for each in of]) for name in ("jaccard", "lcs", "new")))
        for label, of in by_label.items()
    }


def pmi(rows, smoothing=10):
    """Each label's words by PMI, from rows of hypothesis and label (IndoNLI Table 9)."""
    return rank_words(Counter((word, label) for text, label in rows for word in tokens(text)), smoothing)


@pytest.mark.parametrize(
    ("premise", "hypothesis", "expected"),
    [
        ("a b c", "a b c", Overlap(1, 1, 0)),
        ("a b c d", "b a", Overlap(0.5, 0.5, 0)),
        ("a b", "c c d", Overlap(0, 0, 1)),
        ("a b", "", Overlap(0, 0, 0)),
        ("", "a", Overlap(0, 0, 1)),
        ("A b.", "a x.", Overlap(0.5, 2 / 3, 1 / 3)),
    ],
)
def test_overlap(premise, hypothesis, expected):
    assert overlap(premise, hypothesis) == expected


def test_medians_are_percents_of_each_label():
    rows = [("a b", "a", "e"), ("a b", "a b", "e"), ("a b c", "a x y", "n")]
    assert medians(rows) == {"e": Overlap(75.0, 100.0, 0.0), "n": Overlap(20.0, 33.3, 66.7)}


def test_pmi_ranks_words_and_leaves_marks_out():
    scores = pmi([("ada ada _x .", "e"), ("tidak ada .", "c")], smoothing=1)
    # n(tidak, c) = 1, n(tidak) = 1, n(c) = 3, four types, seven tokens, two labels: log2(2 * 15 / (3 * 7)).
    best = scores["c"][0]
    assert best == WordScore("tidak", best.pmi, 1, 1)
    assert best.pmi == pytest.approx(0.514573, abs=1e-6)
    assert [each.word for each in scores["e"]] == ["_x", "ada"]
    assert pmi([]) == {}


@needs_data
@pytest.mark.data
@pytest.mark.parametrize("name", ["lay_sample", "expert_replay"])
def test_published_pairs_give_the_expected_statistics(name):
    rows = read(name)
    expected = json.loads((DATA / "expected" / f"indonli_{name}_lexical.json").read_text())
    found = medians((row["premise"], row["hypothesis"], row["label"]) for row in rows)
    for label, values in expected["overlap"]["medians"].items():
        assert found[label] == Overlap(values["jaccard"], values["lcs"], values["new_types"])
    scores = pmi((row["hypothesis"], row["label"]) for row in rows)
    for label, top in expected["pmi"]["top5"].items():
        assert [[each.word, round(each.pmi, 4), each.with_label, each.in_all] for each in scores[label][:5]] == top


@needs_data
@pytest.mark.data
@pytest.mark.parametrize(("name", "label"), PUBLISHED)
def test_checks_hardly_ever_block_what_was_published(name, label):
    # A sample of a set is no whole set: the number for each label is left out.
    ids = [check_id for check_id in kinds.get("nli").authoring.checks if check_id != "per_label"]
    rows = read(name)
    often = CommonWords(Counter(word for row in rows for word in words(row["hypothesis"])))
    sets = defaultdict(list)
    for row in rows:
        sets[row["premise_id"]].append(row)
    counts: Counter[tuple[str, str]] = Counter()
    for found in sets.values():
        slots = tuple(SlotText(str(n), row[label], row["hypothesis"]) for n, row in enumerate(found))
        context = SetContext(found[0]["premise"], slots, "id", {}, 2, ("e", "n", "c"), often)
        counts.update((each.level, each.check) for each in run_checks(ids, context))
    # All six were read: four are two or three sentences, two repeat a sentence of their premise.
    blocked = {check: count for (level, check), count in counts.items() if level == BLOCK}
    assert blocked == {"lay_sample": {"copy_of_source": 2}, "expert_replay": {"several_sentences": 4}}[name]
    assert sum(counts.values()) < len(rows) / 15


@pytest.mark.parametrize(
    ("language", "holds", "tells"),
    [
        ("id", "di yang dan itu", "tidak bukan semua hanya pasar"),
        ("su", "di nu jeung ieu", "henteu teu kabéh pasar"),
        ("jv", "ing sing lan iki", "ora dudu kabeh pasar"),
        ("en", "the of and is", "not never all only market"),
        ("xx", "", "di the"),
    ],
)
def test_function_words_tell_neither_how_much_nor_that_not(language: str, holds: str, tells: str) -> None:
    words = get(language).function_words
    assert set(holds.split()) <= words
    assert not set(tells.split()) & words
