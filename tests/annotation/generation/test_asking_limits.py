"""How often, how fast and for how much: rates, rests, an hour of failures (F28), and workers who ask at once."""

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import Sum

from annotation.core.database import now
from annotation.generation.llm import calls, guard, limits, wire
from annotation.generation.models import Call, CallAttempt, Endpoint, GenerationRun, MachineLimit
from annotation.jobs.queue import PostponeJob
from tests import llm_server
from tests.endpoint_runs import a_run, an_endpoint, ask, pass_time
from tests.llm_server import Server
from tests.race import run_at_once
from tests.wait import wait_until


@pytest.fixture
def server() -> Iterator[Server]:
    with llm_server.serving(lambda seen: f'{{"text": "{seen.text}!"}}') as started:
        yield started


def later(run: GenerationRun, endpoint: Endpoint, texts: Sequence[str]) -> float:
    """Ask, be told to come back, and after how many seconds."""
    with pytest.raises(PostponeJob) as told:
        ask(run, endpoint, texts)
    return told.value.seconds


def until_done(
    run: GenerationRun, endpoint: Endpoint, texts: Sequence[str], most: int = 1000
) -> tuple[list[calls.CallResult], float]:
    """Come back whenever told to, as a job does, while time passes; what was given, and the seconds that it took."""
    took = 0.0
    for _ in range(most):
        try:
            return ask(run, endpoint, texts), took
        except PostponeJob as told:
            pass_time(told.seconds)
            took += told.seconds
    raise AssertionError("never done")


def letters(count: int) -> list[str]:
    return [f"q{n}" for n in range(count)]


# --- rates --------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("whose", ["endpoint", "project"])
def test_no_minute_has_more_calls_than_its_limit(server: Server, whose: str) -> None:
    rate: dict[str, Any] = {"per_minute": 5}
    endpoint = an_endpoint(server, **(rate if whose == "endpoint" else {}))
    run = a_run(**(rate if whose == "project" else {}))
    wait = later(run, endpoint, letters(12))
    assert len(server.seen) == 5
    assert 0 < wait <= 60
    # All at one moment, that of the first: on a busy machine the last of them was sent some seconds later.
    CallAttempt.objects.update(at=CallAttempt.objects.earliest("at").at)
    pass_time(wait + 1)
    later(run, endpoint, letters(12))
    assert len(server.seen) == 10
    pass_time(61)
    assert len(ask(run, endpoint, letters(12))) == 12
    assert len(server.seen) == 12


@pytest.mark.django_db
def test_attempts_count_as_calls(server: Server) -> None:
    server.misdeed_of = lambda seen: "500"
    endpoint, run = an_endpoint(server, per_minute=3, at_once=1), a_run()
    later(run, endpoint, letters(2))
    Call.objects.update(not_before=None)
    later(run, endpoint, letters(2))
    Call.objects.update(not_before=None)
    later(run, endpoint, letters(2))
    assert len(server.seen) == CallAttempt.objects.count() == 3


# --- rests --------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(("asked", "rest"), [("7", 7.0), ("99999", limits.LONGEST_RETRY_AFTER)])
def test_retry_after_is_honoured(server: Server, asked: str, rest: float) -> None:
    server.retry_after = asked
    server.misdeeds = ["429 after"]
    endpoint, run = an_endpoint(server, at_once=1), a_run()
    wait = later(run, endpoint, letters(3))
    endpoint.refresh_from_db()
    assert endpoint.rests_until is not None
    assert endpoint.rests_until - CallAttempt.objects.get().at >= timedelta(seconds=rest)
    assert 0 < wait <= rest
    assert len(server.seen) == 1
    later(run, endpoint, letters(3))  # too early: nothing is sent
    assert len(server.seen) == 1
    pass_time(rest)
    assert len(ask(run, endpoint, letters(3))) == 3


