"""`manage.py import_items PROJECT FILE`: a file into a project, with a report of every refused row."""

import json
import time
from argparse import ArgumentTypeError
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, OutputWrapper
from django.db import Error as DatabaseError

from annotation.core.errors import Refusal
from annotation.core.models.project import Project
from annotation.core.rules.os_errors import os_reason
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import, ImportRow, Job
from annotation.media.actions import media_zip_keep
from validation.imports.actions import import_keep, import_start, shown_name
from validation.imports.outcome import (
    RefusedRow,
    add_unread,
    notes_in_words,
    problem_in_words,
    stored_notes,
    unread_lines,
)
from validation.imports.pipeline import Intake, columns_for, mapped_value_counts
from validation.imports.rules import FileRefused, open_source
from validation.imports.rules.csv_rows import SEPARATORS
from validation.imports.rules.questions import LEFT_OUT
from validation.imports.rules.values import Sample, read_values

CHUNK = 1 << 20
ERRORS_SHOWN = 20
POLL_SECONDS = 0.2
COUNTS = ("accepted", "unchanged", "refused", "flagged")
UNREAD = ("column", "person", "value", "count")
MAPPED = ("column", "person", "value", "taken_for", "count")
HINTS = {
    "premise_unmapped": " Say it so: --map COLUMN=premise",
    "question_unmapped": " Say it so: --map COLUMN=question",
    "prompt_unmapped": " Say it so: --map COLUMN=prompt",
}

Report = tuple[dict[str, Any], Generator[RefusedRow]]


def column_field(text: str) -> str:
    """Read `COLUMN=FIELD`."""
    if "=" not in text:
        raise ArgumentTypeError("has to be COLUMN=FIELD")
    return text


def add_file_arguments(parser: CommandParser) -> None:
    """The arguments of every command that takes a file in."""
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--dry-run", action="store_true", help="say what would happen, store nothing")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument(
        "--map",
        metavar="COLUMN=FIELD",
        action="append",
        default=[],
        type=column_field,
        help="take a column for a field, beyond what is guessed, such as kalimat=premise; COLUMN= leaves it out",
    )
    add_separator_argument(parser)


def add_separator_argument(parser: CommandParser) -> None:
    """The argument that says what separates the cells of a file."""
    parser.add_argument(
        "--separator",
        metavar="NAME",
        default="",
        help=f"what separates the cells of a CSV or text file, where it is not found: {', '.join(SEPARATORS)} "
        "(line: each line is a text)",
    )


def print_notes(out: OutputWrapper, counts: Mapping[str, Any]) -> None:
    """Print what was noted of the file, so that no text can break a terminal."""
    for note in notes_in_words(counts.get("notes", ())):
        out.write(ascii(note)[1:-1])


def add_drawing_arguments(parser: CommandParser) -> None:
    """The arguments that draw rows of a file, and say what its values mean."""
    parser.add_argument(
        "--values",
        metavar="COLUMN:PERSON:VALUE=VALUE",
        action="append",
        default=[],
        help="take a value of a column for another one, of one person or (nothing between the colons) of everybody; "
        "nothing behind = is unknown",
    )
    parser.add_argument("--sample", metavar="N", type=int, default=0, help="draw so many of the rows that can be read")
    parser.add_argument("--seed", default="", help="what the sample is drawn with; by default the project's seed")


def project_of(slug: str) -> Project:
    """The project of that short name. Raises FileRefused."""
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise FileRefused("project_missing", "There is no project %(slug)s.", slug=slug)
    return project


def mapping_of(project: Project, path: Path, by_hand: list[str], separator: str = "") -> dict[str, str]:
    """Field to column, by guess and by hand. Raises FileRefused."""
    columns = columns_for(project)
    there = open_source(path, shown_name(path.name), separator=separator, knows=columns.knows).columns
    return columns.read_map(by_hand, there, columns.guess(there))


def row_line(row: RefusedRow) -> str:
    """A refused row as it is printed, where no text can break a terminal."""
    return f"row {row.n}" + (f", {row.field}" if row.field else "") + f": {json.dumps(row.reason)[1:-1]}"


