"""`manage.py import_corrections FILE --project SLUG --by NAME`: a cleaned file, taken in as a lead's corrections."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseError
from django.db.models import Q

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.public_pages import confirmed, read_names
from annotation.core.rules.os_errors import os_reason
from validation.imports.actions import shown_name
from validation.imports.corrections import CorrectionsOutcome, apply_corrections
from validation.imports.rules import FileRefused
from validation.management.commands.import_items import add_file_arguments, mapping_of, project_of, row_line
from validation.voting.actions.steps import NEW_MEANING, SAME_MEANING

SHOWN = 20


class Command(BaseCommand):
    """Compare, correct, report. Exit 0; 1 when rows were refused; 2 when nothing could be compared."""

    help = (
        "Compare a cleaned file with the items that it was made from, by id, and make each difference a lead's "
        "correction. Run twice, it changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        add_file_arguments(parser)
        parser.add_argument("--project", metavar="SLUG", required=True, help="the project's short name")
        parser.add_argument(
            "--by",
            metavar="NAME",
            required=True,
            help="the QC lead who corrected: pseudonym or e-mail address",
        )
        parser.add_argument(
            "--meaning",
            choices=(SAME_MEANING, NEW_MEANING),
            default="",
            help="what the corrections mean for items that people voted on: the votes stay, or are asked for anew",
        )

        parser.add_argument(
            "--close-pages",
            metavar="SLUG/N,…",
            default="",
            help="the public pages that may be closed, because they show votes on items that are asked about again",
        )

    def handle(self, **options: Any) -> None:
        """Read, compare, report."""
        with confirmed(read_names(options["close_pages"])):
            self._import(options)

    def _import(self, options: dict[str, Any]) -> None:
        path = options["file"]
        try:
            project = project_of(options["project"])
            found = apply_corrections(
                project=project,
                path=path,
                name=shown_name(path.name),
                mapping=mapping_of(project, path, options["map"], options["separator"]),
                separator=options["separator"],
                lead=_lead(project, options["by"]),
                meaning=options["meaning"],
                store=not options["dry_run"],
            )
        except FileRefused as refused:
            raise CommandError(ascii(str(refused))[1:-1], returncode=2) from None
        except (OSError, DatabaseError) as error:
            reason = os_reason(error)
            raise CommandError(f"{path}: {reason}", returncode=2) from None
        self._print(found, dry_run=options["dry_run"], as_json=options["json"])
        if found.refused:
            raise CommandError(f"rows refused: {len(found.refused)}", returncode=1)

    def _print(self, found: CorrectionsOutcome, *, dry_run: bool, as_json: bool) -> None:
        """Print the report; JSON escapes what is not ASCII, so that no text can break a terminal."""
        by_part = asdict(found.changed)
        counts = {
            "rows": found.rows,
            "corrected": by_part.pop("items"),
            "unchanged": found.unchanged,
            "refused": len(found.refused),
            "missing": len(found.missing),
        }
        by_part.pop("nothing_changed")
        if as_json:
            rows = [{"row": row.n, "field": row.field, "reason": row.reason} for row in found.refused]
            summary = {
                **counts,
                **by_part,
                "dry_run": dry_run,
                "missing_ids": found.missing,
                "refused_rows": rows,
            }
            self.stdout.write(json.dumps(summary, indent=2))
            return
        for name, n in {**counts, **by_part}.items():
            self.stdout.write(f"{name}: {n}")
        for row in found.refused[:SHOWN]:
            self.stdout.write(row_line(row))
        for key in found.missing[:SHOWN]:
            self.stdout.write(f"no row for {json.dumps(key)[1:-1]}")
        if max(len(found.refused), len(found.missing)) > SHOWN:
            self.stdout.write("... (--json lists all)")


def _lead(project: Project, name: str) -> Annotator:
    places = Annotator.objects.filter(project=project, is_lead=True, left_at=None)
    found = places.filter(Q(pseudonym=name) | Q(user__email__iexact=name)).first()
    if found is None:
        message = "%(name)s is no QC lead of this project: name one by pseudonym or e-mail address."
        raise FileRefused("lead_missing", message, name=name)
    return found
