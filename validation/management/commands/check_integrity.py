"""`manage.py check_integrity [PROJECT] [--repair] [--json]`: exit 1 while something is not as it must be."""

import sys
from collections import Counter
from dataclasses import asdict
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.jobs.queue import CHECK_INTEGRITY, record_nightly
from validation import integrity

# The maximum that is listed in JSON, where the output is one object; all are counted.
MOST_TOLD = 1000


class Command(BaseCommand):
    """Check the invariants of one project or of all, and repair what can be computed again."""

    help = "Check what must be true of votes, stages, gold labels, jobs, imports and releases; exit 1 on a breach."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", nargs="?", help="short name of a project; all projects without it")
        parser.add_argument("--repair", action="store_true", help="compute anew what differs")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self._project(options["project"])
        left: Counter[str] = Counter()
        repaired: Counter[str] = Counter()
        problems: list[dict[str, Any]] = []
        for breach in integrity.run(project=project, repair=options["repair"]):
            (repaired if breach.repaired else left)[breach.invariant] += 1
            if not options["json"]:
                self.stdout.write(_line(breach))
            elif len(problems) < MOST_TOLD:
                problems.append(asdict(breach))
        items = Item.objects.filter(project=project) if project else Item.objects.all()
        report = {
            "ok": not left,
            "items": items.count(),
            "checks": [check.name for check in integrity.registered()],
            "breaches": dict(left),
            "repaired": dict(repaired),
        }
        if options["json"]:
            self.stdout.write(orjson.dumps({**report, "rows": problems}, option=orjson.OPT_INDENT_2).decode())
        else:
            self.stdout.write(
                f"{report['items']} items looked at, {left.total()} breaches, {repaired.total()} repaired"
            )
        if left:
            sys.exit(1)
        if project is None:
            record_nightly(CHECK_INTEGRITY)

    def _project(self, slug: str | None) -> Project | None:
        if slug is None:
            return None
        project = Project.objects.filter(slug=slug).first()
        if project is None:
            raise CommandError(f"There is no project {slug!r}.", returncode=2)
        return project


def _line(breach: integrity.Breach) -> str:
    repaired = " (repaired)" if breach.repaired else ""
    where = f"{breach.project}: {breach.subject}" if breach.project else breach.subject
    return f"{breach.invariant} {where}: {breach.what} is {breach.found}, should be {breach.expected}{repaired}"
