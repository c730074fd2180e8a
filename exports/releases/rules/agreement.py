"""Krippendorff's alpha of a release, with the votes that it rests on: added up while the release is written, and again
from its files by `verify_release`.

Pure. Only votes count that were asked for whatever others had said, or with a known probability, whose inverse they
weigh (validation.consensus.design); of items that nobody released as well, since those are the disputed ones. Under
two-agree-audit second votes stand for those of agreements that stopped, that wait for their draw, and whose audit is
open; of too few audits there is no alpha. Sums are whole numbers of `_ONE`, so that their order makes no difference.
The interval (95 %) is the wider of two jackknives: over items, and over people with Student's t.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, NamedTuple

from annotation.kinds import Kind
from exports.releases.rules.manifest import UNNAMED_PREFIX
from validation.consensus.audit import AUDITED, DISAGREEMENT, DOUBT, HELD, PANEL, TWO_AGREE
from validation.consensus.design import FEWEST_AUDITS, asking_probability, stops_early
from validation.consensus.protocol import Protocol

_ONE = 1 << 32
_PLACES = 4
_ASKED_ON = (DISAGREEMENT, DOUBT, PANEL)
_NORMAL = 1.959963984540054
FIRST_ROUND, WEIGHTED, EVERY_VOTE, OF_FILES = "first_round", "first_two_weighted", "all_votes", "imported"
OVER_WORDS: Mapping[str, str] = {
    FIRST_ROUND: "those of the first round, which were asked for whatever others had said",
    WEIGHTED: (
        "each item's first vote, and its second where that was asked for with a known probability, weighted by the "
        "inverse of it"
    ),
    EVERY_VOTE: "all votes, of which none was asked for because of what others had said",
    OF_FILES: "imported votes; why they were asked for is not known, so that disputed items may have more of them",
}


class DesignedVote(NamedTuple):
    """A vote that stands, in the order in which an item's votes are counted."""

    person: str
    label: str
    round: int
    imported: bool


