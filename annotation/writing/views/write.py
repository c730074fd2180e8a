"""Writing: the source on one side, a whole set of slots on the other (screens.md 2)."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotation.content.models.source import Allocation
from annotation.content.queries import current_content
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import SKIP_REASONS, problem_words, skip_words
from annotation.core.models.project import GuidelineVersion
from annotation.elicitation.queries import answers_at_hand, has_topics
from annotation.kinds import SlotIn
from annotation.projects.views.guidelines import html_of
from annotation.text.checks import Finding
from annotation.translation.queries.targets import work_of
from annotation.ui.navigation import navigation_links
from annotation.ui.pages import posted_number
from annotation.writing import queries
from annotation.writing.actions.typing import SentTyping, asks_typing, choice_of
from annotation.writing.actions.writing import allocation_submit, drafts_of, drafts_save, source_skip
from annotation.writing.rules.typing import read as read_typing
from annotation.writing.views.form import Form, form_of_allocation, with_stored_breaks, without_stale_answers
from annotation.writing.views.slots import (
    changes_json,
    findings_of,
    findings_on_filled_fields,
    groups_of,
    lines_json,
    lines_of,
    tag_counts,
)
from annotation.writing.views.source_text import asks_tags, reading_of, source_shown
from annotation.writing.views.submit_message import submitted_words
from annotation.writing.views.targets import next_allocation, to_next_text


@login_required
@require_GET
def write_next(request: HttpRequest, slug: str) -> HttpResponse:
    """The first source of the allocation that is not submitted, or what to do when there is none."""
    membership, annotator = access.writer_at_work(request.user, slug)
    upcoming = next_allocation(annotator, request)
    closed = membership.project.closed_at is not None
    if upcoming is not None and not closed:
        return redirect("write_set", slug=slug, token=upcoming.token)
    if upcoming is None and not closed and has_topics(membership.project):
        return redirect("topics", slug=slug)
    context = {
        "project": membership.project,
        "nav": navigation_links(membership, "write"),
        "closed": closed,
        "submitted": annotator.allocations.filter(state=Allocation.State.SUBMITTED).exists(),
        "source_plural": membership.project.kind_spec.source.plural,
        "targets": work_of(annotator) if access.has_targets(membership.project) else None,
    }
    return render(request, "annotation/writing/write_none.html", context)


@login_required
@require_GET
def write_set(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """One source and its set, with the drafts as they stand."""
    membership, annotator = access.writer_at_work(request.user, slug)
    allocation = queries.allocation(annotator, token)
    if allocation.state in (Allocation.State.SUBMITTED, Allocation.State.SKIPPED):
        return redirect("write_done" if allocation.state == Allocation.State.SUBMITTED else "write", slug=slug)
    return _stored_page(request, membership, allocation)


def _stored_page(request: HttpRequest, membership: Membership, allocation: Allocation, **more: Any) -> HttpResponse:
    """The set as it is stored."""
    form = form_of_allocation(allocation)
    contents = {key: SlotIn.from_dict(draft.content) for key, draft in drafts_of(allocation).items()}
    written = any(not content.is_blank for content in contents.values())
    findings = _findings(form, allocation, contents) if written else []
    return _page(request, membership, allocation, form, contents, findings, **more)


def _findings(form: Form, allocation: Allocation, contents: Mapping[str, SlotIn]) -> list[Finding]:
    return findings_of(form, contents, allocation.writer, allocation.origin)


def _page(
    request: HttpRequest,
    membership: Membership,
    allocation: Allocation,
    form: Form,
    contents: Mapping[str, SlotIn],
    findings: list[Finding],
    *,
    status: int = 200,
    problem: str = "",
    others: Mapping[str, SlotIn] | None = None,
) -> HttpResponse:
    """The set as typed. Before anything was sent, a field that holds nothing yet is left in peace."""
    project, stored = allocation.project, drafts_of(allocation)
    if status == 200:
        findings = findings_on_filled_fields(form, findings, contents)
    versions = {key: draft.version for key, draft in stored.items()}
    groups = groups_of(form, contents, versions, findings, others or {}, _origin(allocation))
    context = {
        "project": project,
        "nav": navigation_links(membership, "write"),
        "keys_off": not membership.user.single_keys,
        "allocation": allocation,
        "is_open": allocation.state == Allocation.State.OPEN and project.closed_at is None,
        "language": form.language,
        "groups": groups,
        "origin": allocation.origin,
        "moves": bool(form.kind.authoring.groups),
        "spans": any(asked.contained_in for asked in form.fields),
        "whole": lines_of(form, [finding for finding in findings if not finding.slot]),
        "written": form.filled(contents),
        "total": form.to_fill,
        "by_field": bool(form.fields),
        "saved_at": max((draft.updated_at for draft in stored.values()), default=None),
        "spread": tag_counts(allocation.writer) if asks_tags(project) else [],
        "tags_required": project.rules.tags == "required",
        "problem": problem,
        "typing": {"agreed": choice_of(allocation.writer)} if asks_typing(project) else None,
        "attested": request.POST.get("attested") == "on",
        **_source_context(allocation, form),
    }
    return render(request, "annotation/writing/write.html", context, status=status)


def _source_context(allocation: Allocation, form: Form) -> dict[str, Any]:
    """What one writes from, and what stands beside it to be looked at."""
    project, kind = allocation.project, form.kind
    guidelines = project.guidelines.filter(role=GuidelineVersion.Role.WRITING).order_by("-n").first()
    return {
        "source": source_shown(allocation.source),
        "source_name": kind.source.name,
        "item_name": kind.presentation.item_name,
        "target": form.target,
        "answers": answers_at_hand(project, allocation.concept),
        "left": _count_left(allocation),
        "gives_back": has_topics(project),
        "guidelines": html_of(guidelines) if guidelines else "",
        "skip_reasons": skip_words(kind),
    }


def _origin(allocation: Allocation) -> SlotIn | None:
    """What the prompt says, as it stands now, that a variation started from."""
    return (
        None
        if allocation.origin is None
        else allocation.project.kind_spec.authoring.slot_from_content(current_content(allocation.origin))
    )


@login_required
@require_POST
def write_submit(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Submit the whole set, or save what stands there; what was typed is always kept."""
    membership, annotator = access.require_role(request.user, slug, "writer")
    allocation = queries.allocation(annotator, token)
    form = form_of_allocation(allocation)
    slots = _posted_slots(request, allocation, form)
    findings = _findings(form, allocation, slots)
    sent = {key: without_stale_answers(typed, findings) for key, typed in slots.items()}
    if allocation.state == Allocation.State.SUBMITTED and _is_as_submitted(allocation, sent):
        return to_next_text(slug, allocation.target)
    if allocation.state != Allocation.State.OPEN or allocation.project.closed_at is not None:
        code = "closed_writing" if allocation.project.closed_at is not None else "allocation_over"
        return _page(request, membership, allocation, form, slots, [], status=409, problem=code)
    problem, others = _save_all(request, allocation, slots)
    if problem:
        status = 409 if others else 422
        return _page(
            request,
            membership,
            allocation,
            form,
            slots,
            findings,
            status=status,
            problem=problem,
            others=others,
        )
    if "save" in request.POST or "move" in request.POST:
        return _page(request, membership, allocation, form, slots, findings)
    try:
        allocation_submit(
            allocation=allocation,
            slots=sent,
            findings=findings if sent == slots else None,
            typing=_typing(request, allocation, slots),
        )
    except (Conflict, Invalid) as refusal:
        status = 409 if isinstance(refusal, Conflict) else 422
        return _page(request, membership, allocation, form, slots, findings, status=status, problem=refusal.code)
    messages.success(request, submitted_words(annotator, f"set:{allocation.pk}", _count_left(allocation)))
    return to_next_text(slug, allocation.target)


