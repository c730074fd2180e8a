"""How far each target of a translation project is, and whether there are people enough: for its leads' pages."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Count, Q

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.content.queries import counted_stage, project_items
from annotation.core.access import Membership
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.translation.models import TargetMember
from annotation.translation.queries.targets import units_live
from annotation.ui.navigation import page_url
from validation.consensus.protocol import Protocol
from validation.translation import rules


@dataclass(frozen=True)
class Part:
    """One number of a target, and where the items behind it are."""

    name: str
    count: int
    url: str


@dataclass(frozen=True)
class Progress:
    """One target: units that are still to be translated, those in somebody's hands, and the outcome of the others."""

    target: Target
    units: int
    to_do: int
    in_hand: int
    counts: Mapping[str, int]
    writers: int
    reviewers: int
    both: int
    votes: int

    @property
    def slug(self) -> str:
        return self.target.project.slug

    @property
    def approved(self) -> int:
        return self.counts.get(rules.APPROVED, 0)

    @property
    def parts(self) -> list[Part]:
        """What was made in this target, each number with a link to its items."""
        address = page_url("items", self.slug)
        return [
            Part(
                name,
                self.counts.get(part, 0),
                f"{address}?{urlencode({'target': self.target.key, 'part': part})}",
            )
            for part, name in rules.PART_NAMES.items()
        ]

    @property
    def lacks_people(self) -> bool:
        """Whether there are too few people: nobody translates, or some translator's work has too few to review it."""
        others = self.reviewers - (1 if self.both else 0)
        return self.target.ended_at is None and (not self.writers or others < self.votes)


def targets_of(membership: Membership) -> list[Progress]:
    """Every target in order of its key; as many statements for one as for twenty-two."""
    project = membership.project
    targets = list(Target.objects.filter(project=project).order_by("key"))
    for target in targets:
        target.project = project
    units = units_live(project.pk).count()
    open_ones = dict(
        Allocation.objects.filter(
            project=project, state=Allocation.State.OPEN, unit__removed=False, target__isnull=False
        )
        .values_list("target")
        .annotate(n=Count("pk"))
        .order_by()
    )
    counts, done = _items(membership)
    people, votes = _people(project), _votes(project)
    return [
        Progress(
            target=target,
            units=units,
            to_do=max(0, units - open_ones.get(target.pk, 0) - done[target.pk]),
            in_hand=open_ones.get(target.pk, 0),
            counts=counts[target.pk],
            writers=people[target.pk]["writers"],
            reviewers=people[target.pk]["reviewers"],
            both=people[target.pk]["both"],
            votes=votes,
        )
        for target in targets
    ]


def _items(membership: Membership) -> tuple[Mapping[int, Counter[str]], Counter[int]]:
    """Items by target and part, and how many units of each target have one; one statement."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    done = Counter[int]()
    flagged = Q(doubt__gt=0)
    if membership.is_voting_lead:
        flagged &= Q(pk__in=project_items(membership).values("pk"))
    rows = (
        Item.objects.filter(project=membership.project)
        .values_list("target", "stage")
        .annotate(
            n=Count("pk"),
            flagged=Count("pk", filter=flagged),
            live=Count("pk", filter=Q(translation__unit__removed=False)),
        )
        .order_by()
    )
    for target, stage, n, doubtful, live in rows:
        counts[target][rules.PART_OF[counted_stage(membership, stage)]] += n
        counts[target][rules.FLAGGED] += doubtful
        done[target] += live
    return counts, done


def _people(project: Project) -> Mapping[int, Counter[str]]:
    """Targets to how many translate there, how many review, and how many do both; one statement."""
    writes, reviews = Q(annotator__is_writer=True), Q(annotator__is_validator=True)
    rows = (
        TargetMember.objects.filter(target__project=project, annotator__left_at=None)
        .values_list("target")
        .annotate(
            writers=Count("pk", filter=writes),
            reviewers=Count("pk", filter=reviews),
            both=Count("pk", filter=writes & reviews),
        )
        .order_by()
    )
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for target, writers, reviewers, both in rows:
        found[target].update(writers=writers, reviewers=reviewers, both=both)
    return found


def _votes(project: Project) -> int:
    """How many people are asked about one item at most."""
    return Protocol.from_stored(project.protocols.order_by("-n")[0].rules).votes_at_most


def team_of(target: Target) -> list[Annotator]:
    """Who works for a target, by pseudonym, each with how many of its texts they have `in_hand`."""
    here = Q(allocations__target=target, allocations__state=Allocation.State.OPEN)
    there = Annotator.objects.filter(target_memberships__target=target, left_at=None)
    return list(there.annotate(in_hand=Count("allocations", filter=here, distinct=True)).order_by("pseudonym"))
