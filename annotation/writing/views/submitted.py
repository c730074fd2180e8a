"""A writer's own submitted sets: each item can be revised until somebody is assigned it (ruling 14)."""

from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from annotation.content import queries as content_queries
from annotation.content import shapes
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import slot_words
from annotation.kinds import Label, Slot, SlotIn
from annotation.text.checks import Finding
from annotation.ui.navigation import navigation_links
from annotation.ui.pages import posted_number
from annotation.writing import queries
from annotation.writing.actions.revising import findings_about, is_own, item_revise, origin_of, siblings_of
from annotation.writing.views.form import (
    Form,
    form_of_allocation,
    form_of_item,
    revised_content,
    without_stale_answers,
)
from annotation.writing.views.slots import (
    field_of,
    findings_of,
    findings_on_filled_fields,
    lines_json,
    tag_counts,
)
from annotation.writing.views.source_text import (
    SlotReading,
    SourceShown,
    asks_tags,
    reading_of,
    source_shown,
)

SETS_A_PAGE = 10


@dataclass(frozen=True)
class SubmittedItem:
    """One submitted item: whether its writer may still revise it."""

    item: Item
    label: Label | None
    name: str
    reading: SlotReading
    revisable: bool


@dataclass(frozen=True)
class WrittenSet:
    """One submitted set with its source, and the language that it is written in."""

    allocation: Allocation
    source: SourceShown
    form: Form
    texts: list[SubmittedItem]


def may_revise(item: Item) -> bool:
    """Until the first lease, and only while nobody has approved, returned, closed or excluded it."""
    return is_own(item)


def as_form(item: Item, content: dict[str, Any]) -> SlotIn:
    """A stored item as its form shows it: that a text is one sentence is asked again where a check speaks."""
    return replace(item.project.kind_spec.authoring.slot_from_content(content), one_sentence=False)


def slot_of(form: Form, item: Item) -> Slot:
    """An item's slot; one that the project does not ask for any more has the name of an item of the kind."""
    found = form.slots.get(item.slot)
    return found or Slot(item.slot, item.author_label, item.project.kind_spec.presentation.item_name)


@login_required
@require_GET
def write_done(request: HttpRequest, slug: str) -> HttpResponse:
    """The sets that this writer submitted, newest first."""
    membership, annotator = access.require_role(request.user, slug, "writer")
    allocations = annotator.allocations.filter(state=Allocation.State.SUBMITTED).select_related(
        *queries.ALLOCATION_RELATIONS
    )
    page = Paginator(allocations.order_by("-submitted_at", "-pk"), SETS_A_PAGE).get_page(request.GET.get("page"))
    items = list(
        content_queries.own_items(annotator)
        .filter(allocation__in=[allocation.pk for allocation in page])
        .order_by("pk")
    )
    for item in items:
        item.project = membership.project
    contents = content_queries.contents(items)
    forms = {allocation.pk: form_of_allocation(allocation) for allocation in page}
    texts: dict[int | None, list[SubmittedItem]] = {}
    for item in items:
        assert item.allocation_id is not None  # noqa: S101 - they were chosen by it
        form = forms[item.allocation_id]
        texts.setdefault(item.allocation_id, []).append(_submitted_item(form, item, contents[item.pk]))
    context = {
        "project": membership.project,
        "nav": navigation_links(membership, "write"),
        "page": page,
        "sets": [
            WrittenSet(
                allocation,
                source_shown(allocation.source),
                forms[allocation.pk],
                texts.get(allocation.pk, []),
            )
            for allocation in page
        ],
    }
    return render(request, "annotation/writing/write_done.html", context)


def _submitted_item(form: Form, item: Item, content: dict[str, Any]) -> SubmittedItem:
    kind = form.kind
    return SubmittedItem(
        item=item,
        # Where the writer chose among their own options, these are shown with their roles.
        label=None if kind.question.own_options else kind.question.label(item.author_label),
        name=slot_words(kind, slot_of(form, item)),
        reading=reading_of(form, kind.authoring.slot_from_content(content)),
        revisable=may_revise(item) and form.project.closed_at is None,
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def write_item(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """One's own submitted item; POST revises it, and a page that is behind keeps what was typed."""
    membership, annotator = access.require_role(request.user, slug, "writer")
    item = content_queries.own_item(annotator, item_id)
    stored, form = as_form(item, content_queries.contents([item])[item.pk]), form_of_item(item)
    if request.method != "POST":
        return _page(request, membership, item, form, stored)
    typed = revised_content(stored, form.posted(request.POST, item.slot))
    found = _findings(form, item, typed)
    if "check" in request.POST:
        return findings_answer(request, item, form, typed, found) or _page(
            request, membership, item, form, typed, found
        )
    if membership.project.closed_at is not None:
        return _page(request, membership, item, form, typed, status=409, problem="closed_writing")
    version = posted_number(request, f"version_{item.slot}")
    try:
        item_revise(writer=annotator, item_id=item.pk, version=version, content=without_stale_answers(typed, found))
    except Invalid as refusal:
        findings = refusal.details.get("findings", [])
        return _page(request, membership, item, form, typed, findings, status=422, problem=_code_on_page(refusal.code))
    except Conflict as refusal:
        item.refresh_from_db(fields=["stage", "opened_at", "votes_n", "version"])
        other = stored if refusal.code == "stale" else None
        return _page(request, membership, item, form, typed, other=other, status=409, problem=refusal.code)
    return redirect("write_done", slug=slug)


def _findings(form: Form, item: Item, typed: SlotIn) -> list[Finding]:
    """What the checks say of one submitted item beside the others of its set."""
    others, origin = siblings_of(item), origin_of(item)
    return findings_about(item.slot, item.project, form.source, others, typed, origin, form.resources)


def findings_answer(
    request: HttpRequest, item: Item, form: Form, typed: SlotIn, found: list[Finding]
) -> JsonResponse | None:
    """What the checks found while somebody types into the form of one item, for its script: nothing is stored."""
    if "application/json" not in request.headers.get("Accept", ""):
        return None
    findings = findings_on_filled_fields(form, found, {item.slot: typed})
    return JsonResponse({"lines": {item.slot: lines_json(form, findings)}})


def _code_on_page(code: str) -> str:
    return "checks_block_one" if code == "checks_block" else code


def _page(
    request: HttpRequest,
    membership: Membership,
    item: Item,
    form: Form,
    content: SlotIn,
    findings: list[Finding] | None = None,
    *,
    other: SlotIn | None = None,
    status: int = 200,
    problem: str = "",
) -> HttpResponse:
    project, kind = item.project, item.project.kind_spec
    source = shapes.get(kind.shape).source_of(item)
    if findings is None:
        assert item.author is not None  # noqa: S101 - own_item
        origin = origin_of(item)
        findings = findings_of(form, {item.slot: content}, item.author, origin)
    context = {
        "project": project,
        "nav": navigation_links(membership, "write"),
        "keys_off": not membership.user.single_keys,
        "item": item,
        "source": source_shown(source),
        "source_name": kind.source.name,
        "label": None if kind.question.own_options else kind.question.label(item.author_label),
        "field": field_of(form, slot_of(form, item), content, item.version, findings),
        "stored": other and reading_of(form, other),
        "language": form.language,
        "target": form.target,
        "spans": any(asked.contained_in for asked in form.fields),
        "revisable": may_revise(item) and project.closed_at is None,
        "spread": tag_counts(item.author) if item.author and asks_tags(project) else [],
        "tags_required": project.rules.tags == "required",
        "problem": problem,
    }
    return render(request, "annotation/writing/write_item.html", context, status=status)
