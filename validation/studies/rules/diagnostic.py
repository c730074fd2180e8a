"""Diagnostic sets: the gold items, and the experts' changes of tags (IndoNLI §5, Appendix F). Pure.

650 gold pairs, stratified by gold label; the tags that the author gave are confirmed or changed by one expert other
than the author.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from annotation.text.phenomena import PHENOMENA, canonical, get
from validation.studies.rules import stratified

PURPOSE = "diagnostic"
USUAL_SIZE, LARGEST = 650, 10_000


def draw_items(seed: str, counts: Mapping[str, int], rows: Iterable[stratified.Row], size: int) -> list[stratified.Row]:
    """So many items with gold, of each label its share, in drawn order; `counts` are how many there are of each."""
    return stratified.draw_proportionally(seed, PURPOSE, counts, rows, size)


def known_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """The author's tags as they are compared: aliases resolved, and only the fifteen."""
    return canonical(tag for tag in tags if _is_known_tag(tag))


def _is_known_tag(tag: str) -> bool:
    try:
        get(tag)
    except KeyError:
        return False
    return True


class TaggedItem(NamedTuple):
    """One item: its gold label, the author's tags, and the expert's; None before they said."""

    key: str
    gold: str
    author: tuple[str, ...]
    expert: tuple[str, ...] | None


class TagCount(NamedTuple):
    """One tag: how many items have it, and how many by gold label."""

    tag: str
    items: int
    by_label: Mapping[str, int]


class Counts(NamedTuple):
    """The outcome of a set so far: `rows` that an expert went through, by gold label, by number of tags, by tag.

    `changed` is how many of them the expert has otherwise than the author.
    """

    rows: int
    open: int
    changed: int
    labels: Mapping[str, int]
    tags_per_row: Mapping[int, int]
    tags: Sequence[TagCount] = ()


def count_tags(rows: Iterable[TaggedItem], labels: Sequence[str]) -> Counts:
    """Count what experts confirmed or changed; tags in the order of Appendix F, those that nobody has left out."""
    every = list(rows)
    done = [(row, canonical(row.expert)) for row in every if row.expert is not None]
    by_tag: dict[str, Counter[str]] = {each.code: Counter() for each in PHENOMENA}
    for row, tags in done:
        for tag in tags:
            by_tag[tag][row.gold] += 1
    of_label = Counter(row.gold for row, _ in done)
    sizes = Counter(len(tags) for _, tags in done)
    return Counts(
        len(done),
        len(every) - len(done),
        sum(known_tags(row.author) != tags for row, tags in done),
        {label: of_label[label] for label in labels},
        dict(sorted(sizes.items())),
        [
            TagCount(tag, found.total(), {label: found[label] for label in labels})
            for tag, found in by_tag.items()
            if found
        ],
    )
