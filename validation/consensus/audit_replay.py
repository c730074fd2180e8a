"""Replay of two-agree-audit: what stopping at two would have saved on recorded votes, run after run (pure).

In run R an item's place in the order of arrival, the order of its validators and its draw come of
sha256("seed|online|name|R|item id"); an audit is decided at once. Only items with the author's label and four
validators are replayed, in the order given also those whose recorded rounds ended before: nothing is guessed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from itertools import permutations
from typing import Any, NamedTuple

from validation.consensus.audit import AUDITED, TWO_AGREE, AuditState, Plan, apply_first_vote, apply_outcome
from validation.consensus.engine import VoteIn, decide
from validation.consensus.protocol import Protocol
from validation.consensus.replay import Row, derive_labels, label_normalizer
from validation.consensus.savings import BASELINE_VOTES

GIVEN_ORDER, DRAWN_ORDERS = "given", "drawn"
_VALIDATOR_VOTES = BASELINE_VOTES - 1
_DRAW_RANGE = 16**13
_PLACES = 4


class RecordedItem(NamedTuple):
    """An item with its possible sequences of four validators: their labels, and whether the first one doubts."""

    id: str
    author: str
    sequences: tuple[tuple[tuple[str, ...], bool], ...]


@dataclass
class Run:
    """One run: labels, golds that are others than of five labels, undoubted agreements, audits, changes, the bound.

    `three_equal` are the labels that three equal ones take, on average over all orders.
    """

    items: int
    labels: int = 0
    three_equal: float = 0.0
    changed: int = 0
    eligible: int = 0
    audited: int = 0
    found: int = 0
    bound: float = 0.0

    def figures(self) -> dict[str, Any]:
        """As plain JSON values, shares in percent."""
        return {
            "N": self.items,
            "labels": self.labels,
            "changed": self.changed,
            "eligible": self.eligible,
            "audited": self.audited,
            "found": self.found,
            "bound": _places(100 * self.bound / self.items),
        }

    @property
    def saving(self) -> float:
        """Percent of five labels each that nobody had to give."""
        return 100 * (1 - self.labels / (BASELINE_VOTES * self.items))


def replayable_items(
    rows: Iterable[Row], labels: Sequence[str] | None, orders: str
) -> tuple[list[RecordedItem], tuple[str, ...]]:
    """The items that can be replayed, and their labels."""
    least = _VALIDATOR_VOTES if orders == DRAWN_ORDERS else 2
    kept = [row for row in rows if row.author is not None and len(row.votes) >= least]
    scheme = tuple(labels) if labels else derive_labels(kept)
    spell = label_normalizer(scheme)
    return [
        RecordedItem(row.id, spell(row.author or ""), tuple(_sequences(row, spell, orders))) for row in kept
    ], scheme


def _sequences(row: Row, spell: Callable[[str], str], orders: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    doubting = row.ambiguous | row.unsure
    votes = row.votes[:_VALIDATOR_VOTES] if orders == GIVEN_ORDER else sorted(row.votes, key=lambda vote: vote[0])
    ways = [votes] if orders == GIVEN_ORDER else permutations(votes, _VALIDATOR_VOTES)
    for way in ways:
        yield tuple(spell(label) for _, label in way), way[0][0] in doubting


def replay_runs(
    items: Sequence[RecordedItem],
    labels: Sequence[str],
    protocol: Protocol,
    *,
    name: str,
    seed: str,
    numbers: Iterable[int],
) -> list[Run]:
    """Replay the items once for each run number."""

    @cache
    def three_equal(author: str, votes: tuple[str, ...]) -> tuple[int, str | None]:
        """The labels that three equal ones take, the author's included, and the gold."""
        ballots = [VoteIn(label, "", 0, n) for n, label in enumerate(votes)]
        found = decide(protocol, author, ballots, labels)
        return max(2, len(found.counted)) + 1, found.label

    plan = Plan(len(items), protocol.alpha, protocol.batch)
    done = [_replay_once(items, labels, plan, three_equal, f"{seed}|online|{name}|{number}") for number in numbers]
    every = sum(
        sum(three_equal(item.author, votes)[0] for votes, _ in item.sequences) / len(item.sequences) for item in items
    )
    return [replace(run, three_equal=every) for run in done]


def _replay_once(
    items: Sequence[RecordedItem],
    labels: Sequence[str],
    plan: Plan,
    three_equal: Callable[[str, tuple[str, ...]], tuple[int, str | None]],
    purpose: str,
) -> Run:
    hashed = [(sha256(f"{purpose}|{item.id}".encode()).hexdigest(), item) for item in items]
    account, run = AuditState(), Run(len(items))
    for digest, item in sorted(hashed, key=lambda each: each[0][:16]):
        votes, doubt = item.sequences[int(digest[16:24], 16) % len(item.sequences)]
        agrees = votes[0] == item.author and item.author in labels
        draw = int(digest[24:37], 16) / _DRAW_RANGE
        account, known = apply_first_vote(plan, account, None, panel=False, agrees=agrees, doubt=doubt, draw=draw)
        taken, gold = three_equal(item.author, votes)
        changed = gold != item.author
        if known.route == TWO_AGREE:
            run.labels += 2
            run.changed += changed
            continue
        run.labels += taken
        if known.route == AUDITED:
            account, _ = apply_outcome(plan, account, known, changed)
    run.eligible, run.audited, run.found = account.agreed, account.audited, account.changed
    run.bound = account.bound(plan)
    return run


def summary(done: Sequence[Run]) -> dict[str, Any]:
    """The first run, and the means of all: saving and same gold in percent, the bound in percent of the items."""
    first, several = done[0], len(done)
    means: dict[str, Any] = {"run": first.figures(), "runs": several}
    means["mean"] = {
        "saving": _places(sum(run.saving for run in done) / several),
        "same": _places(sum(100 * (1 - run.changed / run.items) for run in done) / several),
        "bound": _places(sum(100 * run.bound / run.items for run in done) / several),
    }
    means["three_equal_saving"] = _places(100 * (1 - first.three_equal / (BASELINE_VOTES * first.items)))
    means["runs_bound_missed"] = sum(run.changed > run.bound for run in done)
    return means


def _places(number: float) -> float:
    return round(number, _PLACES)
