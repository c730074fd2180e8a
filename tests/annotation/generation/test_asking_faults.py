"""What goes wrong between sending and keeping: money that nobody knows of, a database that is away, jobs taken over."""

import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, Literal

import pytest
from django.db import OperationalError, connection
from django.db.models import Sum
from django.test.utils import CaptureQueriesContext
from pydantic import BaseModel

from annotation.core import sealing
from annotation.generation.llm import calls, limits, reading, sending, wire
from annotation.generation.models import Call, Endpoint, GenerationRun
from annotation.jobs.models import Job
from annotation.jobs.queue import Handle, PostponeJob
from tests import llm_server
from tests.endpoint_runs import AnswerForm, a_run, an_endpoint, ask, expire_holds, pass_time
from tests.llm_server import Server


@pytest.fixture
def server() -> Iterator[Server]:
    with llm_server.serving(lambda seen: f'{{"text": "{seen.text}!"}}') as started:
        yield started


def texts(given: list[calls.CallResult]) -> list[str]:
    return [each.answer.text if each.answer else each.fault for each in given]  # type: ignore[attr-defined]


def until_done(run: GenerationRun, endpoint: Endpoint, asked: list[str]) -> list[calls.CallResult]:
    """Come back whenever told to, as a job does."""
    for _ in range(500):
        try:
            return ask(run, endpoint, asked)
        except PostponeJob as told:
            pass_time(told.seconds + 400)
    raise AssertionError("never done")


def booked() -> Decimal:
    return Call.objects.aggregate(sum=Sum("cost"))["sum"] or Decimal(0)


# --- money --------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("misdeed", ["cut", "closes"])
def test_every_sending_that_may_have_been_paid_is_booked(server: Server, misdeed: str) -> None:
    """An endpoint that charges, cuts off, and knows no question again: the budget ends it."""
    server.honours_keys = False
    server.misdeed_of = lambda seen: misdeed
    run, endpoint = a_run(budget="2"), an_endpoint(server)
    with pytest.raises(calls.AskingBlocked) as stopped:
        until_done(run, endpoint, [f"q{n}" for n in range(4)])
    assert stopped.value.code == "budget_spent"
    # A byte, 16 for the message, 100 for the answer; for each of them.
    assert booked() == sum(len(seen.text) + 116 for seen in server.seen) * Decimal("0.001")
    assert booked() <= 2
    assert len(server.seen) > 4


@pytest.mark.django_db
def test_a_call_that_is_cut_off_again_and_again_is_given_up(server: Server) -> None:
    server.honours_keys = False
    server.misdeed_of = lambda seen: "cut"
    given = until_done(a_run(), an_endpoint(server), ["a"])
    assert texts(given) == ["cut"]
    assert len(server.seen) == sending.MOST_DOUBTS
    assert booked() == sending.MOST_DOUBTS * Decimal("0.117")


def sendings(run: GenerationRun, endpoint: Endpoint, line: sending.EndpointClient) -> list[sending.Sending]:
    """Two sendings of one call, by two workers: the first one's time was up before it wrote anything down."""
    with pytest.raises(PostponeJob):
        ask(run, endpoint, ["a"])
    call = Call.objects.get()
    found = []
    for holder in (1, 2):
        expire_holds()
        costs = {call.pk: line.most_cost(call)}
        booking = limits.reserve_calls(endpoint=endpoint, calls=[call], costs=costs, most=1, holder=holder)
        found.append(sending.Sending(booking.calls[0], costs[call.pk]))
    return found


@pytest.mark.django_db
def test_what_a_sending_cost_takes_the_place_of_what_was_booked_for_it_alone(server: Server) -> None:
    server.misdeeds = ["500"]
    run, endpoint = a_run(), an_endpoint(server)
    line = sending.EndpointClient.to(endpoint)
    first, second = sendings(run, endpoint, line)
    assert Call.objects.get().cost == Decimal("0.234")
    assert Call.objects.get().doubts == 1
    # The first one comes to nothing after all, and lets the second one's hold alone.
    row = line.settle(first, wire.Reply(500, fault="status"), AnswerForm)
    assert (row.cost, row.held_by) == (Decimal("0.117"), 2)
    assert line.settle(second, line.send(second.call), AnswerForm).cost == Decimal("0.003")


