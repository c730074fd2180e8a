"""One project's share of a release: every item judged again, placed, and written with its votes, in drawn order."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation import kinds
from annotation.answers import Question, values_of
from annotation.content.rules.released_ids import released_id
from annotation.core.models.project import Target
from annotation.writing.rules.typing import TypedText, sum_typing
from exports.formats import release as forms
from exports.releases import layouts, sql
from exports.releases.audits import read_audits
from exports.releases.datasheet_files import write_datasheet_files
from exports.releases.frozen import FrozenRows, Row
from exports.releases.lookups import read_lead_answers, read_names, read_runs
from exports.releases.media import MediaPack
from exports.releases.models import Release
from exports.releases.origins import OriginCounts
from exports.releases.own_task import write_task
from exports.releases.places import ReleasedPlaces
from exports.releases.rules import diagnostic, hidden, manifest
from exports.releases.rules.changes import Changes, EarlierRow
from exports.releases.rules.gold_origins import author_answer_of, distribution_of
from exports.releases.rules.machine import machine_columns, raw_row
from exports.releases.rules.rows import (
    FrozenItem,
    JudgedVotes,
    VerdictDiffers,
    VoteLines,
    item_row,
    marked_votes,
    with_sorted_keys,
)
from exports.releases.rules.settings import PUBLISHED, SplitRules, rule_names
from exports.releases.rules.soft_labels import soft_labels
from exports.releases.rules.splits import Outcome
from exports.releases.rules.unanswered import Unanswered, required_keys
from exports.releases.typing import UNMEASURED, read_typing, typing_columns
from exports.releases.withheld import FrozenVotes, judge_of, withdrawn_until

VOTES = "votes"
# So many rows are written at once.
PAGE = 2000
# Rows are put down by so many neighbouring ids at once; beside a row's id there is room for so many bits of a number.
_IDS_PER_WRITE = 2000
_OUTCOME_BITS = 16


def _with_answers(
    export_row: Callable[[Mapping[str, Any]], dict[str, Any]],
    asked: Sequence[Question],
    row: Mapping[str, Any],
) -> dict[str, Any]:
    """A row of a kind whose protocol has criteria, with a column for the gold answer to each."""
    return {**values_of(asked, row["gold_answers"]), **export_row(row)}


class PartBuild:
    """One attempt at the files of one project in a release; `part` tells of it once they are written.

    `before` are the releases of the same project that this one is compared with, each giving one of `changes`. Unless
    `record_outcomes`, the frozen rows are left as they are.
    """

    def __init__(
        self,
        release: Release,
        folder: Path,
        tick: Callable[[int], None],
        *,
        before: Sequence[Release] = (),
        record_outcomes: bool = True,
    ) -> None:
        self.release, self.project, self.folder = release, release.project, folder
        self.tick, self.before, self.records_outcomes = tick, before, record_outcomes
        # A team's own task is that of the time when the release was frozen.
        self.kind = kinds.get(release.context.get("kind", self.project.kind))
        self.rules = SplitRules.from_stored(release.rules)
        self.names = read_names(self.project)
        self.tally = manifest.Tally(imported_annotators=self.names.imported_annotators)
        self.changes = [Changes() for _ in before]
        self.audits = read_audits(self.project, release.context, self.kind.export.id_column)
        self.typing = read_typing(self.project, release.context)
        self.typed: list[TypedText] = []
        self.unanswered = Unanswered(required_keys(self.kind))
        self._has_audit_columns = self.audits is not None or self.typing is not None
        self.judge = judge_of(self.project, self.kind, self.names, self.audits)
        asked = {each.key: each for found in self.judge.asked.values() for each in found}
        if asked and not self.kind.question.questions:
            row = partial(_with_answers, self.kind.export.build_row, tuple(asked.values()))
            self.kind = replace(self.kind, export=replace(self.kind.export, build_row=row))
        self.places = ReleasedPlaces(self.kind, self.judge.asked)
        self.by_lead = read_lead_answers(self.project) if any(self.judge.asked.values()) else {}
        self.runs = read_runs(self.project)
        comments = self.rules.comments
        self.votes = sql.Votes(release.pk, comments=comments)
        self.ballots = VoteLines(
            self.names,
            self.kind.export.spell,
            self.kind.export.id_column,
            comments=comments,
            imported=self.names.imported_annotators if release.context.get("imported_votes") else None,
            tells_author=author_answer_of(self.kind) is not None,
        )
        self.origins = OriginCounts(
            self.kind, release.context["protocols"], self.names.annotators, self.audits, self.ballots.imported
        )
        frozen = FrozenVotes(release, self.judge, self.votes, self.places)
        self.withheld = frozen.withheld(withdrawn_until(release.project_id, release.context.get("withdrawals", 0)))
        self.withholds = bool(self.withheld.reasons or self.withheld.people)
        self.files: dict[str, dict[str, Any]] = {}
        self.media = MediaPack(self.kind)
        self.sample: FrozenItem | None = None
        self.covered: layouts.ShuffledLines | None = None
        self.outcomes: dict[Outcome, int] = {}
        self.placed: dict[int, array[int]] = defaultdict(partial(array, "Q"))

    def run(self) -> None:
        """Write the files, and count; their facts are in `files`, `counts` are whole, those of `part` what is told."""
        try:
            self.counts = self._write() | self.unanswered.counts()
        except VerdictDiffers as found:
            found.project = self.project.slug
            raise
        details = {
            "slug": self.project.slug,
            "name": self.project.name,
            "kind": self.kind.slug,
            "language": self.project.language,
        }
        rules = replace(self.rules, seed="") if self.rules.hidden_test else self.rules
        counts = hidden.public_counts(self.counts, self.rules)
        if "tasks" not in counts:
            arose = self.origins.summary()
            if self.typing is not None:
                arose["typing"] = sum_typing(self.typed).to_dict()
            if "work" in self.release.context:
                arose["work"] = self.release.context["work"]
            protocols = self.release.context["protocols"]
            more = {"arose": arose} | soft_labels(self.kind, protocols, {**counts, "arose": arose})
            self.counts, counts = {**self.counts, **more}, {**counts, **more}
        context = {name: told for name, told in self.release.context.items() if name != "work"}
        if self.kind.export.opaque_ids:
            context = diagnostic.with_released_ids(context, partial(released_id, self.project.secret))
        self.files |= write_task(self.kind, self.folder, self.release.suffix)
        drawn, files = write_datasheet_files(self.release, self.kind, self.folder, self.sample, self.judge.protocols)
        context |= drawn
        self.files |= files
        if self.audits is not None:
            self.files |= self.audits.write(self.folder, self.release.suffix, is_hidden=self.rules.hidden_test)
        self.files |= self.media.write(self.project.pk, self.folder, self.release.suffix)
        self.part = forms.Part(details, self.kind, self.release.suffix, rules, context, counts)

    def _write(self) -> dict[str, Any]:
        with ExitStack() as stack:
            layout = stack.enter_context(closing(layouts.layout_for(self._frame())))
            if self.rules.hidden_test:
                self.covered = stack.enter_context(closing(layouts.ShuffledLines(self.folder)))
            with layouts.Sinks(self.folder, self.release.suffix) as sinks:
                layout.begin(sinks)
                frozen = stack.enter_context(closing(self._frozen(layout)))
                layout.assign_destinations()
                sinks.open(VOTES)
                if self.rules.hidden_test:
                    sinks.open(hidden.hidden_path(VOTES))
                self._write_rows(frozen, layout, sinks)
                layout.finish(sinks)
                self._finish(sinks)
            self.files = sinks.facts
            counts = layout.counts(self.tally)
        if self.records_outcomes:
            self._put_down()
        return counts

    def _frozen(self, layout: layouts.Layout) -> FrozenRows:
        """Every row of the release, each of which the layout has met."""
        return FrozenRows(
            self.release,
            self.folder,
            self.votes,
            before=self.before,
            meet=layout.collect,
            meets=layout.collected_stages,
            tick=self.tick,
        )

    def _write_rows(self, frozen: FrozenRows, layout: layouts.Layout, sinks: layouts.Sinks) -> None:
        """Write rows and votes, so many at once."""
        ballots: dict[str, list[bytes]] = {}
        n = 0
        for n, row in enumerate(frozen.rows(), 1):
            self._one(layout, row, ballots)
            if n % PAGE == 0:
                self._page(layout, sinks, ballots)
                self.tick(PAGE)
        self._page(layout, sinks, ballots)
        self.tick(n % PAGE)

    def _page(self, layout: layouts.Layout, sinks: layouts.Sinks, ballots: dict[str, list[bytes]]) -> None:
        layout.end_page(sinks)
        for name, lines in ballots.items():
            sinks.open(name).append(b"".join(lines), len(lines))
        ballots.clear()

    def _put_down(self) -> None:
        """Write down the outcome of each row, in the order in which they lie; again where a build was begun before."""
        outcomes = list(self.outcomes)
        assert len(outcomes) <= 1 << _OUTCOME_BITS  # noqa: S101 - labels, splits and reasons are few
        for near in sorted(self.placed):
            by_outcome: dict[int, list[int]] = {}
            for each in sorted(self.placed.pop(near)):
                by_outcome.setdefault(each & ((1 << _OUTCOME_BITS) - 1), []).append(each >> _OUTCOME_BITS)
            with transaction.atomic():
                for which, rows in by_outcome.items():
                    sql.record_outcomes(outcomes[which], rows)
            self.tick(0)

    @property
    def description(self) -> dict[str, Any]:
        """What manifest and card say of it."""
        rules = self.rules.chosen(rule_names(self.kind.shape, self.kind.settings))
        return {
            "project": self.part.project,
            "suffix": self.part.suffix,
            "rules": hidden.public_rules(rules, self.rules),
            "context": with_sorted_keys(self.part.context),
            "counts": self.part.counts,
            "left_out": {} if self.rules.hidden_test else self.tally.left_out,
        }

    def _frame(self) -> layouts.LayoutContext:
        return layouts.LayoutContext(
            release=self.release.pk,
            kind=self.kind,
            rules=self.rules,
            context=self.release.context,
            language=self.project.language,
            folder=self.folder,
            secret=self.project.secret,
            names=self.names,
            target_keys=dict(Target.objects.filter(project=self.project).values_list("pk", "key")),
            tick=lambda: self.tick(0),
            withheld=self.withheld,
        )

    def _one(self, layout: layouts.Layout, row: Row, ballots: dict[str, list[bytes]]) -> None:
        """One item: judged again, placed, and kept if it is released; its votes either way."""
        item, content = row.item, row.item.content
        if content is None:
            raise VerdictDiffers(item.key, f"revision {item.revision}", "none")
        machine = sql.parse_machine_row(row.machine, self.runs) if row.machine else None
        votes, alike = self.votes.parse_votes(row.votes), row.votes
        if self.places.any:  # places are of one text, so no two items have the same votes
            votes, alike = self.places.votes(item, votes), ""
        remaining = self.withheld.remaining_votes(item.item, votes) if self.withholds else votes
        is_complete = len(remaining) == len(votes)
        judged = self.judge.judge(item, votes, alike) if is_complete else self.judge.decide_votes(item, remaining)
        reason = self.withheld.reasons.get(item.item, "")
        outcome = Outcome("", "", "", reason) if reason else layout.outcome(item, content, machine, row.collected)
        # Its own key, unless that can reveal its label.
        key = released_id(self.project.secret, item.key) if self.kind.export.opaque_ids else item.key
        if judged.votes:
            # One vote tells something only where agreements wait for their draw.
            if len(judged.votes) > 1 or self.audits is not None:
                self.origins.add_votes(item, judged)
            self._vote(key, item.author_label, judged, outcome, ballots)
        licence = ""
        if outcome.split:
            if self.sample is None and not hidden.hides_answers(self.rules, outcome.split):
                self.sample = item
            marked = self.kind.question.ambiguity_marks or self.kind.question.questions
            said = marked_votes(judged, self.names, self.rules.comments) if marked else ()
            facts = item_row(
                item,
                judged,
                outcome,
                row.flags,
                content,
                self.names,
                said,
                public_id=key,
                answers=self._lead_answers(item) if self.by_lead else None,
            )
            if self.rules.deal == PUBLISHED:
                facts["published"] = {"published_split": item.published}
            if self.places.any and facts["gold_answers"]:
                self.places.answers(item, facts["gold_answers"])
            if self.unanswered.required:
                self.unanswered.add(facts["gold"], facts["gold_answers"])
            if machine is not None:
                facts["machine"] = machine_columns(
                    self.kind, content, machine, label=outcome.label, silver=outcome.silver
                )
                facts["first"] = raw_row(self.kind, facts, machine)
                self.tally.machine[facts["machine"]["model"]] += 1
            distribution = self._add_audit_columns(item, judged, facts) if self._has_audit_columns else None
            released = layout.add_released(item, outcome, facts)
            self.origins.add_released(item, judged, released, distribution)
            if self.media.columns:
                self.media.add(content)
            extra = facts["source"]["extra"]
            licence = str(extra.get("licence") or extra.get("license") or "") if extra else ""
        else:
            self.origins.add_left_out(item, judged)
        self.tally.add(key, outcome, item.round, item.author, judged, licence, item.origin)
        if self.records_outcomes:
            which = self.outcomes.setdefault(outcome, len(self.outcomes))
            self.placed[item.row // _IDS_PER_WRITE].append(item.row << _OUTCOME_BITS | which)
        if self.changes:
            now = EarlierRow(outcome.split, outcome.label, item.revision, item.votes_n)
            for changes, then in zip(self.changes, row.earlier, strict=True):
                changes.add(key, now, EarlierRow._make(then) if then else None)

    def _lead_answers(self, item: FrozenItem) -> dict[str, Any] | None:
        """The answers by which a lead settled the item, where one did."""
        given = [each for each in self.by_lead.get(item.item, ()) if each[0] <= item.version]
        if not given:
            return None
        version, answers = given[-1]
        return self.places.lead_answers(item, version, answers) if self.places.any else answers

    def _add_audit_columns(
        self, item: FrozenItem, judged: JudgedVotes, facts: dict[str, Any]
    ) -> Mapping[str, int] | None:
        """Where the project has audits or records typing, the row tells of them; its distribution of labels."""
        distribution = None
        if self.audits is not None:
            labels = [vote.label for vote in judged.counted]
            given = [item.author_label, *labels] if judged.n_labels > len(labels) else labels
            spelled = [self.kind.export.spell(label) for label in given]
            distribution = distribution_of(spelled, self.audits.max_labels[item.protocol])
            facts["audits"] = {"q": self.audits.chances.get(item.item), "label_distribution": distribution}
        if self.typing is not None:
            record = self.typing.get(item.item, UNMEASURED) if item.revision == 1 else UNMEASURED
            self.typed.append(record)
            if self.release.context["typing"]["rows"]:
                facts["audits"] = {**facts.get("audits", {}), "typing": typing_columns(record)}
        return distribution

    def _vote(
        self, key: str, author: str, judged: JudgedVotes, outcome: Outcome, ballots: dict[str, list[bytes]]
    ) -> None:
        """An item's votes; where answers are hidden those that stand open wait for an order that says nothing."""
        if self.covered is None or hidden.hides_votes(self.rules, outcome.split):
            name = VOTES if self.covered is None else hidden.hidden_path(VOTES)
            ballots.setdefault(name, []).extend(self.ballots.lines(key, judged, outcome, author))
            return
        public_id = hidden.open_id(self.project.secret, key)
        self.covered.add(public_id, b"".join(self.ballots.lines(public_id, judged, outcome, author)))

    def _finish(self, sinks: layouts.Sinks) -> None:
        """Of a release that hides answers: the votes that stand open, and for few what is in no split."""
        if self.covered is not None:
            sinks.write_shuffled(VOTES, self.covered)
            left_out = sinks.open(hidden.hidden_path(hidden.LEFT_OUT))
            for reason, keys in self.tally.left_out.items():
                left_out.write([{self.kind.export.id_column: key, "left_out": reason} for key in keys])
