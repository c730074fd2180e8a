"""Units to translate: dealt to translators by a lead, or taken by themselves, each to one person a target."""

import secrets
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, QuerySet

from annotation.db import locked
from annotation.errors import Forbidden
from annotation.models import Annotator, Lane, LanePlace, Project, Share, SourceUnit, Translation
from annotation.rules.assignment import PURPOSE, spread
from annotation.rules.draws import draw


def units_free(lane: Lane) -> QuerySet[SourceUnit]:
    """What nobody has in hand for a target and nobody translated: of frozen sets, as clean-up left them."""
    held = Share.objects.filter(unit=OuterRef("pk"), lane=lane, state__in=Share.IN_HAND)
    done = Translation.objects.filter(unit=OuterRef("pk"), lane=lane)
    return SourceUnit.objects.filter(
        ~Exists(held),
        ~Exists(done),
        project=lane.project_id,
        source_set__frozen_at__isnull=False,
        removed=False,
    )


def units_dealt(lane: Lane, names: Sequence[str], size: int) -> dict[str, list[int]]:
    """Translators to the units that they are given, in their order of work; all source sets spread evenly.

    Nobody gets back what they skipped or let lapse. The caller has locked the project.
    """
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
    if not writer.is_writer or not LanePlace.objects.filter(annotator=writer, lane=lane).exists():
        raise Forbidden
    with transaction.atomic():
        project = locked(Project.objects.filter(pk=lane.project_id)).get()
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
