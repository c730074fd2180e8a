"""What two splits of a release share that they should not: texts, near texts, sources, documents, writers, words.

Pure, and read off the rows of a release by the field's own names of columns, so that whoever has the files can count
again. A text is compared without capitals, outer blanks and what is not seen (`key_form`); what near texts are says
annotation.text.near_texts.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import combinations
from typing import Any, NamedTuple

from annotation.text.near_texts import NearTexts
from annotation.text.normalise import key_form
from annotation.text.tokens import tokens
from exports.releases.rules.settings import DEV, TEST, TRAIN
from exports.releases.rules.splits import named_split
from validation.consensus.savings import percent

# The item's own text, and what it was made from: the first of these columns that a row has.
OWN_TEXTS = ("hypothesis", "question", "prompt", "context", "text", "premise")
SHARED_TEXTS = ("premise", "passage", "question_concept")
WRITER_COLUMNS = ("creator", "translator")
# What further keeps rows together, by the column that tells it, and what cards call it. Classes that splits are to
# have alike (genre, category, relation) are none of these.
GROUPS: Mapping[str, str] = {
    "document": "document",
    "topic": "topic",
    "group": "group",
    "set": "question set",
    "prompt_id": "prompt of which both are variations",
    "item": "translation that several rows are taken from",
}
# Near texts are looked for among so many rows of a split, the first ones: they lie in drawn order.
MOST_NEAR = 20_000
MOST_SHOWN = 20


_NO_WRITERS = "the rows that are compared do not say who wrote them; who translated them is not compared"


class ComparedRow(NamedTuple):
    """What is compared of a row."""

    key: str
    own: str
    source: str
    writer: str
    groups: tuple[tuple[str, str], ...] = ()


def read_row(row: Mapping[str, Any]) -> ComparedRow:
    """The texts and the writer of a release's row; empty where it has none."""
    own = next((name for name in OWN_TEXTS if isinstance(row.get(name), str)), "")
    source = next((name for name in SHARED_TEXTS if name != own and isinstance(row.get(name), str)), "")
    key = next((str(row[name]) for name in ("pair_id", "prompt_variation_id", "id") if name in row), "")
    groups = tuple((name, str(row[name])) for name in GROUPS if row.get(name))
    return ComparedRow(key, str(row.get(own, "")), str(row.get(source, "")), writer_of(row), groups)


def writer_of(row: Mapping[str, Any]) -> str:
    """Who wrote it; where one column lists everybody whose label counts, the author's stands first."""
    for name in WRITER_COLUMNS:
        if row.get(name):
            return str(row[name])
    listed = row.get("annotator_ids")
    has_author = row.get("author_label") not in (None, "", "-")
    return str(listed[0] or "") if listed and has_author else ""


def text_digest(text: str) -> bytes:
    """What equal texts share, in sixteen bytes; empty for no text."""
    form = key_form(text, casefold=True)
    return blake2b(form.encode("utf-8", "surrogatepass"), digest_size=16).digest() if form else b""


@dataclass
class SplitDigests:
    """What is remembered of a split: digests rather than texts, but for the rows among which near texts are sought."""

    name: str
    rows: int = 0
    items: dict[bytes, str] = field(default_factory=dict)
    times: Counter[bytes] = field(default_factory=Counter)
    texts: Counter[bytes] = field(default_factory=Counter)
    sources: Counter[bytes] = field(default_factory=Counter)
    writers: Counter[str] = field(default_factory=Counter)
    groups: dict[str, Counter[str]] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    near: list[ComparedRow] = field(default_factory=list)

    def add(self, row: ComparedRow) -> None:
        """Take in one row."""
        self.rows += 1
        own, source = text_digest(row.own), text_digest(row.source)
        if own:
            self.items.setdefault(own + source, row.key)
            self.times[own + source] += 1
            self.texts[own] += 1
            self.words.update(tokens(row.own))
            if len(self.near) < MOST_NEAR:
                self.near.append(row)
        if source:
            self.sources[source] += 1
        if row.writer:
            self.writers[row.writer] += 1
        for name, value in row.groups:
            self.groups.setdefault(name, Counter())[value] += 1


def leakage_report(splits: Sequence[SplitDigests]) -> list[dict[str, Any]]:
    """What every two splits share; rows are counted in the second of them, which is the one to be scored on."""
    return [_compare_splits(one, other) for one, other in combinations(splits, 2)]


