"""Ratings of model outputs for leads and administrators: prepare, bring outputs, open, follow, close, read.

Results by model are shown once a rating is closed; until then only how far it is.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.ui.csv_files import csv_answer
from annotation.ui.pages import context, whole_number, words_of
from annotation.ui.tables import NUMBER, WORD, columns, table
from validation.imports.actions import shown_name
from validation.insights.rules.agreement import Figure
from validation.studies.actions.model_outputs import Report, generations_import
from validation.studies.actions.rating_runs import run_change, run_close, run_open, run_prepare
from validation.studies.models import RatingRun
from validation.studies.queries import ratings as fetch
from validation.studies.rules import ratings as rules
from validation.studies.rules.criteria import DEFAULT, Criterion, write_criteria
from validation.studies.views.pages import state_tag

MOST_REFUSED = 200
State = RatingRun.State


@login_required
@require_http_methods(["GET", "POST"])
def ratings(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's ratings, and a form for a new one."""
    membership = fetch.overseer(request.user, slug)
    problem, status, sent = "", 200, request.POST
    if request.method == "POST":
        name, sample = sent.get("name", ""), whole_number(sent.get("sample"))
        try:
            made = run_prepare(project=membership.project, name=name, sample=sample, by=membership.user)
        except (Conflict, Invalid) as refusal:
            problem, status = words_of(refusal), refusal.page_status
        else:
            return redirect("rating_run", slug, made.pk)
    shown = context(
        membership,
        "ratings",
        runs=[(run, _state(run), *figures) for run, *figures in fetch.runs(membership)],
        problem=problem,
        typed=sent,
        usual_sample=rules.SAMPLE,
    )
    return render(request, "validation/studies/ratings.html", shown, status=status)


def _state(run: RatingRun) -> SafeString:
    return state_tag(run.get_state_display(), is_open=run.state == State.OPEN)


def _page(
    request: HttpRequest, membership: Membership, run: RatingRun, *, status: int = 200, **more: Any
) -> HttpResponse:
    criteria = fetch.criteria(run)
    shown = context(membership, "ratings", run=run, state=_state(run), criteria=criteria)
    if run.state == State.PREPARED:
        shown |= {
            "brought": (brought := fetch.brought(run)),
            "brought_table": table(
                [*columns(WORD, _("Model")), *columns(NUMBER, _("Outputs"))], brought.models
            ),
            "raters": list(fetch.raters(membership.project)),
            "group_size": rules.GROUP,
            "criteria_text": write_criteria(_in_own_language(criteria)),
        }
    else:
        shown["groups"] = fetch.groups(run)
    if run.state == State.CLOSED:
        shown |= _results(run, criteria)
    return render(request, "validation/studies/rating_run.html", {**shown, **more}, status=status)


def _in_own_language(criteria: Sequence[Criterion]) -> list[Criterion]:
    """The built-in criteria in the reader's language, to start from; a team's own as they are."""
    return [Criterion(each.key, _(each.name), _(each.definition)) for each in criteria]


def _results(run: RatingRun, criteria: Sequence[Criterion]) -> dict[str, Any]:
    tally = fetch.results(run)
    names = {each.key: format_html('<span dir="auto">{}</span>', _(each.name)) for each in criteria}
    counts = [
        (
            names[key],
            *(
                format_html(
                    '{} <span class="muted small">/ {}</span>', *map(intcomma, tally.counts[model, key])
                )
                for model in tally.models
            ),
        )
        for key in tally.criteria
    ]
    agreement = [
        (names[key], *map(_figure, tally.agreement[key]), _over(tally.agreement[key]))
        for key in tally.criteria
    ]
    coefficients = columns(NUMBER, "Percent agreement", "Krippendorff's alpha", "Mean Cohen's kappa of pairs")
    figures = [figure for key in tally.criteria for figure in tally.agreement[key]]
    criterion, title = columns("", _("Criterion")), _("For how many outputs a majority says yes")
    return {
        "tally": tally,
        "counts": table([*criterion, *columns(NUMBER, *tally.models)], counts, region=title, cards=False),
        "agreement": table([*criterion, *coefficients, *columns("", _("Over"))], agreement),
        "undefined": sorted({figure.why for figure in figures if figure.value is None}),
        "unrated": fetch.unrated(run, tally),
    }


def _figure(figure: Figure) -> str | None:
    if figure.value is None:
        return None
    return render_to_string("validation/insights/partials/figure.html", {"figure": figure})


def _over(agreed: rules.Agreed) -> SafeString:
    """Over what the figures are; those of pairs of people are over other items."""
    shown = [agreed.percent, *([agreed.kappa] if agreed.kappa.pairs else [])]
    template = "validation/insights/partials/figure_over.html"
    parts = [render_to_string(template, {"figure": figure}) for figure in shown]
    return format_html("{}" + "<br>{}" * (len(parts) - 1), *parts)


