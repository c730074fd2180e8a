"""`manage.py build_release PROJECT --out DIR`: freeze, build here and now, and put the files into DIR."""

import json
import shutil
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation import jobs
from annotation.errors import Refusal
from annotation.models import Job, Project
from exports import access
from exports.actions import release_freeze
from exports.models import Release
from exports.rules.settings import PRESETS, RulesError, SplitRules, layout_of, preset, usual

UNUSABLE, FAILED = 2, 1
POLL_SECONDS = 0.1


class Command(BaseCommand):
    """Exit 0; 1 when the release could not be built; 2 when project, rules or folder cannot be used."""

    help = "Freeze a project as a release, build its files and put them into a folder."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", metavar="PROJECT", help="the project's short name")
        parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="a new or empty folder")
        parser.add_argument("--rules", metavar="NAME", help=f"{', '.join(PRESETS)}; default: the project's")
        parser.add_argument(
            "--set",
            metavar="KEY=VALUE",
            action="append",
            default=[],
            help="change one rule, such as strict=yes",
        )
        parser.add_argument("--json", action="store_true", help="print counts and files as JSON")

    def handle(self, **options: Any) -> None:
        out = Path(options["out"])
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.", returncode=UNUSABLE)
        named = usual(layout_of(project.kind_spec.shape), project.rules.release).preset
        rules = self._rules(project, options["rules"] or named, options["set"])
        _check_folder(out)
        try:
            release = release_freeze(project=project, rules=rules, by=None)
        except Refusal as refusal:
            raise CommandError(refusal.message, returncode=FAILED) from None
        job = _finished(release)
        if job.state != Job.State.DONE:
            raise CommandError(f"Release {release.n} was not built. {job.error}", returncode=FAILED)
        release.refresh_from_db()
        _copy(Path(settings.MUFAKAT_DATA_DIR) / release.path, out)
        self._print(release, out, as_json=options["json"])

    def _rules(self, project: Project, name: str, changes: list[str]) -> SplitRules:
        texts = {}
        for change in changes:
            key, sign, value = change.partition("=")
            if not sign:
                raise CommandError(f"--set {change}: must be KEY=VALUE", returncode=UNUSABLE)
            texts[key.strip()] = value
        try:
            return access.checked(project, preset(name).changed(texts))
        except RulesError as error:
            raise CommandError(str(error), returncode=UNUSABLE) from None

    def _print(self, release: Release, out: Path, *, as_json: bool) -> None:
        files = {**release.manifest["files"], "manifest.json": release.manifest["manifest"]}
        if as_json:
            facts = {"release": release.n, "out": str(out), "counts": release.counts, "files": files}
            self.stdout.write(json.dumps(facts, indent=2))
            return
        self.stdout.write(f"Release {release.n} of {release.project.slug}: {release.counts['released']} rows")
        for name, file in sorted(files.items()):
            self.stdout.write(f"{file['sha256']}  {name}  {file['rows']} rows, {file['bytes']} bytes")


def _check_folder(out: Path) -> None:
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise CommandError(f"{out}: exists and is not an empty folder", returncode=UNUSABLE)
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"{out}: {error.strerror}", returncode=UNUSABLE) from None


def _finished(release: Release) -> Job:
    """Do the job here; where a worker was faster, wait for it, and take over if it dies."""
    job = release.job
    assert job is not None  # noqa: S101 - release_freeze makes it
    while jobs.run_here(job).state in jobs.UNFINISHED:
        time.sleep(POLL_SECONDS)
    return job


def _copy(built: Path, out: Path) -> None:
    """Copy beside the wanted name, then rename: there is never half a release in it."""
    part = out.with_name(f".{out.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(built, part)
        if out.exists():
            out.rmdir()
        part.rename(out)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise CommandError(f"{out}: {error.strerror}", returncode=UNUSABLE) from None
