"""`manage.py build_release PROJECT… --out DIR`: freeze, build here and now, and put the files into DIR."""

import json
import shutil
import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError

from annotation.core.errors import Invalid, Refusal
from annotation.core.models.project import Project
from annotation.core.rules.fields import FieldError
from annotation.core.rules.os_errors import os_reason
from annotation.files import storage
from annotation.jobs import queue as jobs
from annotation.jobs.ending import EndedBySignal, signals_raised
from annotation.jobs.models import Job
from exports.releases import queries as access
from exports.releases.actions import PartIn, release_freeze
from exports.releases.datasheet_facts import missing_now
from exports.releases.models import Release
from exports.releases.preview import needed_confirmations
from exports.releases.previous_release import parts_of
from exports.releases.rules.settings import (
    PRESETS,
    SplitRules,
    default_rules,
    layout_of,
)
from validation.voting.actions.decide import decide_all_due

UNUSABLE, FAILED = 2, 1
POLL_SECONDS = 0.1


class Command(BaseCommand):
    """Exit 0; 1 when the release could not be built; 2 when project, rules or folder cannot be used."""

    requires_system_checks = ()  # they load every page
    help = "Freeze a project as a release, build its files and put them into a folder."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "projects",
            metavar="PROJECT",
            nargs="+",
            help="the project's short name; of several PROJECT=SUFFIX, what its files end in (default: its name)",
        )
        parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="a new or empty folder")
        parser.add_argument(
            "--rules",
            metavar="NAME",
            action="append",
            default=[],
            help=f"{', '.join(PRESETS)}; default: the project's. Of several projects PROJECT:NAME is for one of them",
        )
        parser.add_argument(
            "--set",
            metavar="KEY=VALUE",
            action="append",
            default=[],
            help="change one rule, such as strict=yes; of several projects PROJECT:KEY=VALUE is for one of them",
        )
        parser.add_argument(
            "--allow-shared",
            action="store_true",
            help="build it although splits share more premises or concepts than the project allows",
        )
        parser.add_argument("--no-licence", action="store_true", help="build it although a project states no licence")
        parser.add_argument("--open-audits", action="store_true", help="build it although audits have no outcome yet")
        parser.add_argument("--json", action="store_true", help="print counts and files as JSON")

    def handle(self, **options: Any) -> None:
        try:
            with signals_raised():
                self._build(**options)
        except EndedBySignal as ended:
            raise CommandError(f"No release is in {options['out']}. {ended}", returncode=ended.exit_code) from None

    def _build(self, **options: Any) -> None:
        out = Path(options["out"])
        try:
            parts = self._parts(options["projects"], options["rules"], options["set"])
            _check_folder(out)
            # Votes that a file brought are due, and where nothing but commands runs nobody else decides.
            decide_all_due([part.project.pk for part in parts])
            _check_confirmed(
                parts,
                shared=options["allow_shared"],
                licence=options["no_licence"],
                audits=options["open_audits"],
            )
            release = self._built(parts)
        except OperationalError as error:  # no room, or no answer
            reason = str(error).strip().splitlines()[0]
            raise CommandError(f"No release was built. The database says: {reason}", returncode=FAILED) from None
        _copy(release, out)
        self._print(release, out, as_json=options["json"])

    def _built(self, parts: list[PartIn]) -> Release:
        """Freeze and build, here or in a worker."""
        first, *others = parts
        try:
            release = release_freeze(
                project=first.project,
                rules=first.rules,
                by=None,
                suffix=first.suffix,
                others=others,
                here=True,
            )
        except Invalid:
            reason = "Files of several projects end in different words of small letters, digits and hyphens."
            raise CommandError(reason, returncode=UNUSABLE) from None
        except Refusal as refusal:
            raise CommandError(refusal.message, returncode=FAILED) from None
        job = _build_to_end(release)
        if job.state != Job.State.DONE:
            raise CommandError(f"Release {release.n} was not built. {job.error}", returncode=FAILED)
        release.refresh_from_db()
        return release

    def _parts(self, named: list[str], presets: list[str], changes: list[str]) -> list[PartIn]:
        """The projects in order, each with its rules."""
        found = []
        slugs = [name.partition("=")[0] for name in named]
        for slug, name in zip(slugs, named, strict=True):
            project = Project.objects.filter(slug=slug).first()
            if project is None:
                raise CommandError(f"There is no project {slug!r}.", returncode=UNUSABLE)
            chosen = _options_for(slug, slugs, presets)
            usually = default_rules(layout_of(project.kind_spec.shape), project.rules.release).preset
            rules = self._rules(project, chosen[-1] if chosen else usually, _options_for(slug, slugs, changes))
            suffix = name.partition("=")[2] or slug
            found.append(PartIn(project, rules, suffix if len(named) > 1 else ""))
        return found

    def _rules(self, project: Project, name: str, changes: list[str]) -> SplitRules:
        texts = {}
        for change in changes:
            key, sign, value = change.partition("=")
            if not sign:
                raise CommandError(f"--set {change}: must be KEY=VALUE", returncode=UNUSABLE)
            texts[key.strip()] = value
        try:
            return access.checked_rules(project, access.preset_of(project, name).changed(texts))
        except FieldError as error:
            raise CommandError(str(error), returncode=UNUSABLE) from None

    def _print(self, release: Release, out: Path, *, as_json: bool) -> None:
        files = {**release.manifest["files"], "manifest.json": release.manifest["manifest"]}
        if as_json:
            counts = {part.suffix: part.counts for part in parts_of(release)}
            facts = {"release": release.n, "out": str(out), "counts": release.counts, "files": files}
            facts |= {"parts": counts} if len(counts) > 1 else {}
            facts |= {"not_stated": {part.project.slug: missing_now(part.project) for part in parts_of(release)}}
            self.stdout.write(json.dumps(facts, indent=2))
            return
        for part in parts_of(release):
            self.stdout.write(f"Release {part.n} of {part.project.slug}: {part.counts['released']} rows")
        for name, file in sorted(files.items()):
            self.stdout.write(f"{file['sha256']}  {name}  {file['rows']} rows, {file['bytes']} bytes")
        for part in parts_of(release):
            if names := missing_now(part.project):
                self.stdout.write(f"Not stated of {part.project.slug} (manage.py about): {', '.join(names)}")
        anchor = release.manifest["manifest"]["sha256"]
        self.stdout.write(f"Check a copy: manage.py verify_release DIR --manifest-sha256 {anchor}")


