"""What is left to do in the targets of translation projects: units that nobody has, and who can be given more."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, QuerySet

from annotation.content.models.source import Allocation
from annotation.core.models.member import Annotator
from annotation.core.models.project import Target
from annotation.translation.models import SourceUnit, TargetMember, Translation


def units_live(project_id: int) -> QuerySet[SourceUnit]:
    """What a project translates: the units of frozen sets, as clean-up left them."""
    return SourceUnit.objects.filter(project=project_id, source_set__frozen_at__isnull=False, removed=False)


def units_free(target: Target) -> QuerySet[SourceUnit]:
    """What nobody has in hand for a target and nobody translated."""
    held = Allocation.objects.filter(unit=OuterRef("pk"), target=target, state__in=Allocation.IN_HAND)
    done = Translation.objects.filter(unit=OuterRef("pk"), target=target)
    return units_live(target.project_id).filter(~Exists(held), ~Exists(done))


@dataclass(frozen=True)
class TargetWork:
    """One target as somebody who works for it sees it: whether there is more, and never how much.

    `open` are the texts that they have in hand. Where `here` is false they work for it no more, or it was ended: they
    finish what they have.
    """

    target: Target
    open: int
    more: bool
    here: bool

    @property
    def takes(self) -> bool:
        """Whether they can take the next texts."""
        return self.here and self.more and not self.open


def works_of(annotators: Collection[int]) -> dict[int, list[TargetWork]]:
    """People (by their places' keys) to their targets, in order of the key: two statements, however many targets.

    `more`: a unit that they were never given.
    """
    at = {(row.annotator_id, row.target_id): row for row in _places(annotators)}
    in_hand = {
        (writer, target): n
        for writer, target, n in Allocation.objects.filter(
            writer__in=annotators, state=Allocation.State.OPEN, target__isnull=False
        )
        .values_list("writer", "target")
        .annotate(n=Count("pk"))
        .order_by()
    }
    targets = {row.target_id: row.target for row in at.values()}
    gone = {target for _, target in in_hand} - targets.keys()
    if gone:
        targets |= Target.objects.in_bulk(gone)
    found: dict[int, list[TargetWork]] = defaultdict(list)
    for key in {*at, *in_hand}:
        row = at.get(key)
        found[key[0]].append(
            TargetWork(
                target=targets[key[1]],
                open=in_hand.get(key, 0),
                more=bool(row and getattr(row, "more", False)),
                here=row is not None,
            )
        )
    return {person: sorted(rows, key=lambda each: each.target.key) for person, rows in found.items()}


def _places(annotators: Collection[int]) -> QuerySet[TargetMember]:
    """Where people work, with whether there is more to translate."""
    held = Allocation.objects.filter(
        unit=OuterRef("pk"), target=OuterRef(OuterRef("target")), state__in=Allocation.IN_HAND
    )
    had = Allocation.objects.filter(
        unit=OuterRef("pk"), target=OuterRef(OuterRef("target")), writer=OuterRef(OuterRef("annotator"))
    )
    done = Translation.objects.filter(unit=OuterRef("pk"), target=OuterRef(OuterRef("target")))
    free = SourceUnit.objects.filter(
        ~Exists(held),
        ~Exists(had),
        ~Exists(done),
        project=OuterRef("target__project"),
        source_set__frozen_at__isnull=False,
        removed=False,
    )
    return (
        TargetMember.objects.filter(annotator__in=annotators, target__ended_at=None)
        .select_related("target")
        .annotate(more=Exists(free))
    )


def work_of(annotator: Annotator) -> list[TargetWork]:
    """The targets of one person."""
    return works_of([annotator.pk]).get(annotator.pk, [])