@pytest.mark.django_db
def test_an_answer_that_comes_too_late_is_paid_too(server: Server) -> None:
    server.misdeeds = ["500"]
    run, endpoint = a_run(), an_endpoint(server)
    line = sending.EndpointClient.to(endpoint)
    first, second = sendings(run, endpoint, line)
    reply = line.send(first.call)
    assert line.settle(first, reply, AnswerForm).cost == Decimal("0.120")
    assert line.settle(second, reply, AnswerForm).cost == Decimal("0.006")
    # What was written down already, and only its confirmation was lost, is not booked twice.
    second.again = True
    assert line.settle(second, reply, AnswerForm).cost == Decimal("0.006")


@pytest.mark.django_db
def test_the_sum_is_taken_before_the_endpoint_is_held(server: Server) -> None:
    run, endpoint = a_run(), an_endpoint(server)
    with CaptureQueriesContext(connection) as queries:
        ask(run, endpoint, ["a"])
    said = [query["sql"] for query in queries]
    limit = next(place for place, sql in enumerate(said) if 'FROM "annotation_machinelimit"' in sql)
    summed = next(place for place, sql in enumerate(said) if "SUM(" in sql)
    held = next(place for place, sql in enumerate(said) if 'FROM "annotation_endpoint"' in sql and place > limit)
    assert limit < summed < held


# --- a database that is away ----------------------------------------------------------------


class Away:
    """A database that does not take what matches, so many times."""

    def __init__(self, times: int, holds: Callable[[str], bool] = lambda said: True) -> None:
        self.times, self.holds, self.refused = times, holds, 0

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        kept = sql.startswith('UPDATE "annotation_call"') and '"answer"' in sql and self.holds(str(params))
        if kept and self.refused < self.times:
            self.refused += 1
            raise OperationalError("database is locked")
        return execute(sql, params, many, context)


@pytest.fixture
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "AWAY_SECONDS", 0.0)


@pytest.mark.usefixtures("_no_pause")
@pytest.mark.django_db(transaction=True)
def test_answers_outlive_a_database_that_is_away_for_a_moment(server: Server) -> None:
    away = Away(6)
    run, endpoint = a_run(), an_endpoint(server)
    with connection.execute_wrapper(away):
        given = ask(run, endpoint, ["a", "b", "c", "d"])
    assert texts(given) == ["a!", "b!", "c!", "d!"]
    assert away.refused == 6
    assert len(server.seen) == 4
    assert booked() == 4 * Decimal("0.003")


@pytest.mark.usefixtures("_no_pause")
@pytest.mark.django_db(transaction=True)
def test_what_cannot_be_kept_takes_no_other_answer_with_it(server: Server) -> None:
    away = Away(1000, lambda said: "a!" in said)
    run, endpoint = a_run(), an_endpoint(server)
    with connection.execute_wrapper(away), pytest.raises(OperationalError):
        ask(run, endpoint, ["a", "b", "c", "d"])
    assert Call.objects.filter(state=Call.State.ANSWERED).count() == 3
    assert away.refused > calls.MOST_AWAY
    expire_holds()
    assert texts(ask(run, endpoint, ["a", "b"])) == ["a!", "b!"]
    assert len(server.seen) == 5


# --- whose call it is ------------------------------------------------------------------------


def a_job(run: GenerationRun) -> Job:
    return Job.objects.create(kind="generate", project=run.project, state=Job.State.RUNNING, lease="mine")


@pytest.mark.django_db
def test_a_successor_does_not_take_its_predecessors_calls_for_its_own(server: Server) -> None:
    """The same job, claimed anew: what the one before sent may still be answered."""
    server.misdeeds = ["500"]
    run, endpoint = a_run(), an_endpoint(server)
    job = a_job(run)
    with pytest.raises(PostponeJob):
        ask(run, endpoint, ["a"], handle=Handle(job))
    Call.objects.update(held_by=job.pk, not_before="2100-01-01T00:00:00Z")
    with pytest.raises(PostponeJob) as told:
        ask(run, endpoint, ["a"], handle=Handle(job))
    assert told.value.seconds == limits.HELD_SECONDS
    assert len(server.seen) == 1
    expire_holds()
    assert texts(ask(run, endpoint, ["a"], handle=Handle(job))) == ["a!"]


class Watched(Handle):
    """A handle that breaks the work off at its second renewal, and says how often it was renewed."""

    def __init__(self, job: Job, enough: threading.Event) -> None:
        super().__init__(job)
        self.renewed, self.enough = 0, enough

    def progress(self, done: int, total: int | None = None) -> None:
        super().progress(done, total)
        self.renewed += 1
        if self.renewed == 2:
            raise RuntimeError("broken off")
        if self.renewed == 5:
            self.enough.set()


