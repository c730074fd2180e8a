"""The progress of a project, by category, and items excluded by its voters: for the project page."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime
from types import SimpleNamespace

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from annotation.content import shapes
from annotation.content.models.item import Item, Revision
from annotation.content.queries import counted_stage
from annotation.core.access import Membership
from annotation.core.models.project import Project
from validation.consensus import stages
from validation.insights.queries.best_choice import APPROVED
from validation.insights.rules.conflicts import natural_key
from validation.voting.models.review import Review
from validation.voting.models.vote import Verdict


@dataclass(frozen=True)
class Resting:
    """What rests before voting: how many items, and until when the last; `due` more are about to be opened."""

    n: int
    until: datetime | None
    due: int


def resting(project: Project) -> Resting:
    """What validators are not offered yet; one statement."""
    waiting = Item.objects.filter(project=project, stage=stages.WRITTEN, sampled=True, due_at__isnull=False)
    later = Q(due_at__gt=Now())
    row = waiting.aggregate(n=Count("pk", filter=later), until=Max("due_at", filter=later), all=Count("pk"))
    return Resting(row["n"], row["until"], row["all"] - row["n"])


def progress_by_category(membership: Membership) -> list[SimpleNamespace]:
    """Each category with its sources and how far its items are: two statements."""
    project = membership.project
    shape, there = shapes.get(project.kind_spec.shape), _sources(project)
    rows = (
        Item.objects.filter(project=project).values_list(shape.group_path, "stage").annotate(n=Count("pk")).order_by()
    )
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for group, stage, n in rows:
        counts[group or ""][counted_stage(membership, stage)] += n
    return [
        SimpleNamespace(
            name=shape.group_name(name),
            sources=there.get(name, 0),
            written=counts[name].total(),
            approved=sum(counts[name][stage] for stage in APPROVED),
            settled=counts[name][stages.SETTLED] + counts[name][stages.ADJUDICATED],
            excluded=counts[name][stages.EXCLUDED],
        )
        for name in sorted({*there, *counts}, key=natural_key)
    ]


def _sources(project: Project) -> dict[str, int]:
    """What writers start from, by category; concepts once they are approved."""
    shape = shapes.get(project.kind_spec.shape)
    group = shape.group_path.removeprefix(f"{shape.source_path}__")
    return dict(shape.open_sources(project).values_list(group).annotate(n=Count("pk")).order_by())


def excluded_as_ambiguous(project: Project) -> QuerySet[Item]:
    """What its voters excluded: no lead's word came after theirs (`stages.is_excluded_by_votes`)."""
    house = Verdict.objects.filter(item=OuterRef("pk"), event=stages.EXCLUDE_AMBIGUOUS)
    later = {"item": OuterRef("pk"), "version__gt": OuterRef("at_step")}
    by_lead = Review.objects.filter(event=stages.EXCLUDE, **later)
    anew = Revision.objects.filter(event=stages.CORRECT_NEW, **later)
    found = Item.objects.filter(project=project, stage=stages.EXCLUDED)
    found = found.annotate(at_step=Subquery(house.order_by("-version").values("version")[:1]))
    return found.exclude(at_step=None).exclude(Exists(by_lead)).exclude(Exists(anew))
