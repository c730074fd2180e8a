"""`manage.py release_statistics PROJECT N --out FOLDER`: the tables of a release as CSV and as LaTeX."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.rules.os_errors import os_reason
from annotation.jobs import queue as jobs
from annotation.text.formulas import guarded_lines, line, spreadsheet_name
from exports.releases.models import Release
from exports.releases.previous_release import parts_of
from exports.statistics.actions import statistics_ask_all
from exports.statistics.queries import stored_statistics

UNUSABLE = 2


class Command(BaseCommand):
    """Exit 0; 1 where they could not be computed; 2 where release or folder cannot be used."""

    help = "Compute the tables of a release, of all its projects, and write each as CSV and as LaTeX for a paper."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", metavar="PROJECT", help="the project's short name")
        parser.add_argument("n", metavar="N", type=int, help="the release's number")
        parser.add_argument("--out", metavar="FOLDER", type=Path, required=True, help="made where it is missing")

    def handle(self, *args: Any, **options: Any) -> None:
        release = Release.objects.filter(project__slug=options["project"], n=options["n"]).first()
        if release is None or release.state != Release.State.READY:
            raise CommandError("There is no such release, or it is not ready.", returncode=UNUSABLE)
        parts = parts_of(release.whole or release)
        for job in statistics_ask_all(releases=parts, by=None, here=True):
            if failed_with := jobs.run_here(job).error:
                raise CommandError(failed_with)
        folder: Path = options["out"]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for each in stored_statistics(release, parts).tables:
                name = f"{each.of.key}.csv"
                _write(folder / name, map(line, each.csv))
                _write(folder / spreadsheet_name(name), guarded_lines(each.csv))
                (folder / f"{each.of.key}.tex").write_text(each.latex, encoding="utf-8")
                self.stdout.write(f"{each.of.key}  {len(each.rows)} rows  {each.of.title}")
        except OSError as failed:
            raise CommandError(f"{folder}: {os_reason(failed)}", returncode=UNUSABLE) from None


def _write(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(lines)
