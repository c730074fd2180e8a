"""What the schema lets a script send never breaks the server, and every answer fits it: tried out as each role.

Schemathesis draws requests from the schema, the same on every run; they go through the site in this process, and what
they wrote is taken back.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
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
from hypothesis import strategies as st
from schemathesis.core.result import Ok

from annotation.api import pages
from tests.conventions.named_objects import Things
from tests.conventions.table import own_addresses, read_whole, rows
from tests.conventions.visits import rolled_back
from tests.conventions.world import World

pytestmark = pytest.mark.django_db
EXAMPLES = 2
# Walks of so many requests, and what each begins with.
WALKS, STEPS = 16, 8
BEGUN = (
    "projects_get",
    "items_get",
    "work_next_post",
    "allocations_get",
    "own_items_get",
    "members_get",
    "questions_get",
)
# Links: what an operation's answer tells, by the parameter of later addresses, and where it stands there.
LINKS: Mapping[str, Mapping[str, str]] = {
    "projects_get": {"slug": "results/0/slug"},
    "projects_post": {"slug": "slug"},
    "items_get": {"key": "results/0/key"},
    "own_items_get": {"key": "results/0/key"},
    "work_next_post": {"token": "card/token"},
    "assignment_vote_post": {"token": "card/token"},
    "assignment_skip_post": {"token": "card/token"},
    "allocations_get": {"token": "results/0/token"},
    "members_get": {"annotator_id": "results/0/id"},
    "invitations_post": {"invitation_id": "id"},
    "imports_get": {"import_id": "results/0/id"},
    "imports_post": {"import_id": "id"},
    "import_start_post": {"job_id": "job/id"},
    "questions_get": {"question_id": "results/0/id"},
    "questions_post": {"question_id": "id"},
    "acts_post": {"job_id": "id"},
    "insights_get": {"name": "results/0/name"},
    "insights_compute_post": {"job_id": "id"},
    "releases_get": {"n": "results/0/n"},
    "studies_get": {"kind": "results/0/kind", "n": "results/0/n"},
    "releases_post": {"n": "n", "job_id": "job/id"},
    "webhooks_post": {"webhook_id": "id"},
    "webhook_act_post": {"webhook_id": "id"},
    "deliveries_get": {"delivery_id": "results/0/id"},
    "concepts_get": {"concept_id": "results/0/id"},
    "concepts_propose_post": {"concept_id": "id"},
    "sessions_get": {"session_id": "results/0/id"},
    "group_questions_get": {"question_id": "results/0/id"},
    "topics_get": {"concept_id": "results/0/id"},
    "topic_begin_post": {"token": "token"},
    "suggestions_get": {"suggestion_id": "results/0/id"},
    "runs_get": {"n": "results/0/n"},
    "source_sets_get": {"key": "results/0/key"},
    "source_set_units_get": {"unit_id": "results/0/id"},
    "source_sets_of_file_post": {"import_id": "id"},
    "disputes_get": {"dispute_id": "results/0/id"},
    "gold_questions_get": {"question_id": "results/0/id"},
    "quiz_items_get": {"row_id": "results/0/id"},
}
ROLES = ("administrator", "lead", "validator", "writer")
TOLD = orjson.loads(pages.SCHEMA_FILE.read_bytes())
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
    "question_id": "thread",
}
# Of parts that the project itself does not have: where they are, by the beginning of their path, and what they name.
ELSEWHERE: Mapping[str, Mapping[str, str]] = {
    "concepts": {"slug": "questions", "concept_id": "concept"},
    "topics": {"slug": "prompts", "concept_id": "topic"},
    "my-items/{key}:vary": {"slug": "prompts", "key": "prompt_key"},
    "second-look": {"slug": "prompts", "key": "look_key"},
    "group-questions": {"slug": "prompts", "question_id": "asked"},
    "group-answers": {"slug": "prompts", "answer_id": "answer"},
    "sessions": {"slug": "prompts", "session_id": "review", "suggestion_id": "suggestion"},
    "machine": {"slug": "generated"},
    "runs": {"slug": "generated", "n": "done_run"},
    "materials": {"slug": "generated"},
    "instructions": {"slug": "generated"},
    "registers": {"slug": "translated"},
    "source-sets": {"slug": "translated", "key": "loose_set"},
    "source-units": {"slug": "translated", "unit_id": "unit"},
    "source-imports": {"slug": "translated", "import_id": "source_import"},
    "targets": {"slug": "translated", "key": "target"},
    "disputes": {"dispute_id": "dispute"},
    "pay/": {"token": "entry"},
    "my-pay/": {"token": "own_entry"},
    "quiz-items": {"row_id": "quiz_row"},
    "gold-questions": {"question_id": "gold"},
}


def address(case: Any, things: Things) -> str:
    """The address of a case, at things of the small world where there are such things."""
    given = dict(case.path_parameters or {})
    for name in given.keys() & NAMED.keys():
        given[name] = getattr(things, NAMED[name])
    if "token" in given:
        given["token"] = things.allocation if "/allocations/" in case.path else things.assignment
    if "/my-items/" in case.path:
        given["key"] = things.own_item_key
    if "/acts/" in case.path:
        given["job_id"] = things.many
    part = case.path.partition("{slug}/")[2]
    for start, names in ELSEWHERE.items():
        if part.startswith(start):
            given |= {name: getattr(things, field) for name, field in names.items() if name in given}
    case.path_parameters = given
    return str(case.formatted_path)


def asked(client: Client, case: Any, path: str) -> Any:
    """The answer to a case, asked at this path."""
    query = dict(case.query or {})
    headers = {name: str(value) for name, value in (case.headers or {}).items()}
    if case.method == "GET":
        return read_whole(client.get(path, query, headers=headers))
    body = case.body if isinstance(case.body, (dict, list, str, bytes)) else {}
    kind = case.media_type or "application/json"
    if kind == "multipart/form-data":
        file = body.get("file", b"") if isinstance(body, dict) else b""
        content = file if isinstance(file, bytes) else repr(file).encode("utf-8", "replace")
        return read_whole(client.post(path, {"file": SimpleUploadedFile("drawn.jsonl", content)}, headers=headers))
    sent = (
        body
        if isinstance(body, bytes)
        else json.dumps(body).encode()
        if kind == "application/json"
        else str(body).encode()
    )
    return read_whole(client.generic("POST", path, sent, content_type=kind, headers=headers))


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
    found = validator(f"{way}/content/{kind.replace('/', '~1')}/schema").iter_errors(orjson.loads(answer.content))
    return [f"{status} {error.json_path}: {error.message[:200]}" for error in found]


@pytest.mark.timeout(600)  # two minutes and a half where four others are at work on two cores
def test_no_request_breaks_it_and_every_answer_fits(world: World) -> None:
    """Each request is drawn once, and sent by every role: drawing costs more than answering."""
    clients, faults, tried = {role: world.client(role) for role in ROLES}, set[str](), 0
    for client in clients.values():
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
            path = address(case, world.own)
            for role, client in clients.items():
                limits.clear()
                answer = rolled_back(lambda: asked(client, case, path))  # noqa: B023 - called at once
                faults.update(f"{role}: {case.method} {case.path} {fault}" for fault in wrong(case, answer))

        one()
    assert sorted(faults) == []
    assert tried > len(TOLD["paths"])


def found(answer: Any, way: str) -> Any:
    """What an answer holds there; None where it holds nothing."""
    at = orjson.loads(answer.content)
    for part in way.split("/"):
        if isinstance(at, list):
            at = dict(enumerate(at))
        at = at.get(int(part) if part.isdigit() else part) if isinstance(at, dict) else None
    return at


def followed(client: Client, cases: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Each case with its answer: about what the answers before it have told, as far as they told something."""
    known: dict[str, Any] = {}
    for case in cases:
        drawn, name = case.path_parameters or {}, case.operation.definition.raw["operationId"]
        named = re.findall(r"{(\w+)}", case.path)
        case.path_parameters = {each: known.get(each, drawn.get(each, "0")) for each in named}
        # Who asks stays who it is.
        case.headers = {at: text for at, text in (case.headers or {}).items() if at != "Authorization"}
        limits.clear()
        answer = asked(client, case, str(case.formatted_path))
        yield case, answer
        for parameter, way in LINKS.get(name, {}).items() if answer.status_code < 300 else ():
            if (value := found(answer, way)) is not None:
                known[parameter] = value


