"""A run's calls to an endpoint: stored answers first, then missing ones, within limits, and never twice.

What was asked before is found again by its digest, and never asked, or paid, twice.
"""

import contextlib
import hashlib
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import orjson
from django.db import InterfaceError, OperationalError, connection
from pydantic import BaseModel

from annotation.core.models.project import Project
from annotation.generation.llm import limits, protocols, reading, sending, wire
from annotation.generation.llm import parameters as allowed
from annotation.generation.llm.limits import AskingBlocked
from annotation.generation.models import Call, Endpoint, GenerationRun
from annotation.jobs.queue import Handle, JobLost, PostponeJob

__all__ = [
    "AskingBlocked",
    "CallResult",
    "Prompt",
    "answers",
    "digest_of",
    "find_kept_calls",
    "record_answer",
]

# How often the same is asked because the answer could not be used.
MOST_TIMES_ASKED = 3
# After so long nothing new is sent: the job comes back, and no worker is held up by one of them.
LONGEST_SECONDS = 240.0
SHORTEST_WAIT = 0.5
RENEW_SECONDS = 10.0
# A database that is away comes back: for nearly a minute nothing that was answered is given up.
DATABASE_AWAY = (OperationalError, InterfaceError)
MOST_AWAY = 15
AWAY_SECONDS, LONGEST_AWAY = 0.25, 5.0

# What is on its way.
InFlight = dict[Future[wire.Reply], sending.Sending]


class Prompt(NamedTuple):
    """One question to an endpoint, and the form of its answer.

    A translation has one user message whose content is JSON {"text", "source", "target"}, and answers {"text"}; an
    embedding has {"text"}, and answers {"vector": [numbers]}. A form may have a classmethod `from_text(text)` for
    answers in words.
    """

    messages: list[dict[str, str]]
    form: type[BaseModel]


class CallOwner(Protocol):
    """Whoever asks: a run of generation, or something else of a project (no `pk`)."""

    @property
    def pk(self) -> int | None: ...

    @property
    def project_id(self) -> int: ...


class CallResult(NamedTuple):
    """What came back: the answer, or None with the code of the fault; the calls that it took, unusable ones too."""

    answer: BaseModel | None
    fault: str
    calls: list[int]


def answers(
    *,
    run: CallOwner,
    step: str,
    endpoint: Endpoint,
    parameters: Mapping[str, Any],
    prompts: Sequence[Prompt],
    handle: Handle | None,
) -> list[CallResult]:
    """An answer for every prompt, in their order; what was asked before is taken from what was kept.

    `parameters` are the step's; the endpoint's own stand under them. Raises jobs.Later where the job should come back
    (rate, Retry-After, an endpoint that rests; whatever was answered is kept, so ask the same again then), and Stopped
    where a person has to do something first.
    """
    try:
        full = allowed.merge_parameters(endpoint.what, endpoint.parameters, parameters)
        digests = [digest_of(endpoint, parameters, prompt.messages) for prompt in prompts]
    except allowed.ParameterRefused as unlike:
        raise AskingBlocked("parameter_unlike", {"name": unlike.name}) from unlike
    asking = _Asking(run, step, endpoint, full, handle)
    asking.prompts = dict(zip(digests, prompts, strict=True))
    asking.kept = find_kept_calls(run.project_id, digests)
    if asking.missing():
        asking.ask()
    return [asking.given(digest, prompt) for digest, prompt in zip(digests, prompts, strict=True)]


