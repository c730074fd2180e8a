"""The project page: stages, votes saved compared with five each, label balance (screens.md 5)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_POST

from annotation.content import queries as content_queries
from annotation.content import shapes
from annotation.content.actions.resting import rests_end
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core import access
from annotation.core.models.project import Project
from annotation.kinds import Label
from annotation.tasks.queries import task_yaml_of_project
from annotation.translation.queries.targets import work_of
from annotation.ui.navigation import frame_context, page_url
from validation.consensus import savings, stages
from validation.consensus.protocol import Protocol, people_needed
from validation.insights.queries.best_choice import prompt_counts
from validation.insights.queries.text_metrics import own_writing_habits
from validation.insights.views.insights import figure_of_insight
from validation.overview import checklist
from validation.overview import queries as overview
from validation.studies.queries.studies import study_for_viewer
from validation.studies.study_types import all_study_types
from validation.translation.queries import targets_of
from validation.voting import wake
from validation.voting.audit_steps import audit_status


@dataclass(frozen=True)
class Stage:
    """One bar of the funnel; `url` opens the items behind the number, where the site has that page."""

    name: str
    count: int
    url: str = ""
    note: str = ""


Counts = Mapping[tuple[str, int], int]


def stage_counts(membership: access.Membership) -> Counts:
    """How many items there are by stage and round (0 for a lead who votes): one grouped count over an index."""
    rows = Item.objects.filter(project=membership.project).values_list("stage", "round").annotate(n=Count("pk"))
    found = Counter[tuple[str, int]]()
    for stage, number, n in rows.order_by():
        found[content_queries.counted_stage(membership, stage), 0 if membership.is_voting_lead else number] += n
    return found


def funnel(project: Project, counts: Counts) -> list[Stage]:
    """Items by stage and round; stages that hold nothing are left out."""
    items = page_url("items", project.slug) or page_url("desk", project.slug)

    def bar(name: str, stage: str, number: int | None = None) -> Stage:
        n = sum(n for key, n in counts.items() if key[0] == stage and number in (None, key[1]))
        query = f"?stage={stage}" + (f"&round={number}" if number is not None else "")
        return Stage(name, n, items + query if items else "")

    bars = [bar(gettext(stages.STAGE_NAMES[stages.SUBMITTED]), stages.SUBMITTED)]
    bars.append(bar(gettext("written, not in validation"), stages.WRITTEN))
    for number in sorted(number for stage, number in counts if stage == stages.VOTING):
        name = gettext("in round %(number)s") if number else gettext(stages.STAGE_NAMES[stages.VOTING])
        bars.append(bar(name % {"number": number}, stages.VOTING, number or None))
    first = (stages.SUBMITTED, stages.WRITTEN, stages.VOTING)
    rest = [stage for stage in stages.STAGE_NAMES if stage not in first]
    bars += [bar(gettext(stages.STAGE_NAMES[stage]), stage) for stage in rest]
    if bars[-1].count:
        bars[-1] = replace(bars[-1], note=_excluded_note(project))
    return [bar for bar in bars if bar.count]


def _excluded_note(project: Project) -> str:
    """How many of the excluded ones their voters excluded; empty for none."""
    n = overview.excluded_as_ambiguous(project).count()
    if not n:
        return ""
    words = ngettext(
        "%(n)d of them because too many people called it ambiguous",
        "%(n)d of them because too many people called them ambiguous",
        n,
    )
    return words % {"n": n}


@login_required
@require_GET
def project_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Leads and administrators see the whole; annotators their own part."""
    membership = access.membership(request.user, slug)
    project, kind = membership.project, membership.project.kind_spec
    context = frame_context(membership, "project")
    if not membership.sees_all:
        return render(
            request,
            "validation/overview/project_own.html",
            {**context, "kind": kind, **_own_counts(membership), "habits": own_writing_habits([membership])},
        )
    # With the study that the project is, if it is one: both in one statement.
    version = project.protocols.select_related("project__study__derived_from").order_by("-n")[0]
    protocol, study = (
        Protocol.from_stored(version.rules),
        study_for_viewer(membership, getattr(version.project, "study", None)),
    )
    people = checklist.count_people(project)
    needed = people_needed(protocol, written_by_people=kind.has_writers and not project.rules.recipe)
    counts = stage_counts(membership)
    bars, of_parts = funnel(project, counts), overview.progress_by_category(membership)
    read: dict[str, Any] = {"protocol": protocol, "people": people, "by_stage": Counter[str]()}
    read["resting"] = overview.resting(project)
    for (stage, _), n in counts.items():
        read["by_stage"][stage] += n
    if access.has_targets(project):
        read["targets"] = targets_of(membership)
    whole = {
        "stages": bars,
        "total": sum(bar.count for bar in bars),
        "sources": sum(part.sources for part in of_parts),
        "kind": kind,
        "parts": of_parts,
        "group_title": shapes.get(kind.shape).group_title,
        "check_first": project.rules.check_first,
        "resting": read["resting"],
        "savings": savings_so_far(project, protocol),
        "audits": None if membership.is_voting_lead else audit_status(version),
        "people": people,
        "needed": needed,
        "short": people["both" if kind.has_writers else "validators"] < needed,
        "balance": label_balance(membership),
        "prompts": prompt_counts(project) if kind.question.voted_roles else None,
        "agreement": figure_of_insight(project, "agreement"),
        "reviews": "review" in kind.features,
        "targets": read.get("targets"),
        "steps": checklist.open_steps(membership, **read),
        "task": task_yaml_of_project(project),
        "study": study,
        "study_type": all_study_types()[study.kind] if study else None,
    }
    return render(request, "validation/overview/project.html", {**context, **whole})


