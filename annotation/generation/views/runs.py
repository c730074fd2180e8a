"""Machine writing of a project: what is there and what comes next, one run with its steps, and how it goes on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Forbidden, NotFound
from annotation.core.messages import problem_words
from annotation.generation.actions.batches import STEP_DONE
from annotation.generation.actions.runs import run_cancel, run_go_on, run_pause, run_resume
from annotation.generation.candidate_text import Change, changes, reason_words
from annotation.generation.models import Endpoint, GenerationRun, StepResult
from annotation.generation.queries import candidates
from annotation.generation.queries import runs as machine
from annotation.generation.queries.runs import StepRow, Told
from annotation.generation.rules.recipes.base import DROPPED, Step
from annotation.ui.csv_files import Cells, csv_streamed
from annotation.ui.navigation import link, rooms

State = GenerationRun.State
# Of the step that was done last, so many questions are shown before and after it.
SHOWN = 3


@dataclass(frozen=True)
class Bar:
    """One line of a chart: what it is called, how many, its share of all, and where they are."""

    name: str
    n: int
    share: float
    url: str = ""


@dataclass(frozen=True)
class Seen:
    """A question before and after the step that was done last."""

    result: StepResult
    changes: list[Change]
    reason: str


def _context(membership: Membership, **more: Any) -> dict[str, Any]:
    return {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "machine"),
        **more,
    }


def _run(
    request: HttpRequest, slug: str, n: int, *, changes_it: bool = False
) -> tuple[Membership, GenerationRun]:
    membership = access.machine_place(request.user, slug)
    if changes_it and not membership.is_administrator:
        raise Forbidden
    return membership, access.generation_run(membership, n)


@login_required
@require_safe
def machine_page(request: HttpRequest, slug: str) -> HttpResponse:
    """What there is to make questions from, the runs, what they cost, and what to do next."""
    membership = access.machine_place(request.user, slug)
    recipe = machine.recipe_of(membership.project)
    found = list(machine.runs(membership))
    told = machine.of_project(membership.project)
    materials = membership.project.materials.filter(sort=recipe.sort).count()
    context = _context(
        membership,
        recipe=recipe,
        runs=found,
        told=told,
        materials=materials,
        budget=machine.budget(membership.project),
        next=_next(membership, materials, found, told),
        materials_url=link("materials", slug),
        endpoints_url=link("endpoints") if membership.is_administrator else "",
        limit_url=link("machine_limit", slug) if membership.is_administrator else "",
        comparisons_url=link("comparisons", slug),
    )
    return render(request, "annotation/generation/machine.html", context)


@dataclass(frozen=True)
class Next:
    """What is to be done next, in words, and where."""

    words: str
    action: str = ""
    url: str = ""


def _next(membership: Membership, materials: int, runs: list[GenerationRun], told: Told) -> Next:
    slug = membership.project.slug
    if not materials:
        return Next(
            gettext("Nothing is there yet that questions could be made from."),
            gettext("Take sources in"),
            link("materials", slug),
        )
    waits = next((run for run in runs if run.state == State.PAUSED), None)
    if waits:
        return Next(
            gettext("%(run)s stands still and waits for a word.") % {"run": waits.name},
            gettext("Look at it"),
            reverse("machine_run", args=[slug, waits.n]),
        )
    running = next((run for run in runs if run.state == State.RUNNING), None)
    if running:
        return Next(
            gettext("%(run)s is under way.") % {"run": running.name},
            gettext("Look at it"),
            reverse("machine_run", args=[slug, running.n]),
        )
    if not runs:
        return _first(membership)
    if told.people.waiting:
        return Next(
            gettext("People have questions to look at: %(n)d.") % {"n": told.people.waiting},
            gettext("To the review desk"),
            link("desk", slug),
        )
    return Next(gettext("Nothing waits. A further run, or a release, is up to you."))


def _first(membership: Membership) -> Next:
    slug = membership.project.slug
    if not membership.is_administrator:
        return Next(gettext("An administrator begins the first run."))
    if not Endpoint.objects.filter(ended_at=None).exists():
        return Next(
            gettext("No endpoint is there that could be asked."), gettext("Add one"), link("endpoints")
        )
    return Next(
        gettext("Everything is there for a first run."),
        gettext("Begin a run"),
        reverse("machine_run_new", args=[slug]),
    )


# --- one run ------------------------------------------------------------------------------


@login_required
@require_safe
def machine_run(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """How far a run is, what each step did, and what can be done with it; a part of it comes anew while it runs."""
    membership, run = _run(request, slug, n)
    part = request.headers.get("HX-Target") == "run"
    template = (
        "annotation/generation/partials/machine_run.html"
        if part
        else "annotation/generation/machine_run.html"
    )
    return render(request, template, run_context(membership, run))


def run_context(membership: Membership, run: GenerationRun) -> dict[str, Any]:
    """What the page of a run shows."""
    told = machine.of_run(run)
    done = _done(told)
    return _context(
        membership,
        run=run,
        told=told,
        waits=run.state == State.RUNNING,
        failed=machine.batches_failed(run) if run.state == State.PAUSED else 0,
        reason=problem_words(run.reason) if run.reason else "",
        until=next((row.step for row in told.rows if row.step.slug == run.until), None),
        following=_following(run),
        done=done,
        seen=_seen(run, done.step) if done else [],
        ends=_ends(run, told),
        money=_money(told),
        budget=machine.budget(run.project),
        pinned=machine.pinned(run),
    )


def _following(run: GenerationRun) -> Step | None:
    """The step that a run step by step may do next, where it waits for that."""
    if run.state != State.PAUSED or run.reason != STEP_DONE:
        return None
    steps = machine.steps_of_run(run)
    slugs = [step.slug for step in steps]
    place = slugs.index(run.until) + 1 if run.until in slugs else len(slugs)
    return steps[place] if place < len(steps) else None


def _done(told: Told) -> StepRow | None:
    """The last step that anything came to."""
    return next((row for row in reversed(told.rows) if row.came), None)


def _seen(run: GenerationRun, step: Step) -> list[Seen]:
    """Some questions of the last step, before and after it: those that it changed or dropped first."""
    found = candidates.shown(run, step.slug, SHOWN)
    return [
        Seen(result, changes(before, result.content), reason_words(result.reason, result.params))
        for result, before in found
    ]


def _ends(run: GenerationRun, told: Told) -> list[Bar]:
    """Where the questions of a run ended, as shares of all that were begun (mCSQA Figure 3)."""
    begun, people = told.begun, told.people
    url = reverse("candidates", args=[run.project.slug, run.n])
    bars = [
        (
            gettext("dropped: %(step)s") % {"step": gettext(row.step.name)},
            row.dropped,
            f"{url}?{urlencode({'state': DROPPED, 'step': row.step.slug})}",
        )
        for row in told.rows
        if row.dropped
    ]
    if told.states["making"]:
        bars.append((gettext("in the making"), told.states["making"], f"{url}?state=making"))
    if machine.is_reviewed(run.recipe):
        bars += [
            (gettext("to be checked by people"), people.waiting, ""),
            (gettext("left out by people"), people.dropped, ""),
            (gettext("kept"), people.kept, ""),
        ]
    else:
        bars += [
            (gettext("easy: the model answered it"), people.unasked, ""),
            (gettext("hard: people are asked"), people.waiting, ""),
            (gettext("hard: dropped by people"), people.dropped, ""),
            (gettext("hard: kept"), people.kept, ""),
        ]
    return [Bar(name, n, n / begun, where) for name, n, where in bars if n and begun]


def _money(told: Told) -> dict[str, list[tuple[str, Decimal, float]]]:
    """What each step cost, by currency, with its share of all (mCSQA Figure 4)."""
    return {
        currency: [
            (gettext(row.step.name), row.spent.money[currency], float(row.spent.money[currency] / whole))
            for row in told.rows
            if currency in row.spent.money
        ]
        for currency, whole in told.spent.money.items()
    }


# --- what is done with it -----------------------------------------------------------------

SAID: Mapping[str, Any] = {
    "go-on": gettext_lazy("The next step has begun."),
    "pause": gettext_lazy("The run stands still. What was answered is kept."),
    "resume": gettext_lazy("The run goes on."),
}


@login_required
@require_POST
def machine_run_act(request: HttpRequest, slug: str, n: int, act: str) -> HttpResponse:
    """Go on with the next step, pause, or resume."""
    membership, run = _run(request, slug, n, changes_it=True)
    if act not in SAID:
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
        context = {**run_context(membership, run), "problem": refusal.code}
        return render(request, "annotation/generation/machine_run.html", context, status=409)
    messages.success(request, SAID[act])
    return redirect("machine_run", slug=slug, n=n)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def machine_run_cancel(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Ask first; POST ends the run for good."""
    membership, run = _run(request, slug, n, changes_it=True)
    if request.method != "POST":
        context = _context(membership, run=run, states=machine.of_run(run).states)
        return render(request, "annotation/generation/machine_run_cancel.html", context)
    try:
        run_cancel(run=run, by=membership.user)
    except Conflict as refusal:
        run.refresh_from_db()
        context = {**run_context(membership, run), "problem": refusal.code}
        return render(request, "annotation/generation/machine_run.html", context, status=409)
    messages.success(request, gettext("The run was cancelled. What it made so far stays."))
    return redirect("machine_run", slug=slug, n=n)


