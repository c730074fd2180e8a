"""How whole numbers are spread: as the standard library has it over the values one by one."""

import re
from collections import Counter
from statistics import fmean, median, pstdev

import orjson
import pytest

from annotation.text.histogram import bins, spread
from annotation.text.tokens import word_count
from tests.data import DATA, needs_data

VALUES = {
    "one": [4],
    "two of a kind": [3, 3],
    "even": [1, 2, 3, 10],
    "odd": [5, 0, 1],
    "many alike": [7] * 90 + [1] * 10 + [8],
}


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_as_over_the_values_one_by_one(values: list[int]) -> None:
    found = spread(Counter(values))
    assert found is not None
    assert (found.n, found.least, found.most) == (len(values), min(values), max(values))
    assert found.mean == pytest.approx(fmean(values), abs=1e-12)
    assert found.sd == pytest.approx(pstdev(values), abs=1e-12)
    assert found.median == median(values)


def test_nothing_has_no_spread() -> None:
    assert spread({}) is None
    assert spread({4: 0}) is None
    assert bins({4: 0}, 3) == []


def test_a_value_that_does_not_occur_is_no_end() -> None:
    found = spread({1: 0, 2: 3, 9: 0})
    assert found is not None
    assert (found.least, found.most) == (2, 2)


@pytest.mark.parametrize(
    ("counts", "most", "expected"),
    [
        ({4: 2, 5: 1}, 5, [(4, 4, 2), (5, 5, 1)]),
        ({4: 2, 6: 1}, 5, [(4, 4, 2), (5, 5, 0), (6, 6, 1)]),
        ({1: 1, 2: 1, 3: 1, 4: 1, 5: 1}, 2, [(1, 3, 3), (4, 6, 2)]),
        ({0: 1, 99: 1}, 10, [(0, 9, 1), *((n, n + 9, 0) for n in range(10, 90, 10)), (90, 99, 1)]),
        ({7: 5}, 1, [(7, 7, 5)]),
    ],
)
def test_bins_are_as_wide_as_they_must(counts: dict[int, int], most: int, expected: list[tuple[int, int, int]]) -> None:
    assert bins(counts, most) == expected
    assert len(expected) <= most
    assert sum(n for _, _, n in expected) == sum(counts.values())


@needs_data
def test_the_published_expert_half() -> None:
    """The sample has blanks between words counted too: 30.2 (18.3) and 9.3 (4.1) of data/expected."""
    told = orjson.loads((DATA / "expected" / "indonli_expert_replay_lexical.json").read_bytes())
    lines = (DATA / "indonli" / "expert_replay.jsonl").read_bytes().split(b"\n")
    rows = [orjson.loads(line) for line in lines if line]
    for field, expected in told["length_in_whitespace_words_mean_sd"].items():
        found = spread(Counter(len(re.findall(r"\S+", row[field])) for row in rows))
        assert found is not None
        assert [round(found.mean, 1), round(found.sd, 1)] == expected
    own = spread(Counter(word_count(row["hypothesis"]) for row in rows))
    assert own is not None
    assert (round(own.mean, 1), round(own.sd, 1)) == (9.4, 4.2)
