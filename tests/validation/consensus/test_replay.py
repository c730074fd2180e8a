"""Replay: the shapes of recorded rows, what is refused, label sets, and the summary."""

import pytest

from validation.consensus.protocol import PRESETS
from validation.consensus.replay import (
    OUT_COLUMNS,
    RowError,
    derive_labels,
    label_normalizer,
    out_row,
    read_row,
    read_rows,
    replay,
    summary,
)


def never(error: RowError) -> None:
    pytest.fail(str(error))


INCREMENTAL = PRESETS["incremental-3-5"]

SHAPES = [
    (b'{"pair_id": 7, "author_label": "e", "votes": ["e", "n"]}', "7", "e", [("?1", "e"), ("?2", "n")]),
    (b'{"votes": []}', "1", None, []),
    (b'{"id": "x", "author_label": " e ", "votes": ["", null, "n"]}', "x", "e", [("?3", "n")]),
    (b'{"label0": "c", "label1": "e", "label2": "n", "id": 3}', "3", "c", [("?1", "e"), ("?2", "n")]),
    (b'{"label0": "c", "label1": "", "label4": "n"}', "1", "c", [("?4", "n")]),
    (b'{"pairID": "a", "annotator_labels": ["e", "n"]}', "a", "e", [("?1", "n")]),
    (b'{"annotator_labels": []}', "1", None, []),
    (b'{"uid": "u", "old_labels": ["n", "n", "e"]}', "u", "n", [("?1", "n"), ("?2", "e")]),
    (b'{"answer_creator": "C", "answers": {"W2": "D", "W3": null}}', "1", "C", [("W2", "D")]),
    (b'{"answers": {}}\r\n', "1", None, []),
    ('{"id": "\u2028", "votes": ["\x85e"]}'.encode(), "\u2028", None, [("?1", "e")]),
]


@pytest.mark.parametrize(("line", "key", "author", "votes"), SHAPES)
def test_shapes(line, key, author, votes):
    assert read_row(1, line) == (1, key, author, tuple(votes), frozenset(), frozenset())


@pytest.mark.parametrize(
    ("marks", "who"),
    [
        (b'"question_ambiguity": {"W2": "clear", "W3": "ambiguous"}', {"W3"}),
        (b'"option_ambiguity": {"W2": ["clear", "ambiguous"], "W3": ["clear", "clear"]}', {"W2"}),
        (b'"question_ambiguity": {"W2": "ambiguous"}, "option_ambiguity": {"W2": ["ambiguous"]}', {"W2"}),
        (b'"question_ambiguity": ["ambiguous"], "option_ambiguity": {"W2": "ambiguous"}', set()),
    ],
)
def test_who_marked_something_as_ambiguous(marks, who):
    row = read_row(1, b'{"answer_creator": "A", "answers": {"W2": "A", "W3": "B"}, ' + marks + b"}")
    assert row.ambiguous == who


BAD = [
    (b'{"votes": ["e"', "", "whole JSON"),
    (b"\x00", "", "whole JSON"),
    (b'{"votes": ["\xff"]}', "", "whole JSON"),
    (b'{"votes": ["\\ud800"]}', "", "whole JSON"),
    (b"[" * 100_000, "", "whole JSON"),
    (b"[1]", "", "no JSON object"),
    (b'{"author_label": "e"}', "votes", "is missing"),
    (b'{"author_label": 3, "votes": []}', "author_label", "no label"),
    (b'{"votes": "eee"}', "votes", "no list"),
    (b'{"votes": ["e", 3]}', "votes", "no label"),
    (b'{"votes": [["e"]]}', "votes", "no label"),
    (b'{"annotator_labels": {}}', "annotator_labels", "no list"),
    (b'{"old_labels": [false]}', "old_labels", "no label"),
    (b'{"label0": "e", "label3": 4}', "label1 to label4", "no label"),
    (b'{"answers": ["A"]}', "answers", "no object"),
    (b'{"answers": {"W1": 1}}', "answers", "no label"),
    (b'{"answers": {}, "answer_creator": []}', "answer_creator", "no label"),
]


@pytest.mark.parametrize(("line", "field", "reason"), BAD)
def test_what_cannot_be_read_is_named_by_row_and_field(line, field, reason):
    with pytest.raises(RowError) as caught:
        read_row(41, line)
    assert (caught.value.row, caught.value.field) == (41, field)
    assert reason in caught.value.reason
    assert str(caught.value).startswith(f"row 41: {field}")


