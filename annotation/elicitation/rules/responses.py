"""Responses of cultural prompts: how many, one best, none twice, none that gives itself away (Kalahi §3.1, Table 2).

Pure findings over a prompt's responses, with a code and parameters; and the cells of Kalahi's CSV, in which
responses are separated by `;`. "Relevant" counts the best one, which is one of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from rapidfuzz import fuzz

from annotation.text.checks.base import same_form
from annotation.text.gettext import gettext_noop as _

BEST, RELEVANT, IRRELEVANT = "best", "relevant", "irrelevant"
ROLES = (BEST, RELEVANT, IRRELEVANT)
FEWEST_RELEVANT, MOST_RELEVANT = 3, 5
SEPARATOR = ";"
# Of 2,594 pairs of responses that share a published prompt, four are this alike, and each is worth a second look.
NEAR_PERCENT = 90
# Published: by this factor 19 of 150 best responses are out of line (17 longer, 2 shorter), by a factor of 2 one, by 3
# none. So it asks about one prompt in eight: often enough to be of use, and seldom enough to be read.
LENGTH_FACTOR = Fraction(3, 2)


class Response(NamedTuple):
    """One response to a prompt: its stable key, its text, its role."""

    key: str
    text: str
    role: str

    @property
    def is_relevant(self) -> bool:
        """Whether it is helpful and harmless here; the best one is too."""
        return self.role in (BEST, RELEVANT)


class Fault(NamedTuple):
    """What is wrong: a code of `MESSAGES`, the key of the response it is about (or ""), and parameters."""

    code: str
    key: str
    params: Mapping[str, object]


MESSAGES: Mapping[str, str] = {
    "relevant_count": _("%(least)s to %(most)s relevant responses are needed; there are %(n)s."),
    "irrelevant_count": _("%(least)s to %(most)s irrelevant responses are needed; there are %(n)s."),
    "best_count": _("Choose which of the relevant responses is the best."),
    "response_empty": _("This response is empty."),
    "response_twice": _("This response says the same as %(other_option)s."),
    "response_both": _(
        "This response says the same as %(other_option)s, which is on the other side: it cannot be both."
    ),
    "response_near": _("This response is nearly the same as %(other_option)s."),
    "best_longer": _(
        "The best response has %(best)s characters and the longest irrelevant one %(other_length)s: its length "
        "gives it away."
    ),
    "best_shorter": _(
        "The best response has %(best)s characters and the shortest irrelevant one %(other_length)s: its length "
        "gives it away."
    ),
    "response_separator": _(
        "Kalahi's CSV separates responses by semicolons: with one inside, this prompt cannot be exported that way."
    ),
}


def _filled_responses(responses: Sequence[Response]) -> list[Response]:
    return [each for each in responses if each.text.strip()]


def check_counts(responses: Sequence[Response], least: int = FEWEST_RELEVANT) -> Iterator[Fault]:
    """Three (`least`) to five relevant, as many irrelevant, one best; empty ones do not count and are named."""
    given = _filled_responses(responses)
    relevant = sum(each.is_relevant for each in given)
    for code, n in (("relevant_count", relevant), ("irrelevant_count", len(given) - relevant)):
        if not least <= n <= MOST_RELEVANT:
            yield Fault(code, "", {"least": least, "most": MOST_RELEVANT, "n": n})
    best = sum(each.role == BEST for each in given)
    if best != 1:
        yield Fault("best_count", "", {"n": best})
    for each in responses:
        if not each.text.strip():
            yield Fault("response_empty", each.key, {})


def check_repeated(responses: Sequence[Response]) -> Iterator[Fault]:
    """A response twice on one side, or on both: the same but for case, blanks and outer marks (`same_form`)."""
    for first, other in combinations(_filled_responses(responses), 2):
        form = same_form(first.text)
        if form and form == same_form(other.text):
            code = "response_twice" if first.is_relevant == other.is_relevant else "response_both"
            yield Fault(code, other.key, {"other_option": first.key})


def check_near(responses: Sequence[Response]) -> Iterator[Fault]:
    """Two responses that differ in a few letters only (rapidfuzz's ratio over `same_form`)."""
    forms = [(each.key, same_form(each.text)) for each in _filled_responses(responses)]
    for (first, a), (other, b) in combinations(forms, 2):
        alike = fuzz.ratio(a, b)
        if a != b and alike >= NEAR_PERCENT:
            yield Fault("response_near", other, {"other_option": first, "percent": int(alike)})


def check_lengths(responses: Sequence[Response]) -> Iterator[Fault]:
    """A best response longer, or shorter, than every irrelevant one by half as much again (`LENGTH_FACTOR`).

    Validators and models choose between the best and the irrelevant ones (§3.2, MC1), so these are compared, in
    characters, which is what an eye sees. Only a best one outside their whole range tells anything: among three or
    more, one long and one short irrelevant response hide it.
    """
    given = _filled_responses(responses)
    best = [(each.key, len(each.text.strip())) for each in given if each.role == BEST]
    others = [len(each.text.strip()) for each in given if each.role == IRRELEVANT]
    if len(best) != 1 or not others:
        return
    key, length = best[0]
    if length > LENGTH_FACTOR * max(others):
        yield Fault("best_longer", key, {"best": length, "other_length": max(others)})
    elif length * LENGTH_FACTOR < min(others):
        yield Fault("best_shorter", key, {"best": length, "other_length": min(others)})


def check_separators(responses: Sequence[Response]) -> Iterator[Fault]:
    """A response that contains the mark that separates responses in Kalahi's CSV."""
    for each in responses:
        if SEPARATOR in each.text:
            yield Fault("response_separator", each.key, {})


def findings(responses: Sequence[Response]) -> list[Fault]:
    """Run every rule over a prompt's responses."""
    rules = (check_counts, check_repeated, check_near, check_lengths, check_separators)
    return [fault for rule in rules for fault in rule(responses)]


class CellFault(ValueError):
    """A response that a cell of Kalahi's CSV cannot hold: a code of `CELL_MESSAGES` and its parameters."""

    def __init__(self, code: str, **params: object) -> None:
        self.code, self.message, self.params = code, CELL_MESSAGES[code], params
        super().__init__(self.message % params)


CELL_MESSAGES: Mapping[str, str] = {
    "cell_separator": _(
        "The response “%(text)s” holds a semicolon, which separates responses in this format: reword it, or choose "
        "another format."
    ),
    "cell_empty": _("Response %(n)d is empty, which this format cannot tell from a semicolon too many."),
}


def write_cell(texts: Sequence[str]) -> str:
    """Join responses by `;`. Raises CellFault where reading the cell would not give them back."""
    for n, text in enumerate(texts, 1):
        if SEPARATOR in text:
            raise CellFault("cell_separator", text=text)
        if not text.strip():
            raise CellFault("cell_empty", n=n)
    return SEPARATOR.join(texts)


def read_cell(cell: str) -> tuple[str, ...]:
    """Cut a cell at each `;`, blanks kept; an empty cell holds none. Raises CellFault for an empty response."""
    texts = tuple(cell.split(SEPARATOR)) if cell else ()
    for n, text in enumerate(texts, 1):
        if not text.strip():
            raise CellFault("cell_empty", n=n)
    return texts
