"""Writing: the source on one side, a whole set of slots on the other (screens.md 2)."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotation import access, actions
from annotation.actions.writing import SlotIn, set_findings
from annotation.errors import Conflict, Invalid
from annotation.kinds import Label
from annotation.models import Annotator, Draft, Project, Share
from annotation.rules.checks import Finding
from annotation.rules.phenomena import PHENOMENA


@dataclass(frozen=True)
class Field:
    """One slot on the page: what stands in it, its version, and what the checks say about it."""

    key: str
    name: str
    content: SlotIn
    version: int
    findings: list[Finding]


@dataclass(frozen=True)
class Group:
    """The slots of one label."""

    label: Label | None
    fields: list[Field]


def _drafts(share: Share) -> dict[str, Draft]:
    return {draft.slot: draft for draft in Draft.objects.filter(share=share)}


def _content(raw: dict[str, object]) -> SlotIn:
    tags = raw.get("tags", [])
    return SlotIn(
        text=str(raw.get("text", "")),
        one_sentence=bool(raw.get("one_sentence")),
        tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
    )


def _groups(
    project: Project, contents: dict[str, SlotIn], versions: dict[str, int], findings: list[Finding]
) -> list[Group]:
    kind = project.kind_spec
    groups: dict[str, list[Field]] = {}
    for slot in kind.slots(project.rules):
        groups.setdefault(slot.label, []).append(
            Field(
                key=slot.key,
                name=slot.name,
                content=contents.get(slot.key, SlotIn()),
                version=versions.get(slot.key, 0),
                findings=[finding for finding in findings if finding.slot == slot.key],
            )
        )
    return [Group(kind.label(label), fields) for label, fields in groups.items()]


def posted_slot(request: HttpRequest, key: str) -> SlotIn:
    """One slot as the form sends it."""
    return SlotIn(
        text=request.POST.get(f"text_{key}", "").replace("\r\n", "\n"),
        one_sentence=f"one_{key}" in request.POST,
        tags=tuple(request.POST.getlist(f"tags_{key}")),
    )


@login_required
@require_GET
def write_next(request: HttpRequest, slug: str) -> HttpResponse:
    """The first premise of the share that is not submitted, or what to do when there is none."""
    spot, annotator = access.member(request.user, slug, "writer")
    upcoming = annotator.shares.filter(state=Share.State.OPEN).order_by("position").first()
    if upcoming is not None and spot.project.closed_at is None:
        return redirect("write_set", slug=slug, token=upcoming.token)
    return render(request, "annotation/write_none.html", {"project": spot.project})


@login_required
@require_GET
def write_set(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """One premise and its set, with the drafts as they stand."""
    _, annotator = access.member(request.user, slug, "writer")
    share = access.share(annotator, token)
    drafts = _drafts(share)
    contents = {key: _content(draft.content) for key, draft in drafts.items()}
    shown = {key: content for key, content in contents.items() if content.text}
    findings = set_findings(share.project, share.premise, contents) if shown else []
    return _page(request, share, contents, {key: draft.version for key, draft in drafts.items()}, findings)


def _page(
    request: HttpRequest,
    share: Share,
    contents: dict[str, SlotIn],
    versions: dict[str, int],
    findings: list[Finding],
    *,
    status: int = 200,
    problem: str = "",
) -> HttpResponse:
    quiet = [f for f in findings if f.slot and not contents.get(f.slot, SlotIn()).text and status == 200]
    findings = [finding for finding in findings if finding not in quiet]
    project = share.project
    context = {
        "project": project,
        "share": share,
        "premise": share.premise,
        "groups": _groups(project, contents, versions, findings),
        "whole": [finding for finding in findings if not finding.slot],
        "written": sum(1 for content in contents.values() if content.text.strip()),
        "total": len(project.kind_spec.slots(project.rules)),
        "phenomena": PHENOMENA if project.rules.tags != "off" else (),
        "problem": problem,
    }
    return render(request, "annotation/write.html", context, status=status)


@login_required
@require_POST
def write_submit(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Submit the whole set, or save what stands there; what was typed is always kept."""
    spot, annotator = access.member(request.user, slug, "writer")
    share = access.share(annotator, token)
    slots = {
        slot.key: posted_slot(request, slot.key) for slot in spot.project.kind_spec.slots(spot.project.rules)
    }
    versions = {key: int(request.POST.get(f"version_{key}") or 0) for key in slots}
    problem = _save_all(annotator, token, slots, versions)
    if problem or "save" in request.POST:
        findings = set_findings(share.project, share.premise, slots)
        stand = {key: draft.version for key, draft in _drafts(share).items()}
        return _page(request, share, slots, stand, findings, status=409 if problem else 200, problem=problem)
    try:
        actions.set_submit(writer=annotator, token=token, slots=slots)
    except Invalid as refusal:
        stand = {key: draft.version for key, draft in _drafts(share).items()}
        findings = refusal.details.get("findings", [])
        return _page(request, share, slots, stand, findings, status=422, problem=refusal.code)
    return redirect("write", slug=slug)


def _save_all(
    annotator: Annotator, token: str, slots: dict[str, SlotIn], versions: dict[str, int]
) -> str:
    """Save every slot that differs; the code of the first refusal, or nothing."""
    problem = ""
    for key, content in slots.items():
        if not content.text and not versions[key]:
            continue
        try:
            actions.draft_save(
                writer=annotator, token=token, slot=key, content=content, version=versions[key]
            )
        except (Conflict, Invalid) as refusal:
            problem = problem or refusal.code
    return problem


@login_required
@require_POST
def write_autosave(request: HttpRequest, slug: str, token: str, slot: str) -> HttpResponse:
    """Save one slot while typing; the answer carries its version and what the checks say."""
    _, annotator = access.member(request.user, slug, "writer")
    share = access.share(annotator, token)
    content = posted_slot(request, slot)
    try:
        version = int(request.POST.get("version") or 0)
        draft = actions.draft_save(writer=annotator, token=token, slot=slot, content=content, version=version)
    except ValueError:
        return JsonResponse({"problem": "version_wrong"}, status=400)
    except Conflict as refusal:
        current = refusal.details.get("current")
        return JsonResponse(
            {
                "problem": refusal.code,
                "version": current.version if current else 0,
                "text": _content(current.content).text if current else "",
            },
            status=409,
        )
    except Invalid as refusal:
        return JsonResponse({"problem": refusal.code}, status=422)
    contents = {key: _content(stand.content) for key, stand in _drafts(share).items()}
    findings = [f for f in set_findings(share.project, share.premise, contents) if f.slot == slot]
    return JsonResponse(
        {
            "version": draft.version,
            "saved_at": draft.updated_at.isoformat(),
            "findings": [{"level": f.level, "check": f.check, "message": _translated(f)} for f in findings],
            "written": sum(1 for stand in contents.values() if stand.text.strip()),
        }
    )


def _translated(finding: Finding) -> str:
    return gettext(finding.message) % finding.params


@login_required
@require_POST
def write_skip(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Skip a premise with a reason."""
    _, annotator = access.member(request.user, slug, "writer")
    try:
        actions.premise_skip(writer=annotator, token=token, reason=request.POST.get("reason", ""))
    except Invalid as refusal:
        share = access.share(annotator, token)
        drafts = _drafts(share)
        contents = {key: _content(draft.content) for key, draft in drafts.items()}
        versions = {key: draft.version for key, draft in drafts.items()}
        return _page(request, share, contents, versions, [], status=422, problem=refusal.code)
    return redirect("write", slug=slug)