class Command(BaseCommand):
    """Import a file. Exit 0; 1 when rows were refused; 2 when the file could not be read."""

    requires_system_checks = ()  # they load every page
    # How snippets were drawn from documents, where another command made the file of them.
    stealth_options = ("documents",)
    help = (
        "Take premises, concepts or topics, or whole items with their votes, into a project from JSONL, a JSON "
        "list or CSV (also packed with gzip)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("project", metavar="PROJECT", help="the project's short name")
        add_file_arguments(parser)
        add_drawing_arguments(parser)
        parser.add_argument(
            "--media",
            metavar="ZIP",
            type=Path,
            help="a ZIP file of images and sounds, which rows name by their path in it; it is kept in a dry run too",
        )
        parser.add_argument(
            "--no-creators",
            action="store_true",
            help="do not take the one person who does not answer a question for its creator",
        )
        parser.add_argument(
            "--machine",
            metavar="MODEL",
            default="",
            help="a machine wrote the items, and no person: the model's name",
        )

    def handle(self, **options: Any) -> None:
        """Read, import, report."""
        try:
            project = project_of(options["project"])
            if options["media"] is not None:
                self._media(project, options["media"])
            self._read_options(project, options)
            mapping = self._mapping(project, options)
            work = self._rehearse if options["dry_run"] else self._import
            counts, rows = work(project, options["file"], mapping, options)
        except (FileRefused, Refusal) as refused:
            hint = HINTS.get(refused.code, "")
            self._unreadable(f"{refused}{hint}", as_json=options["json"])
        except (OSError, DatabaseError) as error:
            reason = os_reason(error)
            self._unreadable(f"{options['file']}: {reason}", as_json=options["json"])
        else:
            # Not all are printed; those that are left would be asked for when the database is gone.
            with closing(rows):
                self._print(counts, rows, dry_run=options["dry_run"], as_json=options["json"])
            if counts["refused"]:
                raise CommandError(f"rows refused: {counts['refused']}", returncode=1)

    def _read_options(self, project: Project, options: dict[str, Any]) -> None:
        """Values by hand and the sample, as an import keeps them. Raises FileRefused."""
        path, n = options["file"], options["sample"]
        name, knows = shown_name(path.name), columns_for(project).knows
        source = open_source(path, name, separator=options["separator"], knows=knows)
        options["separator"], options["values"] = source.separator, read_values(options["values"], source.columns)
        seed = options["seed"].strip() or project.seed
        options["drawn"] = Sample(n, seed) if n else None

    def _media(self, project: Project, path: Path) -> None:
        """Store images and sounds; refused ones are reported at once, and rows that name them are refused."""
        with path.open("rb") as file:
            report = media_zip_keep(project=project, by=None, file=file)
        for name, reason in report.refused:
            self.stderr.write(f"{json.dumps(name)[1:-1]}: {json.dumps(reason)[1:-1]}")
        summary = f"media: {report.stored} new, {report.unchanged} there already, {len(report.refused)} refused"
        self.stderr.write(summary)

    def _mapping(self, project: Project, options: dict[str, Any]) -> dict[str, str]:
        """The mapping by guess and by hand; further assumptions are reported at once."""
        path = options["file"]
        mapping = mapping_of(project, path, options["map"], options["separator"])
        if options["no_creators"]:
            mapping.pop(LEFT_OUT, None)
        name, told = shown_name(path.name), {"values": options["values"], "separator": options["separator"]}
        intake = Intake.open(project, path, name, mapping, options["machine"], **told)
        if intake.assumption is not None:
            self.stderr.write(ascii(problem_in_words(intake.assumption))[1:-1])
        return intake.mapping

    def _rehearse(self, project: Project, path: Path, mapping: dict[str, str], options: dict[str, Any]) -> Report:
        counts: Counter[str] = Counter(dict.fromkeys(COUNTS, 0))
        rows, unread, strange = list[RefusedRow](), list[list[str | int]](), list[list[str | int]]()
        name, told = shown_name(path.name), {"values": options["values"], "sample": options["drawn"]}
        told["separator"] = options["separator"]
        intake = Intake.open(project, path, name, mapping, options["machine"], **told)
        for outcome in intake.dry_run():
            counts.update({name: getattr(outcome, name) for name in COUNTS if name != "refused"})
            unread = add_unread(unread, outcome.unread, mapping)
            strange = add_unread(strange, outcome.unknown_values, mapping)
            rows += outcome.refused
        counts["refused"] = len(rows)
        summary = {
            "unread": unread,
            "strange": strange,
            "left": list(intake.unused_columns),
            "unused": intake.format.unused_media(project, intake.reader),
            **mapped_value_counts(intake, options["values"]),
            "notes": stored_notes(intake.source.notes()),
        }
        return {**counts, **summary}, (row for row in rows)

    def _import(self, project: Project, path: Path, mapping: dict[str, str], options: dict[str, Any]) -> Report:
        """Enqueue the job and do it here, unless a worker was faster; then wait for it."""
        details = {"documents": options["documents"]} if options.get("documents") else None
        with path.open("rb") as file:
            chunks = iter(lambda: file.read(CHUNK), b"")
            told = {"name": path.name, "chunks": chunks, "separator": options["separator"]}
            taken = import_keep(project=project, by=None, details=details, **told)
        given = {name: options[name] for name in ("machine", "values", "sample", "seed")}
        job = import_start(taken=taken, by=None, mapping=mapping, **given, here=True)
        while (job := jobs.run_here(job)).state in jobs.UNFINISHED:
            time.sleep(POLL_SECONDS)
        if job.state != Job.State.DONE:
            raise FileRefused("import_failed", "The import did not end: %(why)s", why=job.error or job.state)
        return job.result, _rows(taken)

    def _print(self, counts: dict[str, Any], rows: Iterator[RefusedRow], *, dry_run: bool, as_json: bool) -> None:
        """Print the report; JSON escapes what is not ASCII, so that no text can break a terminal or its encoding."""
        if as_json:
            named = [{"row": row.n, "field": row.field, "reason": row.reason} for row in rows]
            marks = [dict(zip(UNREAD, each, strict=True)) for each in counts["unread"]]
            summary = {name: counts[name] for name in COUNTS} | {
                "columns_left": counts["left"],
                "unread": marks,
            }
            if counts.get("strange"):
                summary["refused_values"] = [dict(zip(UNREAD, each, strict=True)) for each in counts["strange"]]
            if counts.get("values"):
                summary["values"] = [dict(zip(MAPPED, each, strict=True)) for each in counts["values"]]
            if counts.get("sample"):
                summary["sample"] = counts["sample"]
            if counts.get("unused"):
                summary["media_unused"] = counts["unused"]
            if counts.get("notes"):
                summary["notes"] = notes_in_words(counts["notes"])
            self.stdout.write(json.dumps({**summary, "dry_run": dry_run, "rows": named}, indent=2))
            return
        for name in COUNTS:
            self.stdout.write(f"{name}: {counts[name]}")
        print_notes(self.stdout, counts)
        if counts["left"]:
            self.stdout.write(f"columns that nothing takes: {json.dumps(', '.join(counts['left']))[1:-1]}")
        if unused := counts.get("unused"):
            self.stdout.write(f"images and sounds that no item shows: {json.dumps(', '.join(unused))[1:-1]}")
        if drawn := counts.get("sample"):
            seed = json.dumps(drawn["seed"])[1:-1]
            self.stdout.write(f"sample: {drawn['n']} of {drawn['of']} rows that can be read, seed {seed}")
        for column, person, value, to, n in counts.get("values", ()):
            line = f"{', '.join(filter(None, (column, person)))}: {value or 'nothing'} as {to or 'unknown'} {n}x"
            self.stdout.write(f"taken for: {json.dumps(line)[1:-1]}")
        for line in unread_lines(counts["unread"]):
            self.stdout.write(f"kept as unknown: {json.dumps(line)[1:-1]}")
        for line in unread_lines(counts.get("strange", ())):
            self.stdout.write(f"rows are refused for: {json.dumps(line)[1:-1]}")
        for number, row in enumerate(rows):
            if number == ERRORS_SHOWN:
                self.stdout.write("… (--json lists every row)")
                break
            self.stdout.write(row_line(row))

    def _unreadable(self, reason: str, *, as_json: bool) -> None:
        if as_json:
            report = {"accepted": 0, "unchanged": 0, "refused": 0, "rows": [], "error": reason}
            self.stdout.write(json.dumps(report, indent=2))
        raise CommandError(ascii(reason)[1:-1], returncode=2) from None


def _rows(taken: Import) -> Generator[RefusedRow]:
    rows = ImportRow.objects.filter(source=taken).order_by("n", "pk")
    return (RefusedRow(row.n, row.field, row.reason) for row in rows.iterator(chunk_size=2000))
