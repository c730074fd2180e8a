"""The job that builds a release from its frozen rows: deal the splits, write the files, publish them whole.

Everything goes to a folder of its own beside the final one and is renamed at the end, under the job's fence: a
release is complete or absent (reliability I10). A killed build starts anew; two at once write equal bytes, and the
one that holds the job publishes.
"""

import errno
import gc
import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings
from django.db import transaction

from annotation.errors import Refusal
from annotation.jobs import Handle, handles
from annotation.models import (
    Annotator,
    Endpoint,
    GenerationRun,
    GuidelineVersion,
    Lane,
    Project,
    ProtocolVersion,
)
from annotation.rules.premises import spelled as class_spelled
from exports import forms, layouts, sql
from exports.models import Release
from exports.rules import card, manifest
from exports.rules.changes import Changes, Earlier
from exports.rules.machine import ORIGIN, Machine, Run, columns, raw_row
from exports.rules.rows import (
    Frozen,
    FrozenVote,
    Judge,
    Names,
    VerdictDiffers,
    in_one_order,
    item_row,
    marked_votes,
    vote_rows,
)
from exports.rules.settings import SplitRules, rule_names
from exports.rules.splits import REASONS, Outcome
from exports.writers.base import write_bytes
from validation.rules import reviewing
from validation.rules.protocol import Protocol

JOB_KIND = "release"
FOLDER = "releases"
TICK_SECONDS = 1.0
_FULL = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}


@handles(JOB_KIND)
def build(handle: Handle) -> dict[str, Any]:
    """Build the release that the job names; what comes out is the job's result."""
    release = Release.objects.select_related("project").get(pk=handle.job.args["release"])
    if release.state == Release.State.READY:
        return {"path": release.path}
    try:
        return Build(handle, release).run()
    except OSError as error:
        _failed(handle, release)
        raise Refusal(_words(error), code="not_written") from error
    except VerdictDiffers as found:
        _failed(handle, release)
        raise Refusal(
            f"{found.key}: its votes give {found.computed}, but {found.stored} is stored. Run "
            f"manage.py check_integrity {release.project.slug} --repair, then freeze again.",
            code="verdict_differs",
        ) from found


def _words(error: OSError) -> str:
    if error.errno in _FULL:
        return "There is no room left on the disk for this release. Make room, then freeze again."
    return f"The files could not be written: {error.strerror}."


def _failed(handle: Handle, release: Release) -> None:
    with transaction.atomic():
        handle.fence()
        Release.objects.filter(pk=release.pk).update(state=Release.State.FAILED)


def data_folder() -> Path:
    """Where releases lie."""
    return Path(settings.MUFAKAT_DATA_DIR) / FOLDER


