"""Keeping what jobs measured of texts: figures by item, what a classifier tells with certainty, points of curves."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import F

from annotation.core.models.project import Project
from validation.insights.models import InsightPoint, Measure

AT_ONCE = 2000


def measures_store(*, project: Project, rows: Sequence[tuple[int, int, dict[str, Any]]]) -> None:
    """Keep the figures of items (id, revision, figures); what was told of an earlier text is forgotten."""
    made = [Measure(item_id=item, project=project, revision_n=n, figures=kept) for item, n, kept in rows]
    Measure.objects.bulk_create(
        made,
        batch_size=AT_ONCE,
        update_conflicts=True,
        unique_fields=["item"],
        update_fields=["revision_n", "figures", "sure"],
    )


def sure_store(
    *, project: Project, sure: Mapping[int, float], tick: Callable[[], None] = lambda: None
) -> None:
    """Keep how sure a classifier is of items, to two places; of all others it is not.

    Only what changed is written, and nothing about a text that is another meanwhile.
    """
    wanted = {item: round(value, 2) for item, value in sure.items()}
    there = dict(Measure.objects.filter(project=project, sure__isnull=False).values_list("item_id", "sure"))
    by_value: defaultdict[float | None, list[int]] = defaultdict(list)
    for item in there.keys() - wanted.keys():
        by_value[None].append(item)
    for item, value in wanted.items():
        if there.get(item) != value:
            by_value[value].append(item)
    for told, items in by_value.items():
        for batch in _batches(items):
            tick()
            with transaction.atomic():
                fresh = Measure.objects.filter(item__in=batch, revision_n=F("item__revision_n"))
                fresh.update(sure=told)


def point_store(*, project: Project, curve: str, day: date, figures: Mapping[str, float]) -> None:
    """Keep a day's point of a curve; the last one of a day counts."""
    InsightPoint.objects.update_or_create(
        project=project, curve=curve, day=day, defaults={"figures": dict(figures)}
    )


def _batches(items: Sequence[int]) -> Iterator[list[int]]:
    rest = iter(sorted(items))
    while batch := list(islice(rest, AT_ONCE)):
        yield batch
