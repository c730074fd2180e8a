"""Targets of a translation project: how far each is, its words and its team; for leads and administrators."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import presets
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.actions.members import Roles, get_changeable_member
from annotation.core.errors import Conflict, Forbidden, Invalid
from annotation.core.messages import problem_words
from annotation.core.models.member import Annotator
from annotation.core.models.project import Target
from annotation.text import word_list
from annotation.translation.actions.targets import target_change as actions_target_change
from annotation.translation.actions.targets import targets_add
from annotation.translation.forms import TargetForm, TargetLinesForm, initial_of
from annotation.translation.queries.targets import resources_of
from annotation.translation.rules.target_resources import silent_checks
from annotation.ui.navigation import frame_context, navigation_links, page_url
from annotation.ui.pages import differences
from validation.review.queries import desk as fetch
from validation.translation.actions import target_end, targets_give
from validation.translation.queries import targets_of, team_of
from validation.voting.actions.check_findings import recheck_start


def _coordinator(request: HttpRequest, slug: str) -> Membership:
    """The viewer as lead or administrator of a project that has targets."""
    membership = access.membership(request.user, slug)
    fetch.targets(membership)
    return membership


@login_required
@require_GET
def targets(request: HttpRequest, slug: str) -> HttpResponse:
    """Every target with how far it is; numbers lead to the items behind them."""
    membership = _coordinator(request, slug)
    context = {
        **frame_context(membership, "targets"),
        "targets": targets_of(membership),
    }
    return render(request, "validation/translation/targets.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def target_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Many targets at once; the preset's own are proposed to a project that has none."""
    membership = _coordinator(request, slug)
    if request.method != "POST":
        return _new(request, membership, TargetLinesForm(initial={"lines": _proposed(membership)}))
    form = TargetLinesForm(request.POST)
    if not form.is_valid():
        return _new(request, membership, form, status=422)
    try:
        made = targets_add(project=membership.project, text=form.cleaned_data["lines"], by=membership.user)
    except Invalid as refusal:
        form.faults = tuple(refusal.details.get("faults", ()))
        form.add_error("lines", problem_words(refusal.code))
        return _new(request, membership, form, status=422)
    words = ngettext("%(n)d target was added.", "%(n)d targets were added.", len(made))
    messages.success(request, words % {"n": len(made)})
    return redirect("targets", slug=slug)


def _proposed(membership: Membership) -> str:
    """The lines that the project's preset brings, where no target is there yet."""
    if fetch.targets(membership) or not membership.project.preset:
        return ""
    return presets.get(membership.project.preset).targets


def _new(request: HttpRequest, membership: Membership, form: TargetLinesForm, status: int = 200) -> HttpResponse:
    context = {
        "project": membership.project,
        "nav": navigation_links(membership, "targets"),
        "form": form,
        "proposed": bool(form.initial.get("lines")),
    }
    return render(request, "validation/translation/target_new.html", context, status=status)


def _page(
    request: HttpRequest, membership: Membership, target: Target, *, status: int = 200, **more: Any
) -> HttpResponse:
    """One target; `more` may bring its form back with what was typed."""
    slug, team = membership.project.slug, team_of(target)
    context = {
        **frame_context(membership, "targets"),
        "target": target,
        "progress": next(each for each in targets_of(membership) if each.target.pk == target.pk),
        "team": team,
        "writers": [person for person in team if person.is_writer],
        "allocation_size": membership.project.rules.allocation_size,
        "silent": _silent_checks(target),
        "recheck": page_url("target_recheck", slug, target.key),
        "form": TargetForm(initial=initial_of(target)),
        **more,
    }
    return render(request, "validation/translation/target.html", context, status=status)


def _silent_checks(target: Target) -> list[str]:
    """What the checks cannot say of this target yet, and why."""
    resources = resources_of(target)
    return [gettext(each.message) % each.params for each in silent_checks(resources)] if resources else []


