"""`manage.py paper PROJECT … --out FOLDER`: the tables, figures, card and methods of a paper as LaTeX, in one go."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.errors import Conflict
from annotation.core.models.project import Project
from annotation.core.rules.os_errors import os_reason
from annotation.jobs import queue as jobs
from exports.paper.compiling import NotCompiledError, compile_paper, tex
from exports.paper.report import FOLDERS, PAPER, PREAMBLE, report_files
from exports.paper.sources import ProjectSources, newest_release, sources_of
from exports.releases.models import Release
from exports.releases.queries import card_text, files
from exports.statistics.actions import statistics_ask
from validation.insights.actions import insights_ask

UNUSABLE = 2


class Command(BaseCommand):
    """Exit 0; 1 where figures or the PDF could not be made; 2 where a project or the folder cannot be used."""

    help = (
        "Write the tables, figures, card and methods of one project, or of several side by side, as LaTeX, each "
        "number with where it comes from; where TeX is installed the PDF too."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("projects", metavar="PROJECT", nargs="+", help="short names, in the order of columns")
        parser.add_argument("--out", metavar="FOLDER", type=Path, required=True, help="made where it is missing")
        parser.add_argument("--no-pdf", action="store_true", help="leave the PDF out where TeX is installed too")

    def handle(self, *args: Any, **options: Any) -> None:
        there = {project.slug: project for project in Project.objects.filter(slug__in=options["projects"])}
        for slug in options["projects"]:
            if slug not in there:
                raise CommandError(f"There is no project {slug}.", returncode=UNUSABLE)
        told = [self._sources(there[slug]) for slug in dict.fromkeys(options["projects"])]
        folder: Path = options["out"]
        try:
            made = report_files(told)
            _remove_older(folder)
            for name, data in made.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)
                self.stdout.write(name)
        except Conflict as refused:
            raise CommandError(refused.message) from None
        except OSError as failed:
            raise CommandError(f"{folder}: {os_reason(failed)}", returncode=UNUSABLE) from None
        if options["no_pdf"]:
            return
        if tex() is None:
            self.stdout.write(f"No pdflatex on the PATH: {PAPER} was not compiled.")
            return
        try:
            self.stdout.write(compile_paper(folder).name)
        except NotCompiledError as failed:
            raise CommandError(f"{PAPER} could not be compiled: {failed}") from None

    def _sources(self, project: Project) -> ProjectSources:
        """What is stored of a project, computed first where something changed since."""
        ready = Release.objects.filter(project=project)
        release = newest_release(ready)
        asked = [insights_ask(project=project, by=None, nightly=True, here=True)]
        asked += [statistics_ask(release=release, by=None, here=True)] if release else []
        for job in asked:
            if failed_with := jobs.run_here(job).error:
                raise CommandError(f"{project.slug}: {failed_with}")
        return sources_of(project, release, card_text(files(release)) if release else "")


def _remove_older(folder: Path) -> None:
    """Take away what an older report in the folder has, and the new one may not: its tables, figures, cards and PDF."""
    paper = folder / PAPER
    if not paper.is_file() or not paper.read_bytes().startswith(PREAMBLE.partition("\n")[0].encode()):
        return
    for path in (*(each for of in FOLDERS for each in (folder / of).glob("*.tex")), paper.with_suffix(".pdf")):
        path.unlink(missing_ok=True)
