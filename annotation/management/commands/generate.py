"""`manage.py generate`: a run of machine-written questions from the command line, which does its own jobs."""

import time
from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.errors import Refusal
from annotation.core.messages import problem_words
from annotation.core.models.project import Project
from annotation.generation.actions.batches import continue_stalled_runs
from annotation.generation.actions.runs import run_create, run_resume
from annotation.generation.models import Endpoint, GenerationRun
from annotation.generation.rules import recipes
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job

POLL_SECONDS = 0.5


def step_and_endpoint(text: str) -> tuple[str, str]:
    """`STEP=ENDPOINT`, or `ENDPOINT` for every step that asks its sort."""
    step, parted, name = text.partition("=")
    found = (step.strip(), name.strip()) if parted else ("", text.strip())
    if not found[1]:
        raise ArgumentTypeError(f"{text!r} names no endpoint")
    return found


class Command(BaseCommand):
    help = "Make questions by a machine: begin a run (or resume one) and carry it to its end, without a worker."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", metavar="PROJECT", help="the project's short name")
        parser.add_argument("--name", default="", help="what the run is called (“run” and its number)")
        parser.add_argument("--resume", type=int, metavar="N", help="go on with run N instead of a new one")
        parser.add_argument("--recipe", default="", help="how; the project's own way unless said")
        parser.add_argument(
            "--endpoint",
            metavar="[STEP=]NAME",
            action="append",
            default=[],
            type=step_and_endpoint,
            help="which endpoint a step asks; without a step, every step that asks one of its sort",
        )
        parser.add_argument("--count", type=int, help="how many to start from, in their drawn order")
        parser.add_argument("--fresh", action="store_true", help="leave out what other runs make questions from")
        parser.add_argument("--seed", default="", help="the project's own unless said")
        parser.add_argument("--no-items", action="store_true", help="keep the questions in the run only")

    def handle(self, **options: Any) -> None:
        """Begin or resume, do the jobs, print the outcome."""
        try:
            run = self._run(options)
        except Refusal as refused:
            raise CommandError(_printable(problem_words(refused.code)), returncode=2) from None
        self._finish(run)
        counts = {state: run.candidates.filter(state=state).count() for state in ("kept", "dropped", "making")}
        self.stdout.write(f"run {run.n}: {run.state}")
        for state, count in counts.items():
            self.stdout.write(f"{state}: {count}")
        if run.state != GenerationRun.State.DONE:
            words = problem_words(run.reason) if run.reason else run.state
            raise CommandError(_printable(words), returncode=1)

    def _run(self, options: dict[str, Any]) -> GenerationRun:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(_printable(f"There is no project {options['project']!r}."), returncode=2)
        if options["resume"] is not None:
            run = project.generation_runs.filter(n=options["resume"]).first()
            if run is None:
                raise CommandError(f"There is no run {options['resume']}.", returncode=2)
            return run_resume(run=run, by=None)
        return run_create(
            project=project,
            by=None,
            name=options["name"] or f"run {project.generation_runs.count() + 1}",
            recipe=options["recipe"],
            endpoints=_endpoints(options["recipe"] or project.rules.recipe, options["endpoint"]),
            count=options["count"],
            fresh=options["fresh"],
            seed=options["seed"],
            makes_items=not options["no_items"],
        )

    def _finish(self, run: GenerationRun) -> None:
        """Do the run's jobs; where workers are, they do some of them. Waits as long as an endpoint asks for it."""
        printed = -1
        while run.state == GenerationRun.State.RUNNING:
            for job in Job.objects.filter(batch_of__run=run, pk__in=jobs.waiting_job_ids()).order_by("pk"):
                jobs.run_here(job)
            run.refresh_from_db()
            done = run.batches.filter(done=True).count()
            if done != printed:
                self.stdout.write(f"batches done: {done} of {run.batches.count()}")
                printed = done
            elif run.state == GenerationRun.State.RUNNING:
                continue_stalled_runs()
                time.sleep(POLL_SECONDS)


def _endpoints(recipe: str, named: list[tuple[str, str]]) -> dict[str, Endpoint]:
    """The endpoint of each step: the one named for it, or the one that is named for all of its sort."""
    known = {endpoint.name: endpoint for endpoint in Endpoint.objects.filter(ended_at=None)}
    for _, name in named:
        if name not in known:
            raise CommandError(_printable(f"There is no endpoint {name!r}."), returncode=2)
    by_step = {step: known[name] for step, name in named if step}
    by_sort = {known[name].what: known[name] for step, name in named if not step}
    try:
        steps = recipes.get(recipe).steps
    except KeyError:
        return {}  # the action says so
    found = {step.slug: by_step.get(step.slug, by_sort.get(step.asked)) for step in steps if step.asked}
    return {slug: endpoint for slug, endpoint in found.items() if endpoint is not None}


def _printable(words: str) -> str:
    """No text can break a terminal or its encoding."""
    return ascii(words)[1:-1]
