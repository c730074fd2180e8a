"""What the Python client makes of rows with Hugging Face's `datasets`."""

import pytest
from mufakat_client import Rows

pytestmark = [
    pytest.mark.interop,
    # The library's own: what it imports is older than what it imports it with.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]


def test_rows_become_a_data_set() -> None:
    rows = Rows({"key": f"k{n}", "gold": None if n else "e", "flags": ["early"] * n} for n in range(3))
    assert next(rows)["gold"] == "e"
    found = rows.to_datasets()
    assert found.column_names == ["key", "gold", "flags"]
    assert found.to_list() == [
        {"key": "k1", "gold": None, "flags": ["early"]},
        {"key": "k2", "gold": None, "flags": ["early", "early"]},
    ]
