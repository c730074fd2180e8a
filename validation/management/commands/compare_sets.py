"""`manage.py compare_sets PROJECT PROJECT [--json]`: types of one and two tokens that two projects share."""

from dataclasses import asdict
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.models.project import Project
from annotation.jobs import replica
from annotation.text.overlap import SharedTypes, count_shared
from validation.insights.reports.reading import Reading
from validation.insights.reports.sets import types_of

SIZES = ("one token", "two tokens")


class Command(BaseCommand):
    """Compare the words of two projects (id-csqa §5.2): what people and what a model wrote."""

    help = "Say how many types of one and of two tokens two projects share, and which share of each that is."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("projects", nargs=2, metavar="project", help="short name of a project")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        projects = [_project(slug) for slug in options["projects"]]
        found = replica.read(lambda using: _compared(projects, using))
        if options["json"]:
            whole = {
                size: {**asdict(each), "of_left": each.of_left, "of_right": each.of_right}
                for size, each in found.items()
            }
            self.stdout.write(orjson.dumps(whole, option=orjson.OPT_INDENT_2).decode())
            return
        for size, each in found.items():
            self.stdout.write(_line(size, each, *options["projects"]))


def _compared(projects: list[Project], using: str) -> dict[str, SharedTypes]:
    numbers: dict[str, int] = {}
    left, right = (types_of(Reading(project, using=using), numbers) for project in projects)
    return dict(zip(SIZES, count_shared(left, right), strict=True))


def _project(slug: str) -> Project:
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise CommandError(f"no project is called {slug!r}", returncode=2)
    return project


def _line(size: str, found: SharedTypes, left: str, right: str) -> str:
    return (
        f"{size}: {found.both} types in both; {_share(found.of_left)} of the {found.left} of {left}, "
        f"{_share(found.of_right)} of the {found.right} of {right}"
    )


def _share(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.2f} %"
