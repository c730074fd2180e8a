"""Replay: recorded votes through the engine that the web uses (the pure part of `manage.py replay`).

Rows are JSON objects, one to a `\\n`: nothing else ends a line, since texts may hold U+0085 or U+2028. Shapes:
`author_label` and `votes`; `label0` to `label4`, the author's first (OCNLI); `annotator_labels`, author first (SNLI);
`old_labels`, author first (ChaosNLI); `answer_creator` and `answers` by pseudonym (id-csqa). A blank label is a vote
that was not given; a label outside the scheme is a vote that makes no gold. What cannot be read raises `RowError`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import orjson

from annotation.kinds.nli import ALIASES, LABEL_NAMES
from validation.consensus import protocol_costs
from validation.consensus.engine import Decision, VoteIn, decide
from validation.consensus.protocol import Protocol
from validation.consensus.savings import BASELINE_VOTES, Funnel, Saving, percent

_ID_COLUMNS = ("pair_id", "pairID", "uid", "id")
_BOM = b"\xef\xbb\xbf"


class RowError(ValueError):
    """A row that cannot be read: its number (from 1, blank lines counted), the field, the reason."""

    def __init__(self, row: int, field: str, reason: str) -> None:
        self.row, self.field, self.reason = row, field, reason
        super().__init__(f"row {row}: {field + ': ' if field else ''}{reason}")


class Row(NamedTuple):
    """One recorded item: the author's label where there is one, and the votes in the order given."""

    number: int
    id: str
    author: str | None
    votes: tuple[tuple[str, str], ...]
    """Pseudonym and label of each vote; a vote without a name has its place-holder (`?1`, ruling 3)."""
    ambiguous: frozenset[str] = frozenset()
    """Who marked the question or any option as ambiguous (id-csqa)."""
    unsure: frozenset[str] = frozenset()
    """Who said that their answer is uncertain (id-csqa)."""


class Outcome(NamedTuple):
    """A row with the labels as the scheme spells them, and what the engine says of it."""

    row: Row
    author: str | None
    labels: tuple[str, ...]
    decision: Decision


class ReplayResult(NamedTuple):
    """Everything that a replay found out."""

    labels: tuple[str, ...]
    funnel: Funnel
    outcomes: list[Outcome]


def read_rows(lines: Iterable[bytes], refuse: Callable[[RowError], None]) -> Iterator[Row]:
    """Read rows from lines split at `\\n`; each bad one goes to `refuse`, and the reading goes on."""
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix(_BOM) if number == 1 else line
        if not text.strip():
            continue
        try:
            yield read_row(number, text)
        except RowError as error:
            refuse(error)


def read_row(number: int, line: bytes) -> Row:
    """Read one row of any of the shapes. Raises `RowError`."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise RowError(number, "", f"is no whole JSON value ({error})") from None
    if not isinstance(row, dict):
        raise RowError(number, "", "is no JSON object")
    name = next((name for name in _ID_COLUMNS if row.get(name) is not None), None)
    author, votes = _author_and_votes(number, row)
    return Row(
        number,
        str(number if name is None else row[name]),
        author,
        tuple(votes),
        _ambiguity_markers(row),
        _unsure_voters(row),
    )


def _author_and_votes(number: int, row: Mapping[str, Any]) -> tuple[str | None, list[tuple[str, str]]]:
    """Find the author's label and the votes in whichever way the row holds them."""
    if "votes" in row:
        return _label(number, "author_label", row.get("author_label")), _votes(number, "votes", row["votes"])
    for field in ("annotator_labels", "old_labels"):
        if field in row:
            given = _list(number, field, row[field])
            return _label(number, field, given[0] if given else None), _votes(number, field, given[1:])
    if "label0" in row:
        given = [row.get(f"label{place}") for place in range(1, BASELINE_VOTES)]
        return _label(number, "label0", row["label0"]), _votes(number, "label1 to label4", given)
    if "answers" in row:
        answers = row["answers"]
        if not isinstance(answers, dict):
            raise RowError(number, "answers", "is no object of pseudonyms and answers")
        named = ((who, _label(number, "answers", label)) for who, label in answers.items())
        votes = [(who, label) for who, label in named if label is not None]
        return _label(number, "answer_creator", row.get("answer_creator")), votes
    raise RowError(number, "votes", "is missing (nor is there label0, annotator_labels, old_labels or answers)")