@login_required
@require_POST
def project_open(request: HttpRequest, slug: str) -> HttpResponse:
    """Offer to validators at once what rests before voting."""
    open_resting(access.lead_membership(request.user, slug))
    return redirect("project", slug=slug)


def open_resting(membership: access.Membership) -> int:
    """End the rest of what rests in the project, and wake the worker that opens it; how many items."""
    with transaction.atomic():
        n = rests_end(project=membership.project, by=membership.user)
        transaction.on_commit(wake.wake_worker)
    return n


def _own_counts(membership: access.Membership) -> dict[str, Any]:
    annotator = membership.annotator
    if annotator is None:
        return {}
    allocations = annotator.allocations.aggregate(
        open=Count("pk", filter=Q(state=Allocation.State.OPEN)),
        submitted=Count("pk", filter=Q(state=Allocation.State.SUBMITTED)),
    )
    targets = work_of(annotator) if access.has_targets(membership.project) else None
    votes = annotator.votes.filter(withdrawn_at=None).count()
    returned = content_queries.own_items(annotator).filter(stage=stages.RETURNED).count()
    return {**allocations, "returned": returned, "votes": votes, "targets": targets}


def savings_so_far(project: Project, protocol: Protocol) -> list[SimpleNamespace]:
    """Annotations saved so far against five votes each, with authoring and without (domain.md §3).

    Over items whose author's label is one of the votes: those without one are no part of the comparison.
    """
    if not savings.is_comparable(protocol):
        return []
    settled = Item.objects.filter(project=project, stage__in=[stages.SETTLED, stages.NO_CONSENSUS])
    settled = settled.exclude(author_label="")
    by_round = dict(settled.values_list("round").annotate(n=Count("pk")).order_by())
    entered = [sum(n for number, n in by_round.items() if number >= at) for at in range(1, len(protocol.rounds) + 1)]
    found = []
    for authoring in (True, False):
        row = savings.compute_saving(protocol, entered, authoring=authoring)
        percent = savings.percent(row.saved, row.fixed_5)
        counts = {"used": row.used, "fixed_5": row.fixed_5, "saved": row.saved}
        found.append(SimpleNamespace(authoring=authoring, **counts, percent=percent))
    return found


def label_balance(membership: access.Membership) -> list[tuple[Label, int, int]]:
    """Each label with how many items that the viewer may read carry it from the author, and as gold."""
    project, items = membership.project, content_queries.project_items(membership)
    authors = dict(items.values_list("author_label").annotate(n=Count("pk")).order_by())
    gold = dict(items.exclude(gold="").values_list("gold").annotate(n=Count("pk")).order_by())
    return [(label, authors.get(label.key, 0), gold.get(label.key, 0)) for label in project.kind_spec.question.labels]
