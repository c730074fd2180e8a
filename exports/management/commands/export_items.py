"""`manage.py export_items PROJECT --format NAME --out FILE`: a plain dump of the items as they are."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.models.project import Project
from annotation.core.rules.os_errors import os_reason
from exports.formats import paper as formats
from exports.formats.paper import FormFault
from exports.releases.dump import items_dump

UNUSABLE = 2


class Command(BaseCommand):
    """Exit 0; 1 when the form has no room for an item; 2 when project, form or file cannot be used."""

    requires_system_checks = ()  # they load every page
    help = "Write every item of a project as it stands, with its standing votes, in a form that others read."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("project", metavar="PROJECT", help="the project's short name")
        forms_text = "; ".join(f"{form.slug}: {form.title}" for form in formats.all_formats())
        parser.add_argument("--format", metavar="NAME", required=True, help=forms_text.replace("%", "%%"))
        parser.add_argument("--out", metavar="FILE", type=Path, required=True, help="written whole, or not at all")
        parser.add_argument(
            "--raw", action="store_true", help="each item as it was first written, before any correction"
        )

    def handle(self, **options: Any) -> None:
        """Find, write, say how much."""
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.", returncode=UNUSABLE)
        fitting = {form.slug: form for form in formats.formats_for_kind(project.kind_spec)}
        if options["format"] not in fitting:
            known = ", ".join(fitting) or "none"
            raise CommandError(
                f"{options['format']!r} is no form for this project; there are: {known}.", returncode=UNUSABLE
            )
        out = Path(options["out"])
        try:
            rows, written = items_dump(project=project, form=fitting[options["format"]], out=out, raw=options["raw"])
        except FormFault as fault:
            raise CommandError(f"Nothing was written. {fault}") from None
        except OSError as error:
            raise CommandError(f"{out}: {os_reason(error)}", returncode=UNUSABLE) from None
        self.stdout.write(f"{rows} rows of {project.items.count()} items, {written} bytes: {out}")
