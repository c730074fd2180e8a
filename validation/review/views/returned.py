"""An item returned to its writer: the reason, changes by leads, and the form to correct and resubmit it."""

from dataclasses import replace

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.content import queries as content_queries
from annotation.content import shapes
from annotation.content.models.item import Item, Revision
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from annotation.kinds import Kind, SlotIn
from annotation.text.checks import Finding
from annotation.ui.navigation import navigation_links
from annotation.ui.pages import posted_number
from annotation.writing.views.form import Form, form_of_item, revised_content, without_stale_answers
from annotation.writing.views.slots import field_of, tag_counts
from annotation.writing.views.source_text import asks_tags, reading_of, source_shown
from annotation.writing.views.submit_message import submitted_words
from annotation.writing.views.submitted import as_form, findings_answer, slot_of
from validation.consensus import stages
from validation.review.actions.writers import resubmit, resubmit_findings
from validation.review.queries.item_detail import changes_of
from validation.review.queries.item_view import Change
from validation.review.queries.returned import feedback_of, items_returned_to
from validation.voting.models.review import Review

CHANGES_SHOWN = 50
LEAD_CORRECTIONS = (stages.CORRECT_SAME, stages.CORRECT_NEW)


@login_required
@require_GET
def returned(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own returned items, before all new work; below, what leads changed of one's own."""
    membership, writer = access.require_role(request.user, slug, "writer")
    context = {
        "project": membership.project,
        "nav": navigation_links(membership, "write"),
        "keys_off": not membership.user.single_keys,
        "waiting": items_returned_to([writer.pk]),
        "sent": content_queries.own_items(writer).filter(stage=stages.CORRECTED).count(),
        "changed": _changed_by_leads(writer, membership.project.kind_spec),
    }
    return render(request, "validation/review/returned.html", context)


def _changed_by_leads(writer: Annotator, kind: Kind) -> list[tuple[Revision, str]]:
    """The latest corrections that leads made to this person's items, each with the text that came of it."""
    rows = Revision.objects.filter(item__author=writer, event__in=LEAD_CORRECTIONS).select_related("item__target")
    return [(row, kind.presentation.headline(row.content)[0]) for row in rows.order_by("-pk")[:CHANGES_SHOWN]]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def returned_item(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """One's own item: what was said and changed, and where it was returned, the form to send it again."""
    membership, writer = access.require_role(request.user, slug, "writer")
    item = content_queries.own_item(writer, item_id)
    stored, form = as_form(item, content_queries.contents([item])[item.pk]), form_of_item(item)
    if request.method != "POST":
        return _page(request, membership, item, form, stored)
    typed = revised_content(stored, form.posted(request.POST, item.slot))
    found = resubmit_findings(item=item, content=typed)
    if "check" in request.POST:
        return findings_answer(request, item, form, typed, found) or _page(
            request, membership, item, form, typed, findings=found
        )
    words = request.POST.get("words", "")
    version = posted_number(request, f"version_{item.slot}")
    try:
        sent = without_stale_answers(typed, found)
        done = resubmit(
            writer=writer,
            item_id=item.pk,
            version=version,
            content=sent,
            words=words,
            as_it_is="as_it_is" in request.POST,
        )
    except Invalid as refusal:
        findings = refusal.details.get("findings", [])
        code = "checks_block_one" if refusal.code == "checks_block" else refusal.code
        return _page(request, membership, item, form, typed, findings=findings, status=422, problem=code)
    except Conflict as refusal:
        item = content_queries.own_item(writer, item_id)
        now = as_form(item, content_queries.contents([item])[item.pk])
        code = {"project_closed": "closed_writing"}.get(refusal.code, refusal.code)
        return _page(request, membership, item, form, typed, status=409, problem=code, stale=now)
    messages.success(request, _sent_words(writer, item, done))
    return redirect("returned", slug=slug)


def _sent_words(writer: Annotator, before: Item, done: Item) -> str:
    """What is said once it was taken: a text that was changed is paid where corrections are."""
    new = Revision.objects.filter(item=done, n=done.revision_n, n__gt=before.revision_n).first()
    left = content_queries.own_items(writer).filter(stage=stages.RETURNED).count()
    return submitted_words(writer, f"correct:{new.pk}" if new else "", left)


def _page(
    request: HttpRequest,
    membership: Membership,
    item: Item,
    form: Form,
    content: SlotIn,
    *,
    findings: list[Finding] | None = None,
    status: int = 200,
    problem: str = "",
    stale: SlotIn | None = None,
) -> HttpResponse:
    project, kind = item.project, item.project.kind_spec
    if findings is None and form.asks_why:
        # What was said to a check stands under its warning, and would be lost without it.
        findings = resubmit_findings(item=item, content=content)
    returns = Review.objects.filter(item=item, event__in=stages.RETURNS).order_by("-version")
    context = {
        "project": project,
        "nav": navigation_links(membership, "write"),
        "keys_off": not membership.user.single_keys,
        "item": item,
        "stage": stages.STAGE_NAMES[item.stage] if item.stage in _STAGES_TOLD else "",
        "source": source_shown(shapes.get(kind.shape).source_of(item)),
        "source_name": kind.source.name,
        "label": None if kind.question.own_options else kind.question.label(item.author_label),
        "field": field_of(form, slot_of(form, item), content, item.version, findings or []),
        "language": form.language,
        "target": form.target,
        "spans": any(asked.contained_in for asked in form.fields),
        "typed": reading_of(form, content),
        "feedback": feedback_of(project, returns),
        "as_it_is": problem == "unchanged",
        "changes": _changes_for_writer(changes_of(kind, item)),
        "open": item.stage == stages.RETURNED and project.closed_at is None,
        "stored": stale and reading_of(form, stale),
        "words": request.POST.get("words", ""),
        "spread": tag_counts(item.author) if item.author and asks_tags(project) else [],
        "tags_required": project.rules.tags == "required",
        "problem": problem,
    }
    return render(request, "validation/review/returned_item.html", context, status=status)


# Stages that concern the writer; the others would reveal how votes went.
_STAGES_TOLD = (stages.RETURNED, stages.CORRECTED, stages.EXCLUDED)


_NAMES = {
    **dict.fromkeys(LEAD_CORRECTIONS, _("changed by the QC lead")),
    stages.RESUBMIT: _("fixed by you"),
    stages.REVIEW_AGAIN: _("fixed by you"),
    stages.TAKE_CORRECTION: _("corrected by a reviewer"),
    stages.REVISE: _("revised by you"),
}


def _changes_for_writer(changes: list[Change]) -> list[Change]:
    """Changes of the text in words that say who, and nothing of the outcome of votes."""
    return [replace(change, name=_NAMES.get(change.revision.event, change.name)) for change in changes if change.texts]
