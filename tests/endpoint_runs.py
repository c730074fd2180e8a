"""What tests of endpoints stand on: a project with a budget, a run, a form, and asking in a line."""

import itertools
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db.models import F
from django.db.models.functions import Now
from pydantic import BaseModel, ConfigDict

from annotation.core.models.project import Project
from annotation.generation.llm import calls
from annotation.generation.models import Call, CallAttempt, Endpoint, GenerationRun, MachineLimit
from tests import factory
from tests.llm_server import Server

_numbers = itertools.count(1)


class AnswerForm(BaseModel):
    """The form of an answer."""

    model_config = ConfigDict(extra="forbid")
    text: str


def an_endpoint(server: Server | None = None, **fields: Any) -> Endpoint:
    """An endpoint at that server, for a tenth of a cent a token."""
    values: dict[str, Any] = {
        "name": f"asked {next(_numbers)}",
        "model": "small",
        "address": server.url if server else "",
        "price_in": Decimal(1000),
        "price_out": Decimal(1000),
        "parameters": {"max_tokens": 100},
        "seconds": 20,
        "per_minute": 10_000,
    }
    return Endpoint.objects.create(**values | fields)


def a_run(project: Project | None = None, *, budget: str | None = "1000", **limit: Any) -> GenerationRun:
    """A run of a project that may spend this much; with None it has no limit, and so may ask nobody."""
    project = project or factory.project(preset="mcsqa")
    if budget is not None and not MachineLimit.objects.filter(project=project).exists():
        values = {"budget": Decimal(budget), "per_minute": 10_000}
        MachineLimit.objects.create(project=project, **values | limit)
    n = next(_numbers)
    return GenerationRun.objects.create(project=project, n=n, name=f"run {n}", recipe="mcsqa", plan={}, seed="s")


def prompt(text: str, form: type[BaseModel] = AnswerForm) -> calls.Prompt:
    return calls.Prompt([{"role": "user", "content": text}], form)


def ask(
    run: GenerationRun, endpoint: Endpoint, texts: Sequence[str], *, step: str = "question", **more: Any
) -> list[calls.CallResult]:
    """Ask these, once."""
    endpoint.refresh_from_db()
    handle = more.pop("handle", None)
    return calls.answers(
        run=run,
        step=step,
        endpoint=endpoint,
        parameters=more.pop("parameters", {}),
        prompts=[prompt(text, **more) for text in texts],
        handle=handle,
    )


def pass_time(seconds: float) -> None:
    """So much time passes for all that is written down with a time."""
    by = timedelta(seconds=seconds)
    Call.objects.exclude(not_before=None).update(not_before=F("not_before") - by)
    Endpoint.objects.exclude(rests_until=None).update(rests_until=F("rests_until") - by)
    CallAttempt.objects.update(at=F("at") - by)


def expire_holds() -> None:
    """Whoever sent something and died had it long enough."""
    Call.objects.exclude(not_before=None).update(not_before=Now() - timedelta(seconds=1))
