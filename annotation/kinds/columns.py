"""The columns of released rows: which hide the answer, and those that rows of every kind end with."""

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

# The fields of a published row that are shown if its answer is hidden.
PublicColumns = Callable[[Mapping[str, Any]], dict[str, Any]]


def no_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """Nothing of a row."""
    return {}


def only_columns(*names: str) -> PublicColumns:
    """These columns of a row."""

    def shown(row: Mapping[str, Any]) -> dict[str, Any]:
        return {name: row[name] for name in names}

    return shown


PROVENANCE_COLUMNS = (
    "n_labels",
    "stop_reason",
    "flags",
    "split",
    "language",
    "register",
    "origin",
    "revision",
    "guideline",
)
_provenance_values = itemgetter(*PROVENANCE_COLUMNS)


def provenance(row: Mapping[str, Any]) -> dict[str, Any]:
    """What every kind's row ends with: its labels and why nobody else was asked, where it stands, which text of which
    hands it is, what audits say of it, how a machine made it, which split it was published in."""
    values: dict[str, Any] = dict(zip(PROVENANCE_COLUMNS, _provenance_values(row), strict=True))
    for further in ("audits", "machine", "published"):
        if further in row:
            values |= row[further]
    return values
