"""Finished questions taken from a file, to be adapted: every row is stored, there already, or refused with a reason."""

from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction
from django.utils.translation import gettext

from annotation.core.errors import Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.generation.actions.materials import MaterialIn, add, project_ready
from annotation.generation.models import Material
from annotation.generation.rules.finished_questions import LONGEST_SPLIT, Finished
from annotation.generation.rules.recipes.forms import QUESTION, QuestionData
from annotation.jobs.models import Import, ImportRow
from annotation.text.normalise import storable
from validation.imports.rules import FileRefused, Problem, open_source
from validation.imports.rules.problems import excerpt, gettext_noop

LONGEST_NAME = 200


@dataclass
class _Read:
    """What became of the rows so far."""

    new: dict[str, MaterialIn] = field(default_factory=dict)
    unchanged: int = 0
    refused: list[tuple[int, Problem]] = field(default_factory=list)


def questions_take(
    *, project: Project, path: Path, name: str, split: str = "", by: User | None = None
) -> Import:
    """Take finished questions from a file (CommonsenseQA's JSONL or the published form, a list, CSV; also gzip).

    `split` is that of rows that name none. Invalid for a file that cannot be read at all; its rows are refused one by
    one, and stand with number, field and reason at the Import. The same file again changes nothing.
    """
    said = split.strip()
    if len(said) > LONGEST_SPLIT or storable(said):
        raise Invalid(field="split", code="split_wrong")
    try:
        with transaction.atomic():
            target = project_ready(project, QUESTION)
            rows = Material.objects.filter(target=target, sort=QUESTION)
            there = {key: (data, at) for key, data, at in rows.values_list("key", "data", "split")}
            found = _read(project, path, name, said, there)
            add(target, QUESTION, found.new)
            taken = _kept(project, name, found, by)
            if found.new:
                data = {"new": len(found.new), "refused": len(found.refused), "file": taken.name}
                Event.objects.create(project=project, actor=by, verb="questions_imported", data=data)
    except FileRefused as refused:
        words = gettext(refused.message) % refused.params if refused.params else gettext(refused.message)
        raise Invalid(words, field="file", code=refused.code) from None
    return taken


def _read(
    project: Project, path: Path, name: str, split: str, there: dict[str, tuple[dict[str, object], str]]
) -> _Read:
    """Judge every row; one whose id stands with another text, here or in the project, is refused (ruling 15)."""
    source = open_source(path, name)
    kind = project.kind_spec
    reader, found = Finished(source, kind.label_keys, kind.read_label, split), _Read()
    for record in source.records():
        row = reader.read(record)
        if isinstance(row, Problem):
            found.refused.append((record.n, row))
            continue
        question, at = row
        data = question.model_dump()
        old = there.get(question.id)
        if old == (data, at):
            found.unchanged += 1
        elif old is not None:
            found.refused.append((record.n, _taken(question, old)))
        else:
            there[question.id] = (data, at)
            found.new[question.id] = MaterialIn(question.id, question.category, data, split=at)
    return found


def _taken(question: QuestionData, old: tuple[dict[str, object], str]) -> Problem:
    message = gettext_noop(
        "“%(key)s” is there already with another text, answer or split. There: “%(there)s” Here: “%(here)s” "
        "Give this row another id, or leave it out."
    )
    told = {"key": excerpt(question.id, 40), "there": excerpt(str(old[0].get("question", "")))}
    return Problem("id_taken", "item_id", message, {**told, "here": excerpt(question.question)})


def _kept(project: Project, name: str, found: _Read, by: User | None) -> Import:
    shown = "".join(mark for mark in name.replace("\\", "/").rsplit("/", 1)[-1] if mark.isprintable())
    taken = Import.objects.create(
        project=project,
        by=by,
        name=shown[-LONGEST_NAME:] or "file",
        what=Import.What.MATERIALS,
        accepted=len(found.new),
        unchanged=found.unchanged,
        refused=len(found.refused),
    )
    ImportRow.objects.bulk_create(
        [ImportRow(source=taken, n=n, field=each.field, reason=each.reason) for n, each in found.refused],
        batch_size=2000,
    )
    return taken
