"""Runs against a server that misbehaves: every question accounted for, nothing paid twice, whatever is killed."""

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import pytest
from django.db import connection

from annotation.core.models.project import Project
from annotation.generation.actions.runs import run_cancel, run_pause, run_resume
from annotation.generation.models import Call, Endpoint, GenerationRun, MachineLimit
from tests import llm_server, machine
from validation import integrity

pytestmark = [pytest.mark.django_db(transaction=True)]
# What a request is answered with when it comes for the first time, in percent of the requests.
FIRST = {
    "429 after": 3,
    "429": 2,
    "500": 4,
    "503": 2,
    "hangs": 2,
    "cut": 3,
    "closes": 3,
    "torn": 4,
    "envelope torn": 2,
    "words": 3,
    "wrong label": 3,
}
AGAIN = ("500", "429", "cut")


def says(seen: llm_server.ReceivedRequest) -> str:
    return json.dumps(machine.chat_answer(seen.text))


@pytest.fixture
def server() -> Iterator[llm_server.Server]:
    with llm_server.serving(answer=says) as serving:
        yield serving


def misbehaving() -> Callable[[llm_server.ReceivedRequest], str]:
    """Misdeeds that depend on nothing but what is asked, and how often: so that every run meets the same."""
    times: Counter[str] = Counter()

    def misdeed(seen: llm_server.ReceivedRequest) -> str:
        if number(seen.text) % 25 == 0:
            return "torn"  # nobody ever gets an answer to this one that could be used
        # Not by the key: that holds the server's port, which is another in every test.
        asked = f"{seen.text} {seen.key.rpartition('-')[2]}"
        times[asked] += 1
        percent = number(asked) % 100
        if times[asked] == 1:
            for name, share in FIRST.items():
                percent -= share
                if percent < 0:
                    return name
        return AGAIN[percent % 3] if times[asked] == 2 and percent % 5 == 0 else ""

    return misdeed


def number(text: str) -> int:
    return int(sha256(text.encode()).hexdigest()[:12], 16)


def all_accounted_for(run: GenerationRun, of: Project, questions: int) -> Counter[str]:
    """Kept and dropped make up all; each has its steps; the system's own check finds nothing."""
    assert run.state == "done", run.reason
    found = Counter(run.candidates.values_list("state", "reason"))
    assert sum(found.values()) == questions
    assert {state for state, _ in found} <= {"kept", "dropped"}
    assert of.items.count() == found["kept", ""]
    assert list(integrity.run(project=of)) == []
    return Counter({reason or "kept": n for (_, reason), n in found.items()})


def nothing_paid_twice(server: llm_server.Server) -> None:
    assert set(server.paid.values()) == {1}
    answered = Call.objects.filter(state__in=["answered", "unusable"]).count()
    assert answered == len(server.paid)


def through_misdeeds(server: llm_server.Server, sets: int) -> Counter[str]:
    server.misdeed_of = misbehaving()
    of = machine.a_machine_project(settings={"batch_size": 10})
    machine.question_sets(of, sets)
    endpoint = machine.a_server_endpoint(of, server.url, seconds=1)
    run = machine.drive(machine.begin_run(of, endpoint=endpoint))
    found = all_accounted_for(run, of, 3 * sets)
    nothing_paid_twice(server)
    return found


def test_forty_five_questions_through_every_misdeed(server: llm_server.Server) -> None:
    found = through_misdeeds(server, 15)
    assert found["kept"] > 20
    assert found["unusable_answer"] >= 1


def once_at(number: int, act: Callable[[], object]) -> Callable[[llm_server.ReceivedRequest], str]:
    """Behaves, and does this when the so-manieth request has come: once, though two come at the same time."""
    came = itertools.count(1)

    def misdeed(seen: llm_server.ReceivedRequest) -> str:
        if next(came) == number:
            act()
            connection.close()
        return ""

    return misdeed


def begun(server: llm_server.Server, sets: int = 2, **fields: Any) -> GenerationRun:
    of = machine.a_machine_project(settings={"batch_size": 1})
    machine.question_sets(of, sets)
    return machine.begin_run(of, endpoint=machine.a_server_endpoint(of, server.url, at_once=2, **fields))


@pytest.mark.parametrize("act", [run_pause, run_cancel])
def test_stopped_between_calls(server: llm_server.Server, act: Callable[..., GenerationRun]) -> None:
    """What is on its way comes in and is kept; nothing further is asked."""
    run = begun(server)
    server.misdeed_of = once_at(3, lambda: act(run=run, by=None))
    machine.finish(run)
    asked = len(server.seen)
    assert asked <= 5
    assert Call.objects.filter(state="answered").count() == len(server.paid) == asked
    assert list(integrity.run(project=run.project)) == []
    if act is run_pause:
        run_resume(run=run, by=None)
        assert machine.drive(run).state == "done"
        nothing_paid_twice(server)
        assert len(server.seen) == 2 * 10


@pytest.mark.parametrize(("misdeed", "budget", "code"), [("401", 1000, "endpoint_refuses"), ("", 0, "budget_spent")])
def test_a_run_that_may_not_ask_stops_with_the_reason(
    server: llm_server.Server, misdeed: str, budget: int, code: str
) -> None:
    run = begun(server)
    server.misdeed_of = lambda seen: misdeed
    MachineLimit.objects.update(budget=budget)
    assert (machine.drive(run).state, run.reason) == ("paused", code)
    assert list(integrity.run(project=run.project)) == []
    server.misdeed_of = lambda seen: ""
    MachineLimit.objects.update(budget=1000)
    run_resume(run=run, by=None)
    all_accounted_for(machine.drive(run), run.project, 6)
    nothing_paid_twice(server)


def test_an_endpoint_that_is_changed_in_the_middle_is_asked_as_it_was(server: llm_server.Server) -> None:
    run = begun(server)
    told = {"model": "another", "parameters": {"max_tokens": 3}, "price_in": 7}
    server.misdeed_of = once_at(5, lambda: Endpoint.objects.update(version=2, **told))
    all_accounted_for(machine.drive(run), run.project, 6)
    nothing_paid_twice(server)
    assert {seen.body["model"] for seen in server.seen} == {"model-of-tests"}
    assert 3 not in {seen.body["max_tokens"] for seen in server.seen}
    assert set(Call.objects.values_list("model", flat=True)) == {"model-of-tests"}


@pytest.mark.faults
@pytest.mark.timeout(900)
def test_three_hundred_questions_through_every_misdeed(server: llm_server.Server) -> None:
    found = through_misdeeds(server, 100)
    assert found["kept"] > 200
    print(dict(found), len(server.seen), "requests,", len(server.paid), "paid")
    assert set(Endpoint.objects.values_list("failures", flat=True)) == {0}
