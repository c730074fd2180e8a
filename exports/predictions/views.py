"""The pages of predictions: scores on a release, one model's figures, and the public page of a release."""

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.core import access as people
from annotation.core.errors import Conflict, Invalid
from annotation.jobs.models import Job
from annotation.ui.csv_files import csv_answer
from annotation.ui.fields import line_field
from annotation.ui.pages import page, show_refusal
from annotation.ui.tables import (
    FIGURE,
    INTERVAL,
    NUMBER,
    PERCENT,
    PERCENTS,
    TEXT,
    WORD,
    Column,
    Table,
    shown_p,
    shown_value,
    table,
)
from exports.predictions import actions
from exports.predictions import queries as access
from exports.predictions.comparisons import P_VALUES
from exports.predictions.models import Predictions
from exports.predictions.queries import MEASURES, ModelStanding
from exports.predictions.reading import problem_texts
from exports.predictions.release_rows import hides_test_answers, kind_of
from exports.predictions.rules import GROUPS, SOFT_MEASURES, label_names
from exports.releases.queries import release as release_of
from exports.scoring import free_answers
from exports.scoring.free_answers import missing_sentences

# What people call a figure, and whether it is a percentage.
MEASURE_NAMES = {
    "accuracy": (_("Accuracy"), True),
    "macro_f1": (_("Macro-F1"), True),
    "mc1": ("MC1", True),
    "mc2": ("MC2", True),
    "chrf": ("chrF++", True),
    "rouge_l": ("ROUGE-L", True),
    "rouge_1": ("ROUGE-1", True),
    "rouge_2": ("ROUGE-2", True),
    "cross_entropy": (_("Cross-entropy"), False),
    "manhattan": (_("Manhattan distance"), False),
    "jsd": (_("Jensen-Shannon divergence"), False),
}
# The same of free answers, by the end of the figure's name.
FREE_NAMES = {
    "margin": (_("%(measure)s margin"), False),
    "nearer": (_("%(measure)s: nearer to a relevant response"), True),
}
# How the share of answers that people would give is estimated.
ASSISTED_NAMES = {"classic": _("From checked items alone"), "assisted": _("With predictions for all items")}
# So many measures a group has; the others are in the file.
MOST_OF_GROUPS = 2
UNFINISHED = (Job.State.QUEUED, Job.State.RUNNING)