def _compare_splits(one: SplitDigests, other: SplitDigests) -> dict[str, Any]:
    equal = sorted((one.items[found], other.items[found]) for found in one.items.keys() & other.items.keys())
    near = near_pairs(one.near, other.near)
    words = len(one.words & other.words)
    known = percent(words, len(other.words))
    return {
        "splits": [one.name, other.name],
        "rows": [one.rows, other.rows],
        "equal_items": _rows_with(other.times, one.times),
        "equal_texts": _rows_with(other.texts, one.texts),
        "near_texts": len({key for _, key in near}),
        "near_among": [len(one.near), len(other.near)],
        "shared_sources": len(one.sources.keys() & other.sources.keys()),
        "rows_with_shared_source": _rows_with(other.sources, one.sources),
        "shared_writers": len(one.writers.keys() & other.writers.keys()),
        "rows_by_shared_writers": _rows_with(other.writers, one.writers),
        "rows_with_writer": [one.writers.total(), other.writers.total()],
        "groups": {
            name: {
                "shared": len(one.groups[name].keys() & other.groups[name].keys()),
                "rows": _rows_with(other.groups[name], one.groups[name]),
                "of": other.groups[name].total(),
            }
            for name in GROUPS
            if name in one.groups and name in other.groups
        },
        "words": [len(one.words), len(other.words)],
        "shared_words": words,
        "known_words_percent": None if known is None else float(known),
        "examples": {
            "equal_items": [list(pair) for pair in equal[:MOST_SHOWN]],
            "near_texts": [list(pair) for pair in near[:MOST_SHOWN]],
        },
    }


def _rows_with(mine: Mapping[Any, int], others: Mapping[Any, int]) -> int:
    return sum(n for name, n in mine.items() if name in others)


def near_pairs(one: Sequence[ComparedRow], other: Sequence[ComparedRow]) -> list[tuple[str, str]]:
    """The keys of rows with near but not equal texts, the one's first, in the order of their keys."""
    texts = NearTexts()
    for row in one:
        texts.add(row.own)
    return sorted((one[place].key, row.key) for row in other for place in texts.near(row.own))


def card_section(reports: Mapping[str, Sequence[Mapping[str, Any]]], own_names: Mapping[str, str]) -> list[str]:
    """The card's words on the reports by config; `own_names` are the splits' names on the card."""
    lines: list[str] = []
    for config, pairs in reports.items():
        found = [line for pair in sorted(pairs, key=_rank) for line in _in_words(pair, own_names)]
        lines += [f"`{config}`:", "", *found, ""] if found and len(reports) > 1 else found
    if not lines:
        return []
    lines = lines if lines[-1] else lines[:-1]
    counted = "`leakage.json` counts rows of the second of every two splits; it names pairs and has the words known."
    return ["## What splits share", "", counted, "", *lines, ""]


def split_rank(name: str) -> int:
    """Train before dev before test, so that the second of two is the one to be scored on; others between."""
    return {TRAIN: 0, DEV: 1, TEST: 3}.get(named_split(name), 2)


def _rank(pair: Mapping[str, Any]) -> tuple[int, int]:
    """Test against train comes first: it is what scores suffer from."""
    one, other = map(split_rank, pair["splits"])
    return -other, one


def _in_words(pair: Mapping[str, Any], own_names: Mapping[str, str]) -> list[str]:
    """One line for each kind of sharing that there is, one for all that there are not."""
    one, other = (own_names.get(name, name) for name in pair["splits"])
    rows = pair["rows"][1]
    if not all(pair["rows"]):
        return []
    near = "a text at least 90 % alike"
    if pair["near_among"] != pair["rows"]:
        near += f" (among {pair['near_among'][0]:,} and {pair['near_among'][1]:,} rows)"
    kinds = {
        "an equal item": pair["equal_items"],
        "an equal text": pair["equal_texts"],
        near: pair["near_texts"],
        "a premise, passage or concept": pair["rows_with_shared_source"],
        **{f"a {GROUPS[name]}": counts["rows"] for name, counts in pair["groups"].items()},
    }
    told = all(pair["rows_with_writer"])
    if told:
        kinds["a writer"] = pair["rows_by_shared_writers"]
    found = [f"- {n:,} of {rows:,} {other} rows share {kind} with {one}" for kind, n in kinds.items() if n]
    none = [kind for kind, n in kinds.items() if not n]
    if none:
        *most, last = none
        found.append(f"- no {other} row shares {', '.join(most)}{' or ' if most else ''}{last} with {one}")
    return found if told else [*found, f"- whether {other} and {one} share writers is not known: {_NO_WRITERS}"]
