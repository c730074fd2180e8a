"""Trying an endpoint: one tiny question, and what is told of the answer; nothing of it is kept or paid by a project."""

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction

from annotation.core.models.member import Event
from annotation.core.models.user import User
from annotation.generation.llm import parameters, protocols, wire
from annotation.generation.llm.limits import Stopped
from annotation.generation.llm.settling import Line
from annotation.generation.models import Endpoint

LONGEST_SHOWN = 200
MOST_SECONDS = 20
_TINY: dict[str, dict[str, Any]] = {"chat": {"max_tokens": 16}}


@dataclass(frozen=True)
class Tried:
    """What came of it: the code of the fault or none, the status, how long it took, what it used, its first words."""

    fault: str = ""
    status: int = 0
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal = Decimal(0)
    words: str = ""


def endpoint_try(*, endpoint: Endpoint, by: User | None) -> Tried:
    """Ask an endpoint something tiny, in this process, and say what came of it."""
    try:
        line = Line.to(endpoint)
    except Stopped as stopped:
        return Tried(fault=str(stopped.params.get("code", stopped.code)))
    given = dict(endpoint.parameters)
    if "max_completion_tokens" not in given:
        given |= _TINY.get(endpoint.what, {})
    request = {
        "messages": [{"role": "user", "content": _asked(endpoint)}],
        "parameters": parameters.full(endpoint.what, given),
    }
    reply = line.post(request, seconds=min(endpoint.seconds, MOST_SECONDS))
    tried = _told(line, request, reply)
    with transaction.atomic():
        data = {"endpoint": endpoint.pk, "name": endpoint.name, "fault": tried.fault, "status": tried.status}
        Event.objects.create(project=None, actor=by, verb="endpoint_tried", data=data)
    return tried


def _asked(endpoint: Endpoint) -> str:
    if endpoint.what == Endpoint.What.CHAT:
        return "Say yes."
    return json.dumps({"text": "yes", "source": "en", "target": "id"})


def _told(line: Line, request: dict[str, Any], reply: wire.Reply) -> Tried:
    if reply.fault:
        fault = f"status_{reply.status}" if reply.fault == "status" else reply.fault
        return Tried(fault, reply.status, reply.seconds)
    said = protocols.said(line.endpoint, request["messages"], reply.body)
    cost = protocols.cost_of(line.endpoint, said.tokens_in, said.tokens_out)
    words = line.without_key(said.text)[:LONGEST_SHOWN]
    return Tried(said.fault, reply.status, reply.seconds, said.tokens_in, said.tokens_out, cost, words)