def _typing(request: HttpRequest, allocation: Allocation, slots: Iterable[str]) -> SentTyping | None:
    """How the set was typed, where the project asks; what the script did not send is unknown."""
    if not asks_typing(allocation.project):
        return None
    records = {key: read_typing(request.POST.get(f"typing_{key}", "")) for key in slots}
    return SentTyping(records, "attested" in request.POST if "attest" in request.POST else None)


def _count_left(allocation: Allocation) -> int:
    """How many its writer has in hand."""
    return allocation.writer.allocations.filter(state=Allocation.State.OPEN).count()


def _posted_slots(request: HttpRequest, allocation: Allocation, form: Form) -> dict[str, SlotIn]:
    """The set as posted; where the writer chose the text saved elsewhere, that one."""
    stored = {key: SlotIn.from_dict(draft.content) for key, draft in drafts_of(allocation).items()}
    slots = {key: with_stored_breaks(stored.get(key, SlotIn()), form.posted(request.POST, key)) for key in form.slots}
    moving, _, asked = request.POST.get("move", "").partition(":")
    if moving in slots:
        slots[moving] = form.moved(slots[moving], asked)
    return slots | {key: content for key, content in stored.items() if f"take_{key}" in request.POST and key in slots}


def _is_as_submitted(allocation: Allocation, slots: Mapping[str, SlotIn]) -> bool:
    """Whether this is the set that was submitted, sent again."""
    stored = {key: draft.content for key, draft in drafts_of(allocation).items()}
    return {key: content.to_dict() for key, content in slots.items()} == stored


