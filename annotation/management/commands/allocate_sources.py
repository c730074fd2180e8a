"""`manage.py allocate_sources PROJECT`: gives free premises, concepts or texts of a target to writers."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.core.access import has_targets
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.writing.actions.allocation import allocations_assign


class Command(BaseCommand):
    """Give each writer a share; the same as "Give out" on the page People."""

    help = (
        "Give premises that nobody has, concepts that still lack a writer, or texts of a target that nobody translates "
        "yet to the writers of a project; sentence classes, categories and source sets are spread evenly."
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
            help="most for each, of concepts in each category (default: the project's allocation_size or per_category)",
        )

        parser.add_argument("--target", metavar="KEY", help="in translation: the target, such as jv-ngoko")

    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.", returncode=2)
        target, size = _target(project, options["target"]), options["size"]
        if size is not None and size < 1:
            raise CommandError("--size: must be at least 1", returncode=2)
        writers = Annotator.objects.filter(project=project, user__isnull=False, left_at=None, is_writer=True)
        if has_targets(project):
            writers = writers.filter(target_memberships__target=target)
        missing = set(options["to"] or ()) - set(writers.values_list("pseudonym", flat=True))
        if missing:
            raise CommandError(f"No writer of this project: {', '.join(sorted(missing))}.", returncode=2)
        if options["to"]:
            writers = writers.filter(pseudonym__in=options["to"])
        if not writers:
            raise CommandError("The project has no writer yet: invite one first.", returncode=2)
        given = allocations_assign(target=target, writers=list(writers), size=size)
        self.stdout.write(f"given out: {given} to {len(writers)}")


def _target(project: Project, key: str | None) -> Target:
    """The target that was named, or the project's one target."""
    if not has_targets(project):
        if key is not None:
            raise CommandError("--target: this project has no targets", returncode=2)
        return project.targets.order_by("pk")[0]
    targets = {target.key: target for target in project.targets.filter(ended_at=None).order_by("key")}
    if key not in targets:
        raise CommandError(f"--target: name one of {', '.join(targets) or 'none yet'}", returncode=2)
    return targets[key]
