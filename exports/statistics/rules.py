"""What the tables of a release count, and the figures that they are made of, each with its 95 % interval. Pure.

Shares have Wilson's interval, means the normal one, medians that of order statistics (Hahn and Meeker 1991, §5.2): none
of them draws anything, so the same release gives the same figures everywhere.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, sqrt
from typing import Any

from annotation.kinds import Kind
from annotation.kinds.texts import OPTION_PREFIX, text_at
from annotation.text.artefacts import Figures, measure_text
from annotation.text.histogram import Spread, spread
from annotation.text.lexical import WordScore, rank_words
from annotation.text.tokens import blank_separated_count, tokens
from exports.releases.rules.machine import level_of
from validation.consensus.completion import Stopped, against_others, places_in_any_case
from validation.consensus.protocol import Protocol
from validation.consensus.savings import BASELINE_VOTES
from validation.insights.rules.individual_labels import (
    DecidedItems,
    IndividualCounts,
    count_individual_labels,
)
from validation.studies.rules.comparisons import Z, wilson

WHOLE = "all"
Interval = tuple[float, float]


@dataclass(frozen=True)
class Item:
    """An item as a release froze it. `split` is empty where it is in none; `gold` is what votes made of it.

    `votes` are the labels that counted, `ended` whether its votes came to an end, `group` its class or category.
    """

    split: str
    target: str
    content: Mapping[str, Any]
    label: str = ""
    author_label: str = ""
    gold: str = ""
    group: str = ""
    ended: bool = False
    votes: tuple[str, ...] = ()


@dataclass
class ReleaseCounts:
    """The counts of a release, item by item; a text of a million items is a few counters.

    Keys begin with the split. `lengths` count words between blanks of texts by name, `overlaps` and `cells` are of
    texts that are read alone (annotation/kinds/partial_input.py), by their class. `decided` is of items whose votes
    ended, by target and wherever they went, `record_item` of all items. Of splits that are `hidden` nothing is told
    that goes by words and labels.
    """

    kind: Kind
    protocol: Protocol
    hidden: frozenset[str] = frozenset()
    rows: Counter[tuple[str, str]] = field(default_factory=Counter)
    labels: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    groups: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    levels: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    concepts: Counter[tuple[str, str]] = field(default_factory=Counter)
    lengths: dict[tuple[str, str, str], Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    overlaps: dict[tuple[str, str], list[Figures]] = field(default_factory=lambda: defaultdict(list))
    cells: dict[str, Counter[tuple[str, str]]] = field(default_factory=lambda: defaultdict(Counter))
    decided: dict[str, Counter[DecidedItems]] = field(default_factory=lambda: defaultdict(Counter))
    record_item: Counter[str] = field(default_factory=Counter)

    def add(self, item: Item) -> None:
        """Take in one item."""
        self.record_item[item.target] += 1
        if item.ended:
            author, gold = item.author_label or None, item.gold or None
            self.decided[item.target][DecidedItems(author, self.protocol.author_counts, item.votes, gold)] += 1
        if item.split:
            self._released(item)

    def _released(self, item: Item) -> None:
        place = item.split, item.target
        self.rows[place] += 1
        if item.split not in self.hidden:
            self.labels[*place, item.label] += 1
        # A prompt has a category of its own, beside that of its topic.
        self.groups[*place, str(item.content.get("category") or item.group)] += 1
        self.levels[*place, level_of(item.content)] += 1
        if concept := str(item.content.get("concept", "")):
            self.concepts[item.split, concept] += 1
        for text in self.kind.presentation.texts_in(item.content):
            if text.shown and not text.key.startswith(OPTION_PREFIX) and (words := text_at(item.content, text.key)):
                self.lengths[*place, text.name][blank_separated_count(words)] += 1
        alone = self.kind.partial_input
        for each in alone.texts(item.content, item.label) if alone and item.split not in self.hidden else ():
            if each.source:
                self.overlaps[item.split, each.label].append(measure_text(each.text, each.source, frozenset()))
            self.cells[item.split].update((token, each.label) for token in tokens(each.text))

    def hides(self, split: str) -> bool:
        """Whether labels of a split are left out, or of all rows, from which they could be computed."""
        return bool(self.hidden.intersection(self.splits if split == WHOLE else (split,)))

    @property
    def splits(self) -> list[str]:
        """The splits in their order."""
        return in_split_order({split for split, _ in self.rows})

    @property
    def targets(self) -> list[str]:
        """The targets that have rows."""
        return sorted({target for _, target in self.rows})


def in_split_order(splits: Iterable[str]) -> list[str]:
    """Train, dev and test first, others by name."""
    usual = ("train", "dev", "test")
    return sorted(splits, key=lambda split: (usual.index(split) if split in usual else len(usual), split))


# --- figures ----


def percent_with_interval(n: int, of: int) -> dict[str, Any]:
    """A share in percent with the ends of its interval; None of nothing."""
    ends = wilson(n, of)
    return {"percent": 100 * n / of if of else None, "interval": ends and (100 * ends.low, 100 * ends.high)}


def mean_interval(found: Spread) -> Interval | None:
    """The ends of the mean's interval; None of fewer than two values."""
    if found.n < 2:
        return None
    # `sd` is that of these values; the error of their mean goes by n - 1.
    half = Z * found.sd / sqrt(found.n - 1)
    return found.mean - half, found.mean + half


