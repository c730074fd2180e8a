"""What all votes of an item would have said, estimated from votes that stopped early (pure).

A protocol that stops early hides what further people would have answered, and more of it where people agree. If the
order in which people come to an item has nothing to do with their answers, every figure of all votes has an estimate
from those that were given that is right on average, item by item (Girshick, Mosteller and Savage 1946): each way of
stopping gets a score such that over all orders of every full set of votes the scores add up to the figure. Where the
protocol asks for all votes anyway the score is the figure itself. A score may lie outside the figure's range; means of
many scores do not.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from math import fsum, log2
from typing import TYPE_CHECKING, NamedTuple

from validation.consensus.audit import AUDITED, PANEL, TWO_AGREE
from validation.consensus.design import FIRST_TWO
from validation.consensus.engine import VoteIn, decide
from validation.consensus.protocol import NEVER, Protocol

if TYPE_CHECKING:
    import numpy as np

# More orders of votes than these are not gone through: protocols of many votes over many labels have no estimate.
MOST_ORDERS = 20_000
_TOLERANCE, _NOTHING = 1e-6, 1e-9
# How often each label was given, in the order of the labels; and what full counts are worth in a figure.
Counts = tuple[int, ...]
Scores = tuple[tuple[Counts, float], ...]
# Protocol, author's label, labels, one person's label and place, route.
_Key = tuple[Protocol, str | None, tuple[str, ...], str | None, int, str]


class _Stops(NamedTuple):
    """Which counts of given votes end which full counts: `orders[full, stop]` of the orders of the full ones do."""

    full: tuple[Counts, ...]
    stop: Mapping[Counts, int]
    orders: "np.ndarray"


def counts_of(given: Sequence[str], labels: Sequence[str]) -> Counts | None:
    """How often each label was given; None where a vote gave none of them."""
    tally = Counter(given)
    counts = tuple(tally[label] for label in labels)
    return counts if sum(counts) == len(given) else None


@lru_cache(maxsize=2000)
def _stops(
    protocol: Protocol, author: str | None, labels: tuple[str, ...], own: str | None, place: int, route: str
) -> _Stops | None:
    """Go through all orders of the votes; with `own` that of one person at `place`, which is none of the counts."""
    import numpy as np

    others = protocol.votes_at_most - (own is not None)
    if len(labels) ** others > MOST_ORDERS:
        return None
    rules, found = _asking(protocol), Counter[tuple[Counts, Counts]]()
    for order in product(labels, repeat=others):
        votes = [*order[:place], own, *order[place:]] if own is not None else list(order)
        given = len(decide(rules, author, _votes(votes), labels, route=route).counted)
        before = given - 1 if own is not None and place < given else given
        tally, stopped = Counter(order), Counter(order[:before])
        found[tuple(tally[label] for label in labels), tuple(stopped[label] for label in labels)] += 1
    full = sorted({pair[0] for pair in found})
    stop = {counts: n for n, counts in enumerate(sorted({pair[1] for pair in found}))}
    orders = np.zeros((len(full), len(stop)))
    for n, counts in enumerate(full):
        for stopped_at, m in stop.items():
            orders[n, m] = found[counts, stopped_at]
    return _Stops(tuple(full), stop, orders)


def _asking(protocol: Protocol) -> Protocol:
    """The rules by which people are asked: who calls an item ambiguous is no part of them."""
    return replace(protocol, most_ambiguous=NEVER) if protocol.most_ambiguous != NEVER else protocol


def _votes(labels: Sequence[str | None]) -> list[VoteIn]:
    return [VoteIn(label, "", 1, n) for n, label in enumerate(labels)]


def _route(route: str) -> str:
    """A disputed or doubted item is asked on like an audited one."""
    return PANEL if route == PANEL else AUDITED if route else ""


class Stopped(NamedTuple):
    """An item as the protocol left it: the author's label where it counts, the votes that counted in their order.

    `route` and `q` are the item's under two-agree-audit.
    """

    protocol: Protocol
    author: str | None
    votes: tuple[str, ...]
    route: str = ""
    q: float | None = None

    @property
    def weight(self) -> float:
        """How many items this one stands for: audits for those that stopped at two, which stand for none."""
        if self.route == TWO_AGREE:
            return 0.0
        return 1 / self.q if self.route == AUDITED and self.q else 1.0


def completed(
    item: Stopped, labels: tuple[str, ...], figure: Callable[[Counts], float], *, place: int | None = None
) -> float | None:
    """Estimate a figure of the counts of all votes on an item; with `place` of all votes but the one there.

    None where the item stands for none (it stopped at two), where it is still being asked about, and where the
    protocol hides too much: it stops where further votes, of which nothing can be known, would still move the figure.
    """
    if not item.weight:
        return None
    solved = _scores(item._replace(q=None), labels, place)
    if solved is None:
        return None
    scores, key = solved
    stops = _stops(*key) if key is not None else None
    if key is not None and stops is not None:
        import numpy as np

        figures = np.array([figure(counts) for counts in stops.full]) * stops.orders.sum(axis=1)
        if np.abs(stops.orders @ (_solve(*key)[0] @ figures) - figures).max() > _TOLERANCE:
            return None
    return fsum(score * figure(counts) for counts, score in scores)


def full_scores(item: Stopped, labels: tuple[str, ...]) -> Scores | None:
    """The counts of all votes with their scores: any figure's estimate is the sum of score times figure.

    None where not every figure can be estimated (`completed`), or the item stands for none.
    """
    solved = _scores(item._replace(q=None), labels, None) if item.weight else None
    return None if solved is None or solved[1] is not None else solved[0]


@lru_cache(maxsize=20_000)
def _scores(item: Stopped, labels: tuple[str, ...], place: int | None) -> tuple[Scores, _Key | None] | None:
    """The scores of full counts, and where not every figure has an estimate the system that says which do."""
    own = item.votes[place] if place is not None else None
    counts = counts_of([vote for n, vote in enumerate(item.votes) if n != place], labels)
    if counts is None or (own is not None and own not in labels):
        return None
    if len(item.votes) == item.protocol.votes_at_most and (len(item.protocol.rounds) == 1 or item.route == PANEL):
        return ((counts, 1.0),), None
    key = (item.protocol, item.author, labels, own, place or 0, _route(item.route))
    stops = _stops(*key)
    if stops is None or counts not in stops.stop:
        return None
    inverse, every = _solve(*key)
    row = inverse[stops.stop[counts]] * stops.orders.sum(axis=1)
    scores = tuple((full, float(score)) for full, score in zip(stops.full, row, strict=True) if abs(score) > _NOTHING)
    return scores, None if every else key


@lru_cache(maxsize=2000)
def _solve(
    protocol: Protocol, author: str | None, labels: tuple[str, ...], own: str | None, place: int, route: str
) -> "tuple[np.ndarray, bool]":
    """The inverse of the orders, and whether every figure has an estimate."""
    import numpy as np

    orders = _stops(protocol, author, labels, own, place, route)
    if orders is None:
        return np.zeros((0, 0)), False
    return np.linalg.pinv(orders.orders), int(np.linalg.matrix_rank(orders.orders)) == len(orders.full)


# --- one person's vote and the gold of the others ---------------------------------------------


class AgainstOthers(NamedTuple):
    """A vote beside the gold that the rules give without it: how far there is one, and how far the vote is it.

    Each is 1 or 0 where all votes were asked for anyway, and a score where the protocol stopped early.
    """

    gold: float
    agrees: float


def places_in_any_case(protocol: Protocol, route: str = "") -> int:
    """How many of an item's first votes were asked for whatever others said, or with a known probability."""
    if route == PANEL:
        return protocol.votes_at_most
    return FIRST_TWO if protocol.alpha else protocol.rounds[0]