AMBIGUOUS, UNSURE = "ambiguous", "uncertain"


def _ambiguity_markers(row: Mapping[str, Any]) -> frozenset[str]:
    """Who marked something as ambiguous, each once; what is no mark of the published form marks nothing."""
    question, options = row.get("question_ambiguity"), row.get("option_ambiguity")
    found = {who for who, mark in question.items() if mark == AMBIGUOUS} if isinstance(question, dict) else set()
    if isinstance(options, dict):
        found |= {who for who, marks in options.items() if isinstance(marks, list) and AMBIGUOUS in marks}
    return frozenset(found)


def _unsure_voters(row: Mapping[str, Any]) -> frozenset[str]:
    """Who said that their answer is uncertain."""
    uncertainty = row.get("answers_uncertainty")
    return (
        frozenset(who for who, mark in uncertainty.items() if mark == UNSURE)
        if isinstance(uncertainty, dict)
        else frozenset()
    )


def _list(number: int, field: str, value: object) -> list[object]:
    if not isinstance(value, list):
        raise RowError(number, field, "is no list of labels")
    return value


def _votes(number: int, field: str, value: object) -> list[tuple[str, str]]:
    """Read a list of labels; nobody is named, so each gets its place-holder."""
    given = (_label(number, field, label) for label in _list(number, field, value))
    return [(f"?{place}", label) for place, label in enumerate(given, start=1) if label is not None]


def _label(number: int, field: str, value: object) -> str | None:
    """Read one label; null and blank mean that none was given."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise RowError(number, field, "holds something that is no label")
    return value.strip() or None


def derive_labels(rows: Sequence[Row]) -> tuple[str, ...]:
    """Find the scheme of a file: e, n, c where the authors used nothing but the nli labels, else all labels seen."""
    authors = {row.author for row in rows if row.author is not None}
    if authors and {author.casefold() for author in authors} <= set(ALIASES):
        return tuple(LABEL_NAMES)
    return tuple(sorted(authors | {label for row in rows for _, label in row.votes}))


def label_normalizer(labels: Sequence[str]) -> Callable[[str], str]:
    """Make the function that spells a label as the scheme does: `entailment` is `e`, or `e` is `entailment`."""
    here = {ALIASES[label.casefold()]: label for label in labels if label.casefold() in ALIASES}
    spelt = {word: here[key] for word, key in ALIASES.items() if key in here}
    return lambda label: label if label in labels else spelt.get(label.casefold(), label)


def replay(
    rows: Iterable[Row], protocol: Protocol, labels: Sequence[str] | None, refuse: Callable[[RowError], None]
) -> ReplayResult:
    """Decide every row under the protocol. A row whose author's label is missing where it counts is refused."""
    kept = []
    for row in rows:
        if row.author is None and protocol.author != "none":
            refuse(RowError(row.number, "author_label", "is missing, and the protocol needs it"))
        else:
            kept.append(row)
    scheme = tuple(labels) if labels else derive_labels(kept)
    spell, funnel, outcomes = label_normalizer(scheme), Funnel(protocol), []
    for row in kept:
        author = None if row.author is None else spell(row.author)
        votes = _ballots(spell, row)
        decision = decide(protocol, author, votes, scheme)
        funnel.add(author, [votes[place].label for place in decision.counted], decision)
        outcomes.append(Outcome(row, author, tuple(vote.label or "" for vote in votes), decision))
    return ReplayResult(scheme, funnel, outcomes)


def compare_protocols(rows: Iterable[Row], protocol: Protocol, labels: Sequence[str] | None) -> dict[str, Any]:
    """Price every protocol on the votes of a file, as plain JSON values, beside the one that it is read under."""
    kept = list(rows)
    scheme = tuple(labels) if labels else derive_labels(kept)
    cases = Counter(map(partial(_cost_case, label_normalizer(scheme)), kept))
    authors = any(row.author is not None for row in kept)
    compared = protocol_costs.comparable_protocols(protocol, scheme, authors=authors)
    prices = protocol_costs.prices(cases, {0: protocol}, compared, scheme)
    points = protocol_costs.curve(cases, scheme, author=protocol.author_counts)
    return {
        "protocol": protocol.name,
        "stop_hopeless": protocol.stop_hopeless,
        "label_set": list(scheme),
        "items": len(kept),
        "decided": prices[0].items,
        "protocols": [_price_as_json(price) for price in prices],
        "curve": [_point_as_json(point) for point in points],
    }


