"""Asking endpoints: what is kept is used again, nothing is paid twice, and what fails is tried within bounds."""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from annotation.core import sealing
from annotation.generation.llm import calls
from annotation.generation.models import Call, CallAttempt, Endpoint, MachineLimit
from annotation.jobs.models import Job
from annotation.jobs.queue import Handle, JobLost, PostponeJob
from tests import factory, llm_server
from tests.endpoint_runs import AnswerForm, a_run, an_endpoint, ask, expire_holds, pass_time, prompt
from tests.llm_server import Server

pytestmark = pytest.mark.django_db


@pytest.fixture
def server() -> Iterator[Server]:
    with llm_server.serving(lambda seen: f'{{"text": "{seen.text}!"}}') as started:
        started.pace = 0.02
        yield started


def texts(given: list[calls.CallResult]) -> list[str]:
    return [each.answer.text if each.answer else each.fault for each in given]  # type: ignore[attr-defined]


# --- kept answers -------------------------------------------------------------------------


def test_answers_come_in_the_order_of_the_prompts(server: Server) -> None:
    given = ask(a_run(), an_endpoint(server), ["a", "b", "c", "a"])
    assert texts(given) == ["a!", "b!", "c!", "a!"]
    assert given[0].calls == given[3].calls
    assert len(server.seen) == 3
    assert Call.objects.filter(state=Call.State.ANSWERED).count() == CallAttempt.objects.count() == 3


def test_what_was_asked_before_is_not_asked_again(server: Server) -> None:
    run, endpoint = a_run(), an_endpoint(server)
    first = ask(run, endpoint, ["a", "b"])
    again = ask(a_run(run.project), endpoint, ["b", "a"], step="another")
    assert texts(again) == ["b!", "a!"]
    assert {*first[0].calls, *first[1].calls} == {*again[0].calls, *again[1].calls}
    assert len(server.seen) == 2


def test_another_project_parameter_or_model_is_another_question(server: Server) -> None:
    run, endpoint = a_run(), an_endpoint(server)
    ask(run, endpoint, ["a"])
    ask(a_run(factory.project(preset="llm-gen")), endpoint, ["a"])
    ask(run, endpoint, ["a"], parameters={"temperature": 0.5})
    ask(run, an_endpoint(server, model="large"), ["a"])
    assert len(server.seen) == 4
    assert server.seen[2].body["temperature"] == 0.5


def test_what_is_kept_of_a_call(server: Server) -> None:
    run = a_run()
    endpoint = an_endpoint(server, price_in=Decimal("0.5"), price_out=2)
    ask(run, endpoint, ["one two"], parameters={"seed": 7})
    call = Call.objects.get()
    assert (call.run, call.step, call.model, call.n, call.status) == (run, "question", "small", 1, 200)
    assert call.request["parameters"] == {"max_tokens": 100, "seed": 7}
    assert call.request["messages"] == [{"role": "user", "content": "one two"}]
    assert call.answer == '{"text": "one two!"}'
    assert (call.tokens_in, call.tokens_out) == (2, 3)
    assert call.cost == Decimal("0.000007")
    assert call.answered_at is not None
    assert call.held_by is None


def test_an_endpoint_without_an_address_answers_what_was_recorded() -> None:
    run, endpoint = a_run(budget=None), an_endpoint()
    calls.record_answer(
        run=run,
        step="question",
        endpoint=endpoint,
        parameters={"seed": 1},
        messages=prompt("a").messages,
        text='{"text": "recorded"}',
    )
    assert texts(ask(run, endpoint, ["a"], parameters={"seed": 1})) == ["recorded"]
    with pytest.raises(calls.AskingBlocked) as stopped:
        ask(run, endpoint, ["a"], parameters={"seed": 2})
    assert stopped.value.code == "not_recorded"


# --- answers that cannot be used ----------------------------------------------------------


