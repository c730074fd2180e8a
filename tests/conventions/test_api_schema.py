"""What the schema lets a script send never breaks the server, and every answer fits it: tried out as each role.

Schemathesis draws requests from the schema, the same on every run; they go through the site in this process, and what
they wrote is taken back.
"""

from functools import cache
from typing import Any

import jsonschema
import orjson
import pytest
import schemathesis
from django.core.cache import cache as limits
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as properties

from annotation.api import pages
from tests.conventions.table import whole
from tests.conventions.things import Things
from tests.conventions.visits import taken_back
from tests.conventions.world import World

pytestmark = pytest.mark.django_db
EXAMPLES = 2
ROLES = ("administrator", "lead", "validator", "writer")
TOLD = orjson.loads(pages.SCHEMA.read_bytes())
# Where an address names something, by its parameter: half of the requests are about a thing that is there.
NAMED = {
    "slug": "slug",
    "key": "item_key",
    "act": "act",
    "annotator_id": "annotator",
    "invitation_id": "invitation_id",
    "import_id": "imported",
    "n": "release",
    "job_id": "job",
    "token_id": "api_token",
}


def address(case: Any, things: Things) -> str:
    """The address of a case, at things of the small world where there are such things."""
    given = dict(case.path_parameters or {})
    for name in given.keys() & NAMED.keys():
        given[name] = getattr(things, NAMED[name])
    if "token" in given:
        given["token"] = things.allocation if "/allocations/" in case.path else things.assignment
    case.path_parameters = given
    return str(case.formatted_path)


def asked(client: Client, case: Any, things: Things) -> Any:
    """The answer to a case."""
    path, query = address(case, things), dict(case.query or {})
    headers = {name: str(value) for name, value in (case.headers or {}).items()}
    if case.method == "GET":
        return whole(client.get(path, query, headers=headers))
    body = case.body if isinstance(case.body, (dict, list, str, bytes)) else {}
    kind = case.media_type or "application/json"
    if kind == "multipart/form-data":
        file = body.get("file", b"") if isinstance(body, dict) else b""
        content = file if isinstance(file, bytes) else repr(file).encode("utf-8", "replace")
        return whole(client.post(path, {"file": SimpleUploadedFile("drawn.jsonl", content)}, headers=headers))
    sent = (
        body
        if isinstance(body, bytes)
        else orjson.dumps(body)
        if kind == "application/json"
        else str(body).encode()
    )
    return whole(client.generic("POST", path, sent, content_type=kind, headers=headers))


@cache
def validator(ref: str) -> Any:
    """What checks an answer against one schema of the document."""
    return jsonschema.Draft202012Validator({"$ref": ref, **TOLD})


def wrong(case: Any, answer: Any) -> list[str]:
    """What is wrong with an answer."""
    if answer.status_code >= 500:
        return [f"{answer.status_code}: {answer.content[:200]!r}"]
    responses = TOLD["paths"][case.path][case.method.lower()]["responses"]
    status = str(answer.status_code)
    if status not in responses and answer.status_code < 400:
        return [] if status in ("206", "304", "416") else [f"{status} is not in the schema"]
    kind = answer["Content-Type"].partition(";")[0]
    which = status if status in responses else "default"
    if kind not in responses[which].get("content", {}) and "octet-stream" not in str(responses[which]):
        return [f"{status} is {kind}"]
    if kind not in ("application/json", "application/problem+json"):
        return []
    way = f"#/paths/{case.path.replace('~', '~0').replace('/', '~1')}/{case.method.lower()}/responses/{which}"
    found = validator(f"{way}/content/{kind.replace('/', '~1')}/schema").iter_errors(
        orjson.loads(answer.content)
    )
    return [f"{status} {error.json_path}: {error.message[:200]}" for error in found]


@pytest.mark.parametrize("role", ROLES)
def test_no_request_breaks_it_and_every_answer_fits(world: World, role: str) -> None:
    client, faults, tried = world.client(role), set[str](), 0
    client.raise_request_exception = False
    for result in schemathesis.openapi.from_dict(TOLD).get_all_operations():
        operation: Any = result.ok()  # type: ignore[union-attr]
        if operation.path.endswith(":batch"):
            continue  # lines, which it cannot write: tests/validation/imports/test_imports_api.py does

        @properties(
            max_examples=EXAMPLES,
            phases=[Phase.generate],
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def one(case: Any) -> None:
            nonlocal tried
            tried += 1
            limits.clear()
            answer = taken_back(lambda: asked(client, case, world.own))
            faults.update(f"{case.method} {case.path} {fault}" for fault in wrong(case, answer))

        one()
    assert sorted(faults) == []
    assert tried > len(TOLD["paths"])


def test_the_check_of_answers_can_fail(world: World) -> None:
    operation = schemathesis.openapi.from_dict(TOLD)["/api/v1/me"]["GET"]
    case, answer = operation.Case(), world.client("lead").get("/api/v1/me")
    assert wrong(case, answer) == []
    answer.content = orjson.dumps({**answer.json(), "email": 7})
    assert wrong(case, answer)
    answer.status_code = 500
    assert wrong(case, answer)
