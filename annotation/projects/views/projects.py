"""New projects from a preset, and a project's settings and protocol: for administrators."""

from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation import kinds, presets
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.voters import voters_besides_writer
from annotation.projects.actions.projects import (
    project_close,
    project_create,
    project_settings_change,
    protocol_change,
)
from annotation.projects.forms import ProjectForm, ProtocolForm, SettingsForm
from annotation.ui.pages import differences, page, posted_number, show_refusal
from annotation.ui.rule_forms import in_words
from validation.consensus.protocol import LEAST_AUDIT_VOTES, PRESETS, Protocol

AUDIT_SHOWN = 20
# The fields of a new project for which its preset has an answer.
FIXED_FIELDS = ("register", "share", "seed")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def project_new(request: HttpRequest) -> HttpResponse:
    """Choose a preset, then look over what it says and create the project."""
    person = access.site_administrator(request.user)
    sent = request.POST if request.method == "POST" else request.GET
    preset = presets.find(sent.get("preset", ""))
    if preset is None:
        context = {"presets": presets.all_presets()}
        return render(request, "annotation/projects/project_presets.html", context)
    protocol, kind = PRESETS[preset.protocol], kinds.get(preset.kind)
    if request.method != "POST":
        initial = {"preset": preset.slug, "language": preset.language, "share": preset.share}
        forms = ProjectForm(initial=initial, kind=kind), ProtocolForm(protocol=protocol, kind=kind)
        return _new_project_page(request, preset, *forms)
    form = ProjectForm(request.POST, kind=kind)
    rules = ProtocolForm(request.POST, protocol=protocol, kind=kind)
    if not (form.is_valid() & rules.is_valid()):
        return _new_project_page(request, preset, form, rules, status=422)
    try:
        project = project_create(**form.cleaned_data, protocol=rules.rules, by=person)
    except (Invalid, Conflict) as refusal:
        show_refusal(form, refusal)
        return _new_project_page(request, preset, form, rules, status=422)
    following = gettext("The project was made. Next: its guidelines, sources and people.")
    if access.has_targets(project):
        following = gettext("The project was made. Next: its source sets, targets and people.")
    elif project.rules.recipe:
        following = gettext("The project was made. Next: what questions are made from, a budget, a first run.")
    messages.success(request, following)
    return redirect("project", slug=project.slug)


def _new_project_page(
    request: HttpRequest, preset: presets.Preset, form: ProjectForm, rules: ProtocolForm, status: int = 200
) -> HttpResponse:
    # What the preset has settled, in a line; the fields of it open on demand, and where one of them is wrong.
    wrong = rules.errors if rules.is_bound else {}
    context = {
        "preset": preset,
        "form": form,
        "rules": rules,
        "settled": rules.rules.title_in(gettext),
        "share": form["share"].value(),
        "settled_fields": FIXED_FIELDS,
        "opened": bool(wrong) or any(form[name].errors for name in FIXED_FIELDS if name in form.fields),
    }
    return render(request, "annotation/projects/project_new.html", context, status=status)


def _sample_share(project: Project) -> Decimal:
    return project.sample_share.normalize()


def _protocol(project: Project) -> Protocol:
    return Protocol.from_stored(project.protocols.order_by("-n")[0].rules)


def _rules(project: Project, *sent: Any, protocol: Protocol | None = None) -> ProtocolForm:
    preset = presets.find(project.preset)
    usual = PRESETS[preset.protocol] if preset is not None else None
    stands = protocol or _protocol(project)
    return ProtocolForm(*sent, protocol=stands, usual=usual, kind=project.kind_spec)


def _page(request: HttpRequest, membership: Membership, status: int = 200, **more: Any) -> HttpResponse:
    project = membership.project
    protocols = project.protocols.order_by("-n")
    voters = voters_besides_writer(project.pk) if _protocol(project).alpha else LEAST_AUDIT_VOTES
    first = {"sample_share": _sample_share(project), "version": project.version}
    context = {
        "form": SettingsForm(project=project, initial=first),
        "rules": _rules(project),
        "few_voters": voters < LEAST_AUDIT_VOTES,
        "voters": voters,
        "version": project.version,
        "versions": [(made, Protocol.from_stored(made.rules).title_in(gettext)) for made in protocols],
        "events": Event.objects.filter(project=project).select_related("actor").order_by("-id")[:AUDIT_SHOWN],
        **more,
    }
    return page(request, membership, "settings", "annotation/projects/settings.html", status=status, **context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Settings and protocol with their explanations; POST changes the settings."""
    membership = access.administrator_membership(request.user, slug)
    if request.method != "POST":
        return _page(request, membership)
    form = SettingsForm(request.POST, project=membership.project)
    if not form.is_valid():
        return _page(request, membership, status=422, form=form)
    sent, project = form.cleaned_data, membership.project
    changes = {name: value for name, value in sent.items() if name != "version"}
    try:
        project_settings_change(project=project, by=membership.user, changes=changes, version=sent["version"])
    except Conflict:
        project.refresh_from_db()
        typed = {"sample_share": sent["sample_share"], **in_words(form.rules, form.names)}
        stands = {"sample_share": _sample_share(project), **in_words(project.rules, form.names)}
        again = SettingsForm(project=project, initial={**sent, "version": project.version})
        return _page(request, membership, status=409, form=again, differences=differences(form, typed, stands))
    except Invalid as refusal:
        return _page(request, membership, status=show_refusal(form, refusal), form=form)
    messages.success(request, gettext("The settings were saved."))
    return redirect("settings", slug=slug)


@login_required
@require_POST
def settings_protocol(request: HttpRequest, slug: str) -> HttpResponse:
    """A new version of the protocol; items whose validation began keep theirs (ruling 10)."""
    membership = access.administrator_membership(request.user, slug)
    version, project = posted_number(request, "version"), membership.project
    rules = _rules(project, request.POST)
    if not rules.is_valid() or not request.POST.get("version", "").isdecimal():
        return _page(request, membership, status=422, rules=rules)
    try:
        protocol_change(project=project, by=membership.user, protocol=rules.rules, version=version)
    except Conflict:
        project.refresh_from_db()
        more = {
            "rules": _rules(project, protocol=rules.rules),
            "protocol_differences": differences(
                rules, in_words(rules.rules, rules.names), in_words(_protocol(project), rules.names)
            ),
            "protocol_stale": True,
        }
        return _page(request, membership, status=409, **more)
    except Invalid as refusal:
        return _page(request, membership, status=show_refusal(rules, refusal), rules=rules)
    messages.success(request, gettext("The protocol has a new version."))
    return redirect("settings", slug=slug)


@login_required
@require_POST
def settings_closing(request: HttpRequest, slug: str) -> HttpResponse:
    """Close the project, or open it again; either is undone by the other."""
    membership = access.administrator_membership(request.user, slug)
    closed = request.POST.get("closed") == "yes"
    project_close(project=membership.project, by=membership.user, closed=closed)
    messages.success(request, gettext("The project is closed.") if closed else gettext("The project is open again."))
    return redirect("settings", slug=slug)