@dataclass
class _Asking:
    """The prompts of one call of `answers`, by digest, and what is known of each."""

    run: CallOwner
    step: str
    endpoint: Endpoint
    parameters: Mapping[str, Any]
    handle: Handle | None
    prompts: dict[str, Prompt] = field(default_factory=dict)
    kept: dict[str, list[Call]] = field(default_factory=dict)
    stop: AskingBlocked | None = None
    wait: float = 0.0
    # What an answer could not be kept for, and how often in a row the database did not take one.
    lost: Exception | None = None
    away: int = 0
    begun: float = field(default_factory=time.monotonic)

    # --- what is known ------------------------------------------------------------------

    def given(self, digest: str, prompt: Prompt) -> CallResult:
        """What the kept calls of one prompt give."""
        calls = self.kept.get(digest, [])
        pks, fault = [call.pk for call in calls], ""
        for call in calls:
            if call.state == Call.State.ANSWERED:
                try:
                    return CallResult(reading.parse_answer(prompt.form, call.answer), "", pks)
                except reading.UnusableAnswer as unusable:
                    fault = unusable.code
            fault = call.fault or fault
        return CallResult(None, fault or "unanswered", pks)

    def missing(self) -> list[str]:
        """The digests that nothing usable is kept of, and that may still be asked."""
        return [digest for digest, prompt in self.prompts.items() if not self._settled(digest, prompt)]

    def _settled(self, digest: str, prompt: Prompt) -> bool:
        calls = self.kept.get(digest, [])
        if not calls:
            return False
        if self.given(digest, prompt).answer is not None:
            return True
        if any(call.state == Call.State.FAILED and call.run_id == self.run.pk for call in calls):
            return True
        return sum(call.state in (Call.State.ANSWERED, Call.State.UNUSABLE) for call in calls) >= MOST_TIMES_ASKED

    def _stored(self) -> list[Call]:
        """A row for everything that is missing, stored before it is sent."""
        open_calls, new = [], []
        fixed: dict[str, Any] = {"project_id": self.run.project_id, "run_id": self.run.pk, "step": self.step}
        fixed |= {"endpoint": self.endpoint, "model": self.endpoint.model, "currency": self.endpoint.currency}
        for digest in self.missing():
            calls = self.kept.get(digest, [])
            asked = next((call for call in calls if call.state == Call.State.ASKED), None)
            if asked is not None:
                open_calls.append(asked)
            else:
                n = max((call.n for call in calls), default=0) + 1
                request = {"messages": self.prompts[digest].messages, "parameters": dict(self.parameters)}
                new.append(Call(digest=digest, n=n, request=request, **fixed))
        if new:
            Call.objects.bulk_create(new, ignore_conflicts=True)
            # What somebody else stored in the same instant is theirs and ours.
            numbers = {call.digest: call.n for call in new}
            for call in Call.objects.filter(project=self.run.project_id, digest__in=numbers):
                if call.n == numbers[call.digest]:
                    self.kept.setdefault(call.digest, []).append(call)
                    open_calls += [call] if call.state == Call.State.ASKED else []
        return open_calls

    # --- asking -------------------------------------------------------------------------

    def ask(self) -> None:
        """Send what is missing, several at once, and keep what comes back. Raises Later and Stopped."""
        if not self.endpoint.address:
            raise AskingBlocked("not_recorded", {"step": self.step})
        line = sending.EndpointClient.to(self.endpoint)
        flying: InFlight = {}
        with ThreadPoolExecutor(self.endpoint.at_once) as pool:
            try:
                while self._send(pool, line, flying):
                    self._renew()
                    self._take_in(line, flying, RENEW_SECONDS)
            finally:
                # What was sent is paid: it is kept, whatever happened here.
                while flying:
                    self._take_in(line, flying, RENEW_SECONDS)
                    with contextlib.suppress(JobLost, *DATABASE_AWAY):
                        self._renew()
        if self.lost is not None:
            raise self.lost
        if self.stop is not None:
            raise self.stop
        if self.missing():
            raise PostponeJob(0 if self._stopping() else max(self.wait, SHORTEST_WAIT))

    def _over(self) -> bool:
        """Whether nothing more is sent now."""
        too_long = time.monotonic() - self.begun > LONGEST_SECONDS
        return self.stop is not None or self.lost is not None or too_long or self._stopping()

    def _stopping(self) -> bool:
        return self.handle is not None and self.handle.should_stop()

    @property
    def _holder(self) -> int:
        """In whose hands a call is that is sent now: those of this claim of the job, not of whoever has it next."""
        if self.handle is None:
            return secrets.randbits(56)
        return int.from_bytes(hashlib.sha256(self.handle.job.lease.encode()).digest()[:7], "big")

    def _send(self, pool: ThreadPoolExecutor, line: sending.EndpointClient, flying: InFlight) -> bool:
        """Send as many as may be sent now; whether anything is on its way."""
        room = self.endpoint.at_once - len(flying)
        if not room or self._over():
            return bool(flying)
        sent = {sending.call.pk for sending in flying.values()}
        calls = [call for call in self._stored() if call.pk not in sent]
        if not calls:
            return bool(flying)
        costs = {call.pk: line.most_cost(call) for call in calls}
        try:
            booking = limits.reserve_calls(
                endpoint=self.endpoint, calls=calls, costs=costs, most=room, holder=self._holder
            )
        except AskingBlocked as stopped:
            self.stop = stopped
            return bool(flying)
        self.wait = booking.wait
        for row in booking.rows.values():
            self._keep(row)
        for call in booking.calls:
            flying[pool.submit(line.send, call)] = sending.Sending(call, costs[call.pk])
        return bool(flying)

    def _take_in(self, line: sending.EndpointClient, flying: InFlight, seconds: float) -> None:
        """Wait for the next answers and keep them; what the database does not take now stays in flight for a while."""
        done, _ = wait_for(flying, timeout=seconds, return_when=FIRST_COMPLETED)
        gone: Exception | None = None
        for future in done:
            sending = flying.pop(future)
            try:
                self._keep(line.settle(sending, future.result(), self.prompts[sending.call.digest].form))
                self.away = 0
            except AskingBlocked as stopped:
                self.stop = stopped
            except DATABASE_AWAY as error:
                gone = error
                sending.again = True
                if self.away < MOST_AWAY:
                    flying[future] = sending
                if not connection.in_atomic_block:
                    # It may be dead; the next query opens another.
                    with contextlib.suppress(*DATABASE_AWAY):
                        connection.close()
            except Exception as error:  # the others were paid too
                self.lost = error
        if gone is not None and self.away >= MOST_AWAY:
            self.lost = gone
        elif gone is not None:
            # The database gets time, longer each time; after the last time what was answered is lost.
            time.sleep(min(AWAY_SECONDS * 2**self.away, LONGEST_AWAY))
            self.away += 1

    def _keep(self, call: Call) -> None:
        """Know a call as its row is now."""
        rows = self.kept[call.digest]
        rows[next(place for place, row in enumerate(rows) if row.pk == call.pk)] = call

    def _renew(self) -> None:
        """Say that the job lives. Raises JobLost where it is another's now."""
        if self.handle is not None:
            self.handle.progress(self.handle.job.done)


