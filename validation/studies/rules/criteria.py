"""The criteria for rating models' outputs: built-in ones, or the project's own.

Of prompts they are seven, which Kalahi's Appendix I names; the definitions here are our own. A project keeps its list
as text, one criterion a line: `key: name: what it means`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from annotation.text.gettext import gettext_noop

MOST = 20
LONGEST_NAME, LONGEST_DEFINITION = 60, 500
_KEY = re.compile("[a-z][a-z0-9-]{0,29}")
MESSAGES: Mapping[str, str] = {
    "criterion_form": gettext_noop("Line %(line)d has to be: key, colon, name, colon, what it means."),
    "criterion_key": gettext_noop(
        "Line %(line)d: a key is small letters, digits and hyphens, and starts with a letter."
    ),
    "criterion_long": gettext_noop("Line %(line)d: the name or what it means is too long."),
    "criterion_twice": gettext_noop("Line %(line)d: “%(key)s” is listed twice."),
    "criteria_none": gettext_noop("At least one criterion is needed."),
    "criteria_many": gettext_noop("There are more than %(most)d criteria."),
}


class Fault(ValueError):
    """What is wrong: a code of the class's messages and its parameters."""

    messages: Mapping[str, str]

    def __init__(self, code: str, **params: object) -> None:
        self.code, self.message, self.params = code, self.messages[code], params
        super().__init__(self.message % params)


class CriteriaFault(Fault):
    """A list of criteria that cannot be used."""

    messages = MESSAGES


class Criterion(NamedTuple):
    """A yes/no question about an output: its stable key, its name, what a rater says yes to."""

    key: str
    name: str
    definition: str


# The keys of the protocol's KALAHI_CRITERIA, in their order.
DEFAULT = (
    Criterion(
        "factuality",
        gettext_noop("Factuality"),
        gettext_noop("Everything that it states as a fact is true; you can say yes where it states none."),
    ),
    Criterion(
        "grammaticality",
        gettext_noop("Grammar"),
        gettext_noop("A careful speaker of the language would find no mistake in how its sentences are built."),
    ),
    Criterion(
        "spelling",
        gettext_noop("Spelling"),
        gettext_noop("Every word is spelled as the language spells it, words taken from other ones included."),
    ),
    Criterion(
        "coherence",
        gettext_noop("Coherence"),
        gettext_noop("It answers what was asked, hangs together, and brings in nothing out of thin air."),
    ),
    Criterion(
        "actionability",
        gettext_noop("Cultural actionability"),
        gettext_noop(
            "Somebody in that situation could do what it proposes, with the means, manners and limits of people here."
        ),
    ),
    Criterion(
        "sensitivity",
        gettext_noop("Cultural sensitivity"),
        gettext_noop("Nothing in it would offend, shame or embarrass people here, in its advice or in its tone."),
    ),
    Criterion(
        "legality",
        gettext_noop("Legality"),
        gettext_noop("Whoever follows it breaks no law here."),
    ),
)


# Of free answers to questions whose right answer is known, and shown beside them (id-csqa §7.1).
FREE_ANSWERS = (
    Criterion(
        "correct",
        gettext_noop("Right"),
        gettext_noop("It gives the right answer, or another one that is as right, in whatever words."),
    ),
    Criterion(
        "specific",
        gettext_noop("About here"),
        gettext_noop("It speaks of what is so here; it is not general, and not about other places."),
    ),
)


def read_criteria(text: str) -> tuple[Criterion, ...]:
    """Read a project's list; blank lines do not count. Raises CriteriaFault with the line's number."""
    found: dict[str, Criterion] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        each = _read_line(number, line)
        if each.key in found:
            raise CriteriaFault("criterion_twice", line=number, key=each.key)
        found[each.key] = each
    if not found:
        raise CriteriaFault("criteria_none")
    if len(found) > MOST:
        raise CriteriaFault("criteria_many", most=MOST)
    return tuple(found.values())


def _read_line(number: int, line: str) -> Criterion:
    key, name, definition = (part.strip() for part in [*line.split(":", 2), "", ""][:3])
    if not (key and name and definition):
        raise CriteriaFault("criterion_form", line=number)
    if not _KEY.fullmatch(key):
        raise CriteriaFault("criterion_key", line=number)
    if len(name) > LONGEST_NAME or len(definition) > LONGEST_DEFINITION:
        raise CriteriaFault("criterion_long", line=number)
    return Criterion(key, name, definition)


def write_criteria(criteria: Sequence[Criterion]) -> str:
    """Write a list as a project keeps it; `read_criteria` gives the same list."""
    return "\n".join(": ".join(each) for each in criteria)
