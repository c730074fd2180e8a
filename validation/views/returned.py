"""What came back to its writer: why, what leads changed, and the form to mend it and send it again."""

from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation import access
from annotation.access import Place
from annotation.actions.writing import SlotIn
from annotation.errors import Conflict, Invalid
from annotation.kinds import Kind, Label
from annotation.messages import slot_words
from annotation.models import Annotator, Hypothesis, Item, Revision
from annotation.rules.checks import Finding
from annotation.views.nav import rooms
from annotation.views.slots import Field, lines_of, number, posted_slot, slots_of, spread_of
from validation import access as fetch
from validation.actions import review
from validation.dossier import Change, changes_of
from validation.models import Review
from validation.rules import stages

CHANGES_SHOWN = 50
BY_LEAD = (stages.CORRECT_SAME, stages.CORRECT_NEW)


@dataclass(frozen=True)
class Feedback:
    """What a lead said when they returned an item; who it was is not told."""

    error: str
    words: str
    at: Any


@dataclass(frozen=True)
class Returned:
    """One item that waits for its writer."""

    item: Item
    label: Label | None
    feedback: Feedback | None


def _feedback(kind: Kind, rows: list[Review]) -> list[Feedback]:
    errors = dict(kind.error_types)
    return [Feedback(errors.get(row.error_type, row.error_type), row.words, row.at) for row in rows]


@login_required
@require_GET
def returned(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own returned items, before all new work; below, what leads changed of one's own."""
    spot, writer = access.member(request.user, slug, "writer")
    kind = spot.project.kind_spec
    waiting = list(fetch.own_returned(writer))
    said: dict[int, Review] = {}
    for row in Review.objects.filter(item__in=waiting, event=stages.RETURN).order_by("version"):
        said[row.item_id] = row
    context = {
        "project": spot.project,
        "nav": rooms(spot, "write"),
        "keys_off": not spot.user.single_keys,
        "waiting": [
            Returned(
                item,
                kind.label(item.author_label),
                next(iter(_feedback(kind, [said[item.pk]] if item.pk in said else [])), None),
            )
            for item in waiting
        ],
        "sent": access.own_items(writer).filter(stage=stages.CORRECTED).count(),
        "changed": _changed_by_leads(writer),
    }
    return render(request, "validation/returned.html", context)


def _changed_by_leads(writer: Annotator) -> list[Revision]:
    """The latest corrections that leads made to this person's items."""
    rows = Revision.objects.filter(item__author=writer, event__in=BY_LEAD).select_related("item")
    return list(rows.order_by("-pk")[:CHANGES_SHOWN])


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def returned_item(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """One's own item: what was said and changed, and where it was returned, the form to send it again."""
    spot, writer = access.member(request.user, slug, "writer")
    item = access.own_item(writer, item_id)
    row = Hypothesis.objects.select_related("premise").get(item=item)
    stored = SlotIn(row.text, tags=tuple(row.tags))
    if request.method != "POST":
        return _page(request, spot, item, row, stored)
    typed = posted_slot(request.POST, item.slot)
    words = request.POST.get("words", "")
    version = number(request, f"version_{item.slot}")
    try:
        review.resubmit(writer=writer, item_id=item.pk, version=version, content=typed, words=words)
    except Invalid as refusal:
        findings = refusal.details.get("findings", [])
        said = "checks_block_one" if refusal.code == "checks_block" else refusal.code
        return _page(request, spot, item, row, typed, findings=findings, status=422, problem=said)
    except Conflict as refusal:
        item = access.own_item(writer, item_id)
        row.refresh_from_db()
        said = {"project_closed": "closed_writing"}.get(refusal.code, refusal.code)
        return _page(request, spot, item, row, typed, status=409, problem=said, stale=stored)
    messages.success(request, gettext("Sent back to the QC lead."))
    return redirect("returned", slug=slug)


def _page(
    request: HttpRequest,
    spot: Place,
    item: Item,
    row: Hypothesis,
    content: SlotIn,
    *,
    findings: list[Finding] | None = None,
    status: int = 200,
    problem: str = "",
    stale: SlotIn | None = None,
) -> HttpResponse:
    project, kind = spot.project, spot.project.kind_spec
    slot = slots_of(project).get(item.slot)
    field = Field(
        key=item.slot,
        name=slot_words(kind, slot) if slot else gettext(kind.item_name),
        content=content,
        version=item.version,
        lines=lines_of(project, findings or []),
    )
    said = Review.objects.filter(item=item, event=stages.RETURN).order_by("-version")
    context = {
        "project": project,
        "nav": rooms(spot, "write"),
        "keys_off": not spot.user.single_keys,
        "item": item,
        "stage": stages.STAGE_NAMES[item.stage] if item.stage in _TOLD else "",
        "premise": row.premise,
        "hypothesis": row.text,
        "source_name": kind.source_name,
        "label": kind.label(item.author_label),
        "field": field,
        "feedback": _feedback(kind, list(said)),
        "changes": _told(changes_of(kind, item)),
        "open": item.stage == stages.RETURNED and project.closed_at is None,
        "stored": stale,
        "words": request.POST.get("words", ""),
        "spread": spread_of(item.author) if item.author and project.rules.tags != "off" else [],
        "problem": problem,
    }
    return render(request, "validation/returned_item.html", context, status=status)


# Stages that are the writer's business; the others would tell how votes went.
_TOLD = (stages.RETURNED, stages.CORRECTED, stages.EXCLUDED)


_NAMES = {
    **dict.fromkeys(BY_LEAD, _("changed by the QC lead")),
    stages.RESUBMIT: _("corrected by you"),
    stages.REVISE: _("revised by you"),
}


def _told(changes: list[Change]) -> list[Change]:
    """Changes of the text in words that say who, and nothing of what became of votes."""
    return [
        replace(change, name=_NAMES.get(change.revision.event, change.name))
        for change in changes
        if change.texts
    ]
