"""Responses of cultural prompts: how many, one best, none twice, none that gives itself away (Kalahi §3.1, Table 2).

Pure findings over a prompt's responses, with a code, a level and parameters; and the cells of Kalahi's CSV, in which
responses are separated by `;`. "Relevant" counts the best one, which is one of them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from rapidfuzz import fuzz

from annotation.text.checks.base import BLOCK, WARN, Level, same_form
from annotation.text.gettext import gettext_noop as _

BEST, RELEVANT, IRRELEVANT = "best", "relevant", "irrelevant"
ROLES = (BEST, RELEVANT, IRRELEVANT)
FEWEST, MOST = 3, 5
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


class Found(NamedTuple):
    """What a rule found: a code of `MESSAGES`, the response it is about (or ""), and the message's parameters."""

    code: str
    key: str
    params: Mapping[str, object]

    @property
    def level(self) -> Level:
        """Whether it keeps the prompt from being submitted."""
        return LEVELS[self.code]


LEVELS: Mapping[str, Level] = {
    "relevant_count": BLOCK,
    "irrelevant_count": BLOCK,
    "best_count": BLOCK,
    "response_empty": BLOCK,
    "response_twice": BLOCK,
    "response_both": BLOCK,
    "response_near": WARN,
    "best_longer": WARN,
    "best_shorter": WARN,
    "response_separator": WARN,
}
MESSAGES: Mapping[str, str] = {
    "relevant_count": _("%(least)d to %(most)d relevant responses are needed; there are %(n)d."),
    "irrelevant_count": _("%(least)d to %(most)d irrelevant responses are needed; there are %(n)d."),
    "best_count": _("Exactly one of the relevant responses has to be marked as the best; %(n)d are."),
    "response_empty": _("This response is empty."),
    "response_twice": _("This response stands there twice."),
    "response_both": _("This response is among the relevant and among the irrelevant ones."),
    "response_near": _("This response is nearly the same as another one: %(percent)d %% alike."),
    "best_longer": _(
        "The best response (%(best)d characters) is much longer than the longest irrelevant one (%(other)d): "
        "its length gives it away."
    ),
    "best_shorter": _(
        "The best response (%(best)d characters) is much shorter than the shortest irrelevant one (%(other)d): "
        "its length gives it away."
    ),
    "response_separator": _(
        "Kalahi's CSV separates responses by semicolons: with one inside, this prompt cannot be exported so."
    ),
}


def _given(responses: Sequence[Response]) -> list[Response]:
    return [each for each in responses if each.text.strip()]


def counts(responses: Sequence[Response], least: int = FEWEST) -> Iterator[Found]:
    """Three (`least`) to five relevant, as many irrelevant, one best; empty ones do not count and are named."""
    given = _given(responses)
    relevant = sum(each.is_relevant for each in given)
    for code, n in (("relevant_count", relevant), ("irrelevant_count", len(given) - relevant)):
        if not least <= n <= MOST:
            yield Found(code, "", {"least": least, "most": MOST, "n": n})
    best = sum(each.role == BEST for each in given)
    if best != 1:
        yield Found("best_count", "", {"n": best})
    for each in responses:
        if not each.text.strip():
            yield Found("response_empty", each.key, {})


def repeated(responses: Sequence[Response]) -> Iterator[Found]:
    """A response twice on one side, or on both: the same but for case, blanks and outer marks (`same_form`)."""
    for first, other in combinations(_given(responses), 2):
        form = same_form(first.text)
        if form and form == same_form(other.text):
            code = "response_twice" if first.is_relevant == other.is_relevant else "response_both"
            yield Found(code, other.key, {"other": first.key})


def near(responses: Sequence[Response]) -> Iterator[Found]:
    """Two responses that differ in a few letters only (rapidfuzz's ratio over `same_form`)."""
    forms = [(each.key, same_form(each.text)) for each in _given(responses)]
    for (first, a), (other, b) in combinations(forms, 2):
        alike = fuzz.ratio(a, b)
        if a != b and alike >= NEAR_PERCENT:
            yield Found("response_near", other, {"other": first, "percent": int(alike)})


def lengths(responses: Sequence[Response]) -> Iterator[Found]:
    """A best response longer, or shorter, than every irrelevant one by half as much again (`LENGTH_FACTOR`).

    Validators and models choose between the best and the irrelevant ones (§3.2, MC1), so these are compared, in
    characters, which is what an eye sees. Only a best one outside their whole range tells anything: among three or
    more, one long and one short irrelevant response hide it.
    """
    best = [len(each.text.strip()) for each in _given(responses) if each.role == BEST]
    others = [len(each.text.strip()) for each in _given(responses) if each.role == IRRELEVANT]
    if len(best) != 1 or not others:
        return
    if best[0] > LENGTH_FACTOR * max(others):
        yield Found("best_longer", "", {"best": best[0], "other": max(others)})
    elif best[0] * LENGTH_FACTOR < min(others):
        yield Found("best_shorter", "", {"best": best[0], "other": min(others)})


def separators(responses: Sequence[Response]) -> Iterator[Found]:
    """A response that holds the mark by which Kalahi's CSV tells responses apart."""
    for each in responses:
        if SEPARATOR in each.text:
            yield Found("response_separator", each.key, {})


RULES: tuple[Callable[[Sequence[Response]], Iterator[Found]], ...] = (
    counts,
    repeated,
    near,
    lengths,
    separators,
)


def findings(responses: Sequence[Response]) -> list[Found]:
    """Run every rule over a prompt's responses, in the order of `RULES`."""
    return [found for rule in RULES for found in rule(responses)]


def longest_is_best(prompts: Iterable[Sequence[Response]]) -> tuple[int, int]:
    """Count the prompts whose best response is longer than every irrelevant one, and the prompts.

    Who always picks the longest response gets that share: beside the random baseline it says how much length gives
    away in the whole set (62 of 150 published, where chance alone has 0.2429).
    """
    wins = total = 0
    for responses in prompts:
        best = [len(each.text) for each in responses if each.role == BEST]
        others = [len(each.text) for each in responses if each.role == IRRELEVANT]
        if best and others:
            total += 1
            wins += best[0] > max(others)
    return wins, total


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