class PredictionsForm(forms.Form):
    """A model's answers."""

    model = line_field(gettext_lazy("Model"), actions.LONGEST_MODEL, gettext_lazy("As it is named in the results."))
    restart = line_field(
        gettext_lazy("Restart"),
        actions.LONGEST_RESTART,
        gettext_lazy(
            "Of a model that was trained or asked several times: which time this is, such as its seed. The restarts of "
            "a model stand as one system, with mean and standard deviation."
        ),
        required=False,
    )
    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy(
            "JSON Lines, a JSON list or CSV, a row an item: its id in the release, and prediction, probabilities, "
            "scores or response. Or the samples that lm-evaluation-harness logged."
        ),
        widget=forms.ClearableFileInput(attrs={"accept": ".jsonl,.ndjson,.json,.csv,.tsv,.gz"}),
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def predictions_page(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """What every model scored, the best first; POST takes a model's answers in."""
    membership = people.lead_membership(request.user, slug)
    release = release_of(membership, n)
    form = PredictionsForm(request.POST or None, request.FILES or None)
    status, problems = 200, list[Any]()
    if request.method == "POST":
        status = 422
        if form.is_valid():
            sent = form.cleaned_data["file"]
            of = {name: form.cleaned_data[name] for name in ("model", "restart")}
            given = {**of, "name": sent.name, "chunks": sent.chunks()}
            try:
                made = actions.predictions_add(release=release, by=membership.user, **given)
                return redirect("prediction", slug, n, made.n)
            except (Invalid, Conflict) as refusal:
                status = show_refusal(form, refusal)
                read = refusal.details.get("read")
                problems = list(problem_texts(read.problems)) if read else []
    files = access.predictions_of(membership, n)
    more: dict[str, Any] = {
        "release": release,
        "form": form,
        "rows": [(row, field, gettext(message) % params) for row, field, message, params in problems],
        "boards": _boards(access.standings(release), slug),
        "others": [each for each in files if each.withdrawn_at or not each.result],
        "public": access.is_public(release),
        "hidden": hides_test_answers(release),
        "a_day": actions.HIDDEN_A_DAY,
    }
    return page(request, membership, "releases", "exports/predictions/predictions.html", status=status, **more)


@login_required
@require_safe
def prediction(request: HttpRequest, slug: str, n: int, number: int) -> HttpResponse:
    """One model's figures by split: over all rows, by group, against other models, and its confusion."""
    membership = people.lead_membership(request.user, slug)
    found = access.predictions_by_number(membership, n, number)
    splits = found.result.get("splits", {})
    ranked, against = list(access.standings(found.release)), access.comparisons_with_others(found)
    order = sorted(splits, key=lambda name: (ranked.index(name) if name in ranked else len(ranked), name))
    more: dict[str, Any] = {
        "release": found.release,
        "predictions": found,
        "name": _model_name(found.model, baseline=found.baseline),
        "restarts": access.other_restarts(found) if found.restart else (),
        "waits": not splits and found.job is not None and found.job.state in UNFINISHED,
        "splits": [
            (
                name,
                splits[name],
                _tables(found, splits[name], against.get(name, [])),
                missing_sentences(splits[name].get("missing", {})),
            )
            for name in order
        ],
        "assisted": found.result.get("assisted"),
        "assisted_why": gettext(why) if (why := found.result.get("assisted", {}).get("why")) else "",
        "assisted_table": _assisted_table(found.result.get("assisted", {})),
    }
    part = request.headers.get("HX-Target") == "prediction"
    template = "partials/prediction.html" if part else "prediction.html"
    return page(request, membership, "releases", f"exports/predictions/{template}", **more)


@login_required
@require_safe
def prediction_file(request: HttpRequest, slug: str, n: int, number: int) -> HttpResponse:
    """All figures of one model as CSV, with every digit."""
    found = access.predictions_by_number(people.lead_membership(request.user, slug), n, number)
    return csv_answer(request, _csv_rows(found), f"{slug}-{n}-predictions-{number}.csv")


def _csv_rows(found: Predictions) -> Iterator[tuple[object, ...]]:
    yield ("model", "split", "by", "value", "measure", "figure", "low", "high", "n", "restart", "over", "p", "p_holm")
    against = access.comparisons_with_others(found)
    for split, told_of in found.result.get("splits", {}).items():
        everything = {"by": "", "value": "", "figures": told_of["figures"]}
        for group in [everything, *told_of.get("groups", ())]:
            for name in [each for each in MEASURES if each in group["figures"]]:
                measured = group["figures"][name]
                ends = (measured["value"], measured["low"], measured["high"], measured["n"])
                over = gettext(told_of.get("soft_over", "")) if name in SOFT_MEASURES else ""
                yield (found.model, split, group["by"], group["value"], name, *ends, found.restart, over, "", "")
        for other in against.get(split, []):
            ends = (other["difference"], other["low"], other["high"], told_of["rows"])
            row = (found.model, split, "against", other["model"], "difference", *ends, found.restart, "")
            yield (*row, *(other[name] for name in P_VALUES))

    for name in ASSISTED_NAMES:
        if one := found.result.get("assisted", {}).get(name):
            ends = (one["value"], one["low"], one["high"], found.result["assisted"]["checked"])
            yield (found.model, "", "", "", f"agreement_with_people_{name}", *ends, found.restart)


@login_required
@require_POST
def prediction_withdraw(request: HttpRequest, slug: str, n: int, number: int) -> HttpResponse:
    """Take one model's answers out of the results."""
    membership = people.lead_membership(request.user, slug)
    actions.predictions_withdraw(predictions=access.predictions_by_number(membership, n, number), by=membership.user)
    return redirect("predictions", slug, n)


@login_required
@require_POST
def leaderboard_change(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Show the results to everybody (`public=yes`), or no more."""
    membership = people.administrator_membership(request.user, slug)
    public = request.POST.get("public") == "yes"
    actions.leaderboard_set(release=release_of(membership, n), by=membership.user, public=public)
    return redirect("predictions", slug, n)


@require_safe
def leaderboard(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """The results of a release's models, for everybody where an administrator opened them: figures over all rows."""
    release = access.public_release(slug, n)
    context = {"release": release, "boards": _boards(access.standings(release), "")}
    return render(request, "exports/predictions/leaderboard.html", context)


# --- tables -----------------------------------------------------------------------------


def _assisted_table(told_of: dict[str, Any]) -> Table | None:
    """How often the answer is what people say, without and with predictions; None where that is not known."""
    lines = [
        (gettext(name), 100 * one["value"], (100 * one["low"], 100 * one["high"]), one["more"])
        for key, name in ASSISTED_NAMES.items()
        if (one := told_of.get(key))
    ]
    more = Column("", _("More checks"), NUMBER, _("items to check until the 95 % interval is ± 1 point"))
    heads = [
        Column("", _("Estimate"), TEXT),
        Column("", _("As people"), PERCENT),
        Column("", _("95 % interval"), PERCENTS),
    ]
    return table([*heads, more], lines) if lines else None


def _boards(found: dict[str, list[ModelStanding]], slug: str) -> list[tuple[str, Table, dict[str, Any] | None]]:
    """By split a table of the models, with links to them where a project is named; and the most frequent label."""
    return [(split, _board(split, rows, slug), _frequent(split, rows)) for split, rows in found.items()]


def _frequent(split: str, rows: Sequence[ModelStanding]) -> dict[str, Any] | None:
    """The most frequent label of a split and its share in percent; None where labels are hidden, or no item's own."""
    told_of = rows[0].predictions.result["splits"][split].get("frequent")
    return told_of and {"label": told_of["label"], "percent": 100 * told_of["share"]}


def _model_name(model: str, *, baseline: bool) -> str:
    """A model as tables name it; a baseline says that it is one."""
    return gettext("%(name)s (baseline)") % {"name": gettext(model)} if baseline else model


def _board(split: str, rows: Sequence[ModelStanding], slug: str) -> Table:
    names = [name for name in MEASURES if any(name in row.figures for row in rows)]
    heads = [Column("", _("Model"), WORD, url=_address(slug) if slug else None)]
    restarts = any(row.restarts > 1 for row in rows)
    times = [Column("", _("Restarts"), NUMBER, _("figures are their means"))] if restarts else []
    columns = [*heads, *times, *_columns(names, restarts=restarts), Column("", _("Rows"), NUMBER)]
    lines = [
        (
            _model_name(row.predictions.model, baseline=row.predictions.baseline),
            *((row.restarts,) if restarts else ()),
            *_values(row.figures, names, restarts=restarts),
            row.predictions.result["splits"][split]["rows"],
            row.predictions,
        )
        for row in rows
    ]
    return table(columns, lines, region=gettext("Models on %(split)s") % {"split": split})


def _address(slug: str) -> Any:
    return lambda row: reverse("prediction", args=[slug, row[-1].release.n, row[-1].n])


def _measure(name: str) -> tuple[str, bool]:
    """What a figure is called in the interface's language, and whether it is a percentage."""
    if name in MEASURE_NAMES:
        words, percent = MEASURE_NAMES[name]
        return gettext(words), percent
    measure, figure = name.rsplit("_", 1)
    words, percent = FREE_NAMES[figure]
    return gettext(words) % {"measure": free_answers.MEASURES[measure]}, percent


def _columns(names: Sequence[str], *, restarts: bool = False) -> list[Column]:
    """A figure and its interval each; with `restarts` its standard deviation too."""
    found = []
    for name in names:
        words, percent = _measure(name)
        found += [
            Column("", words, PERCENT if percent else FIGURE),
            *([Column("", _("SD of restarts"), PERCENT if percent else FIGURE)] if restarts else []),
            Column("", _("95 % interval"), PERCENTS if percent else INTERVAL),
        ]
    return found


def _values(figures: dict[str, Any], names: Sequence[str], *, restarts: bool = False) -> list[Any]:
    found: list[Any] = []
    for name in names:
        told_of, by = figures.get(name), 100 if _measure(name)[1] else 1
        known = told_of is not None and told_of["low"] is not None
        found.append(None if told_of is None else told_of["value"] * by)
        if restarts:
            found.append(told_of["sd"] * by if told_of and "sd" in told_of else None)
        found.append((told_of["low"] * by, told_of["high"] * by) if told_of and known else None)
    return found


def _figure_in_words(name: str, told_of: dict[str, Any]) -> tuple[str, str]:
    """A figure and its interval in words, a share in percent."""
    column, ends = _columns([name])
    value, interval = _values({name: told_of}, [name])
    return shown_value(column, value), shown_value(ends, interval)


def _tables(found: Predictions, told_of: dict[str, Any], others: list[dict[str, Any]]) -> dict[str, Table | None]:
    """The tables of one split; None if there is nothing to show."""
    figures = told_of["figures"]
    names = [name for name in MEASURES if name in figures]
    plain = [(_measure(name)[0], *_figure_in_words(name, figures[name]), figures[name]["n"]) for name in names]
    heads = [
        Column("", _("Measure"), TEXT),
        Column("", _("Figure"), FIGURE),
        Column("", _("95 % interval"), FIGURE),
    ]
    listed = [each for each in told_of.get("groups", ()) if each["figures"]]
    wanted = [name for name in names if any(name in each["figures"] for each in listed)][:MOST_OF_GROUPS]
    groups = [
        (
            f"{gettext(GROUPS[each['by']])}: {each['value']}",
            *_values(each["figures"], wanted),
            next(iter(each["figures"].values()))["n"],
        )
        for each in listed
    ]
    percent = bool(names) and _measure(names[0])[1]
    against = [
        (
            _model_name(each["model"], baseline=each["baseline"]),
            *_difference_in_points(each, 100 if percent else 1),
            shown_p(each["p"]),
            shown_p(each["p_holm"]),
        )
        for each in others
    ]
    items = Column("", _("Items"), NUMBER)
    less = [
        Column("", _("Other model"), WORD),
        Column("", _("Difference"), PERCENT if percent else FIGURE),
        Column("", _("95 % interval"), PERCENTS if percent else INTERVAL),
    ]
    p_values = [Column("", "p", FIGURE), Column("", _("p (Holm)"), FIGURE)]
    return {
        "figures": table([*heads, items], plain),
        "groups": table([Column("", _("Group"), TEXT), *_columns(wanted), items], groups) if groups else None,
        "against": table([*less, *p_values], against) if against else None,
        "confusion": _confusion(found, told_of.get("confusion", {})),
    }


def _difference_in_points(each: dict[str, Any], by: int) -> tuple[float, tuple[float, float] | None]:
    """A difference and the ends of its interval."""
    ends = None if each["low"] is None else (each["low"] * by, each["high"] * by)
    return each["difference"] * by, ends


def _confusion(found: Predictions, counts: dict[str, dict[str, int]]) -> Table | None:
    """Right labels against said ones."""
    if not counts:
        return None
    labels = [*label_names(kind_of(found.release)), ""]
    columns = [label for label in labels if label or any("" in row for row in counts.values())]
    heads = [
        Column("", _("Right"), WORD),
        *(Column("", label or _("no answer"), NUMBER) for label in columns),
    ]
    rows = [(label, *(counts[label].get(each, 0) for each in columns)) for label in labels if label in counts]
    return table(heads, rows)
