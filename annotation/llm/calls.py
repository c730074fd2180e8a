"""Calls that are kept: what was asked before is found again by its digest, and never asked, or paid, twice."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from annotation.models import Call, Endpoint, GenerationRun, Project

# How often the same is asked because what was said could not be used.
MOST_ASKED = 3


def digest_of(
    endpoint: Endpoint, parameters: Mapping[str, Any], messages: Sequence[Mapping[str, str]]
) -> str:
    """What makes a call the same call: who is asked (host and model), with which parameters, what."""
    asked = {
        "host": host_of(endpoint),
        "what": endpoint.what,
        "model": endpoint.model,
        "parameters": dict(parameters),
        "messages": [dict(message) for message in messages],
    }
    return hashlib.sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()


def host_of(endpoint: Endpoint) -> str:
    """The host and port that an endpoint's address names; empty where it has none."""
    return endpoint.address.partition("://")[2].partition("/")[0].lower()


def kept(project: Project | int, digests: Iterable[str]) -> dict[str, list[Call]]:
    """The calls of a project with these digests, in the order in which they were asked."""
    found: dict[str, list[Call]] = {}
    rows = Call.objects.filter(project=project, digest__in=set(digests)).order_by("digest", "n")
    for call in rows:
        found.setdefault(call.digest, []).append(call)
    return found


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
        request={"messages": [dict(message) for message in messages], "parameters": dict(parameters)},
        state=Call.State.ANSWERED,
        answer=text,
        status=200,
        attempts=1,
        tokens_in=tokens[0],
        tokens_out=tokens[1],
    )
