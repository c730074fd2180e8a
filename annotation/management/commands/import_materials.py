"""`manage.py import_materials FILE --project SLUG`: finished questions to be adapted, with a report of every row.

With `--from SLUG` instead of a file: questions of another project, to be translated.
"""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseError

from annotation.content import item_choice
from annotation.core.errors import Refusal
from annotation.core.messages import problem_words
from annotation.core.models.project import Project
from annotation.core.rules.os_errors import os_reason
from annotation.generation.actions.materials import items_as_materials, questions_take
from annotation.jobs.models import Import, ImportRow

ERRORS_SHOWN = 20


class Command(BaseCommand):
    """Take questions in. Exit 0; 1 when rows were refused; 2 when the file could not be read."""

    help = (
        "Take finished questions into a project that adapts them: CommonsenseQA's own JSONL, or id, question_concept, "
        "question, choices and answer_creator (also a JSON list, CSV, or packed with gzip). With --from: questions of "
        "another project into one that translates them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", metavar="FILE", type=Path, nargs="?")
        parser.add_argument("--from", dest="source", metavar="SLUG", help="take another project's questions instead")
        parser.add_argument("--items", choices=list(item_choice.CHOICES), help="which of them (default: settled)")
        parser.add_argument("--project", metavar="SLUG", required=True, help="the project's short name")
        parser.add_argument("--split", default="", help="the split of rows that name none, such as train")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, **options: Any) -> None:
        """Read, store, report."""
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {ascii(options['project'])[1:-1]}.", returncode=2)
        file = options["file"]
        if (file is None) == (options["source"] is None) or (file is not None and options["items"] is not None):
            raise CommandError("Give a file, or --from with a project (and --items).", returncode=2)
        try:
            if file is None:
                self._take_items(project, options["source"], options["items"], as_json=options["json"])
                return
            taken = questions_take(project=project, path=file, name=file.name, split=options["split"])
        except Refusal as refused:
            words = refused.message or problem_words(refused.code)
            raise CommandError(ascii(words)[1:-1], returncode=2) from None
        except (OSError, DatabaseError) as error:
            reason = os_reason(error)
            raise CommandError(f"{file}: {reason}", returncode=2) from None
        self._print(taken, as_json=options["json"])
        if taken.refused:
            raise CommandError(f"rows refused: {taken.refused}", returncode=1)

    def _take_items(self, project: Project, slug: str, choice: str | None, *, as_json: bool) -> None:
        """Take the questions of another project, and print what was taken and why the others were not."""
        source = Project.objects.filter(slug=slug).first()
        if source is None:
            raise CommandError(f"There is no project {ascii(slug)[1:-1]}.", returncode=2)
        taken = items_as_materials(project=project, source=source, choice=choice or item_choice.SETTLED)
        counts = {**taken.counts, "same": taken.same, "not_taken": taken.not_taken}
        if as_json:
            self.stdout.write(json.dumps(counts, indent=2))
            return
        for name, n in counts.items():
            if name != "not_taken":
                self.stdout.write(f"{name}: {n}")
        for reason, n in taken.not_taken.items():
            self.stdout.write(f"not taken, {item_choice.REASONS[reason]}: {n}")

    def _print(self, taken: Import, *, as_json: bool) -> None:
        """JSON escapes what is not ASCII, so that no text can break a terminal or its encoding."""
        rows = list(ImportRow.objects.filter(source=taken).order_by("n", "pk").values_list("n", "field", "reason"))
        counts = {"accepted": taken.accepted, "unchanged": taken.unchanged, "refused": taken.refused}
        if as_json:
            refusals = [{"row": n, "field": field, "reason": reason} for n, field, reason in rows]
            self.stdout.write(json.dumps({**counts, "rows": refusals}, indent=2))
            return
        for name, n in counts.items():
            self.stdout.write(f"{name}: {n}")
        for message, params in taken.mapping.get("notes", ()):
            self.stdout.write(ascii(message % params)[1:-1])
        for n, field, reason in rows[:ERRORS_SHOWN]:
            self.stdout.write(f"row {n}" + (f", {field}" if field else "") + f": {json.dumps(reason)[1:-1]}")
        if len(rows) > ERRORS_SHOWN:
            self.stdout.write("… (--json lists every row)")
