"""The counts of clean-up, as LoraxBench's Table 2 has them, and its reasons."""

import pytest

from annotation.translation.rules.clean_up import (
    DISTRACTOR,
    REASONS,
    TYPO,
    ChangedText,
    CleanedRow,
    count_clean_up,
    reasons_of,
)


def row(unit: int, *fields: str, removed: bool = False, unanswerable: bool = False) -> CleanedRow:
    return CleanedRow(unit, fields, removed, unanswerable)


@pytest.mark.parametrize(
    ("rows", "fixed", "expected"),
    [
        # rows, removed, typos, distractors, unanswerable, final
        ([], [], (0, 0, 0, 0, 0, 0)),
        ([row(1, "text"), row(2, "text", removed=True)], [], (2, 1, 0, 0, 0, 1)),
        # one premise fixed counts for each of its rows that is left
        (
            [row(1, "premise", "h.1"), row(1, "premise", "h.2"), row(1, "premise", "h.3", removed=True)],
            [ChangedText(1, "premise", TYPO)],
            (3, 1, 2, 0, 0, 2),
        ),
        # the same text fixed twice, two texts of one row: the row counts once
        (
            [row(1, "question", "choice-A")],
            [
                ChangedText(1, "question", TYPO),
                ChangedText(1, "question", TYPO),
                ChangedText(1, "choice-A", TYPO),
            ],
            (1, 0, 1, 0, 0, 1),
        ),
        # what was fixed and then removed is removed
        ([row(1, "text", removed=True)], [ChangedText(1, "text", TYPO)], (1, 1, 0, 0, 0, 0)),
        (
            [
                row(1, "q", "choice-A"),
                row(2, "q", unanswerable=True),
                row(3, "q", removed=True, unanswerable=True),
            ],
            [ChangedText(1, "choice-A", DISTRACTOR), ChangedText(9, "q", DISTRACTOR)],
            (3, 1, 0, 1, 1, 2),
        ),
    ],
)
def test_table_2(rows: list[CleanedRow], fixed: list[ChangedText], expected: tuple[int, ...]) -> None:
    found = count_clean_up(rows, fixed, {})
    assert (
        found.rows,
        found.removed,
        found.typos,
        found.distractors,
        found.unanswerable,
        found.final,
    ) == expected


def test_the_papers_own_table_comes_out() -> None:
    """IndoCulture: 571 rows came, 61 went, 12 typos and 13 distractors were corrected, 510 are left."""
    rows = [row(n, "context", "continuation-A", removed=n < 61) for n in range(571)]
    fixed = [ChangedText(n, "context", TYPO) for n in range(100, 112)]
    fixed += [ChangedText(n, "continuation-A", DISTRACTOR) for n in range(200, 213)]
    found = count_clean_up(rows, fixed, {})
    assert (found.removed, found.typos, found.distractors, found.final) == (61, 12, 13, 510)
    assert found.texts == {TYPO: 12, DISTRACTOR: 13}


def test_five_reasons_unless_a_project_has_its_own() -> None:
    assert len(REASONS) == 5
    assert reasons_of("") == REASONS
    assert reasons_of("dull: Nobody cares\n\nold: Out of date") == (
        ("dull", "Nobody cares"),
        ("old", "Out of date"),
    )
