"""A writer's own submitted sets: each text can be revised until somebody sits down to vote on it (ruling 14)."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from annotation import access, actions
from annotation.access import Place
from annotation.actions.writing import SlotIn
from annotation.errors import Conflict, Invalid
from annotation.kinds import Label
from annotation.messages import slot_words
from annotation.models import Hypothesis, Item, Share
from annotation.rules.checks import Finding
from annotation.views.nav import rooms
from annotation.views.slots import findings_of, groups_of, number, posted_slot, slots_of, spread_of

SETS_A_PAGE = 10


@dataclass(frozen=True)
class Written:
    """One submitted text: whether its writer may still revise it."""

    item: Item
    label: Label | None
    name: str
    text: str
    revisable: bool


@dataclass(frozen=True)
class WrittenSet:
    """One submitted set with its source."""

    share: Share
    texts: list[Written]


def may_revise(item: Item) -> bool:
    """Until the first lease, and only while nobody has returned, closed or excluded it."""
    return item.opened_at is None and not item.votes_n and item.stage in ("written", "voting")


@login_required
@require_GET
def write_done(request: HttpRequest, slug: str) -> HttpResponse:
    """The sets that this writer submitted, newest first."""
    spot, annotator = access.member(request.user, slug, "writer")
    shares = annotator.shares.filter(state=Share.State.SUBMITTED).select_related("premise")
    page = Paginator(shares.order_by("-submitted_at", "-pk"), SETS_A_PAGE).get_page(request.GET.get("page"))
    kind, slots = spot.project.kind_spec, slots_of(spot.project)
    texts: dict[int | None, list[Written]] = {}
    rows = Hypothesis.objects.select_related("item").filter(item__share__in=[share.pk for share in page])
    for row in rows.order_by("item"):
        slot = slots.get(row.item.slot)
        made = Written(
            item=row.item,
            label=kind.label(row.item.author_label),
            name=slot_words(kind, slot) if slot else row.item.slot,
            text=row.text,
            revisable=may_revise(row.item) and spot.project.closed_at is None,
        )
        texts.setdefault(row.item.share_id, []).append(made)
    context = {
        "project": spot.project,
        "nav": rooms(spot, "write"),
        "page": page,
        "sets": [WrittenSet(share, texts.get(share.pk, [])) for share in page],
    }
    return render(request, "annotation/write_done.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def write_item(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """One's own submitted text; POST revises it, and a page that is behind keeps what was typed."""
    spot, annotator = access.member(request.user, slug, "writer")
    item = access.own_item(annotator, item_id)
    row = Hypothesis.objects.select_related("premise").get(item=item)
    stored = SlotIn(row.text, tags=tuple(row.tags))
    if request.method != "POST":
        return _page(request, spot, item, row, stored)
    typed = posted_slot(request.POST, item.slot)
    version = number(request, f"version_{item.slot}")
    try:
        actions.item_revise(writer=annotator, item_id=item.pk, version=version, content=typed)
    except Invalid as refusal:
        findings = refusal.details.get("findings", [])
        return _page(
            request, spot, item, row, typed, findings=findings, status=422, problem=_said(refusal.code)
        )
    except Conflict as refusal:
        item.refresh_from_db()
        other = stored if refusal.code == "stale" else None
        return _page(request, spot, item, row, typed, other=other, status=409, problem=refusal.code)
    return redirect("write_done", slug=slug)


def _said(code: str) -> str:
    return "checks_block_one" if code == "checks_block" else code


def _page(
    request: HttpRequest,
    spot: Place,
    item: Item,
    row: Hypothesis,
    content: SlotIn,
    *,
    findings: list[Finding] | None = None,
    other: SlotIn | None = None,
    status: int = 200,
    problem: str = "",
) -> HttpResponse:
    project = spot.project
    if findings is None:
        findings = findings_of(project, row.premise, {item.slot: content})
    groups = groups_of(project, {item.slot: content}, {item.slot: item.version}, findings, {})
    group = next(group for group in groups if any(field.key == item.slot for field in group.fields))
    context = {
        "project": project,
        "nav": rooms(spot, "write"),
        "keys_off": not spot.user.single_keys,
        "item": item,
        "premise": row.premise,
        "source_name": project.kind_spec.source_name,
        "group": group,
        "field": next(field for field in group.fields if field.key == item.slot),
        "stored": other,
        "revisable": may_revise(item) and project.closed_at is None,
        "spread": spread_of(item.author) if item.author and project.rules.tags != "off" else [],
        "problem": problem,
    }
    return render(request, "annotation/write_item.html", context, status=status)