def _ballots(spell: Callable[[str], str], row: Row) -> list[VoteIn]:
    """The votes of a row as the engine takes them."""
    return [
        VoteIn(spell(label), who, 0, seq, ambiguous=who in row.ambiguous) for seq, (who, label) in enumerate(row.votes)
    ]


def _cost_case(spell: Callable[[str], str], row: Row) -> protocol_costs.Case:
    author = None if row.author is None else spell(row.author)
    return protocol_costs.case_of(0, author, _ballots(spell, row))


def _price_as_json(price: protocol_costs.Price) -> dict[str, Any]:
    """Lay a price out: what it would have taken, and on how many of the items told its gold is another."""
    return {
        "protocol": price.protocol.name,
        "priced": price.priced,
        "votes": price.votes,
        "labels": price.labels,
        "labels_fixed_5": price.five_label_total,
        "told": price.known,
        "gold": price.gold,
        "same": price.same_gold,
        "another_gold": price.different_gold,
        "gold_lost": price.lost_gold,
        "gold_found": price.gained_gold,
    }


def _point_as_json(point: protocol_costs.Point) -> dict[str, Any]:
    """Lay a point of the curve out."""
    share = percent(point.same_gold, point.items)
    return {
        "way": point.way.key,
        "items": point.items,
        "labels": point.labels,
        "same_as_five": point.same_gold,
        "another_gold": point.other_gold,
        "no_gold": point.no_gold,
        "percent": None if share is None else float(share),
    }


def summary(replayed: ReplayResult) -> dict[str, Any]:
    """Give the figures as plain JSON values; labels and five votes each over all items, savings over decided ones."""
    funnel = replayed.funnel
    return {
        "protocol": funnel.protocol.name,
        "stop_hopeless": funnel.protocol.stop_hopeless,
        "label_set": list(replayed.labels),
        "items": funnel.items,
        "entered_round": _rounds_as_json(funnel.by_round(funnel.entered_round)),
        "settled_in_round": _rounds_as_json(funnel.by_round(funnel.settled_in_round)),
        "gold": funnel.gold,
        "no_consensus": funnel.no_consensus,
        "excluded": funnel.excluded,
        "undecided": funnel.open,
        "gold_counts": {label: funnel.gold_counts[label] for label in replayed.labels},
        "labels": funnel.labels,
        "labels_fixed_5": BASELINE_VOTES * funnel.items,
        "saving_with_authoring": _saving_as_json(funnel.saving(authoring=True)),
        "saving_without_authoring": _saving_as_json(funnel.saving(authoring=False)),
    }


def _rounds_as_json(counts: Mapping[int, int]) -> dict[str, int]:
    """Name the rounds as JSON does."""
    return {str(number): count for number, count in counts.items()}


def _saving_as_json(saving: Saving | None) -> dict[str, Any] | None:
    """Lay a saving out: integers to compare, and the percentage for people."""
    if saving is None:
        return None
    share = percent(saving.saved, saving.fixed_5)
    return {
        "labels": saving.used,
        "fixed_5": saving.fixed_5,
        "saved": saving.saved,
        "percent": None if share is None else float(share),
    }


OUT_COLUMNS = ("row", "id", "author_label", "votes", "outcome", "round", "gold", "labels")


def out_row(outcome: Outcome) -> tuple[str | int, ...]:
    """Give one line of the row file: votes in order, the outcome of the item, and the labels that it took."""
    row, author, labels, decision = outcome
    state = "undecided" if decision.state == "open" else decision.state
    taken = len(decision.counted) + (author is not None)
    gold = decision.label or "-"
    return row.number, row.id, author or "", " ".join(labels), state, decision.round, gold, taken
