"""Units to translate: dealt to translators by a lead, or taken by themselves, each to one person a target."""

import secrets
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, Max, OuterRef

from annotation.content.models.source import Allocation
from annotation.core.errors import Forbidden
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.rules.draws import draw
from annotation.jobs.database import locked
from annotation.translation.models import TargetMember
from annotation.translation.queries.targets import units_free
from annotation.writing.rules.allocation import PURPOSE, spread


def units_dealt(target: Target, names: Sequence[str], size: int) -> dict[str, list[int]]:
    """Translators of the target to the units that they are given, in their order of work; all sets spread evenly.

    Nobody gets back what they skipped or let lapse; an ended target gives nothing. The caller has locked the project.
    """
    here = TargetMember.objects.filter(target=target, target__ended_at=None, annotator__pseudonym__in=names)
    names = sorted(here.values_list("annotator__pseudonym", flat=True))
    free = {
        key: (pk, group) for pk, key, group in units_free(target).values_list("pk", "key", "source_set__key")
    }
    had = set(
        Allocation.objects.filter(target=target, writer__pseudonym__in=names).values_list(
            "unit__key", "writer__pseudonym"
        )
    )
    rows = [(key, group, key) for key, (_, group) in free.items()]
    dealt = spread(rows, names, size, target.project.seed)
    return {name: [free[key][0] for key in keys if (key, name) not in had] for name, keys in dealt.items()}


def units_take(*, writer: Annotator, target: Target) -> int:
    """A translator with nothing to do takes the next units of a target, in drawn order; how many they got.

    Raises Forbidden for who does not translate into it. Two at once never take the same unit.
    """
    with transaction.atomic():
        project = locked(Project.objects.filter(pk=target.project_id)).get()
        if not writer.is_writer or not TargetMember.objects.filter(annotator=writer, target=target).exists():
            raise Forbidden
        open_ones = writer.allocations.filter(state=Allocation.State.OPEN, target=target)
        if project.closed_at is not None or target.ended_at is not None or open_ones.exists():
            return 0
        had = writer.allocations.filter(target=target, unit=OuterRef("pk"))
        free = list(units_free(target).filter(~Exists(had)).values_list("pk", "key"))
        free.sort(key=lambda each: (draw(project.seed, f"{PURPOSE}:{target.key}", each[1]), each[1]))
        given = [pk for pk, _ in free[: project.rules.take_size]]
        Allocation.objects.bulk_create(allocations_of_units(writer, target, given))
    return len(given)


def allocations_of_units(writer: Annotator, target: Target, units: Sequence[int]) -> list[Allocation]:
    """Allocations to be stored, behind those that the translator has already."""
    last = writer.allocations.aggregate(n=Max("position"))["n"] or 0
    return [
        Allocation(
            project_id=target.project_id,
            writer=writer,
            unit_id=unit,
            target=target,
            token=secrets.token_urlsafe(18),
            position=position,
        )
        for position, unit in enumerate(units, start=last + 1)
    ]
