"""Machine writing: `endpoints` without their secrets, `machine` with budget and outcomes, and `runs`."""

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Invalid
from annotation.generation.actions.endpoints import limit_set
from annotation.generation.actions.runs import run_cancel, run_create, run_go_on, run_pause, run_resume
from annotation.generation.api_rows import (
    CandidateQuery,
    CandidateRow,
    EndpointRow,
    EstimateIn,
    EstimateRow,
    GoOnIn,
    LimitIn,
    MachineRow,
    RunIn,
    RunRow,
    RunWhole,
)
from annotation.generation.models import Endpoint, GenerationRun
from annotation.generation.queries import candidates
from annotation.generation.queries import runs as machine
from annotation.generation.queries.estimates import estimate


def endpoints_by_step(sent: Mapping[str, int]) -> dict[str, Endpoint]:
    """The open endpoints of these numbers, by step. Raises Invalid for one that is not there."""
    there = Endpoint.objects.filter(ended_at=None).in_bulk(set(sent.values()))
    for step, pk in sent.items():
        if pk not in there:
            raise Invalid(field=f"endpoints.{step}", code="run_endpoint_missing")
    return {step: there[pk] for step, pk in sent.items()}


def _parameters(step: str, given: Mapping[str, float], known: Mapping[str, float]) -> dict[str, float]:
    """Parameters, whole where the recipe's are. Raises Invalid for a part of one."""
    for name, value in given.items():
        if isinstance(known[name], int) and value != int(value):
            raise Invalid(field=f"parameters.{step}.{name}", code="run_parameters_wrong")
    return {name: int(value) if isinstance(known[name], int) else value for name, value in given.items()}


