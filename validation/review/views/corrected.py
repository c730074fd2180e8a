"""What reviewers corrected of one's own: the differences, and whether they are right (ruling 19)."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotation.content.models.item import Item, Revision
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.kinds import text_at
from annotation.text.differences import differences
from annotation.ui.navigation import navigation_links
from annotation.ui.pages import posted_number
from validation.consensus import translation_review as reviewing
from validation.review.actions.answers import correction_accept, correction_dispute
from validation.review.queries import desk as fetch

A_PAGE = 10
ACCEPT, DISPUTE = "accept", "dispute"


def _writer_membership(request: HttpRequest, slug: str) -> tuple[Membership, Annotator]:
    """The viewer as a writer in a project where reviewers correct; NotFound in others."""
    membership, writer = access.require_role(request.user, slug, "writer")
    if reviewing.FEATURE not in membership.project.kind_spec.features:
        raise NotFound
    return membership, writer


@login_required
@require_GET
def corrected(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own texts that reviewers corrected, the longest waiting first."""
    membership, writer = _writer_membership(request, slug)
    return _page(request, membership, writer)


def _page(
    request: HttpRequest,
    membership: Membership,
    writer: Annotator,
    *,
    status: int = 200,
    problem: str = "",
    at: int = 0,
    words: str = "",
) -> HttpResponse:
    page = Paginator(fetch.own_corrections_to_judge(writer), A_PAGE).get_page(request.GET.get("page"))
    items = list(page.object_list)
    context: dict[str, Any] = {
        "project": membership.project,
        "nav": navigation_links(membership, "write"),
        "keys_off": not membership.user.single_keys,
        "page": page,
        "rows": _shown(items),
        "at": at,
        "words": words,
        "kept": words if at not in {item.pk for item in items} else "",
        "problem": problem,
    }
    return render(request, "validation/review/corrected.html", context, status=status)


def _shown(items: list[Item]) -> list[dict[str, Any]]:
    """Items with what changed in them, in two statements."""
    wanted = {(item.pk, n) for item in items for n in (item.revision_n - 1, item.revision_n)}
    rows = Revision.objects.filter(item__in=items, n__in={n for _, n in wanted})
    texts = {(row.item_id, row.n): row for row in rows if (row.item_id, row.n) in wanted}
    return [
        _shown_correction(item, texts[item.pk, item.revision_n - 1], texts[item.pk, item.revision_n]) for item in items
    ]


def _shown_correction(item: Item, before: Revision, after: Revision) -> dict[str, Any]:
    """One translation that a reviewer corrected, without the reviewer."""
    kind = item.project.kind_spec
    fields = []
    for text in kind.presentation.texts_in(after.content):
        was, now = text_at(before.content, text.key), text_at(after.content, text.key)
        source, parts = kind.presentation.source_text(after.content, text.key), differences(was, now)
        fields.append({"name": text.name, "source": source, "parts": parts, "changed": was != now})
    return {"item": item, "fields": fields, "words": after.why}


@login_required
@require_POST
def corrected_answer(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Accept a correction, or say why it is not right; nothing typed is lost."""
    membership, writer = _writer_membership(request, slug)
    words, revision = request.POST.get("words", ""), posted_number(request, "revision")
    try:
        if request.POST.get("answer") == ACCEPT:
            correction_accept(writer=writer, item_id=item_id, revision=revision)
            messages.success(request, gettext("Accepted. It is settled."))
        else:
            correction_dispute(writer=writer, item_id=item_id, revision=revision, words=words)
            messages.success(request, gettext("Sent. Another reviewer decides; the QC lead reads your words."))
    except (Conflict, Invalid) as refusal:
        status = 422 if isinstance(refusal, Invalid) else 409
        code = {"project_closed": "closed_writing"}.get(refusal.code, refusal.code)
        return _page(request, membership, writer, status=status, problem=code, at=item_id, words=words)
    return redirect("corrected", slug=slug)