def against_others(
    item: Stopped, labels: tuple[str, ...], place: int, names: Sequence[str] = ()
) -> AgainstOthers | None:
    """Compare a vote with the gold that the author's label, where it counts, and all other votes make by the rules.

    `names` are the voters', where ties go by them. None where the vote was asked for only because of what others had
    said, or nothing can be estimated (`completed`).
    """
    if place >= places_in_any_case(item.protocol, item.route):
        return None
    own, whole = item.votes[place], len(item.votes) == item.protocol.votes_at_most
    if len(item.protocol.rounds) == 1 or (item.route == PANEL and whole):
        votes = [vote for n, vote in enumerate(item.votes) if n != place]
        who = [name for n, name in enumerate(names) if n != place]
        gold = _gold_of_all(item.protocol, item.author, tuple(votes), labels, tuple(who))
        return AgainstOthers(float(gold is not None), float(gold == own))

    def gold_of(counts: Counts) -> str | None:
        votes = tuple(label for label, n in zip(labels, counts, strict=True) for _ in range(n))
        return _gold_of_all(item.protocol, item.author, votes, labels, ())

    there = completed(item, labels, lambda counts: float(gold_of(counts) is not None), place=place)
    agrees = completed(item, labels, lambda counts: float(gold_of(counts) == own), place=place)
    return None if there is None or agrees is None else AgainstOthers(there, agrees)


@lru_cache(maxsize=20_000)
def _gold_of_all(
    protocol: Protocol, author: str | None, votes: tuple[str, ...], labels: tuple[str, ...], names: tuple[str, ...]
) -> str | None:
    """The gold that these votes make when all of them are asked for at once."""
    if not votes or protocol.quorum > len(votes) + protocol.author_counts:
        return None
    rules = replace(_asking(protocol), rounds=(len(votes),), alpha=0.0, tie=protocol.tie if names else "none")
    given = [VoteIn(vote, names[n] if names else "", 1, n) for n, vote in enumerate(votes)]
    return decide(rules, author, given, labels).label


# --- figures of all labels of an item ----------------------------------------------------------


def figures_of_all_labels(item: Stopped, labels: tuple[str, ...]) -> tuple[float, float, float, float] | None:
    """How far the author's label is the gold that the votes alone make, how far they make one, and how far all labels
    (the author's where it counts) are alike, with their entropy in bits; None where nothing can be estimated.
    """
    own = item.author if item.protocol.author_counts and item.author in labels else None
    added = labels.index(own) if own is not None else -1

    def of_all(counts: Counts) -> Counts:
        return tuple(n + (place == added) for place, n in enumerate(counts))

    def gold_of(counts: Counts) -> str | None:
        votes = tuple(label for label, n in zip(labels, counts, strict=True) for _ in range(n))
        return _gold_of_all(replace(item.protocol, author="none", alpha=0.0), None, votes, labels, ())

    figures: tuple[Callable[[Counts], float], ...] = (
        lambda counts: float(own is not None and gold_of(counts) == own),
        lambda counts: float(own is not None and gold_of(counts) is not None),
        lambda counts: float(max(of_all(counts)) == sum(of_all(counts))),
        lambda counts: entropy(of_all(counts)),
    )
    found = [completed(item, labels, figure) for figure in figures]
    told = [value for value in found if value is not None]
    return (told[0], told[1], told[2], told[3]) if len(told) == len(figures) else None


def entropy(counts: Counts) -> float:
    """In bits: 0 where all say the same."""
    whole = sum(counts)
    return abs(-fsum(n / whole * log2(n / whole) for n in counts if n))
