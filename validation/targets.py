"""How far each target of a translation project is, and whether there are people enough: for its leads' pages."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Count, Q

from annotation.models import Annotator, Item, Lane, LanePlace, Project, Share
from annotation.targets import units_live
from annotation.views.nav import link
from validation.rules import progress as rules
from validation.rules.protocol import Protocol, people_needed


@dataclass(frozen=True)
class Part:
    """One number of a target, and where the items behind it are."""

    name: str
    count: int
    url: str


@dataclass(frozen=True)
class Progress:
    """One target: units that are still to be translated, those in somebody's hands, and what became of the others."""

    lane: Lane
    units: int
    to_do: int
    in_hand: int
    counts: Mapping[str, int]
    writers: int
    validators: int
    needed: int

    @property
    def slug(self) -> str:
        return self.lane.project.slug

    @property
    def approved(self) -> int:
        return self.counts.get(rules.APPROVED, 0)

    @property
    def parts(self) -> list[Part]:
        """What was made in this target, each number with a link to its items."""
        address = link("items", self.slug)
        return [
            Part(
                name,
                self.counts.get(part, 0),
                f"{address}?{urlencode({'lane': self.lane.key, 'part': part})}",
            )
            for part, name in rules.PART_NAMES.items()
        ]

    @property
    def short(self) -> bool:
        """Whether there are too few people for what the protocol asks, one who translates and others who review."""
        return self.lane.ended_at is None and (
            not self.writers or self.writers + self.validators < self.needed
        )


def targets_of(project: Project) -> list[Progress]:
    """Every target in order of its key; as many statements for one as for twenty-two."""
    lanes = list(Lane.objects.filter(project=project).order_by("key"))
    for lane in lanes:
        lane.project = project
    units = units_live(project.pk).count()
    open_ones = dict(
        Share.objects.filter(project=project, state=Share.State.OPEN, unit__removed=False, lane__isnull=False)
        .values_list("lane")
        .annotate(n=Count("pk"))
        .order_by()
    )
    counts, done = _items(project)
    people, needed = _people(project), _needed(project)
    return [
        Progress(
            lane=lane,
            units=units,
            to_do=max(0, units - open_ones.get(lane.pk, 0) - done[lane.pk]),
            in_hand=open_ones.get(lane.pk, 0),
            counts=counts[lane.pk],
            writers=people.get(lane.pk, (0, 0))[0],
            validators=people.get(lane.pk, (0, 0))[1],
            needed=needed,
        )
        for lane in lanes
    ]


def _items(project: Project) -> tuple[Mapping[int, Counter[str]], Counter[int]]:
    """Items by target and part, and how many units of each target have one; one statement."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    done = Counter[int]()
    rows = (
        Item.objects.filter(project=project)
        .values_list("lane", "stage")
        .annotate(
            n=Count("pk"),
            flagged=Count("pk", filter=Q(doubt__gt=0)),
            live=Count("pk", filter=Q(translation__unit__removed=False)),
        )
        .order_by()
    )
    for lane, stage, n, flagged, live in rows:
        counts[lane][rules.PART_OF[stage]] += n
        counts[lane][rules.FLAGGED] += flagged
        done[lane] += live
    return counts, done


def _people(project: Project) -> dict[int, tuple[int, int]]:
    """Targets to how many translate there, and how many review and do not translate; one statement."""
    rows = (
        LanePlace.objects.filter(lane__project=project, annotator__left_at=None)
        .values_list("lane")
        .annotate(
            writers=Count("pk", filter=Q(annotator__is_writer=True)),
            others=Count("pk", filter=Q(annotator__is_validator=True, annotator__is_writer=False)),
        )
        .order_by()
    )
    return {lane: (writers, others) for lane, writers, others in rows}


def _needed(project: Project) -> int:
    return people_needed(Protocol.from_dict(project.protocols.order_by("-n")[0].rules))


def team_of(lane: Lane) -> list[Annotator]:
    """Who works for a target, by pseudonym, each with how many of its texts they have `in_hand`."""
    here = Q(shares__lane=lane, shares__state=Share.State.OPEN)
    there = Annotator.objects.filter(lane_places__lane=lane, left_at=None)
    return list(there.annotate(in_hand=Count("shares", filter=here, distinct=True)).order_by("pseudonym"))
