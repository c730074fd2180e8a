"""Rows put aside come back in drawn order, however they lay and however many pieces they are in."""

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.core.rules.draws import draw
from exports.releases import frozen as spool
from exports.releases.frozen import Spool

# As texts of the database are: no surrogates, and no control characters between groups.
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x1d"), max_size=5)
PLACES = st.integers(0, 2**63 - 1) | st.integers(0, 3)
PLAIN = st.none() | st.booleans() | st.integers(-(2**62), 2**62) | TEXT
ROWS = st.lists(st.tuples(PLACES, TEXT, st.lists(PLAIN, max_size=3)), unique_by=lambda row: row[:2])


@given(rows=ROWS, expected=st.integers(0, 40))
def test_rows_come_in_drawn_order_as_often_as_asked(rows: list[tuple[Any, ...]], expected: int) -> None:
    with TemporaryDirectory() as folder, closing(Spool(Path(folder), expected * spool.ROWS_A_PIECE)) as kept:
        for row in rows:
            kept.add(row, f"of {row[1]}")
        found = list(kept.rows())
        assert found == [(list(row), f"of {row[1]}") for row in sorted(rows, key=lambda row: row[:2])]
        assert list(kept.rows()) == found


def test_many_rows_are_in_many_pieces_of_which_one_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "ROWS_A_PIECE", 100)
    rows = [(draw("s", "item", str(n)), str(n), "x" * 50) for n in range(5000)]
    with closing(Spool(tmp_path, len(rows))) as kept:
        for row in rows:
            kept.add(row, f"of {row[1]}")
        assert len(kept.files) == 51
        assert max(file.tell() for file in kept.files) < 3 * sum(file.tell() for file in kept.files) / 51
        assert [tuple(row) for row, _ in kept.rows()] == sorted(rows)
        assert not list(tmp_path.iterdir()), "what is put aside has no name"


def test_however_many_rows_there_are_so_many_files_are_open_at_most(tmp_path: Path) -> None:
    with closing(Spool(tmp_path, 10**9)) as kept:
        assert len(kept.files) == spool.MOST_PIECES