def test_lines_end_at_newlines_only_and_reading_goes_on_after_a_bad_one():
    lines = [
        b'\xef\xbb\xbf{"votes": []}\n',
        b" \n",
        b'{"vot\n',
        b'\xef\xbb\xbf{"votes": []}\n',
        b'{"votes": ["e"]}',
    ]
    refused: list[RowError] = []
    rows = list(read_rows(lines, refused.append))
    assert [row.number for row in rows] == [1, 5]
    assert [error.row for error in refused] == [3, 4]


def rows_of(*items: tuple[str | None, str]):
    lines = [
        b'{"author_label": %s, "votes": [%s]}'
        % (
            b"null" if author is None else f'"{author}"'.encode(),
            ",".join(f'"{v}"' for v in votes.split()).encode(),
        )
        for author, votes in items
    ]
    return list(read_rows(lines, never))


@pytest.mark.parametrize(
    ("items", "labels"),
    [
        ([("e", "n x"), ("Entailment", "c")], ("e", "n", "c")),
        ([("A", "B A"), ("e", "C")], ("A", "B", "C", "e")),
        ([(None, "e n")], ("e", "n")),
        ([], ()),
    ],
)
def test_the_label_set_of_a_file(items, labels):
    assert derive_labels(rows_of(*items)) == labels


@pytest.mark.parametrize(
    ("labels", "given", "spelt"),
    [
        ("e n c", "entailment e E Neutral x", "e e e n x"),
        (
            "entailment neutral contradiction",
            "e n C contradiction",
            "entailment neutral contradiction contradiction",
        ),
        ("E N C", "entailment e E", "E E E"),
        ("A B e", "entailment n A a", "e n A a"),
        ("yes no", "yes No e", "yes No e"),
    ],
)
def test_spelling(labels, given, spelt):
    spell = label_normalizer(labels.split())
    assert " ".join(map(spell, given.split())) == spelt


def test_a_row_without_author_is_refused_where_the_author_counts():
    refused: list[RowError] = []
    rows = rows_of(("e", "e e"), (None, "e e"))
    assert replay(rows, INCREMENTAL, None, refused.append).funnel.items == 1
    assert [(error.row, error.field) for error in refused] == [(2, "author_label")]
    assert replay(rows, PRESETS["unanimous-2"], None, never).funnel.items == 2


def test_summary_and_rows():
    rows = rows_of(
        ("entailment", "entailment e n"),
        ("e", "n n n"),
        ("e", "n c c n"),
        ("n", "e c"),
        ("c", "e n unrelated"),
    )
    replayed = replay(rows, INCREMENTAL, ("e", "n", "c"), never)
    figures = summary(replayed)
    assert figures == {
        "protocol": "incremental-3-5",
        "stop_hopeless": True,
        "label_set": ["e", "n", "c"],
        "items": 5,
        "entered_round": {"1": 5, "2": 4, "3": 1},
        "settled_in_round": {"1": 1, "2": 1, "3": 0},
        "gold": 2,
        "no_consensus": 2,
        "excluded": 0,
        "undecided": 1,
        "gold_counts": {"e": 1, "n": 1, "c": 0},
        "labels": 3 + 4 + 5 + 3 + 4,
        "labels_fixed_5": 25,
        "saving_with_authoring": {"labels": 16, "fixed_5": 20, "saved": 4, "percent": 20.0},
        "saving_without_authoring": {"labels": 12, "fixed_5": 16, "saved": 4, "percent": 25.0},
    }
    assert [dict(zip(OUT_COLUMNS, out_row(outcome), strict=True)) for outcome in replayed.outcomes][0::3] == [
        {"row": 1, "id": "1", "author_label": "e", "votes": "e e n", "outcome": "gold", "round": 1, "gold": "e",
         "labels": 3},
        {"row": 4, "id": "4", "author_label": "n", "votes": "e c", "outcome": "undecided", "round": 2, "gold": "-",
         "labels": 3},
    ]  # fmt: skip


def test_no_saving_where_the_author_does_not_count_or_nothing_was_decided():
    figures = summary(replay(rows_of((None, "A A A B B")), PRESETS["answers-5"], None, never))
    assert (figures["saving_with_authoring"], figures["labels"]) == (None, 5)
    empty = summary(replay([], INCREMENTAL, None, never))
    assert empty["saving_with_authoring"] == {"labels": 0, "fixed_5": 0, "saved": 0, "percent": None}