@login_required
@require_GET
def machine_run_csv(request: HttpRequest, slug: str, n: int) -> StreamingHttpResponse:
    """The table of steps of one run."""
    membership, run = _run(request, slug, n)
    told = machine.of_run(run)
    lines = steps_csv([(membership.project.language, membership.project.slug, run.recipe, told)])
    return csv_streamed(lines, f"{slug}-run-{n}-steps.csv")


def steps_csv(tables: list[tuple[str, str, str, Told]]) -> Iterator[Cells]:
    """Tables of steps as lines: one for each step, reason and currency is no line of its own but a cell."""
    yield (
        *("language", "project", "recipe", "step", "in", "kept", "changed", "dropped", "reasons"),
        *("calls", "calls_kept_from_before", "tokens_in", "tokens_out", "money"),
    )
    for language, project, recipe, told in tables:
        for row in told.rows:
            yield (
                *(language, project, recipe, row.step.slug, row.came, row.kept, row.changed, row.dropped),
                " ".join(f"{drop.reason}={drop.n}" for drop in row.drops),
                *(row.spent.calls, row.spent.again, row.spent.tokens_in, row.spent.tokens_out),
                " ".join(f"{amount} {currency}" for currency, amount in row.spent.money.items()),
            )
        people = told.people
        yield (
            *(language, project, recipe, "people", people.asked, people.kept, 0, people.dropped),
            *("", 0, 0, 0, 0, ""),
        )
