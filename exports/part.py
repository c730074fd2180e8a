"""One project's share of a release: every item judged again, placed, and written with its votes, page by page."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
from django.db import transaction

from annotation.models import Lane
from exports import forms, layouts, sql
from exports.models import Release
from exports.named import read_names, read_protocols, read_runs
from exports.rules import hidden, manifest
from exports.rules.changes import Changes, Earlier
from exports.rules.machine import ORIGIN, Machine, columns, raw_row
from exports.rules.rows import (
    Frozen,
    FrozenVote,
    Judge,
    VerdictDiffers,
    in_one_order,
    item_row,
    marked_votes,
    vote_rows,
)
from exports.rules.settings import SplitRules, rule_names
from exports.rules.splits import Outcome
from validation.rules import reviewing

VOTES = "votes"


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
        self.rules = SplitRules.from_dict(release.rules)
        self.tally, self.changes = manifest.Tally(), [Changes() for _ in before]
        self.names = read_names(self.project)
        protocols, reviewed = read_protocols(self.project), reviewing.FEATURE in self.kind.features
        self.judge = Judge(protocols, self.kind.label_keys, self.names.annotators, reviewed=reviewed)
        self.runs = read_runs(self.project)
        self.files: dict[str, dict[str, Any]] = {}

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
        with closing(layouts.of(self._frame())) as layout:
            with layouts.Sinks(self.folder, self.release.suffix) as sinks:
                layout.deal(sinks)
                sinks.open(VOTES)
                if self.rules.hidden_test:
                    sinks.open(hidden.inside(VOTES))
                for votes, outcomes, n in self._pages(layout):
                    layout.page(sinks)
                    for name, rows in votes.items():
                        sinks.open(name).write(rows)
                    if self.puts_down:
                        _put_down(outcomes)
                    self.tick(n)
                layout.finish(sinks)
            self.files = sinks.facts
            return layout.counts(self.tally)

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
            "left_out": self.tally.left_out,
        }

    def _frame(self) -> layouts.Frame:
        return layouts.Frame(
            release=self.release.pk,
            kind=self.kind,
            rules=self.rules,
            context=self.release.context,
            language=self.project.language,
            folder=self.folder,
            names=self.names,
            lanes=dict(Lane.objects.filter(project=self.project).values_list("pk", "key")),
            tick=lambda: self.tick(0),
        )

    def _pages(
        self, layout: layouts.Layout
    ) -> Iterator[tuple[dict[str, list[dict[str, Any]]], dict[Outcome, list[int]], int]]:
        """Page by page: rows of votes by file, which frozen rows came to which outcome, and how many there are."""
        after: sql.Key = (-1, -1)
        for page in sql.frozen_rows(self.release.pk, self.kind.shape):
            upto = (page[-1].order, page[-1].row)
            votes = sql.votes_of(self.release.pk, after, upto)
            flags = sql.flags_of(self.release.pk, after, upto)
            earlier = [sql.earlier(before.pk, after, upto) for before in self.before]
            machines = self._machines(page, after, upto)
            ballots: dict[str, list[dict[str, Any]]] = {}
            outcomes: dict[Outcome, list[int]] = {}
            for item in page:
                given, open_flags = votes.get(item.item, []), flags.get(item.item, [])
                outcome = self._one(layout, item, given, open_flags, ballots, machines.get(item.item))
                outcomes.setdefault(outcome, []).append(item.row)
                for changes, then in zip(self.changes, earlier, strict=True):
                    now = Earlier(outcome.split, outcome.label, item.revision, item.votes_n)
                    covered = hidden.hides(self.rules, outcome.split)
                    changes.add(item.key, now, then.get(item.item), hidden=covered)
            yield ballots, outcomes, len(page)
            after = upto

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
        ballots: dict[str, list[dict[str, Any]]],
        machine: Machine | None,
    ) -> Outcome:
        """One item: judged again, placed, and kept if it is released; its votes either way."""
        if item.content is None:
            raise VerdictDiffers(item.key, f"revision {item.revision}", "none")
        content = orjson.loads(item.content)
        judged = self.judge.judge(item, given)
        outcome = layout.outcome(item, content, machine)
        if given:
            spell, comments = self.kind.spell, self.rules.comments
            name = hidden.inside(VOTES) if hidden.hides(self.rules, outcome.split) else VOTES
            rows = vote_rows(item, judged, outcome, self.names, spell, comments, self.kind.id_column)
            ballots.setdefault(name, []).extend(rows)
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


def _put_down(outcomes: dict[Outcome, list[int]]) -> None:
    with transaction.atomic():
        for outcome, ids in outcomes.items():
            sql.put_down(outcome, ids)