# --- calls that are kept ---------------------------------------------------------------------------


def digest_of(endpoint: Endpoint, parameters: Mapping[str, Any], messages: Sequence[Mapping[str, str]]) -> str:
    """What makes a call the same call: who is asked (host and model), with which parameters, what.

    `parameters` are those of the step; the endpoint's own stand under them. Raises parameters.ParameterRefused.
    """
    asked = {
        "host": endpoint.address.partition("://")[2].partition("/")[0].lower(),
        "what": endpoint.what,
        "model": endpoint.model,
        "parameters": allowed.merge_parameters(endpoint.what, endpoint.parameters, parameters),
        "messages": list(map(dict, messages)),
    }
    return hashlib.sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()


def find_kept_calls(project: Project | int, digests: Iterable[str]) -> dict[str, list[Call]]:
    """The calls of a project with these digests, in the order in which they were asked."""
    by_digest: dict[str, list[Call]] = {}
    for call in Call.objects.filter(project=project, digest__in=set(digests)).order_by("digest", "n"):
        by_digest.setdefault(call.digest, []).append(call)
    return by_digest


def record_answer(
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
    full = allowed.merge_parameters(endpoint.what, endpoint.parameters, parameters)
    return Call.objects.create(
        project_id=run.project_id,
        run=run,
        endpoint=endpoint,
        step=step,
        digest=digest_of(endpoint, parameters, messages),
        model=endpoint.model,
        request={"messages": list(map(dict, messages)), "parameters": full},
        state=Call.State.ANSWERED,
        answer=text,
        status=200,
        attempts=1,
        tokens_in=tokens[0],
        tokens_out=tokens[1],
        cost=protocols.cost_of(endpoint, *tokens),
        currency=endpoint.currency,
    )
