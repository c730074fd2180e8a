"""Pairs on their way in: judged against what is there, then handed to storage with their flags and votes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotation.content.models.item import Hypothesis
from annotation.content.rules.released_ids import is_released, released_id
from annotation.jobs.bulk import bulk_insert
from validation.imports.existing import HeldPair, Known
from validation.imports.outcome import Outcome, taken
from validation.imports.premises import note_premise, store_premises
from validation.imports.prepare import Pair, is_sampled
from validation.imports.project_context import Frame
from validation.imports.rules import PremiseRow, Problem
from validation.imports.storage import ItemIn, store_items
from validation.review.rules.flags import DUPLICATE, FAILED_CHECK

PREMISE_DIFFERS = "premise_differs"
HYPOTHESIS = ("item_id", "project_id", "premise_id", "text", "tags")


@dataclass(slots=True)
class Placed:
    """A pair with the key that it gets, the key of its premise, and the flags that it starts with."""

    key: str
    pair: Pair
    premise: str
    flags: list[tuple[str, dict[str, Any]]]


@dataclass
class _Plan:
    """What a batch will store."""

    premises: list[PremiseRow] = field(default_factory=list)
    pairs: list[Placed] = field(default_factory=list)


class PairTaker:
    """Takes batches of pairs; the caller owns the transaction and has locked the target."""

    def __init__(self, frame: Frame, *, store: bool) -> None:
        self._frame, self._store, self._known = frame, store, Known(frame)

    def take(self, rows: Sequence[tuple[int, Pair | Problem]]) -> Outcome:
        """Judge a batch in file order, and store what is new."""
        frame, outcome, plan = self._frame, Outcome(), _Plan()
        known = self._known = Known(frame) if self._store else self._known
        self._look(known, [pair for _, pair in rows if isinstance(pair, Pair)])
        for n, pair in rows:
            if isinstance(pair, Problem):
                outcome.refuse(n, pair)
                continue
            found = self._place(known, pair, plan)
            if isinstance(found, Problem):
                outcome.refuse(n, found)
            elif found is None:
                outcome.unchanged += 1
            else:
                outcome.accepted += 1
                outcome.flagged += bool(found.flags)
                plan.pairs.append(found)
        if self._store and plan.pairs:
            ids = store_premises(frame, plan.premises)
            ids |= {held.key: held.id for held in known.premises.values() if held.id is not None}
            store_pairs(frame, plan.pairs, ids)
        return outcome

    def _look(self, known: Known, pairs: Sequence[Pair]) -> None:
        hashes = {pair.row.premise.hash for pair in pairs}
        known.look_premises({pair.row.premise.key for pair in pairs}, hashes)
        known.look_items({pair.row.key for pair in pairs})
        known.look_pairs(hashes)
        released = {self._key(known, pair) for pair in pairs if is_released(pair.row.key)}
        if released:
            known.look_items(released)
        if known.premises:
            other = [pair.row.premise for pair in pairs if self._other_text(known, pair)]
            known.look_premises({other_premise(row) for row in other}, ())
        if known.items:
            # The same id and texts with another label have a key of their own.
            known.look_items({_other_key(pair) for pair in pairs if self._other_label(known, pair)})

    def _key(self, known: Known, pair: Pair) -> str:
        """The pair's key: its id, or the key of the item of the same texts that a release gave under this id."""
        if is_released(pair.row.key) and pair.row.key not in known.items:
            there = known.pairs.get(pair.row.same)
            if there is not None and released_id(self._frame.secret, there) == pair.row.key:
                return there
        return pair.row.key

    def _other_label(self, known: Known, pair: Pair) -> bool:
        held = known.items.get(pair.row.key)
        # Not to say a label is not to say another one.
        return held is not None and bool(pair.row.author_label) and pair.row.author_label not in held.labels

    def _other_text(self, known: Known, pair: Pair) -> bool:
        held = known.premises.get(pair.row.premise.key)
        return held is not None and held.hash != pair.row.premise.hash

    def _place(self, known: Known, pair: Pair, plan: _Plan) -> Placed | Problem | None:
        """Where a pair goes, why it cannot, or None where it is there already (ruling 15)."""
        row, key = pair.row, self._key(known, pair)
        held = known.items.get(key)
        if held is not None and pair.row.same not in held.sames:
            return taken("pair_id", key, *_differing(held, pair))
        if held is not None and self._other_label(known, pair):
            key = _other_key(pair)
            held = known.items.get(key)
        if held is not None:
            return None
        premise = self._premise(known, row.premise, plan)
        first = known.pairs.setdefault(pair.row.same, key)
        known.items[key] = HeldPair(
            {pair.row.same}, {row.author_label}, row.premise.text[:100], row.hypothesis[:100]
        )
        flags: list[tuple[str, dict[str, Any]]] = []
        if first != key:
            flags.append((DUPLICATE, {"of": first}))
        failed = pair.failed
        if premise != row.premise.key and premise == other_premise(row.premise):
            failed = (*failed, PREMISE_DIFFERS)
        if failed:
            flags.append((FAILED_CHECK, {"checks": list(failed)}))
        return Placed(key, pair, premise, flags)

    def _premise(self, known: Known, row: PremiseRow, plan: _Plan) -> str:
        """The key of the premise that the pair belongs to; a new one is planned with it.

        Published files hold ids with two texts. A finished pair is not refused for that: the second text becomes a
        premise of its own, and the pair is flagged.
        """
        if row.made and row.hash in known.first:
            there = known.first[row.hash]
            known.premises.setdefault(there.key, there)
            return there.key
        held = known.premises.get(row.key)
        if held is not None and held.hash != row.hash:
            row = replace(row, key=other_premise(row), extra={**row.extra, "premise_id": row.key})
            held = known.premises.get(row.key)
        if held is None:
            note_premise(known, row)
            plan.premises.append(row)
        return row.key


