"""What a check of integrity is, and the list of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from annotation.core import declared
from annotation.core.models.project import Project


@dataclass(frozen=True)
class Breach:
    """One thing that is not as it must be. `repaired`: it was, and now is as it must be."""

    invariant: str
    project: str
    subject: str
    what: str
    found: str
    expected: str
    repaired: bool = False


@dataclass(frozen=True)
class Check:
    """A check by name: `run(project or None, repair)` yields breaches, in chunks, in constant memory."""

    name: str
    title: str
    run: Callable[[Project | None, bool], Iterator[Breach]]


_checks: dict[str, Check] = {}


def register(check: Check) -> None:
    """Add a check; one name once."""
    if check.name in _checks:
        raise ValueError(f"a check called {check.name!r} is there already")
    _checks[check.name] = check


def registered() -> list[Check]:
    """All checks: those of this app first, each app's in the order in which they were added."""
    declared.load("integrity")
    return sorted(_checks.values(), key=lambda check: not check.run.__module__.startswith("validation."))


def run(*, project: Project | None = None, repair: bool = False) -> Iterator[Breach]:
    """Every breach of one project or of all, as it is found; with `repair`, the outcome of correcting it."""
    for check in registered():
        yield from check.run(project, repair)