def _check_confirmed(parts: list[PartIn], *, shared: bool, licence: bool, audits: bool) -> None:
    """Refuse a release without rows, and what needs a confirmation that was not given."""
    found = needed_confirmations(parts)
    if found.is_empty:
        reason = "By these rules no item is in the release. Change the rules, or wait for gold labels."
        raise CommandError(reason, returncode=FAILED)
    reasons = [
        f"{each.project.slug}: {each.rows} of {each.total_rows} rows of later splits share their premise "
        f"or concept with an earlier split, the project allows {each.project.rules.shared_percent} %. "
        "Change the rules (--set strict=yes), or say --allow-shared."
        for each in ([] if shared else found.sharing)
    ]
    reasons += [
        f"{project.slug}: no licence is stated. State one on the project's page About, or say --no-licence."
        for project in ([] if licence else found.unlicensed)
    ]
    reasons += [
        f"{each.project.slug}: {each.n} audits are open and may still find another gold label, {each.held} agreements "
        "wait for their draw. Wait until their items have all their votes, or say --open-audits."
        for each in ([] if audits else found.open_audits)
    ]
    if reasons and found.items:
        raise CommandError("\n".join(reasons), returncode=UNUSABLE)


def _options_for(slug: str, slugs: list[str], given: list[str]) -> list[str]:
    """What is said for one of the projects, or for all of them."""
    found = []
    for each in given:
        whose, sign, rest = each.partition(":")
        if not sign or whose not in slugs:
            found.append(each)
        elif whose == slug:
            found.append(rest)
    return found


def _check_folder(out: Path) -> None:
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise CommandError(f"{out}: exists and is not an empty folder", returncode=UNUSABLE)
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"{out}: {os_reason(error)}", returncode=UNUSABLE) from None


def _build_to_end(release: Release) -> Job:
    """Do the job here; where a worker was faster, wait for it, and take over if it dies."""
    job = release.job
    assert job is not None  # noqa: S101 - release_freeze makes it
    while jobs.run_here(job).state in jobs.UNFINISHED:
        time.sleep(POLL_SECONDS)
    return job


def _copy(release: Release, out: Path) -> None:
    """Copy beside the wanted name, then rename: there is never half a release in it."""
    part = out.with_name(f".{out.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        for file in access.files(release):
            target = part / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as copy:
                copy.writelines(storage().read(file.stored))
        if out.exists():
            out.rmdir()
        part.rename(out)
    except OSError as error:
        raise CommandError(f"{out}: {os_reason(error)}", returncode=UNUSABLE) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
