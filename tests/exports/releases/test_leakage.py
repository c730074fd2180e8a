"""What splits share, as tables; and every kind's rows are read by their own columns."""

from typing import Any

import pytest

from annotation.text.near_texts import MOST_WITH_RUN
from exports.releases.rules.leakage import ComparedRow, SplitDigests, leakage_report, near_pairs, read_row


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            {
                "pair_id": "p1-e1",
                "premise": "A",
                "hypothesis": "B",
                "author_label": "entailment",
                "annotator_ids": ["W01", "V02"],
            },
            ComparedRow("p1-e1", "B", "A", "W01"),
        ),
        (
            {"pair_id": "x", "premise": "A", "hypothesis": "B", "author_label": "-", "annotator_ids": ["V2"]},
            ComparedRow("x", "B", "A", ""),
        ),
        (
            {"pair_id": "x", "premise": "A", "hypothesis": "B", "premise_id": "p"},
            ComparedRow("x", "B", "A", ""),
        ),
        (
            {"id": "q1", "question": "Q?", "question_concept": "nasi", "creator": "W02"},
            ComparedRow("q1", "Q?", "nasi", "W02"),
        ),
        (
            {"id": "q1", "question": "Q?", "passage": "P", "translator": "T1"},
            ComparedRow("q1", "Q?", "P", "T1"),
        ),
        (
            {"prompt_variation_id": "0100010000", "prompt_id": "01000100", "prompt": "P"},
            ComparedRow("0100010000", "P", "", "", (("prompt_id", "01000100"),)),
        ),
        ({"id": 7, "premise": "It fell.", "choice1": "a"}, ComparedRow("7", "It fell.", "", "")),
        ({"n": 1}, ComparedRow("", "", "", "")),
    ],
)
def test_what_is_read_of_a_row(row: dict[str, Any], expected: ComparedRow) -> None:
    assert read_row(row) == expected


def split(name: str, *rows: tuple[str, str, str]) -> SplitDigests:
    made = SplitDigests(name)
    for n, (own, source, writer) in enumerate(rows):
        made.add(ComparedRow(f"{name}{n}", own, source, writer))
    return made


def test_what_two_splits_share() -> None:
    train = split(
        "train",
        ("Ibu memasak nasi di dapur pagi ini", "Dapur itu ramai", "W1"),
        ("Ayah pergi ke sawah", "Sawah itu luas", "W2"),
        ("Adik tidur", "Rumah itu sepi", "W3"),
    )
    test = split(
        "test",
        (" ibu memasak NASI di dapur pagi ini ", "Pasar itu ramai", "W1"),
        ("Ayah pergi ke sawah", "sawah itu luas", "W4"),
        ("Ibu memasak nasi di dapur pagi itu", "Warung itu tutup", "W1"),
        ("Kakek membaca koran", "", ""),
    )
    (found,) = leakage_report([train, test])
    assert found.pop("examples") == {
        "equal_items": [["train1", "test1"]],
        "near_texts": [["train0", "test2"]],
    }
    assert found == {
        "splits": ["train", "test"],
        "rows": [3, 4],
        "equal_items": 1,
        "equal_texts": 2,
        "near_texts": 1,
        "near_among": [3, 4],
        "shared_sources": 1,
        "rows_with_shared_source": 1,
        "shared_writers": 1,
        "rows_by_shared_writers": 2,
        "rows_with_writer": [3, 3],
        "groups": {},
        "words": [13, 15],
        "shared_words": 11,
        "known_words_percent": 73.3,
    }


def test_splits_that_share_nothing_and_empty_ones() -> None:
    one, other, none = (
        split("a", ("satu dua tiga", "s", "W1")),
        split("b", ("empat", "t", "W2")),
        SplitDigests("c"),
    )
    found = leakage_report([one, other, none])
    assert [each["splits"] for each in found] == [["a", "b"], ["a", "c"], ["b", "c"]]
    zeros = ("equal_items", "equal_texts", "near_texts", "shared_sources", "shared_writers", "shared_words")
    assert all(each[name] == 0 for each in found for name in zeros)
    assert [each["known_words_percent"] for each in found] == [0.0, None, None]


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("Budi membeli tiga buku baru di toko itu", "Budi membeli lima buku baru di toko itu", True),
        ("Budi membeli tiga buku baru di toko itu", "Budi menjual semua ayamnya di pasar itu", False),
        ("Budi membeli buku", "Budi membeli buku", False),
        ("", "", False),
    ],
)
def test_near_texts(one: str, other: str, near: bool) -> None:
    found = near_pairs([ComparedRow("a", one, "", "")], [ComparedRow("b", other, "", "")])
    assert found == ([("a", "b")] if near else [])


def test_a_manner_of_speaking_brings_no_candidates() -> None:
    many = [ComparedRow(str(n), f"apa yang biasa dilakukan {n}", "", "") for n in range(MOST_WITH_RUN + 1)]
    assert near_pairs(many, [ComparedRow("x", "apa yang biasa dilakukan q", "", "")]) == []
