"""Writing: the source on one side, a whole set of slots on the other (screens.md 2)."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotation import access, actions
from annotation.access import Place
from annotation.actions.writing import SlotIn
from annotation.errors import Conflict, Invalid
from annotation.messages import SKIP_REASONS, problem_words
from annotation.models import Annotator, GuidelineVersion, Share
from annotation.rules.checks import Finding
from annotation.views.guidelines import html_of
from annotation.views.nav import rooms
from annotation.views.slots import (
    content_in,
    drafts_of,
    findings_of,
    groups_of,
    lines_of,
    number,
    posted_slot,
    slots_of,
    spread_of,
)


@login_required
@require_GET
def write_next(request: HttpRequest, slug: str) -> HttpResponse:
    """The first premise of the share that is not submitted, or what to do when there is none."""
    spot, annotator = access.member(request.user, slug, "writer")
    upcoming = annotator.shares.filter(state=Share.State.OPEN).order_by("position").first()
    closed = spot.project.closed_at is not None
    if upcoming is not None and not closed:
        return redirect("write_set", slug=slug, token=upcoming.token)
    context = {
        "project": spot.project,
        "nav": rooms(spot, "write"),
        "closed": closed,
        "submitted": annotator.shares.filter(state=Share.State.SUBMITTED).exists(),
        "source_plural": spot.project.kind_spec.source_plural,
    }
    return render(request, "annotation/write_none.html", context)


@login_required
@require_GET
def write_set(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """One premise and its set, with the drafts as they stand."""
    spot, annotator = access.member(request.user, slug, "writer")
    share = access.share(annotator, token)
    if share.state in (Share.State.SUBMITTED, Share.State.SKIPPED):
        return redirect("write_done" if share.state == Share.State.SUBMITTED else "write", slug=slug)
    return _stored_page(request, spot, share)


def _stored_page(request: HttpRequest, spot: Place, share: Share, **more: Any) -> HttpResponse:
    """The set as it is stored."""
    contents = {key: content_in(draft.content) for key, draft in drafts_of(share).items()}
    written = any(content.text for content in contents.values())
    findings = findings_of(share.project, share.premise, contents) if written else []
    return _page(request, spot, share, contents, findings, **more)


def _page(
    request: HttpRequest,
    spot: Place,
    share: Share,
    contents: Mapping[str, SlotIn],
    findings: list[Finding],
    *,
    status: int = 200,
    problem: str = "",
    others: Mapping[str, SlotIn] | None = None,
) -> HttpResponse:
    """The set as typed. Before anything was sent, a field that holds nothing yet is left in peace."""
    project, stored = share.project, drafts_of(share)
    if status == 200:
        findings = [f for f in findings if not f.slot or contents.get(f.slot, SlotIn()).text]
    versions = {key: draft.version for key, draft in stored.items()}
    guidelines = project.guidelines.filter(role=GuidelineVersion.Role.WRITING).order_by("-n").first()
    context = {
        "project": project,
        "nav": rooms(spot, "write"),
        "keys_off": not spot.user.single_keys,
        "share": share,
        "is_open": share.state == Share.State.OPEN and project.closed_at is None,
        "premise": share.premise,
        "source_name": project.kind_spec.source_name,
        "left": share.writer.shares.filter(state=Share.State.OPEN).count(),
        "groups": groups_of(project, contents, versions, findings, others or {}),
        "whole": lines_of(project, [finding for finding in findings if not finding.slot]),
        "written": sum(1 for content in contents.values() if content.text.strip()),
        "total": len(slots_of(project)),
        "saved_at": max((draft.updated_at for draft in stored.values()), default=None),
        "spread": spread_of(share.writer) if project.rules.tags != "off" else [],
        "tags_required": project.rules.tags == "required",
        "guidelines": html_of(guidelines) if guidelines else "",
        "skip_reasons": SKIP_REASONS,
        "problem": problem,
    }
    return render(request, "annotation/write.html", context, status=status)


@login_required
@require_POST
def write_submit(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Submit the whole set, or save what stands there; what was typed is always kept."""
    spot, annotator = access.member(request.user, slug, "writer")
    share = access.share(annotator, token)
    slots = _posted(request, share)
    if share.state == Share.State.SUBMITTED and _as_submitted(share, slots):
        return redirect("write", slug=slug)
    if share.state != Share.State.OPEN or share.project.closed_at is not None:
        code = "closed_writing" if share.project.closed_at is not None else "share_over"
        return _page(request, spot, share, slots, [], status=409, problem=code)
    problem, others = _save_all(request, annotator, token, slots)
    findings = findings_of(share.project, share.premise, slots)
    if problem:
        status = 409 if others else 422
        return _page(request, spot, share, slots, findings, status=status, problem=problem, others=others)
    if "save" in request.POST:
        return _page(request, spot, share, slots, findings)
    try:
        actions.set_submit(writer=annotator, token=token, slots=slots)
    except (Conflict, Invalid) as refusal:
        status = 409 if isinstance(refusal, Conflict) else 422
        return _page(request, spot, share, slots, findings, status=status, problem=refusal.code)
    return redirect("write", slug=slug)


