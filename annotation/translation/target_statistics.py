"""What the checks learn of a target from its accepted translations: usual lengths, and letters (domain.md §7).

Learnt by a job, as a whole and from what stands when it runs, so that it may run twice, late or beside itself; rung by
the sweep when enough was accepted since. Texts are read as they are accepted: a correction counts as it became.
"""

from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet
from django.db.models.functions import Now

from annotation import kinds
from annotation.content.models.item import Item
from annotation.content.models.units import SourceUnit, Translation
from annotation.core.models.project import Project, Target
from annotation.jobs.models import Job
from annotation.jobs.queue import UNFINISHED, Handle, enqueue, handles
from annotation.text import length_ratios as lengths
from annotation.text import letter_trigrams as letters
from annotation.translation.models import TargetStatistics
from annotation.translation.queries.targets import LENGTHS, LETTERS
from validation.consensus import stages

KIND = "learn_target"
ACCEPTED = (stages.SETTLED, stages.ADJUDICATED)
# The first time; after that whenever a fifth more was accepted.
LEAST_TO_LEARN, GROWTH = lengths.LEAST_ROWS, 1.2
ROWS_AT_ONCE = 500


def accepted_translations(target: Target) -> QuerySet[Translation]:
    """The translations that reviewers or a lead let stand, imported ones among them."""
    return Translation.objects.filter(target=target, item__stage__in=ACCEPTED).order_by("pk")


def learn_grown() -> int:
    """Ask for a job for each target of which enough was accepted since it was last learnt; how many were asked."""
    there = Item.objects.filter(stage__in=ACCEPTED, project__kind__in=_kinds(), project__closed_at=None)
    now = dict(there.values_list("target").annotate(n=Count("pk")).order_by())
    before = dict(TargetStatistics.objects.filter(target__in=now, what=LENGTHS).values_list("target_id", "n"))
    asked = set(Job.objects.filter(kind=KIND, state__in=UNFINISHED).values_list("args__target", flat=True))
    grown = [pk for pk, n in now.items() if n >= max(LEAST_TO_LEARN, before.get(pk, 0) * GROWTH) and pk not in asked]
    for target in Target.objects.select_related("project").filter(pk__in=grown):
        enqueue_learning(target=target)
    return len(grown)


def _kinds() -> list[str]:
    return [kind.slug for kind in kinds.all_kinds() if "targets" in kind.features]


def enqueue_learning(*, target: Target) -> Job:
    """Ask for the job that learns a target anew."""
    with transaction.atomic():
        return enqueue(kind=KIND, project=target.project, by=None, args={"target": target.pk})


@handles(KIND)
def learn(handle: Handle) -> dict[str, Any]:
    """Learn a target, and the source beside it where that has changed."""
    target = Target.objects.select_related("project").get(pk=handle.job.args["target"])
    count = accepted_translations(target).count()
    handle.progress(0, count)
    pairs: list[tuple[str, str, str]] = []
    for pk, fields in enumerate(_fields_of(target), start=1):
        pairs += fields
        if pk % ROWS_AT_ONCE == 0:
            handle.progress(pk, max(count, pk))
    usual, own = lengths.learn_lengths(pairs), letters.learn_letters(text for _, _, text in pairs)
    source = _source_letters(target.project)
    with transaction.atomic():
        handle.lock_claim()
        _store_statistics(target.project, target, LENGTHS, count, usual.to_json())
        _store_statistics(target.project, target, LETTERS, count, own.to_json())
        if source is not None:
            _store_statistics(target.project, None, LETTERS, source[0], source[1].to_json())
    return {"translations": count, "texts": own.texts}


def _fields_of(target: Target) -> Iterator[list[tuple[str, str, str]]]:
    """Each accepted translation as role, source and text of its fields."""
    rows = accepted_translations(target).values_list("source", "fields")
    for source, fields in rows.iterator(chunk_size=ROWS_AT_ONCE):
        beside = {each["key"]: str(each["text"]) for each in source}
        yield [(each["role"], beside.get(each["key"], ""), str(each["text"])) for each in fields]


def _source_letters(project: Project) -> tuple[int, letters.LetterStatistics] | None:
    """The source's own letters, from frozen sets; None where they were learnt from as many units before."""
    units = SourceUnit.objects.filter(project=project, removed=False, source_set__frozen_at__isnull=False)
    count = units.count()
    held = (
        TargetStatistics.objects.filter(project=project, target=None, what=LETTERS).values_list("n", flat=True).first()
    )
    if held == count or not count:
        return None
    rows = units.order_by("pk").values_list("fields", flat=True).iterator(chunk_size=ROWS_AT_ONCE)
    return count, letters.learn_letters(str(each["text"]) for fields in rows for each in fields)


def _store_statistics(project: Project, target: Target | None, what: str, n: int, data: dict[str, Any]) -> None:
    TargetStatistics.objects.update_or_create(
        project=project, target=target, what=what, defaults={"n": n, "data": data, "at": Now()}
    )
