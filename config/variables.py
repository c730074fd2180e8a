"""Every environment variable that the site reads, by one table: config/variables.csv.

Its columns: name, kind (config/variable_kinds.py), default, how the document tells the default where it does so
otherwise, `secret` and `required` (in production), what it is for. docs/operating.md's table is made of it, which
`python -m config.variables` prints. An empty value counts as none; `check` says of all wrong ones what they must be.
"""

import csv
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from django.core.exceptions import ImproperlyConfigured

from config.variable_kinds import InvalidValue, Kind, is_weak_key, kind

LONGEST_SHOWN = 80
# What a server must have, these need not: one machine's, and the suite's.
LOCAL_MODES = ("config.settings.embedded", "config.settings.test")


class WrongSettings(ImproperlyConfigured):
    """Values of the environment that cannot be used, a sentence each."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


class Variable(NamedTuple):
    """A row of the table."""

    name: str
    written_kind: str
    default: str
    default_words: str
    flags: str
    purpose: str

    @property
    def kind(self) -> Kind:
        """What a value may be."""
        return kind(self.written_kind)

    @property
    def default_in_words(self) -> str:
        """The default as the document tells it."""
        default = self.default if re.fullmatch(r"\d+|true|false", self.default) else f"`{self.default}`"
        return self.default_words or (default if self.default else "none")

    def value(self, environment: Mapping[str, str]) -> Any:
        """What the environment says, or the default. Raises WrongSettings."""
        own = self.kind
        text = environment.get(self.name, "") or self.default
        if not text:
            return own.empty()
        try:
            return own.read(text)
        except ValueError as error:
            # Only some reasons are ours; those of libraries may hold the value.
            why = f" ({error})" if isinstance(error, InvalidValue) else ""
            raise WrongSettings([self.fault(text, why)]) from None

    def fault(self, text: str, why: str = "") -> str:
        """The sentence about a value that cannot be used."""
        shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
        value = (
            "has a value that is not shown, as it can hold a secret," if "secret" in self.flags else f"is {shown!r},"
        )
        return f"{self.name} {value} but must be {self.kind.allowed.replace('`', '')}{why}."


with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as _file:
    VARIABLES = tuple(Variable(*row) for row in list(csv.reader(_file))[1:])
_BY_NAME = {variable.name: variable for variable in VARIABLES}


def env(name: str) -> Any:
    """The value of one variable. Raises WrongSettings."""
    return _BY_NAME[name].value(os.environ)


def check(*, production: bool) -> None:
    """Raise WrongSettings with a sentence for each variable that cannot be used, or is missing."""
    if faults := list(_faults(os.environ, production=production)):
        raise WrongSettings(faults)


def _faults(environment: Mapping[str, str], *, production: bool) -> Iterator[str]:
    wrong = set()
    for variable in VARIABLES:
        if production and "required" in variable.flags and not environment.get(variable.name):
            yield f"{variable.name} is missing: it must be {variable.kind.allowed.replace('`', '')}."
            continue
        try:
            variable.value(environment)
        except WrongSettings as fault:
            wrong.add(variable.name)
            yield from fault.faults
    yield from _faults_together(wrong, production=production)


def _faults_together(wrong: set[str], *, production: bool) -> Iterator[str]:
    """What a mode and several values together ask, where each of them can be read."""
    if production and "DEBUG" not in wrong and env("DEBUG"):
        yield "DEBUG must not be true in production: take it out."
    if production and (key := env("SECRET_KEY")) and is_weak_key(key):
        yield _BY_NAME["SECRET_KEY"].fault(key)
    addresses = {"DATABASE_URL", "DATABASE_REPLICA_URL"}
    schemes = {env(name).partition(":")[0] for name in addresses} if not wrong & addresses else {""}
    if "sqlite" in schemes and "" not in schemes:
        yield "DATABASE_REPLICA_URL is for PostgreSQL alone: both addresses must be postgres://…."
    times = ("ASSIGNMENT_CAP_SECONDS", "ASSIGNMENT_SECONDS")
    if not wrong & {*times} and env(times[0]) < env(times[1]):
        yield f"{times[0]} is {env(times[0])}, but must be at least {times[1]}, which is {env(times[1])}."
    if not any(name.startswith("OIDC_") for name in wrong):
        from config.settings.sign_in import institution  # it reads variables by this module

        try:
            institution()
        except ImproperlyConfigured as error:
            yield str(error)


def table() -> str:
    """The rows as docs/operating.md has them."""
    head = "| variable | default | may be | meaning |\n| --- | --- | --- | --- |\n"
    cells = ((f"`{each.name}`", each.default_in_words, each.kind.allowed, each.purpose) for each in VARIABLES)
    return head + "".join("| {} |\n".format(" | ".join(cell.replace("|", "\\|") for cell in row)) for row in cells)


if __name__ == "__main__":
    print(table(), end="")