def _posted(request: HttpRequest, share: Share) -> dict[str, SlotIn]:
    """The set as posted; where the writer chose the text saved elsewhere, that one."""
    slots = {key: posted_slot(request.POST, key) for key in slots_of(share.project)}
    if any(f"take_{key}" in request.POST for key in slots):
        stored = drafts_of(share)
        for key in slots:
            if f"take_{key}" in request.POST and key in stored:
                slots[key] = content_in(stored[key].content)
    return slots


def _as_submitted(share: Share, slots: Mapping[str, SlotIn]) -> bool:
    """Whether this is the set that was submitted, sent once more."""
    stored = {key: draft.content for key, draft in drafts_of(share).items()}
    return {key: content.to_dict() for key, content in slots.items()} == stored


def _save_all(
    request: HttpRequest, annotator: Annotator, token: str, slots: Mapping[str, SlotIn]
) -> tuple[str, dict[str, SlotIn]]:
    """Save every slot that differs: the code of the first refusal or nothing, and newer texts from elsewhere."""
    problem, others = "", dict[str, SlotIn]()
    for key, content in slots.items():
        version = number(request, f"version_{key}")
        if content == SlotIn() and not version:
            continue
        try:
            actions.draft_save(writer=annotator, token=token, slot=key, content=content, version=version)
        except Conflict as refusal:
            problem = problem or refusal.code
            if "current" in refusal.details:
                others[key] = content_in(refusal.details["current"].content)
        except Invalid as refusal:
            problem = problem or refusal.code
    return problem, others


@login_required
@require_POST
def write_autosave(request: HttpRequest, slug: str, token: str, slot: str) -> HttpResponse:
    """Save one slot while typing; the answer carries its version and what the checks say of the set."""
    spot, annotator = access.member(request.user, slug, "writer")
    share = access.share(annotator, token)
    content, version = posted_slot(request.POST, slot), number(request, "version")
    if spot.project.closed_at is not None:
        return _refusal_json("closed_writing", 409)
    try:
        draft = actions.draft_save(writer=annotator, token=token, slot=slot, content=content, version=version)
    except Conflict as refusal:
        current = refusal.details.get("current")
        if current is None:
            return _refusal_json(refusal.code, 409)
        return _refusal_json(
            refusal.code, 409, version=current.version, other=content_in(current.content).to_dict()
        )
    except Invalid as refusal:
        return _refusal_json(refusal.code, 422)
    contents = {key: content_in(stand.content) for key, stand in drafts_of(share).items()}
    findings = findings_of(share.project, share.premise, contents)
    return JsonResponse(
        {
            "version": draft.version,
            "saved_at": draft.updated_at.isoformat(),
            "lines": {
                key: _lines_json(share, [f for f in findings if f.slot == key])
                for key, stand in contents.items()
                if stand.text
            },
            "whole": _lines_json(share, [f for f in findings if not f.slot]),
            "written": sum(1 for stand in contents.values() if stand.text.strip()),
        }
    )


def _refusal_json(code: str, status: int, **more: Any) -> JsonResponse:
    return JsonResponse({"problem": code, "words": problem_words(code), **more}, status=status)


def _lines_json(share: Share, findings: list[Finding]) -> list[dict[str, str]]:
    lines = lines_of(share.project, findings)
    return [{"check": line.check, "level": line.level, "words": line.words} for line in lines]


@login_required
@require_POST
def write_skip(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Skip a premise with a reason; what was typed stays with its writer as a draft."""
    spot, annotator = access.member(request.user, slug, "writer")
    share = access.share(annotator, token)
    if share.state == Share.State.OPEN:
        _save_all(request, annotator, token, _posted(request, share))
    reason, words = request.POST.get("reason", ""), request.POST.get("words", "").strip()
    try:
        if reason not in SKIP_REASONS:
            raise Invalid(field="reason", code="reason_missing")
        said = f"{reason}: {words}" if words else reason
        actions.premise_skip(writer=annotator, token=token, reason=said)
    except (Conflict, Invalid) as refusal:
        status = 409 if isinstance(refusal, Conflict) else 422
        return _stored_page(request, spot, share, status=status, problem=refusal.code)
    return redirect("write", slug=slug)