@pytest.mark.django_db
def test_retry_after_as_a_date(server: Server) -> None:
    server.retry_after = (now() + timedelta(seconds=120)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    server.misdeeds = ["429 after"]
    assert 100 < later(a_run(), an_endpoint(server, at_once=1), letters(1)) <= 120


@pytest.mark.django_db
def test_a_broken_endpoint_is_asked_by_one_call_at_a_time(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    # It rests as long as it may each time, not half a second by chance, which a busy machine takes to look again.
    monkeypatch.setattr(limits, "jittered", lambda times: limits.LONGEST_REST)
    server.misdeed_of = lambda seen: "500"
    endpoint, run = an_endpoint(server, at_once=4), a_run()
    later(run, endpoint, letters(8))
    assert 4 <= len(server.seen) <= 8
    endpoint.refresh_from_db()
    assert endpoint.failures >= 4
    pass_time(1000)
    before = len(server.seen)
    later(run, endpoint, letters(8))
    pass_time(1000)
    assert len(server.seen) <= before + 8
    before = len(server.seen)
    later(run, endpoint, letters(8))
    assert len(server.seen) == before + 1
    endpoint.refresh_from_db()
    assert endpoint.rests_until is not None
    # One answer, and all is as before.
    server.misdeed_of = lambda seen: ""
    pass_time(1000)
    assert len(ask(run, endpoint, letters(8))) == 8
    endpoint.refresh_from_db()
    assert endpoint.failures == 0
    assert Endpoint.objects.filter(rests_until=None).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("misdeed", ["429", "429 after", "500", "503", "closes"])
def test_an_hour_of_failures(server: Server, misdeed: str) -> None:
    """F28: few calls while it lasts, none is given up for it, and soon afterwards all are answered."""
    server.misdeed_of = lambda seen: misdeed
    endpoint, run = an_endpoint(server), a_run()
    texts, took = letters(30), 0.0
    while took < 3600:
        wait = later(run, endpoint, texts)
        assert wait <= limits.LONGEST_RETRY_AFTER
        pass_time(wait)
        took += wait
    assert len(server.seen) <= 80
    assert Call.objects.filter(state=Call.State.FAILED).count() == 0
    server.misdeed_of = lambda seen: ""
    given, caught_up = until_done(run, endpoint, texts)
    assert all(each.answer for each in given)
    assert caught_up <= 900
    assert set(server.paid.values()) == {1}


@pytest.mark.django_db
def test_an_endpoint_that_never_comes_back_stops_the_run(server: Server) -> None:
    server.misdeed_of = lambda seen: "503"
    with pytest.raises(calls.AskingBlocked) as stopped:
        until_done(a_run(), an_endpoint(server), letters(3))
    assert stopped.value.code == "endpoint_silent"
    assert len(server.seen) <= limits.MOST_FAILURES + 4


@pytest.mark.django_db
def test_a_question_that_breaks_the_endpoint_is_given_up_alone(server: Server) -> None:
    server.misdeed_of = lambda seen: "500" if seen.text == "q3" else ""
    endpoint, run = an_endpoint(server, at_once=1), a_run()
    given: list[calls.CallResult] = []
    for more in range(10, 60, 5):  # others are answered in between
        try:
            given = ask(run, endpoint, letters(more))
            break
        except PostponeJob as told:
            pass_time(told.seconds + 300)
    assert [each.fault for each in given if each.answer is None] == ["status_500"]
    assert given[3].answer is None
    assert Call.objects.get(state=Call.State.FAILED).attempts == 6
    # Another run may try it once more.
    server.misdeed_of = lambda seen: ""
    assert ask(a_run(run.project), endpoint, ["q3"])[0].answer is not None


@pytest.mark.django_db
def test_a_mixture_of_all_faults_ends_with_every_question_accounted_for(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """300 questions; nothing is paid twice."""
    misdeeds = [
        "429 after",
        "500",
        "hangs",
        "torn",
        "wrong label",
        "503",
        "cut",
        "closes",
        "html",
        "429",
        "NaN",
    ]
    seen_so_far: dict[str, int] = {}

    def misdeed(seen: llm_server.ReceivedRequest) -> str:
        """Every third question fails once, each in another way."""
        number = int(seen.text.removeprefix("q"))
        with server.lock:
            seen_so_far[seen.text] = seen_so_far.get(seen.text, 0) + 1
            first = seen_so_far[seen.text] == 1
        return misdeeds[(number // 3) % len(misdeeds)] if first and number % 3 == 0 else ""

    server.misdeed_of = misdeed
    real, hang = wire.post, {f"q{n}" for n in range(300) if n % 33 == 6}

    def post(target: guard.Destination, path: str, body: bytes, headers: Any, *, seconds: float) -> wire.Reply:
        """Only what is never answered is not waited for: what comes late would be in doubt, and cost more."""
        said = json.loads(body)["messages"][0]["content"]
        short = said in hang
        hang.discard(said)
        return real(target, path, body, headers, seconds=0.5 if short else seconds)

    monkeypatch.setattr(wire, "post", post)
    endpoint, run = an_endpoint(server, at_once=8), a_run()
    given, _ = until_done(run, endpoint, letters(300))
    assert [each.answer.text for each in given] == [f"q{n}!" for n in range(300)]  # type: ignore[union-attr]
    assert set(server.paid.values()) == {1}
    answered = Call.objects.filter(state__in=[Call.State.ANSWERED, Call.State.UNUSABLE])
    assert answered.count() == len(server.paid)
    # What is written down as spent is what the server was paid, to the last place, and what it may have been paid:
    # a byte of the question, 16 for the message and 100 for the answer, of what was cut off.
    assert not hang
    cut_off = [n for n in range(0, 300, 3) if misdeeds[(n // 3) % len(misdeeds)] in ("hangs", "cut", "closes")]
    doubtful = sum(len(f"q{n}") + 116 for n in cut_off)
    tokens = answered.aggregate(sum=Sum("tokens_in") + Sum("tokens_out"))["sum"]
    unsaid = answered.filter(answer="").aggregate(sum=Sum("cost"))["sum"]
    cost = Call.objects.aggregate(sum=Sum("cost"))["sum"]
    assert cost == (tokens + doubtful) * Decimal("0.001") + unsaid


# --- many at once ---------------------------------------------------------------------------


def in_threads(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    return run_at_once(calls)


@pytest.mark.django_db(transaction=True)
def test_eight_workers_never_overspend(server: Server) -> None:
    """Each call may cost 0.118 and costs 0.003: with 0.5 no more than four may be under way at any moment."""
    run, endpoint = a_run(budget="0.5"), an_endpoint(server, at_once=2)
    highest: list[Decimal] = []

    def spent() -> Decimal:
        return Call.objects.aggregate(sum=Sum("cost"))["sum"] or Decimal(0)

    def worker(number: int) -> Any:
        texts = [f"w{number} {n}" for n in range(20)]
        for _ in range(200):
            try:
                return len(ask(run, endpoint, texts))
            except PostponeJob:
                highest.append(spent())
            except calls.AskingBlocked as stopped:
                return stopped.code
        return "never done"

    results = in_threads([lambda number=number: worker(number) for number in range(8)])  # type: ignore[misc]
    assert set(results) <= {20, "budget_spent", "never done"}
    assert spent() <= Decimal("0.5")
    assert all(each <= Decimal("0.5") for each in highest)
    assert "budget_spent" in results or "never done" in results
    assert set(server.paid.values()) == {1}
    # What the server was paid is what was spent: a tenth of a cent for each word.
    assert Call.objects.filter(state=Call.State.ANSWERED).count() == len(server.paid) > 4


@pytest.mark.django_db(transaction=True)
def test_two_workers_with_the_same_questions_ask_each_once(server: Server) -> None:
    run, endpoint = a_run(), an_endpoint(server, at_once=3)
    texts = letters(12)

    def asked() -> list[calls.CallResult]:
        with contextlib.suppress(PostponeJob):
            return ask(run, endpoint, texts)
        return []

    def worker() -> list[calls.CallResult]:
        return wait_until(asked, 45, "all to be answered")

    first, second = in_threads([worker, worker])
    assert [each.answer for each in first] == [each.answer for each in second]
    assert len(server.seen) == 12
    assert Call.objects.count() == 12


@pytest.mark.django_db(transaction=True)
def test_workers_share_a_rate(server: Server) -> None:
    runs = [a_run(), a_run(budget=None)]
    MachineLimit.objects.get_or_create(project=runs[1].project, defaults={"budget": 10, "per_minute": 1000})
    endpoint = an_endpoint(server, per_minute=7)
    calls = [lambda run=run: later(run, endpoint, letters(20)) for run in runs * 3]
    assert all(0 < wait <= 60 for wait in in_threads(calls))
    assert len(server.seen) == 7