def spent_rows(money: Iterable[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Amounts by currency as rows."""
    return [{"currency": currency, "amount": amount} for currency, amount in money]


class Endpoints(ApiView):
    """The servers that can be asked."""

    tag = "machine"

    @operation(scopes=[READ, MANAGE], gives=EndpointRow, paged=True)
    def get(self, request: Request) -> Response:
        """List the endpoints, without keys and addresses. For administrators, with a token for all projects."""
        access.site_administrator(self.user)
        self.refuse_limited_token()
        return self.page_response(Endpoint.objects.all())


class MachineApi(ApiView):
    """Machine writing of a project."""

    tag = "machine"

    def administrator(self, slug: str) -> Membership:
        """Whoever asks, as administrator of a project with a recipe."""
        machine.machine_membership(self.user, slug)
        return access.administrator_membership(self.user, slug)

    def machine(self, membership: Membership) -> Response:
        """Budget and outcomes as they stand."""
        project = membership.project
        recipe, report, budget = (
            machine.recipe_of(project),
            machine.report_of_project(project),
            machine.budget(project),
        )
        limit = budget.limit
        own = [(limit.currency, budget.spent)] if limit else []
        row = {
            "recipe": recipe.slug,
            "sort": recipe.sort,
            "materials": project.materials.filter(sort=recipe.sort).count(),
            "steps": recipe.steps,
            "budget": limit.budget if limit else None,
            "currency": limit.currency if limit else None,
            "per_minute": limit.per_minute if limit else None,
            "budget_set_at": limit.at if limit else None,
            "spent": spent_rows([*own, *budget.other_currencies.items()]),
            "held": budget.held,
            "outcomes": report.rows,
            "states": report.states,
        }
        return self.row_response(row)

    def run(self, membership: Membership, n: int, status: int = 200) -> Response:
        """One run as it stands, with its outcomes."""
        run = machine.runs(membership).get(n=machine.generation_run(membership, n).n)
        report = machine.report_of_run(run)
        plans = [
            {"step": step.slug, "endpoint": name, "model": planned.model, "parameters": planned.parameters}
            for step, planned, name in machine.pinned_steps(run)
        ]
        figures = {"done": report.progress.done, "total": report.progress.total, "outcomes": report.rows}
        vars(run).update(**figures, states=report.states, pinned=plans)
        return self.row_response(run, status)


class Machine(MachineApi):
    """How a project's questions are made."""

    @operation(scopes=[READ], gives=MachineRow)
    def get(self, request: Request, slug: str) -> Response:
        """Read the recipe, the budget, what was spent, and what all runs made. For leads and administrators of projects
        with a recipe."""
        return self.machine(machine.machine_membership(self.user, slug))


class MachineLimitSet(MachineApi):
    """What a project may spend."""

    @operation(scopes=[MANAGE], takes=LimitIn, gives=MachineRow)
    def post(self, request: Request, slug: str) -> Response:
        """Set the budget of a project for endpoints, and its calls a minute. For administrators."""
        membership = self.administrator(slug)
        limit_set(project=membership.project, by=self.user, **self.validated_body())
        return self.machine(membership)


class Runs(MachineApi):
    """The runs of a project."""

    @operation(scopes=[READ], gives=RunRow, paged=True, since=("at", "ended_at"))
    def get(self, request: Request, slug: str) -> Response:
        """List the runs. For leads and administrators."""
        return self.page_response(machine.runs(machine.machine_membership(self.user, slug)))

    @operation(scopes=[MANAGE], takes=RunIn, gives=RunWhole, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Begin a run: endpoints, parameters, instructions and settings are pinned as they are now. For
        administrators."""
        membership, sent = self.administrator(slug), self.validated_body()
        sent["endpoints"] = endpoints_by_step(sent["endpoints"])
        known = {step.slug: step for step in machine.recipe_of(membership.project).steps}
        for step, given in sent["parameters"].items():
            if step not in known or given.keys() - known[step].parameters.keys():
                raise Invalid(field=f"parameters.{step}", code="run_parameters_wrong")
            sent["parameters"][step] = _parameters(step, given, known[step].parameters)
        made = run_create(project=membership.project, by=self.user, **sent)
        return self.run(membership, made.n, status=201)


class RunsEstimate(MachineApi):
    """What a run would take."""

    @operation(scopes=[READ, MANAGE], takes=EstimateIn, gives=EstimateRow)
    def post(self, request: Request, slug: str) -> Response:
        """Say about what a run would take and cost, step by step; nothing is begun. For administrators."""
        project, sent = self.administrator(slug).project, self.validated_body()
        endpoints = endpoints_by_step(sent["endpoints"])
        return self.row_response(estimate(project, machine.recipe_of(project), endpoints, sent["count"]))


class RunView(MachineApi):
    """One run."""

    @operation(scopes=[READ], gives=RunWhole)
    def get(self, request: Request, slug: str, n: int) -> Response:
        """Read how far a run is, what each step made of its questions, and what that cost. For leads and
        administrators."""
        return self.run(machine.machine_membership(self.user, slug), n)


class RunCandidates(MachineApi):
    """The questions of a run."""

    @operation(scopes=[READ], gives=CandidateRow, query=CandidateQuery, paged=True)
    def get(self, request: Request, slug: str, n: int) -> Response:
        """List the questions that a run makes, those that were dropped too. For leads and administrators."""
        run = machine.generation_run(machine.machine_membership(self.user, slug), n)
        asked = {name: self.query_values[name] for name in ("state", "step", "reason")}
        return self.page_response(candidates.candidates(run, **asked))


class RunApi(MachineApi):
    """One run that is steered."""

    def steered(self, slug: str, n: int) -> tuple[Membership, GenerationRun]:
        """Whoever asks, as administrator, and the run."""
        membership = self.administrator(slug)
        return membership, machine.generation_run(membership, n)


class RunGoOn(RunApi):
    """A run step by step."""

    @operation(scopes=[MANAGE], takes=GoOnIn, gives=RunWhole)
    def post(self, request: Request, slug: str, n: int) -> Response:
        """Let a run that goes step by step do its next step. For administrators."""
        membership, run = self.steered(slug, n)
        run_go_on(run=run, by=self.user, step=self.validated_body()["step"])
        return self.run(membership, n)


class RunPause(RunApi):
    """A run that stands still."""

    @operation(scopes=[MANAGE], gives=RunWhole)
    def post(self, request: Request, slug: str, n: int) -> Response:
        """Stop a run before its next call; what was answered is kept. For administrators."""
        membership, run = self.steered(slug, n)
        run_pause(run=run, by=self.user)
        return self.run(membership, n)


class RunResume(RunApi):
    """A run that goes on."""

    @operation(scopes=[MANAGE], gives=RunWhole)
    def post(self, request: Request, slug: str, n: int) -> Response:
        """Go on with a paused run; batches that failed are tried again. For administrators."""
        membership, run = self.steered(slug, n)
        run_resume(run=run, by=self.user)
        return self.run(membership, n)


class RunCancel(RunApi):
    """A run that is ended."""

    @operation(scopes=[MANAGE], gives=RunWhole)
    def post(self, request: Request, slug: str, n: int) -> Response:
        """End a run for good; what it made so far stays. For administrators."""
        membership, run = self.steered(slug, n)
        run_cancel(run=run, by=self.user)
        return self.run(membership, n)
