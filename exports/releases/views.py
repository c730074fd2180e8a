"""The pages of releases: the list, the rules with their preview, one release with its files (screens.md 7)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from annotation.core import access as people
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.rules.fields import FieldError
from annotation.files import storage
from annotation.jobs.models import Job
from annotation.ui.navigation import navigation_links
from annotation.ui.rule_forms import named_values, reason_of
from exports.aligned.rules.card import is_aligned
from exports.aligned.views import missing_table
from exports.releases import actions
from exports.releases import forms as rule_fields
from exports.releases import queries as access
from exports.releases.actions import PartIn
from exports.releases.datasheet_facts import missing_now
from exports.releases.models import Release
from exports.releases.preview import Confirmations, confirmations_of, needed_confirmations, preview_shown_to
from exports.releases.rules.manifest import spellings
from exports.releases.rules.settings import (
    ALIGNED,
    SPLITS,
    SplitRules,
    default_rules,
    layout_of,
    presets_of_project,
    rule_names,
)
from exports.releases.rules.splits import REASONS


@dataclass(frozen=True)
class Row:
    """One line of the table of counts: a split, or a reason; `shares` are its labels or label sources."""

    name: str
    rows: int
    labels: list[int]
    sources: str = ""
    levels: str = ""
    silver: int = 0


def _context(membership: Membership, **more: Any) -> dict[str, Any]:
    return {
        "project": membership.project,
        "membership": membership,
        "nav": navigation_links(membership, "releases"),
        **more,
    }


@login_required
@require_safe
def release_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Every release, newest first."""
    membership = people.lead_membership(request.user, slug)
    return render(request, "exports/releases/releases.html", _context(membership, releases=access.releases(membership)))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def release_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose rules and see what they come to; administrators freeze."""
    if request.method == "POST":
        return _freeze(request, slug)
    membership = people.lead_membership(request.user, slug)
    return _rules_page(request, membership, request.GET)


def _freeze(request: HttpRequest, slug: str) -> HttpResponse:
    membership = people.administrator_membership(request.user, slug)
    sent = request.POST
    form = _form(membership, sent)
    others, whole = rule_fields.chosen_parts(rule_fields.other_projects(membership, sent))
    if form.errors or not whole or _preset_error(membership, sent):
        return _rules_page(request, membership, sent, status=422)
    found = needed_confirmations([PartIn(membership.project, form.rules, ""), *others])
    if found.items and (found.is_empty or found.needs_confirmation(**_confirmed(sent))):
        return _rules_page(request, membership, sent, status=422)
    suffix = rule_fields.own_suffix(membership, sent) if others else ""
    try:
        release = actions.release_freeze(
            project=membership.project, rules=form.rules, by=membership.user, suffix=suffix, others=others
        )
    except Invalid:
        return _rules_page(request, membership, sent, status=422, clash=True)
    except Conflict as refused:
        empty = refused.field if refused.code == "nothing_there" else ""
        return _rules_page(request, membership, sent, status=409, empty=empty)
    return redirect("release", slug=slug, n=release.n)


def _confirmed(sent: Mapping[str, str]) -> dict[str, bool]:
    """What a form confirms of a release."""
    return {name: sent.get(f"confirm-{name}") == "yes" for name in ("shared", "licence", "audits")}


def _form(membership: Membership, sent: QueryDict) -> rule_fields.ReleaseForm:
    """The rules that a form or an address names; what cannot be read leaves the preset's rules standing."""
    named = "" if _preset_error(membership, sent) else sent.get("preset", "")
    rules = default_rules(_layout(membership), named or membership.project.rules.release)
    form = rule_fields.ReleaseForm(sent, project=membership.project, stands=rules)
    form.full_clean()
    return form


def _preset_error(membership: Membership, sent: Mapping[str, str]) -> str:
    """Why the preset that was sent cannot be taken; empty where it can, or none was."""
    try:
        if named := sent.get("preset", ""):
            access.preset_of(membership.project, named)
    except FieldError as error:
        return f"“{named[:40]}” {reason_of(error)}"
    return ""


def _layout(membership: Membership) -> str:
    return layout_of(membership.project.kind_spec.shape)


