"""The project page: one funnel, what was saved against five votes each, label balance (screens.md 5)."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation import access
from annotation.models import Item, Premise, Project, Share
from validation.rules import savings
from validation.rules.protocol import Protocol, people_needed


@dataclass(frozen=True)
class Stage:
    """One bar of the funnel; `query` opens the items behind the number."""

    name: str
    count: int
    query: str
    note: str = ""


def funnel(project: Project) -> list[Stage]:
    """Items by stage and round, from one grouped count over an index."""
    counts = {
        (stage, number): n
        for stage, number, n in Item.objects.filter(project=project)
        .values_list("stage", "round")
        .annotate(n=Count("pk"))
    }

    def total(*stages: str) -> int:
        return sum(n for (stage, _), n in counts.items() if stage in stages)

    rounds = sorted({number for stage, number in counts if stage == "voting"})
    rows = [Stage("written", total("written"), "stage=written")]
    rows += [
        Stage(f"round {number}", counts["voting", number], f"stage=voting&round={number}")
        for number in rounds
    ]
    for stage in ("settled", "no_consensus", "adjudicated", "returned", "corrected", "excluded"):
        rows.append(Stage(stage, total(stage), f"stage={stage}"))
    return rows


@login_required
@require_GET
def project_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Leads and administrators see the whole; annotators their own part."""
    spot = access.place(request.user, slug)
    context = {"project": spot.project, "place": spot}
    if not spot.sees_all:
        return render(request, "validation/project_own.html", {**context, **_own(spot)})
    version = spot.project.protocols.order_by("-n")[0]
    protocol = Protocol.from_dict(version.rules)
    people = spot.project.annotators.filter(left_at=None, user__isnull=False).aggregate(
        writers=Count("pk", filter=Q(is_writer=True)),
        validators=Count("pk", filter=Q(is_validator=True)),
        leads=Count("pk", filter=Q(is_lead=True)),
    )
    stages = funnel(spot.project)
    return render(
        request,
        "validation/project.html",
        {
            **context,
            "stages": stages,
            "total": sum(stage.count for stage in stages),
            "premises": Premise.objects.filter(project=spot.project).count(),
            "protocol": protocol,
            "saved": saved(spot.project, protocol),
            "people": people,
            "needed": people_needed(protocol),
            "balance": label_balance(spot.project),
        },
    )


def _own(spot: access.Place) -> dict[str, int]:
    annotator = spot.annotator
    if annotator is None:
        return {}
    shares = annotator.shares.aggregate(
        open=Count("pk", filter=Q(state=Share.State.OPEN)),
        submitted=Count("pk", filter=Q(state=Share.State.SUBMITTED)),
    )
    return {**shares, "votes": annotator.votes.filter(withdrawn_at=None).count()}


def saved(project: Project, protocol: Protocol) -> savings.Saving | None:
    """Annotations saved so far against five votes each, over settled items (domain.md §3)."""
    if not savings.saves(protocol):
        return None
    settled = (
        Item.objects.filter(project=project, stage__in=["settled", "no_consensus"])
        .values_list("round")
        .annotate(n=Count("pk"))
    )
    by_round = dict(settled)
    entered = [
        sum(n for number, n in by_round.items() if number >= at) for at in range(1, len(protocol.rounds) + 1)
    ]
    return savings.saving(protocol, entered, authoring=True)


def label_balance(project: Project) -> list[tuple[object, int, int]]:
    """Each label with how many items carry it from the author, and as gold."""
    authors = dict(
        Item.objects.filter(project=project).values_list("author_label").annotate(n=Count("pk")).order_by()
    )
    gold = dict(
        Item.objects.filter(project=project)
        .exclude(gold="")
        .values_list("gold")
        .annotate(n=Count("pk"))
        .order_by()
    )
    return [(label, authors.get(label.key, 0), gold.get(label.key, 0)) for label in project.kind_spec.labels]
