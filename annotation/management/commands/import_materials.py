"""`manage.py import_materials FILE --project SLUG`: finished questions to be adapted, with a report of every row."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseError

from annotation.core.errors import Refusal
from annotation.core.messages import problem_words
from annotation.core.models.project import Project
from annotation.generation.actions.materials import questions_take
from annotation.jobs.models import Import, ImportRow

ERRORS_SHOWN = 20


class Command(BaseCommand):
    """Take questions in. Exit 0; 1 when rows were refused; 2 when the file could not be read."""

    help = (
        "Take finished questions into a project that adapts them: CommonsenseQA's own JSONL, or id, question_concept, "
        "question, choices and answer_creator (also a JSON list, CSV, or packed with gzip)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--project", metavar="SLUG", required=True, help="the project's short name")
        parser.add_argument("--split", default="", help="the split of rows that name none, such as train")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, **options: Any) -> None:
        """Read, store, report."""
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {ascii(options['project'])[1:-1]}.", returncode=2)
        file = options["file"]
        try:
            taken = questions_take(project=project, path=file, name=file.name, split=options["split"])
        except Refusal as refused:
            words = refused.message or problem_words(refused.code)
            raise CommandError(ascii(words)[1:-1], returncode=2) from None
        except (OSError, DatabaseError) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise CommandError(f"{file}: {reason}", returncode=2) from None
        self._print(taken, as_json=options["json"])
        if taken.refused:
            raise CommandError(f"rows refused: {taken.refused}", returncode=1)

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
