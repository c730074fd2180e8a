"""The line to an endpoint: sending a stored call, and writing down its outcome."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now, Round
from pydantic import BaseModel

from annotation.core import sealing
from annotation.core.database import seconds_from_now
from annotation.generation.llm import guard, limits, protocols, reading, wire
from annotation.generation.llm.limits import AskingBlocked
from annotation.generation.models import Call, Endpoint

# Of these a call may have been paid although nothing came back.
DOUBTFUL_FAULTS = frozenset({"timeout", "cut"})
# It answered, if not well: the next one is another question.
OF_THE_ANSWER = frozenset({"", "not_json", "too_large"})
# A failure that says nothing of this call: the endpoint does not serve anybody now.
BUSY_STATUSES = frozenset({408, 425, 429, 503})
# What another attempt cannot correct, whatever is asked.
FINAL_STATUSES = frozenset({401, 402, 403, 404, 405, 407, 410, 426, 451})
# Said of one question, unless the endpoint answered none at all yet.
OF_THE_QUESTION = frozenset({400, 413, 414, 415, 422})
# So often a call is tried that fails while others are answered, and so often in all.
MOST_TRIES = 6
MOST_ATTEMPTS = 100
# So often it is sent where each time it may have been paid, and so often where each time it was refused.
MOST_DOUBTS = 3
MOST_REFUSALS = 3
# A key that is shorter than this is none (`none`, `x`, `key`), and may stand in any answer.
SHORTEST_KEY = 12
COST_PLACES = 8
_STOP_CODES = {"refused": "endpoint_address_refused", "certificate": "endpoint_certificate"}


@dataclass
class Sending:
    """One sending of a call, and what was booked for it; `again` where it may have been written down already."""

    call: Call
    reserved: Decimal
    again: bool = False


@dataclass(frozen=True)
class EndpointClient:
    """An endpoint with its address taken apart and its key opened; the key is in no text that is made of it."""

    endpoint: Endpoint
    target: guard.Destination
    key: str = field(repr=False)

    @classmethod
    def to(cls, endpoint: Endpoint) -> "EndpointClient":
        """Raises Stopped where the endpoint's address may not be, or its key cannot be opened."""
        try:
            target = guard.parse(endpoint.address)
            key = sealing.unseal(endpoint.key_sealed, target.origin) if endpoint.key_sealed else ""
        except guard.AddressRefused as refused:
            raise AskingBlocked("endpoint_address_refused", {"code": refused.code}) from None
        except sealing.KeyLost:
            raise AskingBlocked("endpoint_key_lost") from None
        return cls(endpoint, target, key)

    # --- sending: in threads, nothing of the database -----------------------------------

    def most_cost(self, call: Call) -> Decimal:
        """What a call may cost at most."""
        return protocols.most_cost(self.endpoint, call.request["parameters"], call.request["messages"])

    def send(self, call: Call) -> wire.Reply:
        """Send a call, and say what came back."""
        return self.post(call.request, f"{call.digest}-{call.n}")

    def post(self, request: Mapping[str, Any], idempotency: str = "", seconds: float | None = None) -> wire.Reply:
        """Send a request; `idempotency` lets an endpoint know what it was asked before."""
        asked = protocols.build_request(self.endpoint, request["parameters"], request["messages"], self.key)
        headers = asked.headers | ({"Idempotency-Key": idempotency} if idempotency else {})
        return wire.post(self.target, asked.path, asked.body, headers, seconds=seconds or self.endpoint.seconds)

    # --- its outcome --------------------------------------------------------------

    def settle(self, sending: Sending, reply: wire.Reply, form: type[BaseModel]) -> Call:
        """Keep what came back; the call's row as it is now. Raises Stopped where nothing will come of asking on."""
        if reply.fault in OF_THE_ANSWER:
            limits.record_success(self.endpoint)
            return self._answered(sending, reply, form)
        cost = sending.reserved if reply.fault in DOUBTFUL_FAULTS else Decimal(0)
        fault = f"status_{reply.status}" if reply.fault == "status" else reply.fault
        values = {"fault": fault, "cost": cost, "seconds": reply.seconds, "status": reply.status or None}
        if 300 <= reply.status < 400 or reply.status in FINAL_STATUSES or reply.fault in _STOP_CODES:
            _record_failed_attempt(sending, **values, not_before=None)
            raise AskingBlocked(_STOP_CODES.get(reply.fault, "endpoint_refuses"), {"status": reply.status})
        if reply.status in OF_THE_QUESTION:
            return self._refused(sending, values)
        return self._later(sending, reply, values)

    def _answered(self, sending: Sending, reply: wire.Reply, form: type[BaseModel]) -> Call:
        answer = protocols.Answer(fault=reply.fault)
        if not reply.fault:
            answer = protocols.read_body(self.endpoint, sending.call.request["messages"], reply.body)
        fault, text = answer.fault, self.without_key(answer.text)
        if not fault:
            try:
                reading.parse_answer(form, text)
            except reading.UnusableAnswer as unusable:
                fault = unusable.code
        # What does not say what it used is taken at the most that it may be.
        used = protocols.cost_of(self.endpoint, answer.tokens_in, answer.tokens_out)
        cost = used if answer.text else sending.reserved
        return _settle_call(
            sending,
            state=Call.State.UNUSABLE if fault else Call.State.ANSWERED,
            answer=text[: reading.LONGEST],
            fault=fault,
            status=reply.status or None,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            cost=cost,
            seconds=reply.seconds,
            answered_at=Now(),
            not_before=None,
            held_by=None,
        )

    def without_key(self, text: str) -> str:
        """What an endpoint said, less the key where it says that."""
        return text.replace(self.key, "…") if len(self.key) >= SHORTEST_KEY else text

    def _refused(self, sending: Sending, values: Mapping[str, Any]) -> Call:
        """The question is not to its taste: this one fails, or nothing is asked on where it took none yet.

        What was refused as often as people let it be asked again fails too: it may be the only one there is.
        """
        call = sending.call
        answered = Call.objects.filter(project=call.project_id, answered_at__isnull=False)
        heard = answered.filter(endpoint=self.endpoint.pk, model=call.model).exists()
        if heard or (call.fault == values["fault"] and call.attempts >= MOST_REFUSALS):
            return _record_failed_attempt(sending, **values, state=Call.State.FAILED, not_before=None)
        _record_failed_attempt(sending, **values, not_before=None)
        raise AskingBlocked("endpoint_refuses", {"status": values["status"]})

    def _later(self, sending: Sending, reply: wire.Reply, values: Mapping[str, Any]) -> Call:
        """It may be tried again, up to a bound."""
        call = sending.call
        before = limits.record_failure(self.endpoint, reply)
        away = reply.status in BUSY_STATUSES or reply.fault == "unreachable" or before >= limits.FAILURES_BEFORE_REST
        tries = call.tries + (not away)
        # Of an endpoint that serves nobody the breaker takes care, and in any case the budget.
        doubts = call.doubts + (reply.fault in DOUBTFUL_FAULTS and not away)
        counts = {**values, "tries": tries, "doubts": doubts}
        if tries >= MOST_TRIES or doubts >= MOST_DOUBTS or call.attempts >= MOST_ATTEMPTS:
            return _record_failed_attempt(sending, **counts, state=Call.State.FAILED, not_before=None)
        row = _record_failed_attempt(sending, **counts, not_before=seconds_from_now(limits.jittered(tries)))
        if before + 1 >= limits.MOST_FAILURES:
            raise AskingBlocked("endpoint_silent")
        return row


def _record_failed_attempt(sending: Sending, **values: Any) -> Call:
    """Nothing came of a sending: that is no matter of whoever has the call in hands by now."""
    return _settle_call(sending, held_by=None, only={"held_by": sending.call.held_by}, **values)


def _settle_call(sending: Sending, *, cost: Decimal, only: Mapping[str, Any] | None = None, **values: Any) -> Call:
    """Change a call that nobody settled meanwhile, and book what this sending cost in place of what was reserved.

    The call's row as it is now.
    """
    rows = Call.objects.filter(pk=sending.call.pk)
    spent = Round(F("cost") + (cost - sending.reserved), COST_PLACES)
    with transaction.atomic():
        changed = rows.filter(state=Call.State.ASKED, **(only or {})).update(cost=spent, **values)
        if not changed and not sending.again:
            rows.update(cost=spent)
        return rows.get()
