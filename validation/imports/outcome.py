"""What became of one batch."""

from dataclasses import dataclass, field
from typing import NamedTuple

from django.utils.translation import gettext

from validation.rules.intake.problems import LONGEST_REASON, FileRefused, Problem, excerpt, gettext_noop


class Refused(NamedTuple):
    """A row of the report: its number, the field at fault, the reason."""

    n: int
    field: str
    reason: str


@dataclass
class Outcome:
    """The counts of a batch and its refused rows."""

    accepted: int = 0
    unchanged: int = 0
    flagged: int = 0
    refused: list[Refused] = field(default_factory=list)

    def refuse(self, n: int, problem: Problem) -> None:
        self.refused.append(Refused(n, problem.field, problem.reason[:LONGEST_REASON]))


def taken(field: str, key: str, there: str, here: str) -> Problem:
    """The id is there with another text: both are shown, neither is changed (ruling 15)."""
    message = gettext_noop(
        "“%(key)s” is there already with another text. There: “%(there)s” Here: “%(here)s” "
        "Give this row another id, or correct the text on the review desk."
    )
    params = {"key": excerpt(key, 40), "there": excerpt(there), "here": excerpt(here)}
    return Problem("id_taken", field, message, params)


def words(found: Problem | FileRefused) -> str:
    """What is wrong, in the reader's language."""
    return gettext(found.message) % found.params if found.params else gettext(found.message)
