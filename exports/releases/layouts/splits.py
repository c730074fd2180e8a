"""One file a split: items are dealt to train, dev and test, each a row (domain.md §9)."""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

import orjson

from annotation.text.normalise import key_form
from exports.releases.layouts.base import Layout, LayoutContext, ShuffledLines, Sinks
from exports.releases.lookups import facts_of
from exports.releases.rules import hidden
from exports.releases.rules.groups import SharedCounts, dealing_key
from exports.releases.rules.machine import (
    ORIGIN,
    MachineItem,
    generation_record,
    level_of,
    set_of,
    source_split,
    was_checked,
)
from exports.releases.rules.manifest import Tally, spellings
from exports.releases.rules.rows import FrozenItem
from exports.releases.rules.settings import PUBLISHED, SPLITS, TENTHS, TEST
from exports.releases.rules.splits import (
    DealFacts,
    GoldGroups,
    ItemPlace,
    ItemStanding,
    Outcome,
    affects_deal,
    dealt_stages,
    draw_group,
    draw_tie,
    named_split,
    named_splits,
    needs_deal,
    needs_facts,
    needs_group,
    place_item,
    stratum_of,
    text_key,
)

# Where the rows of machine-written items lie as the machine wrote them.
RAW = "raw"
_NO_FACTS = DealFacts()


class BySplit(Layout):
    """Rows go to the file of their split as they come."""

    def __init__(self, frame: LayoutContext) -> None:
        super().__init__(frame)
        self.named = named_splits(frame.rules)
        self.rows: dict[str, list[dict[str, Any]]] = {split: [] for split in SPLITS}
        self.places: dict[ItemStanding, ItemPlace] = {}
        self.collected_stages = frozenset(dealt_stages(frame.rules)) if needs_deal(frame.rules) else frozenset()
        self.groups = GoldGroups(frame.rules, frame.kind.shape.grouping_texts[0])
        self.shapes = cache(partial(affects_deal, frame.rules))
        self.needs = cache(partial(needs_group, frame.rules))
        self.needs_facts = needs_facts(frame.rules)
        self.shared = SharedCounts()
        # What stands open where answers are hidden, by the file that it goes to.
        self.covered: dict[str, ShuffledLines] = {}

    def begin(self, sinks: Sinks) -> None:
        """Open the files of the splits that the rules name."""
        rules = self.frame.rules
        for name in self.named:
            sinks.open(hidden.hidden_path(name) if hidden.hides_answers(rules, name) else name)
        if rules.hidden_test:
            sinks.open(TEST)
            sinks.open(hidden.hidden_path(hidden.IDS))

    def collect(self, item: FrozenItem) -> int:
        """Count an item in its group, which is told; 0 where it does not shape the deal."""
        content = item.content or {}
        where = self._place(self._standing(item, content, None))
        if not self.shapes(where):
            return 0
        rules, group, facts = self.frame.rules, self._group(item.key, content), self._facts(item)
        stratum, tie = stratum_of(rules, where.label, facts), draw_tie(rules, facts)
        self.groups.add(group, where, stratum=stratum, tie=tie)
        return group

    def assign_destinations(self) -> None:
        """Deal what was counted, which is not needed any more."""
        self.dealt = self.groups.deal()
        self.plain = cache(partial(self.dealt.outcome, group=None))
        del self.groups

    def _facts(self, item: FrozenItem) -> DealFacts:
        """Of writers and documents only where the rules ask for them."""
        if not self.needs_facts:
            return _NO_FACTS
        return facts_of(self.frame.names, item.author, item.source)

    def _standing(self, item: FrozenItem, content: Mapping[str, Any], machine: MachineItem | None) -> ItemStanding:
        """As far as splits read it; deals look neither at whether it was checked nor at its source's split."""
        plain = (
            item.stage,
            bool(item.sampled),
            item.gold,
            item.author_label,
            self.frame.kind.question.judged_option(content),
        )
        split = named_split(item.published)
        if item.origin != ORIGIN:
            return ItemStanding(*plain, split=split)
        checked = False
        if machine is not None:
            checked = was_checked(item.stage, machine.began, machine.choices_checked)
            if self.frame.rules.deal != PUBLISHED:
                split = source_split(str(generation_record(content).get("split", "")) or machine.split)
        return ItemStanding(*plain, True, checked, level_of(content), split)

    def _place(self, item: ItemStanding) -> ItemPlace:
        found = self.places.get(item)
        if found is None:
            found = self.places[item] = place_item(self.frame.rules, item, self.frame.kind.question.accepting_label)
        return found

    def _group(self, key: str, content: Mapping[str, Any]) -> int:
        rules = self.frame.rules
        if rules.deal == TENTHS:
            return draw_group(rules.seed, dealing_key(rules, key, set_of(content)))
        return draw_group(rules.seed, text_key(self.frame.kind.shape.group_text(content)))

    def outcome(self, item: FrozenItem, content: Mapping[str, Any], machine: MachineItem | None, met: int) -> Outcome:
        where = self._place(self._standing(item, content, machine))
        if not self.needs(where):
            return self.plain(where)
        tie = draw_tie(self.frame.rules, self._facts(item))
        return self.dealt.outcome(where, met or self._group(item.key, content), tie)

    def add_released(self, item: FrozenItem, outcome: Outcome, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        """Take in its row; of a machine's item also the row as the machine wrote it."""
        kind, names = self.frame.kind, [outcome.split]
        self.shared.add(outcome.split, hash(key_form(kind.shape.group_text(facts["content"]))))
        rows = [kind.export.build_row(facts)]
        if facts.get("first") is not None:
            rows.append(kind.export.build_row(facts["first"]))
            names.append(f"{RAW}/{outcome.split}")
        if self.frame.rules.hidden_test:
            self._cover(outcome.split, names, rows)
        else:
            for name, row in zip(names, rows, strict=True):
                self.rows.setdefault(name, []).append(row)
        return rows[0]

    def _cover(self, split: str, names: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
        """Rows under an id that says nothing; of test what is asked, and the whole in the folder for few."""
        kind, key = self.frame.kind, str(rows[0][self.frame.kind.export.id_column])
        public_id = hidden.open_id(self.frame.secret, key)
        self.rows.setdefault(hidden.hidden_path(hidden.IDS), []).append(
            {"open_id": public_id, kind.export.id_column: key}
        )
        open_to_all = list(zip(names, rows, strict=True))
        if hidden.hides_answers(self.frame.rules, split):
            for name, row in open_to_all:
                self.rows.setdefault(hidden.hidden_path(name), []).append(row)
            open_to_all = [(names[0], hidden.question_row(kind, rows[0]))]
        for name, row in open_to_all:
            line = orjson.dumps({**row, kind.export.id_column: public_id}, option=orjson.OPT_APPEND_NEWLINE)
            if name not in self.covered:
                self.covered[name] = ShuffledLines(self.frame.folder)
            self.covered[name].add(public_id, line)

    def end_page(self, sinks: Sinks) -> None:
        for name, rows in self.rows.items():
            if rows:
                sinks.open(name).write(rows)
                rows.clear()

    def finish(self, sinks: Sinks) -> None:
        """Rows were written as they came; where answers are hidden the open ones are now, in an order of their own."""
        for name, lines in self.covered.items():
            sinks.write_shuffled(name, lines)
            self.frame.tick()

    def close(self) -> None:
        for lines in self.covered.values():
            lines.close()

    def counts(self, tally: Tally) -> dict[str, Any]:
        counts = tally.counts(spellings(self.frame.kind), self.named)
        return counts | {"shared": self.shared.counts()}
