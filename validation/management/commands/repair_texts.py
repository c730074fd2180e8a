"""`manage.py repair_texts [PROJECT] [--item KEY] [--apply]`: texts that a form damaged, shown before it acts."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.models.project import Project
from validation.review.actions.text_repairs import damaged_texts, texts_repair


class Command(BaseCommand):
    """Show texts to which a form added blanks or in which it changed line breaks; with `--apply`, repair them."""

    help = "Show texts to which a form added blanks or in which it changed line breaks; with --apply, repair them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", nargs="?", help="short name of a project; all projects without it")
        parser.add_argument("--item", default="", metavar="KEY", help="this item alone")
        parser.add_argument("--apply", action="store_true", help="store each text as it was, as a new revision")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["project"]
        project = Project.objects.filter(slug=slug).first() if slug else None
        if slug and project is None:
            raise CommandError(f"There is no project {slug!r}.", returncode=2)
        found = repaired = 0
        for texts in damaged_texts(project, options["item"]):
            done = options["apply"] and texts_repair(texts)
            for text in texts:
                note = " (repaired)" if done else ""
                where = f"{text.item.project.slug}: {text.item.key}, {text.field}"
                self.stdout.write(f"{where} is {text.found!r}, should be {text.expected!r}{note}")
            found, repaired = found + len(texts), repaired + len(texts) * done
        self.stdout.write(f"{found} texts are damaged, {repaired} repaired")
        if found > repaired and not options["apply"]:
            self.stdout.write("Nothing was changed. Look at each; --apply repairs them, --item KEY one of them.")
