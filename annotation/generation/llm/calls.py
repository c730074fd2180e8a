"""Calls that are kept: what was asked before is found again by its digest, and never asked, or paid, twice."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from annotation.core.models.project import Project
from annotation.generation.llm import parameters as allowed
from annotation.generation.llm import protocols
from annotation.generation.models import Call, Endpoint, GenerationRun

# How often the same is asked because what was said could not be used.
MOST_ASKED = 3


def digest_of(
    endpoint: Endpoint, parameters: Mapping[str, Any], messages: Sequence[Mapping[str, str]]
) -> str:
    """What makes a call the same call: who is asked (host and model), with which parameters, what.

    `parameters` are those of the step; the endpoint's own stand under them. Raises parameters.Unlike.
    """
    asked = {
        "host": host_of(endpoint),
        "what": endpoint.what,
        "model": endpoint.model,
        "parameters": allowed.full(endpoint.what, endpoint.parameters, parameters),
        "messages": [dict(message) for message in messages],
    }
    return hashlib.sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()


def host_of(endpoint: Endpoint) -> str:
    """The host and port that an endpoint's address names; empty where it has none."""
    return endpoint.address.partition("://")[2].partition("/")[0].lower()


def request_of(
    endpoint: Endpoint, parameters: Mapping[str, Any], messages: Sequence[Mapping[str, str]]
) -> dict[str, Any]:
    """What is kept of a question: all of it but who is asked."""
    full = allowed.full(endpoint.what, endpoint.parameters, parameters)
    return {"messages": [dict(message) for message in messages], "parameters": full}


def kept(project: Project | int, digests: Iterable[str]) -> dict[str, list[Call]]:
    """The calls of a project with these digests, in the order in which they were asked."""
    found: dict[str, list[Call]] = {}
    rows = Call.objects.filter(project=project, digest__in=set(digests)).order_by("digest", "n")
    for call in rows:
        found.setdefault(call.digest, []).append(call)
    return found


def ask_anew(
    *, run: GenerationRun, step: str, endpoint: Endpoint, requests: Mapping[str, tuple[int, dict[str, Any]]]
) -> list[Call]:
    """Store that these are going to be asked: by digest, the number of the call and its request; before it is sent.

    What somebody else stored in the same instant is theirs and ours.
    """
    Call.objects.bulk_create(
        [
            Call(
                project_id=run.project_id,
                run=run,
                endpoint=endpoint,
                step=step,
                digest=digest,
                n=n,
                model=endpoint.model,
                request=request,
                currency=endpoint.currency,
            )
            for digest, (n, request) in requests.items()
        ],
        ignore_conflicts=True,
    )
    found = Call.objects.filter(project=run.project_id, digest__in=requests)
    return [call for call in found if call.n == requests[call.digest][0]]


def record(
    *,
    run: GenerationRun,
    step: str,
    endpoint: Endpoint,
    parameters: Mapping[str, Any],
    messages: Sequence[Mapping[str, str]],
    text: str,
    tokens: tuple[int, int] = (0, 0),
) -> Call:
    """Keep an answer as if the endpoint had given it: what recorded runs are replayed from."""
    return Call.objects.create(
        project_id=run.project_id,
        run=run,
        endpoint=endpoint,
        step=step,
        digest=digest_of(endpoint, parameters, messages),
        model=endpoint.model,
        request=request_of(endpoint, parameters, messages),
        state=Call.State.ANSWERED,
        answer=text,
        status=200,
        attempts=1,
        tokens_in=tokens[0],
        tokens_out=tokens[1],
        cost=protocols.cost_of(endpoint, *tokens),
        currency=endpoint.currency,
    )
