"""The job that builds a release from its frozen rows: deal the splits, write the files, publish them whole.

Everything is written to a folder of its own on this machine, then stored whole; the release is ready under the job's
fence: it is complete or absent (reliability I10). A killed build starts anew; two at once write equal bytes, and the
one that holds the job publishes.
"""

import errno
import gc
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings
from django.db import transaction
from django.db.models import Q

from annotation.core.errors import Conflict, Refusal, SiteFault
from annotation.core.messages import problem_words
from annotation.core.models.feed import FeedEvent
from annotation.core.rules import feed
from annotation.core.rules.os_errors import os_reason
from annotation.files import StoreUnavailable, scratch, storage
from annotation.jobs.ending import EndedBySignal
from annotation.jobs.queue import Handle, handles, renew_connection
from exports.formats import release as forms
from exports.formats.writers import write_bytes
from exports.releases import previous_release as earlier
from exports.releases import signing
from exports.releases.actions import JOB_KIND
from exports.releases.models import Release
from exports.releases.previous_release import PreviousRelease, parts_of
from exports.releases.project_build import PartBuild
from exports.releases.rules import card, changes, hidden, manifest
from exports.releases.rules.changes import PartChanges
from exports.releases.rules.rows import VerdictDiffers
from exports.releases.rules.settings import SplitRules
from exports.releases.rules.signature import FILE
from exports.releases.rules.splits import REASONS

FOLDER = "releases"
TICK_SECONDS = 1.0
NO_ROWS = "By its rules no item is in the release. Change the rules, or wait for gold labels, and freeze again."
_DISK_FULL_ERRORS = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}


@handles(JOB_KIND)
def build(handle: Handle) -> dict[str, Any]:
    """Build the release that the job names; what comes out is the job's result."""
    release = Release.objects.select_related("project").get(pk=handle.job.args["release"])
    if release.state == Release.State.READY:
        return {"path": release.path}
    parts = parts_of(release)
    if not all(part.project.secret for part in parts):
        _failed(handle, release)
        reason = "It was frozen before ids had a secret of the project. Freeze again."
        raise Refusal(reason, code="no_secret")
    try:
        return Build(handle, release, parts).run()
    except StoreUnavailable:
        raise  # the job is done again when the store answers
    except EndedBySignal as ended:
        renew_connection()
        _failed(handle, release)
        raise Refusal(f"{ended} Freeze again.", code="ended") from ended
    except OSError as error:
        _failed(handle, release)
        raise SiteFault(_error_in_words(error), code="not_written") from error
    except VerdictDiffers as found:
        _failed(handle, release)
        raise SiteFault(
            f"{found.key}: its votes give {found.computed}, but {found.stored} is stored. Run "
            f"manage.py check_integrity {found.project or release.project.slug} --repair, then freeze again.",
            code="verdict_differs",
        ) from found


def _error_in_words(error: OSError) -> str:
    if error.errno in _DISK_FULL_ERRORS:
        return "There is no room left on the disk for this release. Make room, then freeze again."
    return f"The files could not be written: {os_reason(error)}."


def _failed(handle: Handle, release: Release) -> None:
    with transaction.atomic():
        handle.lock_claim()
        mine = Q(pk=release.pk) | Q(whole=release.pk)
        Release.objects.filter(mine).update(state=Release.State.FAILED)


def build_folder() -> Path:
    """Where releases are written before they are stored."""
    return scratch() / FOLDER


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Rows are made by the hundred thousand and hold no circles: looking for some takes a quarter of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class Build:
    """One attempt at one release: its parts' files, the further forms, changes, card and manifest; then its name."""

    def __init__(self, handle: Handle, release: Release, parts: Sequence[Release]) -> None:
        self.handle, self.release, self.parts = handle, release, parts
        self.before = earlier.find_previous_release(release, parts)
        self.done, self.ticked = 0, time.monotonic()
        name = f"{release.project.slug}-{release.n}"
        self.path = f"{FOLDER}/{name}"
        self.part = build_folder() / f"{name}.{handle.job.lease}"

    def run(self) -> dict[str, Any]:
        """Write and publish; the temporary folder goes whatever happens."""
        build_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        for left in build_folder().glob(f"{self.part.stem}.*"):
            shutil.rmtree(left, ignore_errors=True)
        self.part.mkdir(mode=0o700)
        try:
            # Every row is read, and written.
            self.handle.progress(0, 2 * sum(part.rows.count() for part in self.parts))
            written = write_release(self.parts, self.part, self._tick, before=self.before)
            if not any(counts["released"] for counts in written.counts):
                _failed(self.handle, self.release)
                raise Refusal(NO_ROWS, code="no_rows")
            return self._publish(written)
        finally:
            shutil.rmtree(self.part, ignore_errors=True)

    def _tick(self, n: int) -> None:
        """So many rows are read, or written: renew the lease and show how far it came, about once a second."""
        self.done += n
        if time.monotonic() - self.ticked >= TICK_SECONDS:
            self.handle.progress(self.done)
            self.ticked = time.monotonic()

    def _publish(self, written: "WrittenRelease") -> dict[str, Any]:
        """The files are stored, then, under the fence, the releases get their counts and are ready.

        Files that a build stored just before it was killed hold the same bytes, and are replaced.
        """
        self.handle.progress(self.done)
        self._sign(written.kept[0])
        storage().put_folder(self.path, self.part, lambda: self._tick(0))
        anchor = written.kept[0]["manifest"]["sha256"]
        with transaction.atomic():
            self.handle.lock_claim()
            for part, counts, kept in zip(self.parts, written.counts, written.kept, strict=True):
                Release.objects.filter(pk=part.pk).update(
                    state=Release.State.READY, path=self.path, manifest=kept, counts=counts
                )
                FeedEvent.record(part.project_id, feed.RELEASED, release=part.n, manifest_sha256=anchor)
        rows, items = (sum(counts[name] for counts in written.counts) for name in ("released", "items"))
        return {"path": self.path, "rows": rows, "items": items}

    def _sign(self, kept: dict[str, Any]) -> None:
        """Put the signature beside the manifest, where the release was frozen with a key. Raises SiteFault."""
        try:
            signature = signing.sign_build(self.release, kept["manifest"]["sha256"])
        except Conflict as lost:
            _failed(self.handle, self.release)
            raise SiteFault(problem_words(lost.code), code=lost.code) from lost
        if signature is not None:
            data, kept[FILE] = signature
            (self.part / FILE).write_bytes(data)


