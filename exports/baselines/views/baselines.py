"""Human baselines for leads and administrators: draw, follow, replace people, end, read how often they are right."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core import access as members
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound, Refusal
from annotation.core.messages import problem_words
from annotation.kinds import Kind
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import rooms
from exports.baselines import access, rules
from exports.baselines.drawing import (
    SourceIn,
    answered_kind,
    baseline_create,
    baseline_end,
    baseline_replace,
)
from exports.baselines.forms import BaselineForm
from exports.baselines.models import Baseline, BaselineSource
from exports.releases.models import Release
from validation.studies.models.diagnostic import DiagnosticSet


@dataclass(frozen=True)
class Line:
    """One accuracy, in percent, of what in words."""

    of: rules.Accuracy
    source: str
    label: str
    percent: float | None
    low: float | None
    high: float | None


def _context(membership: Membership) -> dict[str, Any]:
    return {"project": membership.project, "membership": membership, "nav": rooms(membership, "baselines")}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def baselines(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's human baselines; administrators draw a new one."""
    membership = access.overseer(request.user, slug)
    if request.method != "POST":
        return _list(request, membership, _form(membership) if membership.is_administrator else None)
    members.administrator(request.user, slug)
    form = _form(membership, request)
    if not form.is_valid():
        return _list(request, membership, form, status=422)
    try:
        made = baseline_create(
            project=membership.project,
            sources=_chosen(membership, form),
            task=form.cleaned_data["task"].replace("\r\n", "\n"),
            people=form.cleaned_data["people"],
            examples=form.cleaned_data["examples"],
            by=membership.user,
        )
    except (Invalid, Conflict) as refusal:
        form.add_error(refusal.field if refusal.field in form.fields else None, problem_words(refusal.code))
        return _list(request, membership, form, status=_status(refusal))
    messages.success(
        request, gettext("The items are drawn. Next: invite people to answer them, as “human baseline”.")
    )
    return redirect("baseline", slug, made.n)


def _status(refusal: Refusal) -> int:
    return 409 if isinstance(refusal, Conflict) else 422


def _list(
    request: HttpRequest, membership: Membership, form: BaselineForm | None, *, status: int = 200
) -> HttpResponse:
    context = {**_context(membership), "baselines": access.listed(membership), "form": form}
    return render(request, "exports/baselines/baselines.html", context, status=status)


def _form(membership: Membership, request: HttpRequest | None = None) -> BaselineForm:
    """Every set and release that can be drawn from; the usual number stands at the newest of each."""
    sets, releases = access.drawable(membership.project)
    sources = {
        f"set-{each.pk}": (_set_name(each), 0 if n else rules.USUAL_OF_SET) for n, each in enumerate(sets)
    } | {
        f"release-{each.pk}": (_release_name(each), 0 if n or sets else rules.USUAL_OF_RELEASE)
        for n, each in enumerate(releases)
    }
    initial = {
        "people": rules.USUAL_PEOPLE,
        "examples": rules.USUAL_EXAMPLES,
        "task": _usual_task(answered_kind(membership.project)),
    }
    return BaselineForm(request.POST if request else None, initial=initial, sources=sources)


def _set_name(of: DiagnosticSet) -> str:
    names = {"project": of.project.name, "n": of.n}
    return gettext("Diagnostic set %(n)s of %(project)s") % names


def _release_name(of: Release) -> str:
    return gettext("Test of release %(n)s of %(project)s") % {"project": of.project.name, "n": of.n}


def _usual_task(kind: Kind | None) -> str:
    """The question and what each answer means, as the kind has them; to be said in the project's own words."""
    if kind is None:
        return ""
    told = [f"{gettext(label.name)}: {gettext(label.help)}" for label in kind.labels if label.help]
    return "\n".join([gettext(kind.question), *told])


def _chosen(membership: Membership, form: BaselineForm) -> list[SourceIn]:
    sets, releases = access.drawable(membership.project)
    there: dict[str, DiagnosticSet | Release] = {f"set-{each.pk}": each for each in sets}
    there |= {f"release-{each.pk}": each for each in releases}
    return [SourceIn(there[name], n) for name, n in form.chosen()]