def _rules_page(
    request: HttpRequest,
    membership: Membership,
    sent: QueryDict,
    status: int = 200,
    *,
    clash: bool = False,
    empty: str = "",
) -> HttpResponse:
    """`clash`: names of files would be the same; `empty`: the project that has nothing to release."""
    form = _form(membership, sent)
    counts = preview_shown_to(membership, form.rules) if not form.errors else None
    chosen = rule_fields.other_projects(membership, sent, counted=True)
    counted = [(other.project, other.counts) for other in chosen if other.chosen and other.counts]
    questions = confirmations_of([(membership.project, counts), *counted]) if counts else Confirmations()
    context = _context(
        membership,
        form=form,
        presets=presets_of_project(membership.project.preset, membership.project.kind_spec),
        preset_error=_preset_error(membership, sent),
        counts=counts,
        tables=_tables(membership, counts) if counts else None,
        unfinished=actions.unfinished_sets(membership.project),
        not_stated=missing_now(membership.project),
        broad=_layout(membership) == ALIGNED,
        others=chosen,
        asked=questions,
        confirmed=_confirmed(sent),
        unconfirmed=request.method == "POST" and questions.needs_confirmation(**_confirmed(sent)),
        suffix=rule_fields.own_suffix(membership, sent),
        clash=clash,
        empty=empty,
    )
    part = request.headers.get("HX-Target") == "preview"
    template = "exports/releases/partials/preview.html" if part else "exports/releases/release_new.html"
    return render(request, template, context, status=status)


def _tables(membership: Membership, counts: Mapping[str, Any]) -> dict[str, Any]:
    """Counts as rows: splits by label, and what is left out by reason; of an aligned release its tasks by target."""
    left_out = [
        Row(gettext(REASONS.get(reason, reason)), n, []) for reason, n in in_known_order(counts["left_out"], REASONS)
    ]
    if is_aligned(counts):
        return {"left_out": left_out, "matrix": missing_table(membership, counts)}
    labels = membership.project.kind_spec.question.release_labels
    spelled = spellings(membership.project.kind_spec)
    splits = [
        Row(
            name,
            split["rows"],
            [split["labels"].get(spelled[label.key], 0) for label in labels],
            ", ".join(f"{source} {n}" for source, n in split["label_sources"].items()),
            ", ".join(f"{level} {n}" for level, n in split.get("levels", {}).items()),
            split.get("silver", 0),
        )
        for name, split in in_known_order(counts["splits"], SPLITS)
    ]
    by_level, silver = any(row.levels for row in splits), any(row.silver for row in splits)
    tables = {"labels": labels, "splits": splits, "left_out": left_out}
    return {**tables, "by_level": by_level, "silver": silver}


def in_known_order(found: Mapping[str, Any], known: Iterable[str]) -> list[tuple[str, Any]]:
    """Pairs in the order of the known names: PostgreSQL keeps the keys of stored JSON in one of its own."""
    names = [name for name in known if name in found]
    return [(name, found[name]) for name in [*names, *sorted(set(found) - set(names))]]


@login_required
@require_safe
def release_page(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """How far it is; then its files, card, counts, and what changed."""
    membership = people.lead_membership(request.user, slug)
    release = access.release(membership, n)
    held, files = SplitRules.from_stored(release.rules), access.visible_files(membership, release)
    kind = membership.project.kind_spec
    job = release.job or (release.whole.job if release.whole else None)
    waits = job is not None and job.state in (Job.State.QUEUED, Job.State.RUNNING)
    context = _context(
        membership,
        release=release,
        job=job,
        parts=access.part_releases(membership, release),
        why=access.failure_reason(membership, release),
        files=files,
        waits=waits and release.state != Release.State.READY,
        ready=release.state == Release.State.READY,
        tables=_tables(membership, release.counts) if release.counts else None,
        since=release.counts.get("since"),
        rules=named_values(held, rule_names(kind.shape, kind.settings)),
        card=access.card_text(files),
        leakage=access.leakage_counts(files),
        unfinished=release.context.get("unfinished", []),
        answered=bool(files and kind.question.evaluation_kind),
        open_reports=access.open_reports(release),
    )
    part = request.headers.get("HX-Target") == "release"
    return render(
        request,
        "exports/releases/partials/release.html" if part else "exports/releases/release.html",
        context,
    )


@login_required
@require_safe
def release_file(request: HttpRequest, slug: str, n: int, name: str) -> HttpResponseBase:
    """One file, to keep: never shown by the browser. Who took it is noted."""
    membership = people.lead_membership(request.user, slug)
    release = access.release(membership, n)
    file = access.release_file(membership, release, name)
    kept_as = f"{membership.project.slug}-{n}-{file.name.replace('/', '-')}"
    answer: HttpResponseBase
    if request.method == "HEAD":
        answer = HttpResponse(headers={"Content-Length": str(file.bytes)})
    else:
        actions.release_downloaded(release=release, name=name, by=membership.user)
        if link := storage().download_url(file.stored, kept_as=kept_as, content_type=file.content_type):
            return HttpResponseRedirect(link, headers={"Cache-Control": "no-store"})
        answer = StreamingHttpResponse(storage().read(file.stored), headers={"Content-Length": str(file.bytes)})
    answer.headers["Content-Type"] = file.content_type
    answer.headers["Content-Disposition"] = content_disposition_header(True, kept_as) or "attachment"
    answer.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return answer
