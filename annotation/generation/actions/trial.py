"""Asking an endpoint something tiny, to see whether it answers; only its page needs the client for that."""

import json
from dataclasses import dataclass
from decimal import Decimal

from annotation.core.models.user import User
from annotation.generation.actions.endpoints import record_event
from annotation.generation.llm import parameters, protocols
from annotation.generation.llm.limits import AskingBlocked
from annotation.generation.llm.sending import EndpointClient
from annotation.generation.models import Endpoint

LONGEST_SHOWN, MOST_SECONDS_TRIED = 200, 20


@dataclass(frozen=True)
class Trial:
    """The outcome of a trial: the fault's code or none, the status, how long it took, what it used, its first words."""

    fault: str = ""
    status: int = 0
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal = Decimal(0)
    words: str = ""


def endpoint_try(*, endpoint: Endpoint, by: User | None) -> Trial:
    """Ask an endpoint something tiny, in this process; nothing of it is kept, or paid by a project."""
    try:
        line = EndpointClient.to(endpoint)
    except AskingBlocked as stopped:
        return Trial(fault=str(stopped.params.get("code", stopped.code)))
    chats, given = endpoint.what == Endpoint.What.CHAT, dict(endpoint.parameters)
    if chats and "max_completion_tokens" not in given:
        given["max_tokens"] = 16
    question = "Say yes." if chats else json.dumps({"text": "yes", "source": "en", "target": "id"})
    messages = [{"role": "user", "content": question}]
    request = {"messages": messages, "parameters": parameters.merge_parameters(endpoint.what, given)}
    reply = line.post(request, seconds=min(endpoint.seconds, MOST_SECONDS_TRIED))
    if reply.fault:
        fault = f"status_{reply.status}" if reply.fault == "status" else reply.fault
        trial = Trial(fault, reply.status, reply.seconds)
    else:
        read = protocols.read_body(endpoint, messages, reply.body)
        cost = protocols.cost_of(endpoint, read.tokens_in, read.tokens_out)
        words = line.without_key(read.text)[:LONGEST_SHOWN]
        used = (read.tokens_in, read.tokens_out)
        trial = Trial(read.fault, reply.status, reply.seconds, *used, cost, words)
    record_event("endpoint_tried", endpoint, by, fault=trial.fault, status=trial.status)
    return trial
