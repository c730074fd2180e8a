"""The fetchers of rating: what raters see of an output, and what leads see of a run.

Which model wrote an output is told to nobody who rates, and to leads only before the rating begins (they bring the
outputs) and after it is closed.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from annotation.core.access import Membership, Viewer
from annotation.core.errors import Forbidden, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.datasheet.queries import entered
from validation.consensus import stages
from validation.studies.models import Generation, Rating, RatingRun
from validation.studies.projects import counts_by, first_of, membership_with, overseer_with
from validation.studies.rules import ratings as rules
from validation.studies.rules.criteria import Criterion

DONE = Q(answered_at__isnull=False)
MOST_LACKING = 100


def rates(project: Project) -> bool:
    """Whether outputs of models are rated in projects of this kind."""
    return "rating" in project.kind_spec.features


def rater(user: Viewer, slug: str) -> tuple[Membership, Annotator]:
    """The viewer as rater; NotFound where the kind has no rating, Forbidden for other members."""
    membership = membership_with(user, slug, rates)
    if not membership.is_rater or membership.annotator is None:
        raise Forbidden
    return membership, entered(membership.annotator)


def overseer(user: Viewer, slug: str) -> Membership:
    return overseer_with(user, slug, rates)


def run(membership: Membership, run_id: int) -> RatingRun:
    """One rating of the project, for leads and administrators."""
    found = RatingRun.objects.filter(pk=run_id, project=membership.project).first()
    if found is None or not membership.sees_all:
        raise NotFound
    return found


def own(annotator: Annotator, token: str) -> Rating:
    """One of this person's own ratings; NotFound for anybody else's."""
    rows = Rating.objects.select_related("run", "generation__item__target")
    return first_of(rows.filter(token=token, annotator=annotator))


class Progress(NamedTuple):
    """How many ratings were given, of how many."""

    done: int
    total: int

    @property
    def whole(self) -> bool:
        return self.done == self.total


def own_progress(annotator_id: int, of: RatingRun) -> Progress:
    """How far one person is in a run; one statement."""
    counted = Rating.objects.filter(annotator=annotator_id, run=of).aggregate(
        done=Count("pk", filter=DONE), total=Count("pk")
    )
    return Progress(counted["done"], counted["total"])


def runs(membership: Membership) -> list[tuple[RatingRun, int, Progress]]:
    """The project's ratings, the newest first, with how many outputs they have and how far they are."""
    found = list(RatingRun.objects.filter(project=membership.project).order_by("-pk"))
    outputs = counts_by(Generation.objects.filter(run__in=found), "run")
    rows = Rating.objects.filter(run__in=found).order_by().values("run")
    rows = rows.annotate(done=Count("pk", filter=DONE), total=Count("pk"))
    counts = {pk: Progress(done, total) for pk, done, total in rows.values_list("run", "done", "total")}
    return [(each, outputs.get(each.pk, 0), counts.get(each.pk, Progress(0, 0))) for each in found]


@dataclass(frozen=True)
class Brought:
    """The outputs of a run that is being prepared: how many each model has, and which prompts lack whose.

    `complete` counts the prompts that have an output of every model.
    """

    models: list[tuple[str, int]]
    complete: int
    lacking: list[tuple[str, list[str]]]
    more: int


def brought(of: RatingRun) -> Brought:
    """What was brought so far; one statement."""
    by_prompt: dict[str, set[str]] = defaultdict(set)
    counts: dict[str, int] = defaultdict(int)
    rows = Generation.objects.filter(run=of).exclude(item__stage=stages.EXCLUDED)
    for key, model in rows.values_list("item__key", "model"):
        by_prompt[key].add(model)
        counts[model] += 1
    lacking = [(key, sorted(counts.keys() - have)) for key, have in sorted(by_prompt.items())]
    short = [(key, missing) for key, missing in lacking if missing]
    return Brought(
        sorted(counts.items()), len(by_prompt) - len(short), short[:MOST_LACKING], len(short[MOST_LACKING:])
    )


def raters(project: Project) -> QuerySet[Annotator]:
    """Who may rate in the project: who never saw it as its lead."""
    there = Annotator.objects.filter(project=project, is_rater=True, has_led=False, left_at=None)
    return there.filter(user__is_active=True, user__is_administrator=False).order_by("pseudonym")


@dataclass(frozen=True)
class GroupProgress:
    """A group of raters: its number, each one's progress, and all of it."""

    number: int
    people: list[tuple[str, Progress]]

    @property
    def whole(self) -> Progress:
        return Progress(sum(one.done for _, one in self.people), sum(one.total for _, one in self.people))


def groups(of: RatingRun) -> list[GroupProgress]:
    """How far each group is; one statement."""
    found: dict[int, list[tuple[str, Progress]]] = defaultdict(list)
    columns = ("generation__group", "annotator__pseudonym")
    rows = Rating.objects.filter(run=of).values(*columns).order_by(*columns)
    rows = rows.annotate(done=Count("pk", filter=DONE), total=Count("pk"))
    for number, who, done, total in rows.values_list(*columns, "done", "total"):
        found[number or 0].append((who, Progress(done, total)))
    return [GroupProgress(number, people) for number, people in found.items()]


def criteria(of: RatingRun) -> list[Criterion]:
    """A run's criteria as they were when it was prepared."""
    return [Criterion(str(each["key"]), str(each["name"]), str(each["definition"])) for each in of.criteria]


def criteria_of(of: RatingRun) -> list[str]:
    """The keys of a run's criteria, in their order."""
    return [each.key for each in criteria(of)]


def answered(of: RatingRun) -> QuerySet[Rating]:
    """The ratings that were given, in the order of prompts, models and people."""
    rows = Rating.objects.filter(DONE, run=of).select_related("generation__item", "annotator")
    return rows.order_by("generation__item__key", "generation__model", "annotator__pseudonym")


def closed(of: RatingRun) -> None:
    """Forbidden before a run is closed, when nobody is told which model wrote what."""
    if of.state != RatingRun.State.CLOSED:
        raise Forbidden


def results(of: RatingRun) -> rules.Tally:
    """The counts of a closed run."""
    closed(of)
    rows = answered(of).values_list("generation_id", "generation__model", "annotator__pseudonym", "answers")
    ballots = (rules.Ballot(str(output), *rest) for output, *rest in rows.iterator(chunk_size=2000))
    return rules.tally(ballots, criteria_of(of))


def unrated(of: RatingRun, tally: rules.Tally) -> Sequence[str]:
    """Models of the sample that nobody rated at all, which the counts therefore do not name."""
    sampled = Generation.objects.filter(run=of, sampled=True).values_list("model", flat=True).distinct()
    return sorted(set(sampled.order_by()) - set(tally.models))
