"""Machine writing of a project: its state and next steps, one run with its steps, and controlling it."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from annotation.core.access import Membership
from annotation.core.errors import Conflict, Forbidden, NotFound
from annotation.core.messages import problem_words
from annotation.generation.actions.batches import STEP_DONE
from annotation.generation.actions.runs import run_cancel, run_go_on, run_pause, run_resume
from annotation.generation.candidate_text import changes, reason_words
from annotation.generation.models import Endpoint, GenerationRun
from annotation.generation.queries import candidates
from annotation.generation.queries import runs as machine
from annotation.generation.queries.runs import Report
from annotation.generation.rules.recipes.base import DROPPED, Step
from annotation.jobs.models import Job
from annotation.ui.csv_files import Cells, csv_streamed
from annotation.ui.navigation import page_url
from annotation.ui.pages import page

State = GenerationRun.State
# Of the step that was done last, so many questions are shown before and after it.
EXAMPLES_SHOWN = 3


class NextStep(NamedTuple):
    """What is to be done next, in words, and where."""

    words: str
    action: str = ""
    url: str = ""


def render_page(
    request: HttpRequest, membership: Membership, template: str, *, status: int = 200, **context: Any
) -> HttpResponse:
    """A page of machine writing of a project."""
    path = f"annotation/generation/{template}.html"
    return page(request, membership, "machine", path, status=status, **context)


def _run_of_viewer(
    request: HttpRequest, slug: str, n: int, *, changes_it: bool = False
) -> tuple[Membership, GenerationRun]:
    membership = machine.machine_membership(request.user, slug)
    if changes_it and not membership.is_administrator:
        raise Forbidden
    return membership, machine.generation_run(membership, n)


@login_required
@require_safe
def machine_page(request: HttpRequest, slug: str) -> HttpResponse:
    """What there is to make questions from, the runs, what they cost, and what to do next."""
    membership = machine.machine_membership(request.user, slug)
    project = membership.project
    recipe = machine.recipe_of(project)
    runs = list(machine.runs(membership))
    report = machine.report_of_project(project)
    materials = project.materials.filter(sort=recipe.sort).count()
    return render_page(
        request,
        membership,
        "machine",
        recipe=recipe,
        runs=runs,
        report=report,
        materials=materials,
        budget=machine.budget(project),
        next=_next_step(membership, materials, runs, report),
        materials_url=page_url("materials", slug),
        endpoints_url=page_url("endpoints") if membership.is_administrator else "",
        limit_url=page_url("machine_limit", slug) if membership.is_administrator else "",
        comparisons_url=page_url("study_new", slug, "comparison"),
    )


def _next_step(membership: Membership, materials: int, runs: list[GenerationRun], report: Report) -> NextStep:
    slug = membership.project.slug
    if not materials:
        words = gettext("Nothing is there yet that questions could be made from.")
        return NextStep(words, gettext("Take sources in"), page_url("materials", slug))
    for state, words in (
        (State.PAUSED, gettext("%(run)s has stopped and waits for your decision.")),
        (State.RUNNING, gettext("%(run)s is under way.")),
    ):
        run = next((run for run in runs if run.state == state), None)
        if run:
            url = reverse("machine_run", args=[slug, run.n])
            return NextStep(words % {"run": run.name}, gettext("Look at it"), url)
    if not runs and not membership.is_administrator:
        return NextStep(gettext("An administrator begins the first run."))
    if not runs and not Endpoint.objects.filter(ended_at=None).exists():
        words = gettext("No endpoint is there that could be asked.")
        return NextStep(words, gettext("Add one"), page_url("endpoints"))
    if not runs:
        words = gettext("Everything is there for a first run.")
        return NextStep(words, gettext("Begin a run"), reverse("machine_run_new", args=[slug]))
    if report.people.waiting:
        words = gettext("People have questions to look at: %(n)d.") % {"n": report.people.waiting}
        return NextStep(words, gettext("To the review desk"), page_url("desk", slug))
    return NextStep(gettext("Nothing waits. A further run, or a release, is up to you."))


# --- one run ------------------------------------------------------------------------------


@login_required
@require_safe
def machine_run(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """How far a run is, what each step did, and what can be done with it; a part of it comes anew while it runs."""
    membership, run = _run_of_viewer(request, slug, n)
    return _run_page(request, membership, run)


def _run_page(
    request: HttpRequest, membership: Membership, run: GenerationRun, status: int = 200, problem: str = ""
) -> HttpResponse:
    report = machine.report_of_run(run)
    # The last step that anything came to.
    done = next((row for row in reversed(report.rows) if row.came), None)
    part = not problem and request.headers.get("HX-Target") == "run"
    return render_page(
        request,
        membership,
        "partials/machine_run" if part else "machine_run",
        status=status,
        problem=problem,
        run=run,
        report=report,
        waits=run.state == State.RUNNING,
        failed=run.state == State.PAUSED and run.batches.filter(done=False, job__state=Job.State.FAILED).count(),
        reason=problem_words(run.reason) if run.reason else "",
        until=next((row.step for row in report.rows if row.step.slug == run.until), None),
        following=_following_step(run),
        done=done,
        # Some questions of that step, before and after it: those that it changed or dropped first.
        shown=[
            (result, changes(before, result.content), reason_words(result.reason, result.params))
            for result, before in (candidates.sample_candidates(run, done.step.slug, EXAMPLES_SHOWN) if done else ())
        ],
        ends=_final_outcomes(run, report),
        money=_step_costs(report),
        budget=machine.budget(run.project),
        pinned=machine.pinned_steps(run),
    )


def _following_step(run: GenerationRun) -> Step | None:
    """The step that a run step by step may do next, where it waits for that."""
    if run.state != State.PAUSED or run.reason != STEP_DONE:
        return None
    steps = machine.steps_of_run(run)
    slugs = [step.slug for step in steps]
    place = slugs.index(run.until) + 1 if run.until in slugs else len(slugs)
    return steps[place] if place < len(steps) else None


def _final_outcomes(run: GenerationRun, report: Report) -> list[tuple[str, int, float, str]]:
    """Where the questions of a run ended, with how many, their share of all that were begun, and where they are listed.

    mCSQA Figure 3.
    """
    people = report.people
    url = reverse("candidates", args=[run.project.slug, run.n])
    ends = [
        (
            gettext("dropped: %(step)s") % {"step": gettext(row.step.name)},
            row.dropped,
            f"{url}?{urlencode({'state': DROPPED, 'step': row.step.slug})}",
        )
        for row in report.rows
    ]
    ends.append((gettext("in the making"), report.states["making"], f"{url}?state=making"))
    if machine.is_reviewed(run.recipe):
        ends += [
            (gettext("to be checked by people"), people.waiting, ""),
            (gettext("left out by people"), people.dropped, ""),
            (gettext("kept"), people.kept, ""),
        ]
    else:
        ends += [
            (gettext("easy: the model answered it"), people.unasked, ""),
            (gettext("hard: people are asked"), people.waiting, ""),
            (gettext("hard: dropped by people"), people.dropped, ""),
            (gettext("hard: kept"), people.kept, ""),
        ]
    return [(name, n, n / report.begun, where) for name, n, where in ends if n and report.begun]


def _step_costs(report: Report) -> dict[str, list[tuple[str, Decimal, float]]]:
    """What each step cost, by currency, with its share of all (mCSQA Figure 4)."""
    return {
        currency: [
            (gettext(row.step.name), row.spent.money[currency], float(row.spent.money[currency] / whole))
            for row in report.rows
            if currency in row.spent.money
        ]
        for currency, whole in report.spent.money.items()
    }


# --- what is done with it -----------------------------------------------------------------

DONE_MESSAGES: Mapping[str, Any] = {
    "go-on": gettext_lazy("The next step has begun."),
    "pause": gettext_lazy("The run has stopped. Its answers are kept."),
    "resume": gettext_lazy("The run goes on."),
}


@login_required
@require_POST
def machine_run_act(request: HttpRequest, slug: str, n: int, act: str) -> HttpResponse:
    """Go on with the next step, pause, or resume."""
    membership, run = _run_of_viewer(request, slug, n, changes_it=True)
    if act not in DONE_MESSAGES:
        raise NotFound
    try:
        if act == "go-on":
            run_go_on(run=run, by=membership.user, step=request.POST.get("step", ""))
        elif act == "pause":
            run_pause(run=run, by=membership.user)
        else:
            run_resume(run=run, by=membership.user)
    except Conflict as refusal:
        run.refresh_from_db()
        return _run_page(request, membership, run, 409, refusal.code)
    messages.success(request, DONE_MESSAGES[act])
    return redirect("machine_run", slug=slug, n=n)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def machine_run_cancel(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Ask first; POST ends the run for good."""
    membership, run = _run_of_viewer(request, slug, n, changes_it=True)
    if request.method != "POST":
        states = machine.report_of_run(run).states
        return render_page(request, membership, "machine_run_cancel", run=run, states=states)
    try:
        run_cancel(run=run, by=membership.user)
    except Conflict as refusal:
        run.refresh_from_db()
        return _run_page(request, membership, run, 409, refusal.code)
    messages.success(request, gettext("The run was cancelled. What it made so far stays."))
    return redirect("machine_run", slug=slug, n=n)


