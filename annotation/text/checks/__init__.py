"""The one registry of text checks: walks its folder; a further check is one more `Check` in any of its files."""

import importlib
import pkgutil
from collections.abc import Iterable, Sequence
from functools import cache

from annotation.text.checks.base import (
    BLOCK,
    WARN,
    WHOLE_SET,
    Check,
    FieldPair,
    Finding,
    SetContext,
    SlotText,
)

__all__ = [
    "BLOCK",
    "WARN",
    "WHOLE_SET",
    "Check",
    "FieldPair",
    "Finding",
    "SetContext",
    "SlotText",
    "all_checks",
    "blocks",
    "get",
    "run_checks",
]


@cache
def all_checks() -> dict[str, Check]:
    """Give every check by its id, in order of id; two of the same id raise ValueError."""
    checks: dict[str, Check] = {}
    for module in pkgutil.iter_modules(__path__):
        for value in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if isinstance(value, Check) and checks.setdefault(value.id, value) is not value:
                raise ValueError(f"two checks are called {value.id!r}")
    return dict(sorted(checks.items()))


def get(check_id: str) -> Check:
    """Find a check; KeyError where there is none of that id."""
    return all_checks()[check_id]


def run_checks(ids: Sequence[str], context: SetContext) -> list[Finding]:
    """Run a kind's checks over a set, in the kind's order; KeyError for an id that nobody registered."""
    checks = all_checks()
    findings: list[Finding] = []
    for check_id in ids:
        findings += checks[check_id].run(context)
    return findings


def blocks(findings: Iterable[Finding]) -> bool:
    """Say whether any finding keeps the set from being submitted."""
    return any(finding.level == BLOCK for finding in findings)
