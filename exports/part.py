"""One project's share of a release: every item judged again, placed, and written with its votes, page by page."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from django.db import transaction

from annotation.models import Lane
from exports import forms, layouts, sql
from exports.aside import Aside
from exports.models import Release
from exports.named import read_names, read_protocols, read_runs
from exports.rules import hidden, manifest
from exports.rules.changes import Changes, Earlier
from exports.rules.machine import ORIGIN, Machine, columns, raw_row
from exports.rules.rows import (
    Ballots,
    Frozen,
    FrozenVote,
    Judge,
    Judged,
    VerdictDiffers,
    in_one_order,
    item_row,
    marked_votes,
)
from exports.rules.settings import SplitRules, rule_names
from exports.rules.splits import Outcome
from validation.rules import reviewing

VOTES = "votes"


class _Page(NamedTuple):
    """Frozen rows with their votes, flags, how earlier releases had them, and what a machine wrote of them."""

    items: list[Frozen]
    upto: sql.Key
    votes: dict[int, list[FrozenVote]]
    flags: dict[int, list[str]]
    earlier: list[dict[int, Earlier]]
    machines: dict[int, Machine]


class PartBuild:
    """One attempt at the files of one project in a release; `part` tells of it once they are written.

    `before` are the releases of the same project that this one is compared with, each giving one of `changes`. Unless
    `put_down`, the frozen rows are left as they are.
    """

    def __init__(
        self,
        release: Release,
        folder: Path,
        tick: Callable[[int], None],
        *,
        before: Sequence[Release] = (),
        put_down: bool = True,
    ) -> None:
        self.release, self.project, self.folder = release, release.project, folder
        self.tick, self.before, self.puts_down = tick, before, put_down
        self.kind = self.project.kind_spec
        self.rules = SplitRules.stored(release.rules)
        self.tally, self.changes = manifest.Tally(), [Changes() for _ in before]
        self.names = read_names(self.project)
        protocols, reviewed = read_protocols(self.project), reviewing.FEATURE in self.kind.features
        self.judge = Judge(protocols, self.kind.label_keys, self.names.annotators, reviewed=reviewed)
        self.runs = read_runs(self.project)
        comments = self.rules.comments
        self.votes = sql.Votes(release.pk, comments=comments)
        self.ballots = Ballots(self.names, self.kind.spell, self.kind.id_column, comments=comments)
        self.files: dict[str, dict[str, Any]] = {}
        self.covered: layouts.Shuffled | None = None

    def run(self) -> None:
        """Write the files, and count; their facts are in `files`, `counts` are whole, those of `part` what is told."""
        try:
            self.counts = self._write()
        except VerdictDiffers as found:
            found.project = self.project.slug
            raise
        told = {
            "slug": self.project.slug,
            "name": self.project.name,
            "kind": self.kind.slug,
            "language": self.project.language,
        }
        rules = replace(self.rules, seed="") if self.rules.hidden_test else self.rules
        counts = hidden.told_counts(self.counts, self.rules)
        self.part = forms.Part(told, self.kind, self.release.suffix, rules, self.release.context, counts)

    def _write(self) -> dict[str, Any]:
        with ExitStack() as stack:
            layout = stack.enter_context(closing(layouts.of(self._frame())))
            if self.rules.hidden_test:
                self.covered = stack.enter_context(closing(layouts.Shuffled(self.folder)))
            with layouts.Sinks(self.folder, self.release.suffix) as sinks:
                layout.deal(sinks)
                sinks.open(VOTES)
                if self.rules.hidden_test:
                    sinks.open(hidden.inside(VOTES))
                self._write_pages(layout, sinks)
                layout.finish(sinks)
                self._finish(sinks)
            self.files = sinks.facts
            return layout.counts(self.tally)

    def _write_pages(self, layout: layouts.Layout, sinks: layouts.Sinks) -> None:
        """Write rows and votes page by page; the next page is fetched meanwhile, and outcomes are put down."""
        with Aside() as aside:
            ahead = aside.ask(self._read, sql.FIRST)
            while page := ahead.result():
                ahead = aside.ask(self._read, page.upto)
                votes, outcomes = self._rows_of(page, layout)
                layout.page(sinks)
                for name, lines in votes.items():
                    sinks.open(name).append(b"".join(lines), len(lines))
                if self.puts_down:
                    aside.tell(_put_down, outcomes)
                aside.tell(self.tick, len(page.items))

    @property
    def told(self) -> dict[str, Any]:
        """What manifest and card say of it."""
        rules = self.rules.told(rule_names(self.kind.shape, self.kind.settings))
        return {
            "project": self.part.project,
            "suffix": self.part.suffix,
            "rules": hidden.told_rules(rules, self.rules),
            "context": in_one_order(self.part.context),
            "counts": self.part.counts,
            "left_out": {} if self.rules.hidden_test else self.tally.left_out,
        }

    def _frame(self) -> layouts.Frame:
        return layouts.Frame(
            release=self.release.pk,
            kind=self.kind,
            rules=self.rules,
            context=self.release.context,
            language=self.project.language,
            folder=self.folder,
            secret=self.project.secret,
            names=self.names,
            lanes=dict(Lane.objects.filter(project=self.project).values_list("pk", "key")),
            tick=lambda: self.tick(0),
        )

    def _read(self, after: sql.Key) -> "_Page | None":
        """The next page with all that is asked of it; None behind the last."""
        items = sql.frozen_page(self.release.pk, self.kind.shape, after)
        if not items:
            return None
        upto = (items[-1].order, items[-1].row)
        return _Page(
            items,
            upto,
            self.votes.of(after, upto),
            sql.flags_of(self.release.pk, after, upto),
            [sql.earlier(before.pk, after, upto) for before in self.before],
            self._machines(items, after, upto),
        )

    def _rows_of(
        self, page: "_Page", layout: layouts.Layout
    ) -> tuple[dict[str, list[bytes]], dict[Outcome, list[int]]]:
        """The lines of a page's votes by file, and which frozen rows came to which outcome."""
        ballots: dict[str, list[bytes]] = {}
        outcomes: dict[Outcome, list[int]] = {}
        for item in page.items:
            given, open_flags = page.votes.get(item.item, []), page.flags.get(item.item, [])
            outcome = self._one(layout, item, given, open_flags, ballots, page.machines.get(item.item))
            outcomes.setdefault(outcome, []).append(item.row)
            for changes, then in zip(self.changes, page.earlier, strict=True):
                now = Earlier(outcome.split, outcome.label, item.revision, item.votes_n)
                changes.add(item.key, now, then.get(item.item))
        return ballots, outcomes

    def _machines(self, page: list[Frozen], after: sql.Key, upto: sql.Key) -> dict[int, Machine]:
        """What a machine wrote of a page; nothing is asked where people wrote it all."""
        if not any(item.origin == ORIGIN for item in page):
            return {}
        return sql.machine_of(self.release.pk, after, upto, self.runs)

    def _one(
        self,
        layout: layouts.Layout,
        item: Frozen,
        given: list[FrozenVote],
        flags: list[str],
        ballots: dict[str, list[bytes]],
        machine: Machine | None,
    ) -> Outcome:
        """One item: judged again, placed, and kept if it is released; its votes either way."""
        if item.content is None:
            raise VerdictDiffers(item.key, f"revision {item.revision}", "none")
        content = orjson.loads(item.content)
        judged = self.judge.judge(item, given)
        outcome = layout.outcome(item, content, machine)
        if given:
            self._vote(item.key, judged, outcome, ballots)
        licence = ""
        if outcome.split:
            votes = marked_votes(judged, self.names, self.rules.comments) if self.kind.marks else ()
            facts = item_row(item, judged, outcome, flags, content, self.names, votes)
            if machine is not None:
                facts["machine"] = columns(
                    self.kind, content, machine, label=outcome.label, silver=outcome.silver
                )
                facts["first"] = raw_row(self.kind, facts, machine)
                self.tally.machine[facts["machine"]["model"]] += 1
            layout.keep(item, outcome, facts)
            extra = facts["source"]["extra"]
            licence = str(extra.get("licence") or extra.get("license") or "") if extra else ""
        self.tally.add(item.key, outcome, item.round, item.author, judged, licence)
        return outcome

    def _vote(self, key: str, judged: Judged, outcome: Outcome, ballots: dict[str, list[bytes]]) -> None:
        """An item's votes; where answers are hidden those that stand open wait for an order that says nothing."""
        if self.covered is None or hidden.held_back(self.rules, outcome.split):
            name = VOTES if self.covered is None else hidden.inside(VOTES)
            ballots.setdefault(name, []).extend(self.ballots.lines(key, judged, outcome))
            return
        told = hidden.open_id(self.project.secret, key)
        self.covered.add(told, b"".join(self.ballots.lines(told, judged, outcome)))

    def _finish(self, sinks: layouts.Sinks) -> None:
        """Of a release that hides answers: the votes that stand open, and for few what is in no split."""
        if self.covered is not None:
            sinks.put(VOTES, self.covered)
            left_out = sinks.open(hidden.inside(hidden.LEFT_OUT))
            for reason, keys in self.tally.left_out.items():
                left_out.write([{self.kind.id_column: key, "left_out": reason} for key in keys])


def _put_down(outcomes: dict[Outcome, list[int]]) -> None:
    with transaction.atomic():
        for outcome, ids in outcomes.items():
            sql.put_down(outcome, ids)