@login_required
@require_GET
def machine_run_csv(request: HttpRequest, slug: str, n: int) -> StreamingHttpResponse:
    """The table of steps of one run."""
    membership, run = _run_of_viewer(request, slug, n)
    lines = steps_csv([(membership.project.language, slug, run.recipe, machine.report_of_run(run))])
    return csv_streamed(request, lines, f"{slug}-run-{n}-steps.csv")


def steps_csv(tables: list[tuple[str, str, str, Report]]) -> Iterator[Cells]:
    """Tables of steps as lines: one for each step, reason and currency is no line of its own but a cell."""
    yield (
        *("language", "project", "recipe", "step", "in", "kept", "changed", "dropped", "reasons"),
        *("calls", "calls_kept_from_before", "tokens_in", "tokens_out", "money"),
    )
    for language, project, recipe, report in tables:
        for row in report.rows:
            yield (
                *(language, project, recipe, row.step.slug, row.came, row.kept, row.changed, row.dropped),
                " ".join(f"{drop.reason}={drop.n}" for drop in row.dropped_by_reason),
                *(row.spent.calls, row.spent.reused_calls, row.spent.tokens_in, row.spent.tokens_out),
                " ".join(f"{amount} {currency}" for currency, amount in row.spent.money.items()),
            )
        people = report.people
        yield (
            *(language, project, recipe, "people", people.asked, people.kept, 0, people.dropped),
            *("", 0, 0, 0, 0, ""),
        )
