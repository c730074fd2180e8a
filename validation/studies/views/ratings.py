"""Ratings of model outputs for leads and administrators: prepare, bring outputs, open, follow, close, read.

Results by model are shown once a rating is closed; until then only how far it is.
"""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, Refusal
from annotation.core.messages import problem_words
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import rooms
from validation.imports.actions import shown_name
from validation.insights.rules.agreement import Figure
from validation.studies.actions.model_outputs import Report, generations_import
from validation.studies.actions.rating_runs import run_change, run_close, run_open, run_prepare
from validation.studies.models.rating import RatingRun
from validation.studies.queries import ratings as fetch
from validation.studies.rules import ratings as rules
from validation.studies.rules.criteria import DEFAULT, Criterion, write_criteria

MOST_REFUSED = 200


def _context(membership: Membership) -> dict[str, Any]:
    return {"project": membership.project, "membership": membership, "nav": rooms(membership, "ratings")}


def _words(refusal: Refusal) -> str:
    """What went wrong: the action's own words, or those of its code."""
    return refusal.message or problem_words(refusal.code)


def _status(refusal: Refusal) -> int:
    return 409 if isinstance(refusal, Conflict) else 422


def _number(text: str) -> int:
    """A whole number as typed; 0, which nothing takes, for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


@login_required
@require_http_methods(["GET", "POST"])
def ratings(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's ratings, and a form for a new one."""
    membership = fetch.overseer(request.user, slug)
    problem, status = "", 200
    if request.method == "POST":
        try:
            made = _prepared(membership, request.POST)
        except (Conflict, Invalid) as refusal:
            problem, status = _words(refusal), _status(refusal)
        else:
            return redirect("rating_run", slug, made.pk)
    context = {
        **_context(membership),
        "runs": fetch.runs(membership),
        "problem": problem,
        "typed": request.POST,
        "usual_sample": rules.SAMPLE,
    }
    return render(request, "validation/studies/ratings.html", context, status=status)


def _prepared(membership: Membership, sent: QueryDict) -> RatingRun:
    sample = _number(sent.get("sample", ""))
    return run_prepare(
        project=membership.project, name=sent.get("name", ""), sample=sample, by=membership.user
    )


def _page(
    request: HttpRequest, membership: Membership, run: RatingRun, *, status: int = 200, **more: Any
) -> HttpResponse:
    context = {**_context(membership), "run": run, "criteria": fetch.criteria(run)}
    if run.state == RatingRun.State.PREPARED:
        context |= {
            "brought": fetch.brought(run),
            "raters": list(fetch.raters(membership)),
            "group_size": rules.GROUP,
            "criteria_text": write_criteria(_in_own_words(fetch.criteria(run))),
        }
    else:
        context["groups"] = fetch.groups(run)
    if run.state == RatingRun.State.CLOSED:
        context |= _results(run)
    return render(request, "validation/studies/rating_run.html", {**context, **more}, status=status)


def _in_own_words(criteria: Sequence[Criterion]) -> list[Criterion]:
    """The criteria of the house in the reader's language, to start from; a team's own as they are."""
    return [Criterion(each.key, gettext(each.name), gettext(each.definition)) for each in criteria]


def _results(run: RatingRun) -> dict[str, Any]:
    tally = fetch.results(run)
    names = {each.key: each for each in fetch.criteria(run)}
    return {
        "tally": tally,
        "table": [
            (names[key], [tally.counts[model, key] for model in tally.models]) for key in tally.criteria
        ],
        "agreement": [(names[key], tally.agreement[key]) for key in tally.criteria],
        "undefined": sorted(
            {each.why for of in tally.agreement.values() for each in of if each.value is None}
        ),
        "unrated": fetch.unrated(run, tally),
    }


