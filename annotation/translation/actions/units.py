"""Units to translate: dealt to translators by a lead, or taken by themselves, each to one person a target."""

import secrets
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, Max, OuterRef

from annotation.content.models.source import Share
from annotation.core.errors import Forbidden
from annotation.core.models.member import Annotator
from annotation.core.models.project import Lane, Project
from annotation.core.rules.draws import draw
from annotation.jobs.database import locked
from annotation.translation.models import LanePlace
from annotation.translation.queries.targets import units_free
from annotation.writing.rules.allocation import PURPOSE, spread


def units_dealt(lane: Lane, names: Sequence[str], size: int) -> dict[str, list[int]]:
    """Translators of the target to the units that they are given, in their order of work; all sets spread evenly.

    Nobody gets back what they skipped or let lapse; an ended target gives nothing. The caller has locked the project.
    """
    here = LanePlace.objects.filter(lane=lane, lane__ended_at=None, annotator__pseudonym__in=names)
    names = sorted(here.values_list("annotator__pseudonym", flat=True))
    free = {
        key: (pk, group) for pk, key, group in units_free(lane).values_list("pk", "key", "source_set__key")
    }
    had = set(
        Share.objects.filter(lane=lane, writer__pseudonym__in=names).values_list(
            "unit__key", "writer__pseudonym"
        )
    )
    rows = [(key, group, key) for key, (_, group) in free.items()]
    dealt = spread(rows, names, size, lane.project.seed)
    return {name: [free[key][0] for key in keys if (key, name) not in had] for name, keys in dealt.items()}


def units_take(*, writer: Annotator, lane: Lane) -> int:
    """A translator with nothing to do takes the next units of a target, in drawn order; how many they got.

    Raises Forbidden for who does not translate into it. Two at once never take the same unit.
    """
    with transaction.atomic():
        project = locked(Project.objects.filter(pk=lane.project_id)).get()
        if not writer.is_writer or not LanePlace.objects.filter(annotator=writer, lane=lane).exists():
            raise Forbidden
        open_ones = writer.shares.filter(state=Share.State.OPEN, lane=lane)
        if project.closed_at is not None or lane.ended_at is not None or open_ones.exists():
            return 0
        had = writer.shares.filter(lane=lane, unit=OuterRef("pk"))
        free = list(units_free(lane).filter(~Exists(had)).values_list("pk", "key"))
        free.sort(key=lambda each: (draw(project.seed, f"{PURPOSE}:{lane.key}", each[1]), each[1]))
        given = [pk for pk, _ in free[: project.rules.take_size]]
        Share.objects.bulk_create(shares_of_units(writer, lane, given))
    return len(given)


def shares_of_units(writer: Annotator, lane: Lane, units: Sequence[int]) -> list[Share]:
    """Shares to be stored, behind those that the translator has already."""
    last = writer.shares.aggregate(n=Max("position"))["n"] or 0
    return [
        Share(
            project_id=lane.project_id,
            writer=writer,
            unit_id=unit,
            lane=lane,
            token=secrets.token_urlsafe(18),
            position=position,
        )
        for position, unit in enumerate(units, start=last + 1)
    ]