@login_required
@require_GET
def rating_run(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """One rating: what it still needs, how far it is, or its results."""
    membership = fetch.overseer(request.user, slug)
    return _page(request, membership, fetch.run(membership, run_id))


def _changed(
    request: HttpRequest,
    membership: Membership,
    run_id: int,
    change: Callable[[], object],
    success: str,
    problem: str,
    **typed: Any,
) -> HttpResponse:
    """Change a run and show it; what is refused is said on its page under the name `problem`, with what was typed."""
    try:
        change()
    except (Conflict, Invalid) as refusal:
        run, more = fetch.run(membership, run_id), {problem: words_of(refusal), **typed}
        return _page(request, membership, run, status=refusal.page_status, **more)
    messages.success(request, success)
    return redirect("rating_run", membership.project.slug, run_id)


@login_required
@require_POST
def rating_change(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """Another sample or other criteria, before it is opened."""
    membership = fetch.overseer(request.user, slug)
    run, sent = fetch.run(membership, run_id), request.POST
    text, sample = sent.get("criteria", "").replace("\r\n", "\n"), sent.get("sample", "")
    # An untouched list of the built-in ones stays that, so that everybody reads it in their own language.
    built_in = text.strip() == write_criteria(_in_own_language(DEFAULT))

    def change() -> object:
        return run_change(
            project=membership.project,
            run_id=run.pk,
            version=whole_number(sent.get("version")),
            sample=whole_number(sample),
            criteria="" if built_in else text,
            by=membership.user,
        )

    typed = {"criteria_text": text, "sample_typed": sample}
    success = _("The rating was changed.")
    return _changed(request, membership, run_id, change, success, "change_problem", **typed)


@login_required
@require_POST
def rating_outputs(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """Take a file of outputs in; the answer is its report."""
    membership = fetch.overseer(request.user, slug)
    run = fetch.run(membership, run_id)
    try:
        report = _taken(request, membership, run)
    except (Conflict, Invalid) as refusal:
        fresh, more = fetch.run(membership, run_id), {"outputs_problem": words_of(refusal)}
        return _page(request, membership, fresh, status=refusal.page_status, **more)
    rows = [(row.n, row.field, row.reason) for row in report.refused[:MOST_REFUSED]]
    columns_of = [*columns(NUMBER, _("Row")), *columns(WORD, _("Field"), _("Why it was refused"))]
    shown: dict[str, Any] = {"report": report, "refused": rows, "refused_table": table(columns_of, rows)}
    return _page(request, membership, run, refused_more=len(report.refused[MOST_REFUSED:]), **shown)


def _taken(request: HttpRequest, membership: Membership, run: RatingRun) -> Report:
    sent = request.FILES.get("file")
    if sent is None:
        raise Invalid(_("Choose a file first."), field="file", code="file_missing")
    if (sent.size or 0) > settings.MUFAKAT_UPLOAD_MAX_BYTES:
        raise Invalid(_("The file is too large; send it in parts."), field="file", code="file_too_large")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "outputs"
        with path.open("wb") as file:
            for chunk in sent.chunks():
                file.write(chunk)
        name = shown_name(sent.name or "file")
        return generations_import(
            project=membership.project, run_id=run.pk, path=path, name=name, by=membership.user
        )


@login_required
@require_POST
def rating_open(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """Draw the prompts, deal the outputs, and let the chosen raters begin."""
    membership = fetch.overseer(request.user, slug)
    run = fetch.run(membership, run_id)
    chosen = [pk for text in request.POST.getlist("rater") if (pk := whole_number(text))]

    def change() -> object:
        return run_open(project=membership.project, run_id=run.pk, raters=chosen, by=membership.user)

    success = _("The rating is open. Raters find it under “Rate”.")
    return _changed(request, membership, run_id, change, success, "open_problem", chosen=chosen)


@login_required
@require_POST
def rating_close(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """End the rating and show its results."""
    membership = fetch.overseer(request.user, slug)
    run = fetch.run(membership, run_id)

    def change() -> object:
        return run_close(project=membership.project, run_id=run.pk, by=membership.user)

    success = _("The rating is closed. Its results stand below.")
    return _changed(request, membership, run_id, change, success, "open_problem")


@login_required
@require_GET
def rating_counts(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """Counts by criterion and model with agreement, as CSV; only of a closed rating."""
    run = fetch.run(fetch.overseer(request.user, slug), run_id)
    return csv_answer(_count_rows(fetch.results(run)), f"rating-{run.pk}-counts.csv")


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
    run = fetch.run(fetch.overseer(request.user, slug), run_id)
    fetch.closed(run)
    return csv_answer(_rating_rows(run), f"rating-{run.pk}-ratings.csv")


def _rating_rows(run: RatingRun) -> Iterator[Sequence[object]]:
    keys = [each.key for each in fetch.criteria(run)]
    yield ["prompt", "model", "group", "rater", *keys, "comment", "seconds"]
    for row in fetch.answered(run).iterator(chunk_size=2000):
        made = row.generation
        answers = [row.answers.get(key, "") for key in keys]
        seconds = "" if row.seconds is None else f"{row.seconds:.1f}"
        yield [made.item.key, made.model, made.group, row.annotator.pseudonym, *answers, row.comment, seconds]