@pytest.mark.django_db
def test_the_lease_is_renewed_while_answers_come_in(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever broke off: the endpoint answers only once the lease was renewed a few times more."""
    monkeypatch.setattr(calls, "RENEW_SECONDS", 0.02)
    enough = threading.Event()
    waited: list[bool] = []

    def waits(seen: llm_server.ReceivedRequest) -> str:
        waited.append(enough.wait(15))
        return ""

    server.misdeed_of = waits
    run, endpoint = a_run(), an_endpoint(server)
    with pytest.raises(RuntimeError, match="broken off"):
        ask(run, endpoint, ["a"], handle=Watched(a_job(run), enough))
    assert waited == [True]
    assert Call.objects.get().state == Call.State.ANSWERED


# --- questions and answers --------------------------------------------------------------------


@pytest.mark.django_db
def test_a_refused_question_fails_alone_where_another_step_was_answered(server: Server) -> None:
    server.misdeed_of = lambda seen: "400" if seen.text == "b" else ""
    run, endpoint = a_run(), an_endpoint(server)
    ask(run, endpoint, ["a"], step="before")
    assert texts(ask(run, endpoint, ["b"])) == ["status_400"]


@pytest.mark.django_db
def test_the_only_question_there_is_may_be_refused_for_good(server: Server) -> None:
    server.misdeed_of = lambda seen: "400"
    run, endpoint = a_run(), an_endpoint(server)
    for _ in range(sending.MOST_REFUSALS - 1):
        with pytest.raises(calls.AskingBlocked):
            ask(run, endpoint, ["a"])
    assert texts(ask(run, endpoint, ["a"])) == ["status_400"]


def keyed(server: Server, key: str) -> Endpoint:
    origin = f"http://{server.host}"
    return an_endpoint(server, key_sealed=sealing.seal(key, origin), key_host=origin)


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["x", "text", "none", "key"])
def test_a_dummy_key_changes_no_answer(server: Server, key: str) -> None:
    server.answers.chat = lambda seen: '{"text": "none, x, key, text"}'
    assert texts(ask(a_run(), keyed(server, key), ["a"])) == ["none, x, key, text"]
    assert Call.objects.get().answer == '{"text": "none, x, key, text"}'


class TheKey(BaseModel):
    text: Literal["sk-secret-key"]


@pytest.mark.django_db
def test_an_answer_is_read_as_it_is_kept(server: Server) -> None:
    """A model that says the key where the form's own words stand: what is kept cannot be read, and counts as such."""
    server.answers.chat = lambda seen: '{"text": "sk-secret-key"}'
    given = ask(a_run(), keyed(server, "sk-secret-key"), ["a"], form=TheKey)
    assert texts(given) == ["does_not_fit"]
    assert set(Call.objects.values_list("state", flat=True)) == {Call.State.UNUSABLE}
    assert "sk-secret-key" not in str(list(Call.objects.values()))


@pytest.mark.django_db
def test_no_more_is_kept_of_an_answer_than_is_read(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LONGEST", 50)
    server.answers.chat = lambda seen: '{"text": "' + "a" * 100 + '"}'
    assert texts(ask(a_run(), an_endpoint(server), ["a"])) == ["too_long"]
    assert {len(call.answer) for call in Call.objects.all()} == {50}


# --- a worker that is shut down -----------------------------------------------------------------


class Stopping(Handle):
    """A handle whose worker is told to stop once something was sent."""

    def __init__(self, job: Job, server: Server) -> None:
        super().__init__(job)
        self.server = server

    def should_stop(self) -> bool:
        return bool(self.server.seen)


@pytest.mark.django_db
def test_a_worker_that_stops_sends_nothing_new_and_keeps_what_comes(server: Server) -> None:
    run, endpoint = a_run(), an_endpoint(server, at_once=1)
    job = a_job(run)
    with pytest.raises(PostponeJob) as told:
        ask(run, endpoint, ["a", "b", "c"], handle=Stopping(job, server))
    assert told.value.seconds == 0
    assert len(server.seen) == 1
    assert Call.objects.filter(state=Call.State.ANSWERED).count() == 1
    assert texts(ask(run, endpoint, ["a", "b", "c"], handle=Handle(job))) == ["a!", "b!", "c!"]
