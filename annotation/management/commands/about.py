"""`manage.py about PROJECT`: what releases tell of a project, to read and to change."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.errors import Refusal
from annotation.core.messages import problem_words
from annotation.core.models.project import Project
from annotation.core.rules.os_errors import os_reason
from annotation.datasheet.actions import LONGEST_TEXTS, about_change
from annotation.datasheet.queries import about_of
from annotation.datasheet.rules import QUESTIONS, SECTIONS

FIELDS = (*LONGEST_TEXTS, "threshold")


class Command(BaseCommand):
    """Prints JSON that it takes again. Exit 2 where project or file cannot be used; nothing is changed then."""

    help = "Print what releases tell of a project as JSON, and take it back changed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", help="its short name")
        parser.add_argument(
            "--take",
            metavar="FILE",
            type=Path,
            help="change what this JSON file names; what it leaves out stays. It has the names that are printed",
        )

    def handle(self, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.", returncode=2)
        if options["take"]:
            self._take(project, options["take"])
        about = about_of(project)
        told = {name: getattr(about, name) for name in FIELDS}
        told["statement"] = {name: about.statement.get(name, "") for name in SECTIONS}
        told["answers"] = {name: about.answers.get(name, "") for name in QUESTIONS}
        self.stdout.write(json.dumps(told, ensure_ascii=False, indent=2))

    def _take(self, project: Project, path: Path) -> None:
        about = about_of(project)
        changes = _read(path)
        for name in ("statement", "answers"):
            if name in changes:
                changes[name] = {**getattr(about, name), **changes[name]}
        try:
            about_change(project=project, by=None, changes=changes, version=about.version if about.pk else 0)
        except Refusal as refusal:
            field = getattr(refusal, "field", "")
            words = refusal.message or problem_words(refusal.code)
            raise CommandError(f"{path}: {field}: {words}" if field else f"{path}: {words}", returncode=2) from None


def _read(path: Path) -> dict[str, Any]:
    """The changes in a file. Raises CommandError."""
    try:
        changes = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"{path}: {os_reason(error)}", returncode=2) from None
    except ValueError as error:
        raise CommandError(f"{path}: is no JSON ({error})", returncode=2) from None
    known = (*FIELDS, "statement", "answers")
    if not isinstance(changes, dict) or (unknown := sorted(set(changes) - set(known))):
        named = f": {', '.join(unknown)}" if isinstance(changes, dict) else ""
        raise CommandError(f"{path}: is no object with these names alone: {', '.join(known)}{named}", returncode=2)
    for name in ("statement", "answers"):
        if not isinstance(changes.get(name, {}), dict):
            raise CommandError(f"{path}: {name}: is no object", returncode=2)
    return changes