@pytest.mark.parametrize(
    ("misdeed", "fault"),
    [
        ("torn", "no_json"),
        ("NaN", "no_json"),
        ("words", "no_json"),
        ("huge number", "no_json"),
        ("deep", "too_deep"),
        ("wrong label", "does_not_fit"),
        ("NUL", "bad_characters"),
        ("silence", "empty"),
        ("html", "not_json"),
        ("html as json", "not_json"),
        ("nothing", "not_json"),
        ("envelope torn", "not_json"),
        ("envelope NaN", "not_json"),
        ("envelope deep", "not_json"),
        ("gzip", "not_json"),
        ("list", "not_protocol"),
        ("no choices", "not_protocol"),
        ("huge", "too_large"),
    ],
)
def test_what_cannot_be_used_is_kept_and_asked_again(server: Server, misdeed: str, fault: str) -> None:
    server.misdeeds = [misdeed]
    given = ask(a_run(), an_endpoint(server), ["a"])
    assert texts(given) == ["a!"]
    first, second = Call.objects.order_by("n")
    assert (first.state, first.fault, second.state) == (Call.State.UNUSABLE, fault, Call.State.ANSWERED)
    assert given[0].calls == [first.pk, second.pk]
    assert {seen.key for seen in server.seen} == {f"{first.digest}-1", f"{first.digest}-2"}
    # Whatever it was, it was paid.
    assert first.cost > 0


def test_a_lone_surrogate_is_no_text(server: Server) -> None:
    server.misdeeds = ["surrogate"]
    assert texts(ask(a_run(), an_endpoint(server), ["a"])) == ["a!"]
    assert Call.objects.get(n=1).fault == "bad_characters"


def test_a_third_unusable_answer_is_the_last(server: Server) -> None:
    server.misdeed_of = lambda seen: "torn" if seen.text == "a" else ""
    run, endpoint = a_run(), an_endpoint(server)
    given = ask(run, endpoint, ["a", "b"])
    assert texts(given) == ["no_json", "b!"]
    assert len(given[0].calls) == 3
    assert texts(ask(run, endpoint, ["a"])) == ["no_json"]
    assert len(server.seen) == 4


class Letter(BaseModel):
    model_config = ConfigDict(extra="forbid")
    letter: str

    @classmethod
    def from_text(cls, text: str) -> "Letter":
        if len(text) != 1:
            raise ValueError(text)
        return cls(letter=text)


@pytest.mark.parametrize(
    ("said", "letter"),
    [
        ('{"letter": "A"}', "A"),
        ('```json\n{"letter": "B"}\n```', "B"),
        ('I think [1] that {"letter": "C"} fits {best}.', "C"),
        ("D", "D"),
    ],
)
def test_forms_are_read_from_json_or_from_words(server: Server, said: str, letter: str) -> None:
    server.answers.chat = lambda seen: said
    given = ask(a_run(), an_endpoint(server), ["a"], form=Letter)
    assert given[0].answer == Letter(letter=letter)
    assert len(server.seen) == 1


def test_script_in_an_answer_is_text(server: Server) -> None:
    server.misdeeds = ["script"]
    assert texts(ask(a_run(), an_endpoint(server), ["a"])) == ["</script><script>alert(1)</script>"]


# --- other protocols ------------------------------------------------------------------------


class Vector(BaseModel):
    vector: list[float]


def test_embeddings(server: Server) -> None:
    server.answers.embed = lambda text: [0.123456789, -1.0]
    endpoint = an_endpoint(server, what="embedding", parameters={})
    given = ask(a_run(), endpoint, ['{"text": "halo"}'], form=Vector)
    assert given[0].answer == Vector(vector=[0.1234568, -1.0])
    assert (server.seen[0].path, server.seen[0].body["input"]) == ("/v1/embeddings", ["halo"])
    assert Call.objects.get().cost == Decimal("0.004")  # by characters


def test_translations(server: Server) -> None:
    endpoint = an_endpoint(server, what="translation", parameters={})
    asked = json.dumps({"text": "halo", "source": "id", "target": "en"})
    assert texts(ask(a_run(), endpoint, [asked])) == ["en: halo"]
    body = server.seen[0].body
    assert body == {"q": "halo", "source": "id", "target": "en", "format": "text"}


