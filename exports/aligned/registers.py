"""Two registers of a language compared over what is approved in both: asking for it, and the job that does it."""

from collections.abc import Iterator
from typing import Any

from django.db import transaction

from annotation.content.models.units import SourceUnit, Translation
from annotation.core.errors import Invalid
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.jobs.models import Job
from annotation.jobs.queue import UNFINISHED, Handle, enqueue, handles
from exports.aligned.rules import missing
from exports.releases.rules.settings import SplitRules

JOB_KIND = "registers"
PAGE = 500


def approved_texts(target: Target, units: list[int]) -> dict[int, dict[str, str]]:
    """These units' texts in a target by field, of translations that a release would hold."""
    accepting = target.project.kind_spec.question.label_keys[0]
    rows = Translation.objects.filter(target=target, unit__in=units).values_list(
        "unit_id", "fields", "item__stage", "item__sampled", "item__gold"
    )
    return {
        unit: {str(each["key"]): str(each["text"]) for each in fields}
        for unit, fields, stage, sampled, gold in rows
        if missing.judge_translation(SplitRules(), accepting, stage, sampled, gold).state == missing.READY
    }


def units_of(project: Project) -> Iterator[list[int]]:
    """The units of frozen source sets, a page at a time."""
    result = SourceUnit.objects.filter(project=project, removed=False, source_set__frozen_at__isnull=False)
    last = 0
    while page := list(result.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:PAGE]):
        last = page[-1]
        yield page


@handles(JOB_KIND)
def compare_registers(handle: Handle) -> dict[str, Any]:
    """Compare the registers that the job names; Table 5's figures are its result."""
    # Its BLEU takes a fifth of a second to load, which no other process needs.
    from annotation.translation.rules.registers import Comparison

    project, args = handle.job.project, handle.job.args
    targets = Target.objects.select_related("project").filter(project=project)
    formal, casual = targets.get(key=args["formal"]), targets.get(key=args["casual"])
    result, done = Comparison(), 0
    assert project is not None  # noqa: S101 - registers_compare gives it one
    handle.progress(0, SourceUnit.objects.filter(project=project, removed=False).count())
    for units in units_of(project):
        one, other = approved_texts(formal, units), approved_texts(casual, units)
        for unit in units:
            if unit in one and unit in other:
                for key, text in one[unit].items():
                    result.add(text, other[unit].get(key, ""))
        done += len(units)
        handle.progress(done)
    return result.difference().to_dict()


def latest_comparisons(project: Project) -> dict[tuple[str, str], Job]:
    """The last comparison of each pair of registers, formal first."""
    result: dict[tuple[str, str], Job] = {}
    for job in Job.objects.filter(project=project, kind=JOB_KIND).order_by("-pk")[:200]:
        result.setdefault((str(job.args["formal"]), str(job.args["casual"])), job)
    return result


def register_pairs(project: Project) -> dict[str, list[Target]]:
    """The languages that the project has in several registers, each with its targets in the order of their making."""
    languages: dict[str, list[Target]] = {}
    for target in Target.objects.filter(project=project).order_by("pk"):
        languages.setdefault(target.language, []).append(target)
    return {language: targets for language, targets in sorted(languages.items()) if len(targets) > 1}


def registers_compare(*, project: Project, formal: str, casual: str, by: User | None) -> Job:
    """Have two registers of one language compared; what is being compared already is not begun twice.

    Raises Invalid where they are not two targets of one language.
    """
    with transaction.atomic():
        fresh = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        together = [{target.key for target in targets} for targets in register_pairs(fresh).values()]
        if formal == casual or not any({formal, casual} <= keys for keys in together):
            raise Invalid(field="casual", code="registers_unlike")
        args = {"formal": formal, "casual": casual}
        under_way = Job.objects.filter(project=fresh, kind=JOB_KIND, state__in=UNFINISHED)
        begun = next((job for job in under_way if job.args == args), None)
        return begun or enqueue(kind=JOB_KIND, project=fresh, by=by, args=args)