def median(values: Sequence[float]) -> float:
    """The median of sorted values, of which there is one at least."""
    n = len(values)
    return (values[(n - 1) // 2] + values[n // 2]) / 2


def median_interval(values: Sequence[float]) -> Interval | None:
    """The ends of the median's interval among sorted values; None where they are too few for one."""
    n = len(values)
    half = Z * sqrt(n) / 2
    low, high = floor(n / 2 - half), ceil(n / 2 + half)
    return (values[low - 1], values[high]) if low >= 1 and high < n else None


def medians(figures: Sequence[Figures]) -> dict[str, Any]:
    """IndoNLI's Table 5 of some texts: the medians of three shares in percent, each with its interval."""
    found: dict[str, Any] = {"n": len(figures)}
    for name in ("jaccard", "lcs", "new"):
        values = sorted(100 * getattr(each, name) for each in figures)
        found |= {name: median(values), f"{name}_ends": median_interval(values)}
    return found


def strongest_words(
    cells: Mapping[tuple[str, str], int], classes: Sequence[str], most: int
) -> list[tuple[str, WordScore]]:
    """IndoNLI's Table 9: the words of each class with the highest PMI."""
    scores = rank_words(cells)
    return [(each, score) for each in classes for score in scores.get(each, [])[:most]]


def merge_counters(counts: Iterable[Mapping[Any, int]]) -> Counter[Any]:
    """Counters as one."""
    found: Counter[Any] = Counter()
    for each in counts:
        found.update(each)
    return found


def length_spread(counts: Iterable[Mapping[int, int]]) -> Spread | None:
    """How the lengths of several counters are spread together."""
    return spread(merge_counters(counts))


def individual_agreement(decided: Mapping[DecidedItems, int]) -> IndividualCounts:
    """IndoNLI's Table 3 over items whose votes ended."""
    return count_individual_labels(each._replace(times=n) for each, n in decided.items())


def votes_beside_others(decided: Mapping[DecidedItems, int], protocol: Protocol, kind: Kind) -> tuple[int, int]:
    """How many votes are the gold that the other labels make by the rules, of those for which these make one.

    Both are estimates where the protocol stops early. Of none under audits: which items were audited is not told here.
    """
    labels, agrees, gold = tuple(map(kind.export.spell, kind.question.label_keys)), 0.0, 0.0
    for group, times in decided.items() if not protocol.alpha else ():
        stopped = Stopped(protocol, group.author, tuple(group.counted_labels))
        for place in range(min(len(stopped.votes), places_in_any_case(protocol))):
            beside = against_others(stopped, labels, place)
            if beside is not None:
                agrees, gold = agrees + times * beside.agrees, gold + times * beside.gold
    return round(max(agrees, 0.0)), round(gold)


def saved_annotations(decided: Mapping[DecidedItems, int], *, authoring: bool) -> dict[str, Any]:
    """IndoNLI's Table 2: annotations with five labels an item, those that were made, and the share that was saved.

    `authoring`: the author's label is one of the annotations.
    """
    used = merge_counters([{len(each.counted_labels) + authoring: n} for each, n in decided.items()])
    found, five = spread(used), BASELINE_VOTES - (not authoring)
    if found is None:
        return {}
    ends = mean_interval(found)
    return {
        "items": found.n,
        "five": found.n * five,
        "used": round(found.mean * found.n),
        "percent": 100 * (1 - found.mean / five),
        "interval": ends and (100 * (1 - ends[1] / five), 100 * (1 - ends[0] / five)),
    }