def opened(role: str) -> set[tuple[str, str]]:
    """What the table of routes opens to a role in its project, whatever is then asked of it: methods and paths."""
    at = {each.name: "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", each.pattern) for each in own_addresses()}
    shut = ("401", "403", "404", "-")
    return {(row.method, at[row.route]) for row in rows() if row.is_api and row.expected[role][0] not in shut}


@pytest.mark.parametrize("role", ROLES)
def test_no_request_breaks_it_that_follows_from_answers(world: World, role: str) -> None:
    """Walks of requests, each begun with what lists projects and what is in one."""
    client, faults, done = world.client(role), set[str](), set[str]()
    client.raise_request_exception = False
    schema = schemathesis.openapi.from_dict(TOLD)
    there = [each for each in schema.get_all_operations() if isinstance(each, Ok)]
    every = {each.ok().definition.raw["operationId"]: each.ok() for each in there}
    others = [one for one in every.values() if not one.path.endswith(":batch")]
    mine = [one for one in others if (one.method.upper(), one.path) in opened(role)]
    assert len(mine) > STEPS
    # In turns one that is open to the role and any one.
    step = st.tuples(*(st.one_of([one.as_strategy() for one in some]) for some in (mine, others)))

    @properties(
        max_examples=WALKS,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(drawn=st.lists(step, min_size=STEPS // 2, max_size=STEPS // 2))
    def walk(drawn: list[tuple[Any, Any]]) -> None:
        cases = [*(every[name].Case() for name in BEGUN), *chain(*drawn)]
        for case, answer in rolled_back(lambda: list(followed(client, cases))):
            faults.update(f"{case.method} {case.path} {fault}" for fault in wrong(case, answer))
            if answer.status_code < 300:
                done.add(f"{case.method} {case.path}")

    walk()
    assert sorted(faults) == []
    assert LINKS.keys() <= every.keys()
    assert len([name for name in done if "{slug}" in name]) >= 3


def test_the_check_of_answers_can_fail(world: World) -> None:
    operation = schemathesis.openapi.from_dict(TOLD)["/api/v1/me"]["GET"]
    case, answer = operation.Case(), world.client("lead").get("/api/v1/me")
    assert wrong(case, answer) == []
    answer.content = orjson.dumps({**answer.json(), "email": 7})
    assert wrong(case, answer)
    answer.status_code = 500
    assert wrong(case, answer)