@login_required
@require_GET
def target(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """One target: its words, its team, how far it is."""
    membership = _coordinator(request, slug)
    return _page(request, membership, access.target(membership, key))


@login_required
@require_POST
def target_change(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Change what a target is called and explained by; what was typed is kept where that is refused."""
    membership = _coordinator(request, slug)
    target, form = access.target(membership, key), TargetForm(request.POST)
    if not form.is_valid():
        return _page(request, membership, target, status=422, form=form)
    try:
        actions_target_change(target=target, by=membership.user, **form.cleaned_data)
    except (Conflict, Invalid) as refusal:
        if "current" in refusal.details:
            return _stale(request, membership, refusal.details["current"], form)
        form.add_error(
            refusal.field if refusal.field in form.fields else None,
            gettext(refusal.message) if refusal.code == "target_wrong" else problem_words(refusal.code),
        )
        return _page(request, membership, target, status=409 if isinstance(refusal, Conflict) else 422, form=form)
    messages.success(request, gettext("The target was changed."))
    return redirect("target", slug=slug, key=key)


def _stale(request: HttpRequest, membership: Membership, stands: Target, form: TargetForm) -> HttpResponse:
    """What was typed, in a form that can be sent again, beside what stands now."""
    now = initial_of(stands)
    typed = {**form.cleaned_data, "words": word_list.text_of(form.cleaned_data["words"])}
    again = TargetForm(initial={**typed, "version": stands.version})
    return _page(request, membership, stands, status=409, form=again, differences=differences(form, typed, now))


@login_required
@require_POST
def target_closing(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """End a target, or open it again; either is undone by the other."""
    membership = _coordinator(request, slug)
    target, ended = access.target(membership, key), request.POST.get("ended") == "yes"
    target_end(target=target, ended=ended, by=membership.user)
    words = (
        gettext("The target was ended: nothing new is given out in it.")
        if ended
        else gettext("The target is open again.")
    )
    messages.success(request, words)
    return redirect("target", slug=slug, key=key)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def people_targets(request: HttpRequest, slug: str, annotator_id: int) -> HttpResponse:
    """The targets of one member; POST changes them. A page that is behind gets 409 with what was chosen."""
    membership = access.membership(request.user, slug)
    fetch.targets(membership)
    member = get_changeable_member(project=membership.project, annotator_id=annotator_id, by=membership.user)
    if request.method != "POST":
        return _members_page(request, membership, member)
    chosen = request.POST.getlist("target")
    try:
        targets_give(
            project=membership.project,
            annotator_id=annotator_id,
            keys=chosen,
            by=membership.user,
            seen=request.POST.get("seen", "").split(),
        )
    except (Conflict, Invalid) as refusal:
        status = 409 if isinstance(refusal, Conflict) else 422
        return _members_page(request, membership, member, status=status, problem=refusal.code, chosen=chosen)
    messages.success(request, gettext("The targets of %(who)s were changed.") % {"who": member.pseudonym})
    return redirect("people", slug=slug)


def _members_page(
    request: HttpRequest, membership: Membership, member: Annotator, *, status: int = 200, **more: Any
) -> HttpResponse:
    targets = fetch.targets(membership)
    present = sorted(member.target_memberships.values_list("target__key", flat=True))
    context = {
        **frame_context(membership, "people"),
        "member": member,
        "roles": Roles.of(member),
        "targets": targets,
        "present": [target for target in targets if target.key in present],
        "seen": " ".join(present),
        "chosen": present,
        **more,
    }
    return render(request, "validation/translation/people_targets.html", context, status=status)


@login_required
@require_POST
def target_recheck(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Start the job that checks a target again; what it finds stands on the review desk."""
    membership = access.membership(request.user, slug)
    if not membership.sees_all:
        raise Forbidden
    recheck_start(target=access.target(membership, key), by=membership.user)
    messages.success(
        request,
        gettext("The translations are being checked again. Findings will be on the review desk."),
    )
    return redirect("target", slug=slug, key=key)