def _save_all(
    request: HttpRequest, allocation: Allocation, slots: Mapping[str, SlotIn]
) -> tuple[str, dict[str, SlotIn]]:
    """Save every slot that differs: the code of the first refusal or nothing, and newer texts from elsewhere."""
    versions = {key: posted_number(request, f"version_{key}") for key in slots}
    typed = {
        key: (content, versions[key])
        for key, content in slots.items()
        if not content.is_blank or content.tags or versions[key]
    }
    _, refused = drafts_save(allocation=allocation, slots=typed)
    newer = {key: each.details["current"] for key, each in refused.items() if "current" in each.details}
    return (
        next((each.code for each in refused.values()), ""),
        {key: SlotIn.from_dict(draft.content) for key, draft in newer.items()},
    )


@login_required
@require_POST
def write_autosave(request: HttpRequest, slug: str, token: str, slot: str) -> HttpResponse:
    """Save one slot while typing; the answer carries its version and what the checks say of the set."""
    membership, annotator = access.require_role(request.user, slug, "writer")
    allocation = queries.allocation(annotator, token)
    form = form_of_allocation(allocation)
    content, version = form.posted(request.POST, slot), posted_number(request, "version")
    if (before := drafts_of(allocation).get(slot)) is not None:
        content = with_stored_breaks(SlotIn.from_dict(before.content), content)
    if membership.project.closed_at is not None:
        return _refusal_json("closed_writing", 409)
    drafts, refused = drafts_save(allocation=allocation, slots={slot: (content, version)})
    refusal = refused.get(slot)
    if refusal is not None:
        current = refusal.details.get("current")
        if current is None:
            return _refusal_json(refusal.code, 409 if isinstance(refusal, Conflict) else 422)
        other = SlotIn.from_dict(current.content)
        return _refusal_json(
            refusal.code,
            409,
            version=current.version,
            other=other.to_dict(),
            reading=asdict(reading_of(form, other)),
        )
    draft, contents = drafts[slot], {key: SlotIn.from_dict(row.content) for key, row in drafts.items()}
    findings, origin = (
        findings_on_filled_fields(form, _findings(form, allocation, contents), contents),
        _origin(allocation),
    )
    return JsonResponse(
        {
            "version": draft.version,
            "saved_at": draft.updated_at.isoformat(),
            "lines": {key: lines_json(form, [f for f in findings if f.slot == key]) for key in contents},
            "changes": {key: changes_json(form, typed, origin) for key, typed in contents.items() if origin},
            "whole": lines_json(form, [f for f in findings if not f.slot]),
            "written": form.filled(contents),
        }
    )


def _refusal_json(code: str, status: int, **more: Any) -> JsonResponse:
    return JsonResponse({"problem": code, "words": problem_words(code), **more}, status=status)


@login_required
@require_POST
def write_skip(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Skip a source with a reason; what was typed stays with its writer as a draft."""
    membership, annotator = access.require_role(request.user, slug, "writer")
    allocation = queries.allocation(annotator, token)
    if allocation.state == Allocation.State.OPEN:
        _save_all(request, allocation, _posted_slots(request, allocation, form_of_allocation(allocation)))
    reason, words = request.POST.get("reason", ""), request.POST.get("words", "").strip()
    try:
        if reason not in SKIP_REASONS:
            raise Invalid(field="reason", code="reason_missing")
        source_skip(writer=annotator, token=token, reason=f"{reason}: {words}" if words else reason)
    except (Conflict, Invalid) as refusal:
        status = 409 if isinstance(refusal, Conflict) else 422
        return _stored_page(request, membership, allocation, status=status, problem=refusal.code)
    return to_next_text(slug, allocation.target)