@pytest.mark.parametrize("numbers", [[], ["a"], [True], [1e400], None, "1,2"])
def test_vectors_that_are_none(server: Server, numbers: Any) -> None:
    server.answers.embed = lambda text: numbers
    endpoint = an_endpoint(server, what="embedding", parameters={})
    given = ask(a_run(), endpoint, ['{"text": "halo"}'], form=Vector)
    assert given[0].answer is None


# --- keys -----------------------------------------------------------------------------------


def with_key(server: Server) -> Endpoint:
    origin = f"http://{server.host}"
    return an_endpoint(server, key_sealed=sealing.seal("sk-secret-key", origin), key_host=origin)


def test_the_key_goes_along_and_is_kept_nowhere(
    server: Server, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answers.chat = lambda seen: json.dumps({"text": seen.headers["authorization"]})
    server.misdeeds = ["500"]  # says the key back to us
    run, endpoint = a_run(), with_key(server)
    with pytest.raises(PostponeJob):
        ask(run, endpoint, ["a"])
    pass_time(4000)
    assert texts(ask(run, endpoint, ["a"])) == ["Bearer …"]
    assert server.seen[0].headers["authorization"] == "Bearer sk-secret-key"
    stored = [*Call.objects.values(), *Endpoint.objects.values()]
    said = caplog.text + "".join(capsys.readouterr())
    assert "sk-secret-key" not in json.dumps(stored, default=str) + said


def test_a_key_that_was_sealed_for_another_host_is_not_sent(server: Server) -> None:
    endpoint = with_key(server)
    with llm_server.serving() as other:
        Endpoint.objects.filter(pk=endpoint.pk).update(address=other.url)
        with pytest.raises(calls.AskingBlocked) as stopped:
            ask(a_run(), endpoint, ["a"])
        assert stopped.value.code == "endpoint_key_lost"
        assert other.seen == []


# --- who may ask ------------------------------------------------------------------------------


def test_parameters_are_on_a_list(server: Server) -> None:
    for name, value in (("api_base", "http://evil"), ("temperature", "hot"), ("extra_headers", {"a": "b"})):
        with pytest.raises(calls.AskingBlocked) as stopped:
            ask(a_run(), an_endpoint(server), ["a"], parameters={name: value})
        assert (stopped.value.code, stopped.value.params) == ("parameter_unlike", {"name": name})
    assert server.seen == []


def test_an_ended_endpoint_and_a_project_without_a_limit_ask_nobody(server: Server, settings: Any) -> None:
    ended = an_endpoint(server, ended_at="2026-01-01T00:00:00Z")
    for run, endpoint, code in (
        (a_run(), ended, "endpoint_ended"),
        (a_run(factory.project(preset="llm-gen"), budget=None), an_endpoint(server), "limit_missing"),
        (a_run(), an_endpoint(server, currency="EUR"), "currency_other"),
    ):
        with pytest.raises(calls.AskingBlocked) as stopped:
            ask(run, endpoint, ["a"])
        assert stopped.value.code == code
    settings.ENDPOINT_HOSTS_ALLOWED = []
    with pytest.raises(calls.AskingBlocked) as stopped:
        ask(a_run(), an_endpoint(server), ["a"])
    assert stopped.value.code == "endpoint_address_refused"
    assert server.seen == []


@pytest.mark.parametrize("misdeed", ["401", "403", "404", "301", "307"])
def test_what_no_attempt_can_mend_stops(server: Server, misdeed: str) -> None:
    server.misdeeds = [misdeed]
    run, endpoint = a_run(), an_endpoint(server)
    with pytest.raises(calls.AskingBlocked) as stopped:
        ask(run, endpoint, ["a"])
    assert stopped.value.code == "endpoint_refuses"
    assert Call.objects.get().cost == 0
    # Corrected by a person, the same call is answered.
    assert texts(ask(run, endpoint, ["a"])) == ["a!"]


def test_a_refused_question_fails_alone_where_others_are_answered(server: Server) -> None:
    server.misdeed_of = lambda seen: "422" if seen.text == "b" else ""
    run, endpoint = a_run(), an_endpoint(server, at_once=1)
    with pytest.raises(calls.AskingBlocked):
        ask(run, endpoint, ["b", "a"])
    assert texts(ask(run, endpoint, ["a"])) == ["a!"]
    assert texts(ask(run, endpoint, ["a", "b"])) == ["a!", "status_422"]


# --- budget -----------------------------------------------------------------------------------


def test_what_a_call_may_cost_is_reserved_before_it_is_sent(server: Server) -> None:
    """One may cost 0.117 (a byte, 16 for the message, 100 for the answer), and costs 0.003."""
    run, endpoint = a_run(budget="0.1"), an_endpoint(server)
    with pytest.raises(calls.AskingBlocked) as stopped:
        ask(run, endpoint, ["a"])
    assert stopped.value.code == "budget_spent"
    assert server.seen == []
    MachineLimit.objects.update(budget=Decimal("0.2"))
    assert texts(ask(run, endpoint, ["a", "b", "c"])) == ["a!", "b!", "c!"]
    MachineLimit.objects.update(budget=Decimal("0.006"))
    with pytest.raises(calls.AskingBlocked):
        ask(run, endpoint, ["d"])
    assert len(server.seen) == 3


def test_an_endpoint_that_costs_nothing_needs_no_money(server: Server) -> None:
    run = a_run(budget="0")
    assert texts(ask(run, an_endpoint(server, price_in=0, price_out=0, currency="EUR"), ["a"])) == ["a!"]


def test_what_says_not_what_it_used_is_taken_at_the_most(server: Server) -> None:
    server.usage = False
    ask(a_run(), an_endpoint(server), ["a"])
    call = Call.objects.get()
    assert (call.tokens_in, call.tokens_out) == (17, len('{"text": "a!"}'))


def test_what_was_sent_and_never_heard_of_stays_in_the_budget(server: Server) -> None:
    server.misdeeds = ["hangs"]
    run, endpoint = a_run(), an_endpoint(server, seconds=1)
    with pytest.raises(PostponeJob):
        ask(run, endpoint, ["a"])
    assert Call.objects.get().cost == Decimal("0.117")
    # From here on it answers: however long that takes.
    Endpoint.objects.update(seconds=60)
    server.misdeeds = ["500"]
    pass_time(400)
    with pytest.raises(PostponeJob):
        ask(run, endpoint, ["a"])
    assert Call.objects.get().cost == Decimal("0.117")
    pass_time(400)
    assert texts(ask(run, endpoint, ["a"])) == ["a!"]
    # Who sends does not know whether the first sending was paid: it stays in the books beside the last one.
    assert Call.objects.get().cost == Decimal("0.120")
    # The server worked once: it knew the question by its Idempotency-Key.
    assert set(server.paid.values()) == {1}


def test_a_worker_that_died_between_sent_and_stored(server: Server) -> None:
    run, endpoint = a_run(), an_endpoint(server)
    ask(run, endpoint, ["a"])
    # As its row was then: sent, in the hands of somebody, its answer not stored.
    Call.objects.update(state=Call.State.ASKED, answer="", answered_at=None, held_by=77, status=None)
    Call.objects.update(cost=Decimal("0.117"))
    Call.objects.update(not_before="2100-01-01T00:00:00Z")
    with pytest.raises(PostponeJob):
        ask(run, endpoint, ["a"])
    expire_holds()
    assert texts(ask(run, endpoint, ["a"])) == ["a!"]
    assert len(server.seen) == 2
    assert set(server.paid.values()) == {1}
    assert Call.objects.count() == 1
    assert CallAttempt.objects.count() == 2


def test_what_was_sent_is_kept_when_the_job_is_lost(server: Server) -> None:
    """The worker learns that another has its job while answers are on their way: they are paid, so they are kept."""
    run, endpoint = a_run(), an_endpoint(server)
    job = Job.objects.create(kind="generate", project=run.project, state=Job.State.RUNNING, lease="mine")
    handle = Handle(job)
    Job.objects.update(lease="another's")
    endpoint.refresh_from_db()
    told: dict[str, Any] = {"run": run, "step": "question", "endpoint": endpoint, "parameters": {}}
    with pytest.raises(JobLost):
        calls.answers(**told, prompts=[prompt("a", AnswerForm)], handle=handle)
    assert Call.objects.get().state == Call.State.ANSWERED
