"""One file a split: items are dealt to train, dev and test, each a row (domain.md §9)."""

from collections.abc import Mapping
from typing import Any

from exports import sql
from exports.layouts.base import Frame, Layout, Sinks
from exports.rules.groups import group_text, together
from exports.rules.manifest import Tally
from exports.rules.rows import Frozen
from exports.rules.settings import SPLITS, TEST
from exports.rules.splits import (
    Groups,
    Outcome,
    Place,
    Standing,
    group_of,
    named_splits,
    needs_group,
    pins,
    place,
    shapes_deal,
    text_key,
)
from validation.rules import stages


class BySplit(Layout):
    """Rows go to the file of their split as they come."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self.named = named_splits(frame.rules)
        self.rows: dict[str, list[dict[str, Any]]] = {split: [] for split in SPLITS}
        self.places: dict[Standing, Place] = {}

    def deal(self, sinks: Sinks) -> None:
        """Read the texts of what dev and test share, and deal them."""
        rules, shape = self.frame.rules, self.frame.kind.shape
        for name in self.named:
            sinks.open(name)
        groups = Groups(rules, together(shape))
        if rules.strict or 0 < rules.dev_percent < 100 or pins(rules):
            also = stages.NO_CONSENSUS if rules.no_gold == TEST else ""
            for stage, sampled, gold, author_label, content in sql.gold_texts(self.frame.release, also):
                where = self._place(Standing(stage, sampled, gold, author_label))
                if shapes_deal(rules, where):
                    groups.add(self._group(content), where)
                self.frame.tick()
        self.dealt = groups.deal()

    def _place(self, item: Standing) -> Place:
        found = self.places.get(item)
        if found is None:
            found = self.places[item] = place(self.frame.rules, item)
        return found

    def _group(self, content: Mapping[str, Any]) -> int:
        return group_of(self.frame.rules.seed, text_key(group_text(self.frame.kind.shape, content)))

    def outcome(self, item: Frozen, content: Mapping[str, Any]) -> Outcome:
        where = self._place(Standing(item.stage, bool(item.sampled), item.gold, item.author_label))
        group = self._group(content) if needs_group(self.frame.rules, where) else None
        return self.dealt.outcome(where, group)

    def keep(self, item: Frozen, outcome: Outcome, facts: Mapping[str, Any]) -> None:
        self.rows[outcome.split].append(self.frame.kind.export_row(facts))

    def page(self, sinks: Sinks) -> None:
        for split, rows in self.rows.items():
            if rows:
                sinks.open(split).write(rows)
                rows.clear()

    def finish(self, sinks: Sinks) -> None:
        """Nothing is left: rows were written as they came."""

    def close(self) -> None:
        """Nothing is held."""

    def counts(self, tally: Tally) -> dict[str, Any]:
        kind = self.frame.kind
        return tally.counts({key: kind.spell(key) for key in kind.label_keys}, self.named)
