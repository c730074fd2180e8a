"""`manage.py import_source_set PROJECT FILE`: a file becomes a source set, with a report of every refused row."""

import json
import time
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseError

from annotation.content.models.units import SourceSet
from annotation.core import access
from annotation.core.errors import Refusal
from annotation.core.messages import problem_words
from annotation.core.models.project import Project
from annotation.core.rules.os_errors import os_reason
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import, ImportRow, Job
from annotation.translation.actions.source_sets import SetIn, source_set_freeze
from annotation.translation.rules.source_units import SHAPES
from exports.sources.starting import source_file_keep, source_file_start
from validation.imports.outcome import notes_in_words
from validation.imports.rules import FileRefused
from validation.imports.rules.columns import split_pair
from validation.imports.rules.source_columns import source_columns
from validation.imports.rules.values import read_values
from validation.management.commands.import_items import add_drawing_arguments, add_separator_argument, print_notes

CHUNK = 1 << 20
ERRORS_SHOWN = 20
POLL_SECONDS = 0.2


def column_value(text: str) -> str:
    """Read `COLUMN=WHAT`."""
    if "=" not in text[1:]:
        raise ArgumentTypeError("has to be COLUMN=…")
    return text


class Command(BaseCommand):
    """Make a source set. Exit 0; 1 when rows were refused; 2 when nothing could be made."""

    # How snippets were drawn from documents, where another command made the file of them.
    stealth_options = ("documents",)
    help = "Make a source set of a translation project from JSONL, a JSON list or CSV (also packed with gzip)."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("project", metavar="PROJECT", help="the translation project's short name")
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--key", required=True, help="the set's short name")
        parser.add_argument("--shape", required=True, choices=sorted(SHAPES), help="which texts a row has")
        parser.add_argument("--task", default="", help="what files of a release are called; by default the shape's")
        parser.add_argument("--name", default="", help="what people call the set; by default its short name")
        parser.add_argument(
            "--map",
            metavar="COLUMN=FIELD",
            action="append",
            default=[],
            help="take a column for a field, beyond what is guessed, such as kalimat=text; COLUMN= leaves it out",
        )
        parser.add_argument(
            "--where",
            metavar="COLUMN=VALUE",
            action="append",
            default=[],
            type=column_value,
            help="take only rows in which the column says this, such as sentence_size=single",
        )
        add_drawing_arguments(parser)
        add_separator_argument(parser)
        parser.add_argument("--freeze", action="store_true", help="freeze the set at once, without clean-up")
        parser.add_argument("--dry-run", action="store_true", help="say what would happen, store nothing")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, **options: Any) -> None:
        """Keep the file, make the set, report."""
        try:
            taken, job = self._make(options)
        except (FileRefused, Refusal) as refused:
            words = str(refused) if isinstance(refused, FileRefused) else refused.message
            words = words or problem_words(refused.code)
            raise CommandError(ascii(words)[1:-1], returncode=2) from None
        except (OSError, DatabaseError) as error:
            reason = os_reason(error)
            raise CommandError(f"{options['file']}: {reason}", returncode=2) from None
        rows = ImportRow.objects.filter(source=taken).order_by("n", "pk")
        self._print(job.result, list(rows.values_list("n", "field", "reason")), as_json=options["json"])
        if job.state != Job.State.DONE:
            raise CommandError(ascii(job.error or job.state)[1:-1], returncode=2)
        if taken.refused:
            raise CommandError(f"rows refused: {taken.refused}", returncode=1)

    def _make(self, options: dict[str, Any]) -> tuple[Import, Job]:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None or not access.has_targets(project):
            slug = options["project"]
            raise FileRefused("project_missing", "There is no translation project %(slug)s.", slug=slug)
        given = SetIn(options["key"], options["name"], options["shape"], options["task"])
        with options["file"].open("rb") as file:
            chunks = iter(lambda: file.read(CHUNK), b"")
            name = options["file"].name
            told = {"name": name, "chunks": chunks, "separator": options["separator"]}
            taken = source_file_keep(project=project, given=given, by=None, **told)
        if options.get("documents"):
            taken.mapping = {**taken.mapping, "documents": options["documents"]}
            taken.save(update_fields=["mapping"])
        columns_there = taken.mapping["columns"]
        mapping = source_columns(given.shape).read_map(options["map"], columns_there, taken.mapping["fields"])
        job = source_file_start(
            taken=taken,
            by=None,
            mapping=mapping,
            values=read_values(options["values"], columns_there),
            where=[split_pair(each, columns_there)[::2] for each in options["where"]],
            **{name: options[name] for name in ("sample", "seed", "dry_run")},
        )
        while (job := jobs.run_here(job)).state in jobs.UNFINISHED:
            time.sleep(POLL_SECONDS)
        taken.refresh_from_db()
        if options["freeze"] and job.state == Job.State.DONE and not options["dry_run"]:
            source_set_freeze(source_set=SourceSet.objects.get(project=project, key=given.key), by=None)
        return taken, job

    def _print(self, counts: dict[str, Any], rows: list[tuple[int, str, str]], *, as_json: bool) -> None:
        """The report; JSON escapes what is not ASCII, so that no text can break a terminal or its encoding."""
        if as_json:
            refusals = [{"row": n, "field": field, "reason": reason} for n, field, reason in rows]
            notes = {"notes": notes_in_words(counts["notes"])} if counts.get("notes") else {}
            self.stdout.write(json.dumps({**counts, **notes, "rows": refusals}, indent=2))
            return
        for name in ("accepted", "units", "refused", "left_out"):
            self.stdout.write(f"{name}: {counts.get(name, 0)}")
        print_notes(self.stdout, counts)
        for n, field, reason in rows[:ERRORS_SHOWN]:
            where = f"row {n}" + (f", {field}" if field else "")
            self.stdout.write(f"{where}: {json.dumps(reason)[1:-1]}")
        if len(rows) > ERRORS_SHOWN:
            self.stdout.write("… (--json lists every row)")