@login_required
@require_GET
def baseline(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """One baseline: what it asks, how far people are, and how often they are right."""
    membership = access.overseer(request.user, slug)
    found, kind = access.one(membership, n), answered_kind(membership.project)
    assert kind is not None  # noqa: S101 - the overseer of nothing else gets here
    sources = access.sources(found)
    judged = _judged(found, sources)
    labels = () if kind.own_options else kind.label_keys
    context = {
        **_context(membership),
        "found": found,
        "sources": [
            (_name(source), sum(each.row.source == source.n for each in judged)) for source in sources
        ],
        "asked": len(judged),
        "over": sum(each.over for each in judged),
        "shown": found.items.filter(example=True).count(),
        "most": _lines(rules.of_majority(judged, labels), sources, kind),
        "each": _lines(rules.of_people(judged), sources, kind),
        "progress": access.progress(found),
    }
    return render(request, "exports/baselines/baseline.html", context)


def _judged(found: Baseline, sources: Sequence[BaselineSource]) -> list[rules.Judged]:
    frequent = {source.n: source.frequent for source in sources}
    return rules.judge(access.rows_of(found), found.people, frequent)


def _name(source: BaselineSource) -> str:
    if source.release is not None:
        return _release_name(source.release)
    assert source.diagnostic is not None  # noqa: S101 - the database says so
    return _set_name(source.diagnostic)


def _lines(found: Sequence[rules.Accuracy], sources: Sequence[BaselineSource], kind: Kind) -> list[Line]:
    names = {source.n: _name(source) for source in sources}
    words = {label.key: gettext(label.name) for label in kind.labels}
    return [
        Line(
            each,
            gettext("all") if each.source is None else names[each.source],
            words.get(each.label, each.label) if each.label else gettext("all"),
            *(None if number is None else 100 * number for number in (each.share, *_between(each))),
        )
        for each in found
    ]


def _between(of: rules.Accuracy) -> tuple[float | None, float | None]:
    return (None, None) if of.interval is None else (of.interval.low, of.interval.high)


@login_required
@require_GET
def baseline_file(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Every item as CSV: where it is from, gold, what the people's answer is, and what each said."""
    membership = access.overseer(request.user, slug)
    found = access.one(membership, n)
    sources = access.sources(found)
    names = {source.n: _file_name(source) for source in sources}
    head = ("id", "source", "gold", "answer", "majority", "right", "answers")
    rows = [
        (
            each.row.key,
            names[each.row.source],
            each.row.gold,
            each.label,
            int(each.agreed) if each.over else "",
            int(each.right) if each.over else "",
            " ".join(f"{who}:{label}" for who, label in each.row.said),
        )
        for each in _judged(found, sources)
    ]
    return csv_answer([head, *rows], f"{slug}-baseline-{found.n}.csv")


def _file_name(source: BaselineSource) -> str:
    if source.release is not None:
        return f"{source.release.project.slug} release {source.release.n}"
    assert source.diagnostic is not None  # noqa: S101 - the database says so
    return f"{source.diagnostic.project.slug} diagnostic {source.diagnostic.n}"


@login_required
@require_POST
def baseline_over(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """End a baseline."""
    membership = access.overseer(request.user, slug)
    baseline_end(project=membership.project, n=access.one(membership, n).n, by=membership.user)
    messages.success(request, gettext("The human baseline has ended. Nobody is asked any more."))
    return redirect("baseline", slug, n)


@login_required
@require_POST
def baseline_other(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Let somebody else take a person's place."""
    membership = access.overseer(request.user, slug)
    wanted = request.POST.get("person", "")
    if not (wanted.isascii() and wanted.isdigit() and len(wanted) < 19):
        raise NotFound
    try:
        baseline_replace(
            project=membership.project,
            n=access.one(membership, n).n,
            annotator_id=int(wanted),
            by=membership.user,
        )
    except Conflict as refusal:
        messages.error(request, problem_words(refusal.code))
    else:
        messages.success(request, gettext("The place is free: the next person who begins takes it."))
    return redirect("baseline", slug, n)