def other_premise(row: PremiseRow) -> str:
    """The key of a premise whose id belongs to another text."""
    return f"{row.key}~{row.hash[:8]}"


def _other_key(pair: Pair) -> str:
    return f"{pair.row.key}~{pair.row.author_label}"


def _differing(held: HeldPair, pair: Pair) -> tuple[str, str]:
    """The texts that differ: the hypotheses, unless they begin alike and the premises do not."""
    row = pair.row
    if row.hypothesis.startswith(held.hypothesis.rstrip("…")) and not row.premise.text.startswith(
        held.premise.rstrip("…")
    ):
        return held.premise, row.premise.text
    return held.hypothesis, row.hypothesis


def store_pairs(frame: Frame, pairs: Sequence[Placed], premises: Mapping[str, int]) -> None:
    """Insert pairs, whose premises are there, with their hypotheses."""
    ids = store_items(frame, [_item(frame, each, premises[each.premise]) for each in pairs], ("label",))
    project = frame.project_id
    bulk_insert(
        Hypothesis,
        HYPOTHESIS,
        (
            (pk, project, premises[each.premise], each.pair.row.hypothesis, list(each.pair.row.tags))
            for pk, each in zip(ids, pairs, strict=True)
        ),
    )


def _item(frame: Frame, each: Placed, premise: int) -> ItemIn:
    pair, row = each.pair, each.pair.row
    # A pair without the author's label gets its label from validators alone, so it is always asked for.
    content: dict[str, Any] = {"premise": row.premise.text, "hypothesis": row.hypothesis}
    if row.tags:
        content["tags"] = list(row.tags)
    return ItemIn(
        each.key,
        row.author,
        row.author_label,
        premise,
        bool(row.votes) or not row.author_label or is_sampled(frame, each.key, each.premise),
        content,
        pair.words,
        row.votes,
        pair.surplus,
        each.flags,
    )