@login_required
@require_GET
def rating_run(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """One rating: what it still needs, how far it is, or what came of it."""
    membership = fetch.overseer(request.user, slug)
    return _page(request, membership, fetch.run(membership, run_id))


@login_required
@require_POST
def rating_change(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """Another sample or other criteria, before it is opened."""
    membership = fetch.overseer(request.user, slug)
    run, sent = fetch.run(membership, run_id), request.POST
    text = sent.get("criteria", "").replace("\r\n", "\n")
    try:
        run_change(
            project=membership.project,
            run_id=run.pk,
            version=_number(sent.get("version", "")),
            sample=_number(sent.get("sample", "")),
            criteria=_of_the_house(text),
            by=membership.user,
        )
    except (Conflict, Invalid) as refusal:
        more = {
            "change_problem": _words(refusal),
            "criteria_text": text,
            "sample_typed": sent.get("sample", ""),
        }
        return _page(request, membership, fetch.run(membership, run_id), status=_status(refusal), **more)
    messages.success(request, gettext("The rating was changed."))
    return redirect("rating_run", slug, run_id)


def _of_the_house(text: str) -> str:
    """An untouched list of the house stays the house's, so that everybody reads it in their own language."""
    return "" if text.strip() == write_criteria(_in_own_words(DEFAULT)) else text


@login_required
@require_POST
def rating_outputs(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """Take a file of outputs in; the answer is its report."""
    membership = fetch.overseer(request.user, slug)
    run = fetch.run(membership, run_id)
    try:
        report = _taken(request, membership, run)
    except (Conflict, Invalid) as refusal:
        more = {"outputs_problem": _words(refusal)}
        return _page(request, membership, fetch.run(membership, run_id), status=_status(refusal), **more)
    shown: dict[str, Any] = {"report": report, "refused": report.refused[:MOST_REFUSED]}
    return _page(request, membership, run, refused_more=len(report.refused[MOST_REFUSED:]), **shown)


def _taken(request: HttpRequest, membership: Membership, run: RatingRun) -> Report:
    sent = request.FILES.get("file")
    if sent is None:
        raise Invalid(gettext("Choose a file first."), field="file", code="file_missing")
    if (sent.size or 0) > settings.MUFAKAT_UPLOAD_MAX_BYTES:
        message = gettext("The file is too large; send it in parts.")
        raise Invalid(message, field="file", code="file_too_large")
    name = shown_name(sent.name or "file")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "outputs"
        with path.open("wb") as file:
            for chunk in sent.chunks():
                file.write(chunk)
        return generations_import(
            project=membership.project, run_id=run.pk, path=path, name=name, by=membership.user
        )


@login_required
@require_POST
def rating_open(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """Draw the prompts, deal the outputs, and let the chosen raters begin."""
    membership = fetch.overseer(request.user, slug)
    run = fetch.run(membership, run_id)
    chosen = [number for text in request.POST.getlist("rater") if (number := _number(text))]
    try:
        run_open(project=membership.project, run_id=run.pk, raters=chosen, by=membership.user)
    except (Conflict, Invalid) as refusal:
        more = {"open_problem": _words(refusal), "chosen": chosen}
        return _page(request, membership, fetch.run(membership, run_id), status=_status(refusal), **more)
    messages.success(request, gettext("The rating is open. Raters find it under “Rate”."))
    return redirect("rating_run", slug, run_id)


@login_required
@require_POST
def rating_close(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """End the rating and show what came of it."""
    membership = fetch.overseer(request.user, slug)
    run = fetch.run(membership, run_id)
    try:
        run_close(project=membership.project, run_id=run.pk, by=membership.user)
    except Conflict as refusal:
        return _page(request, membership, run, status=409, open_problem=_words(refusal))
    messages.success(request, gettext("The rating is closed. Its results stand below."))
    return redirect("rating_run", slug, run_id)


def _file(run: RatingRun, name: str, rows: Iterable[Sequence[object]]) -> HttpResponse:
    return csv_answer(rows, f"rating-{run.pk}-{name}.csv")


@login_required
@require_GET
def rating_counts(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """Counts by criterion and model with agreement, as CSV; only of a closed rating."""
    membership = fetch.overseer(request.user, slug)
    run = fetch.run(membership, run_id)
    return _file(run, "counts", _count_rows(fetch.results(run)))


FIGURES = ("percent_agreement", "krippendorff_alpha", "mean_pairwise_kappa")


def _count_rows(tally: rules.Tally) -> Iterator[Sequence[object]]:
    over = [f"{name}{part}" for name in FIGURES for part in ("", "_items", "_ratings")]
    yield ["criterion", "model", "majority_yes", "outputs", *over]
    for key in tally.criteria:
        figures = [cell for figure in tally.agreement[key] for cell in _cells(figure)]
        for model in tally.models:
            count = tally.counts[model, key]
            yield [key, model, count.yes, count.outputs, *figures]


def _cells(figure: Figure) -> list[object]:
    value = "" if figure.value is None else f"{figure.value:.6f}"
    return [value, figure.items, figure.ratings]


@login_required
@require_GET
def rating_rows(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """Every rating that was given, as CSV; only of a closed rating."""
    membership = fetch.overseer(request.user, slug)
    run = fetch.run(membership, run_id)
    fetch.closed(run)
    return _file(run, "ratings", _rating_rows(run))


def _rating_rows(run: RatingRun) -> Iterator[Sequence[object]]:
    keys = [each.key for each in fetch.criteria(run)]
    yield ["prompt", "model", "group", "rater", *keys, "comment", "seconds"]
    for row in fetch.answered(run).iterator(chunk_size=2000):
        made = row.generation
        answers = [row.answers.get(key, "") for key in keys]
        seconds = "" if row.seconds is None else f"{row.seconds:.1f}"
        yield [made.item.key, made.model, made.group, row.annotator.pseudonym, *answers, row.comment, seconds]
