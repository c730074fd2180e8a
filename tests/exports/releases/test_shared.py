"""Rows that share their source with another split."""

from exports.releases.rules.groups import SharedCounts, shares_at_most
from exports.releases.rules.leakage import ComparedRow, SplitDigests, leakage_report


def test_rows_are_counted_in_the_later_split() -> None:
    shared = SharedCounts()
    for split, source, n in (
        ("test", "a", 2),
        ("train", "a", 4),
        ("dev", "b", 1),
        ("test", "b", 3),
        ("test", "c", 1),
    ):
        shared.add(split, source, n)
    shared.add("train", "b")
    found = shared.counts()
    assert (found["rows"], found["of"]) == (6, 7)
    assert found["pairs"] == [
        {"splits": ["train", "dev"], "rows": 1, "of": 1},
        {"splits": ["train", "test"], "rows": 5, "of": 6},
        {"splits": ["dev", "test"], "rows": 3, "of": 6},
    ]
    assert SharedCounts().counts() == {"rows": 0, "of": 0, "pairs": []}


def test_what_a_project_allows() -> None:
    counts = {"shared": {"rows": 1, "of": 8}}
    assert [shares_at_most(counts, most) for most in (0, 12, 13, 100)] == [False, False, True, True]
    assert shares_at_most({"shared": {"rows": 0, "of": 0}}, 0)
    assert shares_at_most({}, 0)


def test_the_leakage_report_counts_rows_of_the_second_split() -> None:
    """Equal items and near texts too, of which different items and pairs of rows were counted."""
    one, other = SplitDigests("train"), SplitDigests("test")
    text, near = "Ibu memasak nasi di dapur pagi ini", "Ibu memasak nasi di dapur pagi itu"
    for n in range(3):
        one.add(ComparedRow(f"a{n}", text, "P", ""))
    for n, own in enumerate((text, text, near)):
        other.add(ComparedRow(f"b{n}", own, "P", ""))
    (found,) = leakage_report([one, other])
    assert (found["equal_items"], found["equal_texts"], found["near_texts"]) == (2, 2, 1)
    assert found["rows_with_shared_source"] == 3
