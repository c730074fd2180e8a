"""What of a published row may be told where its answer is hidden: a kind names the columns, or makes them anew."""

from collections.abc import Callable, Mapping
from typing import Any

PublicColumns = Callable[[Mapping[str, Any]], dict[str, Any]]


def nothing(row: Mapping[str, Any]) -> dict[str, Any]:
    """Nothing of a row."""
    return {}


def only(*names: str) -> PublicColumns:
    """These columns of a row."""

    def told(row: Mapping[str, Any]) -> dict[str, Any]:
        return {name: row[name] for name in names}

    return told