@contextmanager
def no_cycles() -> Iterator[None]:
    """Rows are made by the hundred thousand and hold no circles: looking for some takes a quarter of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class Build:
    """One attempt at one release: every item judged again; where it goes, and the files, are its layout's."""

    def __init__(self, handle: Handle, release: Release) -> None:
        self.handle, self.release, self.project = handle, release, release.project
        self.kind = self.project.kind_spec
        self.rules = SplitRules.from_dict(release.rules)
        self.tally = manifest.Tally()
        self.names = read_names(self.project)
        protocols, reviewed = read_protocols(self.project), reviewing.FEATURE in self.kind.features
        self.judge = Judge(protocols, self.kind.label_keys, self.names.annotators, reviewed=reviewed)
        ready = Release.objects.filter(project=self.project, n__lt=release.n, state=Release.State.READY)
        self.before, self.changes = ready.order_by("-n").first(), Changes()
        self.runs = read_runs(self.project)
        self.done, self.ticked = 0, time.monotonic()
        name = f"{self.project.slug}-{release.n}"
        self.final = data_folder() / name
        self.part = data_folder() / f".{name}.{handle.job.lease}.part"

    def run(self) -> dict[str, Any]:
        """Deal, write, publish; the temporary folder goes whatever happens."""
        data_folder().mkdir(parents=True, exist_ok=True)
        for left in data_folder().glob(f".{self.final.name}.*.part"):
            shutil.rmtree(left, ignore_errors=True)
        self.part.mkdir()
        try:
            self.handle.progress(0, self.release.rows.count())
            with no_cycles(), closing(layouts.of(self._frame())) as layout:
                files = self._write(layout)
                described = self._describe(files, layout.counts(self.tally))
            return self._publish(*described)
        finally:
            shutil.rmtree(self.part, ignore_errors=True)

    def _frame(self) -> layouts.Frame:
        return layouts.Frame(
            release=self.release.pk,
            kind=self.kind,
            rules=self.rules,
            context=self.release.context,
            language=self.project.language,
            folder=self.part,
            names=self.names,
            lanes=dict(Lane.objects.filter(project=self.project).values_list("pk", "key")),
            tick=self._tick,
        )

    def _tick(self) -> None:
        """Renew the lease and show how far it came, about once a second."""
        if time.monotonic() - self.ticked >= TICK_SECONDS:
            self.handle.progress(self.done)
            self.ticked = time.monotonic()

    def _write(self, layout: layouts.Layout) -> dict[str, Any]:
        """Write votes and items, page by page, and put each row's outcome down with it."""
        with layouts.Sinks(self.part) as sinks:
            layout.deal(sinks)
            ballots = sinks.open("votes")
            for votes, outcomes in self._pages(layout):
                layout.page(sinks)
                ballots.write(votes)
                self._put_down(outcomes)
                self._tick()
            layout.finish(sinks)
        return sinks.facts

    def _pages(
        self, layout: layouts.Layout
    ) -> Iterator[tuple[list[dict[str, Any]], dict[Outcome, list[int]]]]:
        after: sql.Key = (-1, -1)
        for page in sql.frozen_rows(self.release.pk, self.kind.shape):
            upto = (page[-1].order, page[-1].row)
            votes = sql.votes_of(self.release.pk, after, upto)
            flags = sql.flags_of(self.release.pk, after, upto)
            earlier = sql.earlier(self.before.pk, after, upto) if self.before else None
            machines = self._machines(page, after, upto)
            ballots: list[dict[str, Any]] = []
            outcomes: dict[Outcome, list[int]] = {}
            for item in page:
                given, open_flags = votes.get(item.item, []), flags.get(item.item, [])
                outcome = self._one(layout, item, given, open_flags, ballots, machines.get(item.item))
                outcomes.setdefault(outcome, []).append(item.row)
                if earlier is not None:
                    now = Earlier(outcome.split, outcome.label, item.revision, item.votes_n)
                    self.changes.add(now, earlier.get(item.item))
            yield ballots, outcomes
            self.done += len(page)
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
        ballots: list[dict[str, Any]],
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
            ballots += vote_rows(item, judged, outcome, self.names, spell, comments, self.kind.id_column)
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

    def _put_down(self, outcomes: dict[Outcome, list[int]]) -> None:
        with transaction.atomic():
            for outcome, ids in outcomes.items():
                sql.put_down(outcome, ids)

    def _describe(
        self, files: dict[str, Any], counts: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Write card and manifest; the manifest as the database keeps it, and the counts."""
        told: dict[str, Any] = {
            "project": {
                "slug": self.project.slug,
                "name": self.project.name,
                "kind": self.kind.slug,
                "language": self.project.language,
            },
            "rules": self.rules.told(rule_names(self.kind.shape, self.kind.settings)),
            "context": in_one_order(self.release.context),
            "counts": counts,
            "software": settings.MUFAKAT_RELEASE,
        }
        part = forms.Part(
            told["project"], self.kind, self.release.suffix, self.rules, self.release.context, counts
        )
        shown = forms.Told(self.part, (part,), settings.MUFAKAT_RELEASE, files, self._tick)
        head = forms.written(shown, forms.chosen(self.rules.forms))
        text = card.card(**told, files=files, reasons=REASONS, head=head)
        files["README.md"] = write_bytes(self.part / "README.md", text.encode())
        whole = manifest.manifest(**told, files=files, left_out=self.tally.left_out)
        data = orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        kept = {**whole, "manifest": write_bytes(self.part / "manifest.json", data)}
        del kept["left_out"]  # as long as the release: it stands in the file
        return kept, counts

    def _publish(self, kept: dict[str, Any], counts: dict[str, Any]) -> dict[str, Any]:
        """Under the fence: the folder gets its name, the release its counts."""
        self.handle.progress(self.done)
        if self.before:
            counts["since"] = {"n": self.before.n, **self.changes.to_dict()}
        with transaction.atomic():
            self.handle.fence()
            self._take_name()
            Release.objects.filter(pk=self.release.pk).update(
                state=Release.State.READY,
                path=f"{FOLDER}/{self.final.name}",
                manifest=kept,
                counts=counts,
            )
        return {"path": f"{FOLDER}/{self.final.name}", "rows": counts["released"], "items": counts["items"]}

    def _take_name(self) -> None:
        """Rename; a folder that a build left just before it was killed holds the same bytes, and is replaced."""
        if self.final.exists():
            shutil.rmtree(self.final)
        self.part.rename(self.final)


def read_names(project: Project) -> Names:
    """What the ids of a project mean, read once."""
    rules = project.rules
    return Names(
        annotators=dict(Annotator.objects.filter(project=project).values_list("pk", "pseudonym")),
        guidelines=dict(GuidelineVersion.objects.filter(project=project).values_list("pk", "n")),
        lanes={
            pk: (language, register)
            for pk, language, register in Lane.objects.filter(project=project).values_list(
                "pk", "language", "register"
            )
        },
        classes={
            name: class_spelled(name, rules.paragraph_name) for name in ("single", "double", "paragraph")
        },
    )


def read_runs(project: Project) -> dict[int, Run]:
    """The project's runs of generation by id, each with the chat models that it asked."""
    rows = GenerationRun.objects.filter(project=project).values_list("pk", "n", "plan")
    found = {}
    for pk, n, plan in rows:
        models = (step["model"] for step in plan.get("steps", ()) if step.get("asked") == Endpoint.What.CHAT)
        found[pk] = Run(n, tuple(dict.fromkeys(model for model in models if model)))
    return found


def read_protocols(project: Project) -> dict[int, Protocol]:
    """The project's protocols by id."""
    stored = ProtocolVersion.objects.filter(project=project).values_list("pk", "rules")
    return {pk: Protocol.from_dict(rules) for pk, rules in stored}
