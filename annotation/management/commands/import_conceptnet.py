"""`manage.py import_conceptnet FILE --project SLUG`: ConceptNet's assertions become question sets, with a report."""

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseError

from annotation.core.errors import Refusal
from annotation.core.messages import problem_words
from annotation.core.models.project import Project
from annotation.core.rules.os_errors import os_reason
from annotation.generation.actions.materials import MaterialIn, material_sort, sets_take
from annotation.generation.conceptnet import DrawnSet, SetRequest, WorkFile, choose_sets, work_path
from annotation.generation.rules.conceptnet import FILTERS, language_tag, parse_relations
from annotation.generation.rules.recipes.forms import SET
from validation.imports.rules import FileRefused

PRINT_SECONDS = 5.0


class ProgressPrinter:
    """Says on a terminal how far the reading came, every few seconds and at its end."""

    def __init__(self, write: Any, lines: int) -> None:
        self._write, self._begun, self._before = write, time.monotonic(), lines
        self._said = self._begun

    def __call__(self, lines: int, share: float) -> None:
        if time.monotonic() - self._said >= PRINT_SECONDS:
            self.say(lines, share)

    def say(self, lines: int, share: float) -> None:
        self._said = time.monotonic()
        each = (lines - self._before) / max(self._said - self._begun, 0.001)
        self._write(f"{lines:,} lines, {share:.0%} of the file, {each:,.0f} lines/s")


class Command(BaseCommand):
    """Import question sets. Exit 0; 2 when nothing could be read."""

    help = (
        "Draw question sets for one or several projects from ConceptNet's assertions (tab-separated, plain or gzip), "
        "read once for all of them. A run that was stopped goes on where it was when it is started again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument(
            "--project",
            metavar="SLUG",
            action="append",
            required=True,
            help="the project's short name; again for more",
        )
        parser.add_argument("--afresh", action="store_true", help="forget what a stopped run has read")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, **options: Any) -> None:
        """Read, draw, store, report."""
        try:
            summary = self._import(options["file"], self._wanted(options["project"]), afresh=options["afresh"])
        except FileRefused as refused:
            raise CommandError(ascii(str(refused))[1:-1], returncode=2) from None
        except Refusal as refused:
            words = refused.message or problem_words(refused.code)
            raise CommandError(words, returncode=2) from None
        except sqlite3.OperationalError as error:
            words = f"{error}: does another import of this file run? Or is the disk full?"
            raise CommandError(words, returncode=2) from None
        except (OSError, DatabaseError) as error:
            reason = os_reason(error)
            raise CommandError(f"{options['file']}: {reason}", returncode=2) from None
        if options["json"]:
            self.stdout.write(json.dumps(summary, indent=2))
            return
        for slug, report in summary.items():
            self._print(slug, report)

    def _wanted(self, slugs: Sequence[str]) -> list[tuple[Project, SetRequest]]:
        found = []
        for slug in dict.fromkeys(slugs):
            project = Project.objects.filter(slug=slug).first()
            if project is None:
                raise CommandError(f"There is no project {ascii(slug)[1:-1]}.", returncode=2)
            if material_sort(project) != SET:
                raise CommandError(f"{slug}: its questions start from something else.", returncode=2)
            rules, language = project.rules, language_tag(project.language)
            found.append(
                (
                    project,
                    SetRequest(project.seed, language, parse_relations(rules.relations), rules.set_count),
                )
            )
        return found

    def _import(
        self, file: Path, wanted: list[tuple[Project, SetRequest]], *, afresh: bool
    ) -> dict[str, dict[str, Any]]:
        relations: dict[str, frozenset[str]] = {}
        for _, each in wanted:
            relations[each.language] = relations.get(each.language, frozenset()).union(each.relations)
        path = work_path(Path(settings.MUFAKAT_DATA_DIR), file, relations)
        if afresh:
            path.unlink(missing_ok=True)
        work = WorkFile(path, relations)
        try:
            self._read(work, file)
            summary = {}
            for project, each in wanted:
                report, sets = choose_sets(work, each)
                report["file"] = file.name[-200:]
                taken = sets_take(project=project, sets=_materials(sets), report=report)
                summary[project.slug] = {**report, **taken.counts, "same": taken.same}
        except FileRefused:
            # What is no such file, or torn, is not gone on with.
            work.remove()
            raise
        finally:
            work.close()
        work.remove()
        return summary

    def _read(self, work: WorkFile, file: Path) -> None:
        if work.counts.lines:
            self.stderr.write(f"going on behind line {work.counts.lines:,}")
        speed = ProgressPrinter(self.stderr.write, work.counts.lines)
        work.fill(file, speed)
        speed.say(work.counts.lines, 1.0)

    def _print(self, slug: str, report: dict[str, Any]) -> None:
        """The counts, a line for each relation and direction."""
        cells = ("sources", "few", "sets", *FILTERS, "kept", "drawn")
        self.stdout.write(f"{slug}: {report['language']}, {report['lines']} lines, {report['malformed']} malformed")
        self.stdout.write("  ".join(("relation".ljust(26), *(f"{cell:>8}" for cell in cells))))
        for row in report["relations"]:
            name = ascii(f"{row['relation']} {row['direction']}")[1:-1][:26].ljust(26)
            self.stdout.write("  ".join((name, *(f"{row[cell]:>8}" for cell in cells))))
        self.stdout.write(
            f"{report['kept']} sets were left by the filters, {report['drawn']} of them drawn: {report['new']} new, "
            f"{report['same']} there already, {report['removed']} removed, {report['held']} kept because runs began "
            "with them"
        )


def _materials(sets: Iterator[DrawnSet]) -> Iterator[MaterialIn]:
    return (MaterialIn(each.key, each.relation, each.data.model_dump()) for each in sets)
