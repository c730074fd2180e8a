"""What models wrote for the prompts of a project, taken in for a rating (Kalahi Appendix I)."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from django.db import transaction
from django.utils.translation import gettext

from annotation.content.models.item import Item
from annotation.core.errors import Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs.bulk import bulk_insert
from annotation.text.gettext import gettext_noop
from validation.consensus import stages
from validation.imports.outcome import Refused, words
from validation.imports.rules import FileRefused, Problem, open_source
from validation.imports.rules.cells import same_hash
from validation.imports.rules.outputs import TEXT, OutputReader, OutputRow, Prompts, mapping_of
from validation.imports.rules.problems import excerpt
from validation.studies.actions.rating_runs import run_prepared
from validation.studies.models import Generation, RatingRun

MOST_ROWS = 10_000


@dataclass
class Report:
    """What became of a file: how many outputs came in, were there already, and which rows were refused."""

    accepted: int = 0
    unchanged: int = 0
    refused: list[Refused] = field(default_factory=list)

    def refuse(self, n: int, problem: Problem) -> None:
        """Keep one row's reason, in the reader's language."""
        self.refused.append(Refused(n, problem.field, words(problem)))


def generations_import(*, project: Project, run_id: int, path: Path, name: str, by: User) -> Report:
    """Take a file of outputs into a run that is being prepared; all of it at once, or nothing where it fails.

    Raises NotFound for another project's run, Conflict where the run was opened, Invalid for a file that cannot be
    read or has more than 10,000 rows. A row that cannot be stored is in the report.
    """
    report = Report()
    rows = _rows(path, name, report)
    with transaction.atomic():
        run = run_prepared(project=project, run_id=run_id)
        found = Item.objects.filter(project=project).exclude(stage=stages.EXCLUDED)
        prompts = Prompts(dict(found.values_list("key", "pk")))
        _store(run, rows, prompts, report)
        report.refused.sort(key=lambda refused: refused.n)
        told = {"run": run.pk, "accepted": report.accepted, "refused": len(report.refused)}
        Event.objects.create(project=project, actor=by, verb="rating_outputs", data=told)
    return report


def _rows(path: Path, name: str, report: Report) -> list[OutputRow]:
    try:
        source = open_source(path, name)
        reader = OutputReader(mapping_of(source.columns))
        records = list(islice(source.records(), MOST_ROWS + 1))
    except FileRefused as refused:
        raise Invalid(words(refused), field="file", code=refused.code) from None
    if len(records) > MOST_ROWS:
        message = gettext("The file has more than 10,000 rows; send it in parts.")
        raise Invalid(message, field="file", code="rows_many")
    found: list[OutputRow] = []
    for record in records:
        row = reader.read(record)
        if isinstance(row, Problem):
            report.refuse(record.n, row)
        else:
            found.append(row)
    return found


def _store(run: RatingRun, rows: Iterable[OutputRow], prompts: Prompts, report: Report) -> None:
    """Store what is new; of two outputs for the same prompt and model the first counts.

    The same output again is nothing new; another one for the same prompt and model is refused with both.
    """
    stored = Generation.objects.filter(run=run).values_list("item_id", "model", "text")
    there = {(item, model): text for item, model, text in stored.iterator(chunk_size=2000)}
    seen: dict[tuple[int, str], str] = {}
    fresh: list[tuple[int, int, str, str]] = []
    for row in rows:
        item = prompts.find(row.prompt)
        if isinstance(item, Problem):
            report.refuse(row.n, item)
            continue
        key = item, row.model
        before = seen.get(key) or there.get(key)
        seen.setdefault(key, row.text)
        if before is None:
            fresh.append((run.pk, item, row.model, row.text))
        elif same_hash(before) == same_hash(row.text):
            report.unchanged += 1
        else:
            message = gettext_noop(
                "%(model)s has another output for “%(key)s” already. There: “%(there)s” Here: “%(here)s”"
            )
            named = {"model": excerpt(row.model, 40), "key": excerpt(row.prompt, 40)}
            shown = {"there": excerpt(before), "here": excerpt(row.text)}
            report.refuse(row.n, Problem("output_taken", TEXT, message, {**named, **shown}))
    report.accepted = bulk_insert(Generation, ("run_id", "item_id", "model", "text"), fresh)
