"""`manage.py share_premises PROJECT`: premises or concepts that are still free, given to writers."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.actions import shares_assign
from annotation.models import Annotator, Project


class Command(BaseCommand):
    """Give each writer a share; the same as "Give out" on the page People."""

    help = (
        "Give premises that nobody has, or concepts that still lack a writer, to the writers of a project; sentence "
        "classes and categories are spread evenly."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT", help="the project's short name")
        parser.add_argument(
            "--to",
            metavar="PSEUDONYM",
            action="append",
            help="one writer, such as W03; default: every writer",
        )
        parser.add_argument(
            "--size",
            type=int,
            help="most for each, of concepts in each category (default: the project's share_size or per_category)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.", returncode=2)
        size = options["size"]
        if size is not None and size < 1:
            raise CommandError("--size: must be at least 1", returncode=2)
        writers = Annotator.objects.filter(project=project, user__isnull=False, left_at=None, is_writer=True)
        missing = set(options["to"] or ()) - set(writers.values_list("pseudonym", flat=True))
        if missing:
            raise CommandError(f"No writer of this project: {', '.join(sorted(missing))}.", returncode=2)
        if options["to"]:
            writers = writers.filter(pseudonym__in=options["to"])
        if not writers:
            raise CommandError("The project has no writer yet: invite one first.", returncode=2)
        given = shares_assign(lane=project.lanes.order_by("pk")[0], writers=list(writers), size=size)
        self.stdout.write(f"given out: {given} to {len(writers)}")