@dataclass
class _Sums:
    """Votes, pairs that differ, and votes by label, each as whole numbers."""

    votes: int = 0
    differing: int = 0
    labels: Counter[str] = field(default_factory=Counter)

    def add(self, weight: int, labels: Sequence[str], times: int = 1) -> None:
        """Take in an item with these labels; one vote alone pairs with nothing."""
        n = len(labels)
        if n < 2:
            return
        equal = 0
        for label in dict.fromkeys(labels):
            count = labels.count(label)
            equal += count * count
            self.labels[label] += times * weight * count
        self.votes += times * weight * n
        self.differing += times * (weight * (n * n - equal) // (n - 1))

    def add_scaled(self, other: "_Sums", times: int, of: int) -> None:
        """Take in other sums, `times` of `of` times."""
        self.votes += other.votes * times // of
        self.differing += other.differing * times // of
        for label, n in other.labels.items():
            self.labels[label] += n * times // of

    def alpha(self, without: "_Sums | None" = None) -> float | None:
        """Krippendorff's alpha of nominal labels; None where all labels are one."""
        less = without or _Sums()
        votes = self.votes - less.votes
        same = sum((n - less.labels[label]) ** 2 for label, n in self.labels.items())
        expected = votes * votes - same
        if expected <= 0:
            return None
        return 1 - (votes - _ONE) * (self.differing - less.differing) / expected


class Agreement:
    """Votes of a release as they go by."""

    def __init__(self, protocols: Iterable[Mapping[str, Any]]) -> None:
        rules = [Protocol.from_dict(version["rules"]) for version in protocols]
        audited = [protocol for protocol in rules if protocol.alpha]
        self._protocol = next(iter([*audited, *rules]), None)
        stops = any(stops_early(protocol) for protocol in rules)
        self.over = WEIGHTED if audited else FIRST_ROUND if stops else EVERY_VOTE
        # Of items by their routes: how many have a first vote; their votes, where a second one is of known probability.
        self._first, self._second = Counter[str](), dict[str, _Tally]()
        self._of_files = _Tally()

    def add(self, votes: Sequence[DesignedVote], route: str = "", q: float | None = None) -> None:
        """Take in the votes of one item; `route` and `q` are its under two-agree-audit.

        Items that anybody's file has votes on are asked about by other rules. One vote without a route is an agreement
        that waits for its draw.
        """
        if any(vote.imported for vote in votes):
            self._of_files.add(_ONE, votes)
            return
        weight, chosen = 1.0, list[DesignedVote]()
        for place, vote in enumerate(votes, 1):
            assert self._protocol is not None  # noqa: S101 - there are votes under it
            chance = asking_probability(self._protocol, round=vote.round, place=place, route=route, q=q)
            if chance:
                weight = max(weight, 1 / chance)
                chosen.append(vote)
        route = route or (HELD if self.over == WEIGHTED and len(votes) == 1 else "")
        self._first[route] += bool(votes)
        self._second.setdefault(route, _Tally()).add(round(weight * _ONE), chosen)

    def summary(self) -> dict[str, Any] | None:
        """The figures as plain JSON values; those of votes that files brought only where nobody voted here."""
        audits, held = self._items(AUDITED), self._first[HELD]
        undrawn = self._first[TWO_AGREE] + held + self._first[AUDITED] - audits
        waiting = {"agreements_held": held} if held else {}
        if undrawn and audits < FEWEST_AUDITS:
            told = self._weighted().summary() or {"items": 0, "votes": 0, "people": 0}
            none = dict.fromkeys(("alpha", "from", "to"))
            return {"over": self.over, **told, **none, "audits_with_second_vote": audits, **waiting}
        found = self._weighted().summary()
        if found:
            return {"over": self.over, **found, "items_with_imported_votes": self._of_files.items, **waiting}
        found = self._of_files.summary()
        return {"over": OF_FILES, **found} if found else None

    def _items(self, *routes: str) -> int:
        return sum(self._second[route].items for route in routes if route in self._second)

    def _weighted(self) -> "_Tally":
        """All votes: those of items with a second one stand for the items of their kind that have none yet."""
        whole, first = _Tally(), self._first
        drawn = first[TWO_AGREE] + first[AUDITED]
        scales = {AUDITED: ((drawn + first[HELD]) * first[AUDITED], drawn * self._items(AUDITED))}
        asked_on = sum(first[route] for route in _ASKED_ON), self._items(*_ASKED_ON)
        scales |= dict.fromkeys(_ASKED_ON, asked_on)
        for route, tally in self._second.items():
            if tally.items:
                whole.take(tally, *scales.get(route, (1, 1)))
        return whole


class _Tally:
    """Items by their labels, and what everybody's leaving would change."""

    def __init__(self) -> None:
        self.items = self.votes = 0
        self._sums, self._people = _Sums(), dict[str, _Sums]()
        self._patterns = Counter[tuple[int, tuple[str, ...]]]()

    def add(self, weight: int, votes: Sequence[DesignedVote]) -> None:
        """Take in an item with its votes."""
        if len(votes) < 2:
            return
        labels = tuple(sorted([vote.label for vote in votes]))
        self.items += 1
        self.votes += len(votes)
        self._patterns[weight, labels] += 1
        for at, vote in enumerate(votes):
            if vote.person.startswith(UNNAMED_PREFIX):
                continue
            change = self._people.get(vote.person)
            if change is None:
                change = self._people[vote.person] = _Sums()
            change.add(weight, labels)
            change.add(weight, [other.label for n, other in enumerate(votes) if n != at], -1)

    def take(self, other: "_Tally", times: int, of: int) -> None:
        """Take in what another has, its weights `times` of `of` times."""
        self.items += other.items
        self.votes += other.votes
        for (weight, labels), n in other._patterns.items():
            self._patterns[weight * times // of, labels] += n
        for person, change in other._people.items():
            self._people.setdefault(person, _Sums()).add_scaled(change, times, of)

    def summary(self) -> dict[str, Any]:
        """The figures; nothing where no two people judged one item."""
        if not self.items:
            return {}
        whole = _Sums()
        for (weight, labels), n in self._patterns.items():
            whole.add(weight, labels, n)
        alpha = whole.alpha()
        told = {"items": self.items, "votes": self.votes, "people": len(self._people)}
        if alpha is None:
            return {**told, "alpha": None, "from": None, "to": None}
        reach = max(self._reach_of_items(whole), self._reach_of_people(whole))
        low, high = (alpha - reach, min(alpha + reach, 1.0)) if reach else (None, None)
        places = {"alpha": alpha, "from": low, "to": high}
        return told | {name: None if value is None else round(value, _PLACES) for name, value in places.items()}

    def _reach_of_items(self, whole: _Sums) -> float:
        left_out = Counter[float]()
        for (weight, labels), n in sorted(self._patterns.items()):
            item = _Sums()
            item.add(weight, labels)
            alpha = whole.alpha(item)
            if alpha is not None:
                left_out[alpha] += n
        return _NORMAL * _jackknife_error(left_out)

    def _reach_of_people(self, whole: _Sums) -> float:
        from validation.insights.rules.clusters import FEWEST_PEOPLE, t95

        alphas = [whole.alpha(change) for _, change in sorted(self._people.items())]
        left_out = Counter(alpha for alpha in alphas if alpha is not None)
        n = left_out.total()
        return t95(n - 1) * _jackknife_error(left_out) if n >= FEWEST_PEOPLE else 0.0


def _jackknife_error(left_out: Mapping[float, int]) -> float:
    """The standard error, from the figures that are left when each item or person is left out."""
    n = sum(left_out.values())
    if n < 2:
        return 0.0
    mean = sum(value * times for value, times in left_out.items()) / n
    return sqrt((n - 1) / n * sum(times * (value - mean) ** 2 for value, times in left_out.items()))


def has_alpha(kind: Kind) -> bool:
    """Whether votes on the kind's items are labels that can be equal."""
    return not kind.question.has_free_answers


def sentences(told: Mapping[str, Any] | None) -> list[str]:
    """The card's paragraph."""
    if not told:
        return []
    between = ""
    if told["from"] is not None:
        between = (
            f" (95 %: {told['from']:.3f} to {told['to']:.3f}, the wider of two jackknives, over items and over people)"
        )
    value = "not defined, as all votes are one label" if told["alpha"] is None else f"{told['alpha']:.3f}{between}"
    if (audits := told.get("audits_with_second_vote")) is not None:
        value = (
            f"not told: {audits:,} audits have a second vote, and fewer than {FEWEST_AUDITS} cannot stand for the "
            "agreements that have none"
        )
    aside = told.get("items_with_imported_votes", 0)
    left = f" {aside:,} items with imported votes are not among them." if aside else ""
    if held := told.get("agreements_held", 0):
        left += f" {held:,} agreements waited for the draw of their audit; the audited ones stand for them."
    people = f" by {told['people']:,} people" if told["people"] else ""
    return [
        f"Krippendorff's alpha (nominal) is {value}. It rests on {told['votes']:,} votes{people} "
        f"on {told['items']:,} items, in any split or in none: {OVER_WORDS[told['over']]}.{left}",
        "",
    ]