@dataclass(frozen=True)
class WrittenRelease:
    """The outcome of writing a release, for each of its parts: counts, and the manifest as the database keeps it."""

    counts: list[dict[str, Any]]
    kept: list[dict[str, Any]]


def write_release(
    parts: Sequence[Release],
    folder: Path,
    tick: Callable[[int], None],
    *,
    before: PreviousRelease,
    record_outcomes: bool = True,
) -> WrittenRelease:
    """Write every file of a release into a folder that is there and empty; `parts` are its projects' releases."""
    built = []
    with without_garbage_collection():
        for n, part in enumerate(parts):
            build = PartBuild(part, folder, tick, before=before.earlier_releases(n), record_outcomes=record_outcomes)
            build.run()
            built.append(build)
        return _write_descriptions(folder, built, before, lambda: tick(0))


def _write_descriptions(
    folder: Path, built: Sequence[PartBuild], before: PreviousRelease, tick: Callable[[], None]
) -> WrittenRelease:
    """Write the further forms, changes, card and manifest."""
    software, descriptions = settings.MUFAKAT_RELEASE, [build.description for build in built]
    files = {name: facts for build in built for name, facts in build.files.items()}
    parts = tuple(build.part for build in built)
    shown = forms.ReleaseFiles(folder, parts, software, files, tick, is_public=lambda name: not hidden.is_hidden(name))
    head = forms.write_forms(shown, forms.named_forms(built[0].rules.forms))
    so_far = manifest.manifest(parts=descriptions, files=files, software=software)
    compared = before.comparison_base(manifest.database_manifest(so_far), [build.release.context for build in built])
    if compared:
        _write_changes(folder, files, built, compared, which=0 if compared is before.last else 1)
    stated, further = manifest.facts_sha256(so_far), shown.card_sections
    text = card.card(
        parts=descriptions,
        files=files,
        reasons=REASONS,
        software=software,
        head=head,
        further=further,
        facts=stated,
    )
    files["README.md"] = write_bytes(folder / "README.md", text.encode())
    whole = manifest.manifest(parts=descriptions, files=files, software=software)
    data = orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    facts = write_bytes(folder / "manifest.json", data)
    return _counts_and_manifests(built, before, compared, {**manifest.database_manifest(whole), "manifest": facts})


def _write_changes(
    folder: Path,
    files: dict[str, dict[str, Any]],
    built: Sequence[PartBuild],
    compared: Sequence[Release],
    which: int,
) -> None:
    """Write what changed; where answers are hidden the names of rows are in a file for few only."""
    descriptions = []
    for build, was in zip(built, compared, strict=True):
        now, rules = build.description["rules"], SplitRules.from_stored(was.rules)
        before = hidden.public_rules(rules.chosen(now), rules if rules.hidden_test else build.rules)
        named = not build.rules.hidden_test
        descriptions.append(PartChanges(build.part.project["name"], build.changes[which], now, before, named))
    since = compared[0].manifest["manifest"]["sha256"]
    files[changes.FILE] = write_bytes(folder / changes.FILE, changes.changes_text(descriptions, since).encode())
    if not all(part.named for part in descriptions):
        name, whole = hidden.hidden_path(changes.FILE), [part._replace(named=True) for part in descriptions]
        files[name] = write_bytes(folder / name, changes.changes_text(whole, since).encode())


def _counts_and_manifests(
    built: Sequence[PartBuild], before: PreviousRelease, compared: Sequence[Release], whole: Mapping[str, Any]
) -> WrittenRelease:
    """Counts and manifests for the database; that of a further part lists only the files of its project."""
    counts, kept = [], []
    for n, build in enumerate(built):
        mine = dict(build.counts)
        if before.last:
            mine["since"] = {"n": before.last[n].n, **build.changes[0].to_dict()}
        if compared and not n:
            mine["compared"] = compared[0].n
        own = {name: facts for name, facts in whole["files"].items() if name in build.files}
        if n:
            kept.append({**manifest.part_manifest(build.description), "files": own})
        else:
            kept.append({**whole, "own": sorted(own)} if len(built) > 1 else dict(whole))
        counts.append(mine)
    return WrittenRelease(counts, kept)
