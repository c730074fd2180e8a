"""What may be sent now: rates of an endpoint and of a project, the project's budget, and endpoints that need a rest.

All in one short transaction that holds the project's limit and the endpoint, in this order, so that two workers never
book the same room: what a call may cost at most is taken from the budget before each sending, and stays taken where
nobody knows whether that sending was paid; every sending is counted (reliability.md F28).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from secrets import SystemRandom

from django.db import transaction
from django.db.models import F, Q, Sum

from annotation.core.database import locked, now
from annotation.core.errors import Refusal
from annotation.generation.llm.wire import Reply
from annotation.generation.models import Call, CallAttempt, Endpoint, MachineLimit
from annotation.jobs.queue import PostponeJob

# So many failures in a row, and the endpoint is asked by one call at a time, ever more rarely.
FAILURES_BEFORE_REST = 5
# So many, and a person should look.
MOST_FAILURES = 100
BASE_SECONDS, LONGEST_REST, LONGEST_RETRY_AFTER = 2.0, 300.0, 3600.0
# How much longer than an answer may take a call is left to whoever sent it.
SPARE_SECONDS = 30
HELD_SECONDS = 5.0
_MINUTE = timedelta(minutes=1)
_random = SystemRandom()


class AskingBlocked(Refusal):
    """Nothing more can be asked until a person changes something: `code` says what (`machine_messages`)."""

    status = 409
    code = "endpoint_refuses"

    def __init__(self, code: str, params: Mapping[str, object] | None = None) -> None:
        super().__init__(code=code)
        self.params = dict(params or {})


@dataclass
class Booking:
    """The calls that may be sent now, all rows as they stand, and after how many seconds to come back for the rest."""

    endpoint: Endpoint
    limit: MachineLimit
    costs: Mapping[int, Decimal]
    moment: datetime
    rows: dict[int, Call]
    calls: list[Call] = field(default_factory=list)
    wait: float = 0.0

    def ready(self) -> list[Call]:
        """The calls that are still to be sent and that nobody else has, those tried least first."""
        ready, waits = [], []
        for call in self.rows.values():
            if call.state != Call.State.ASKED:
                continue
            if call.not_before is None or call.not_before <= self.moment:
                ready.append(call)
            else:
                left = (call.not_before - self.moment).total_seconds()
                waits.append(left if call.held_by is None else min(left, HELD_SECONDS))
        if waits and not ready:
            self.wait = min(waits)
        return sorted(ready, key=lambda call: (call.attempts, call.pk))

    def rested(self) -> int:
        """How many calls the endpoint takes, which may be at rest."""
        until = self.endpoint.rests_until
        if until is not None and until > self.moment:
            self.wait = max(self.wait, (until - self.moment).total_seconds())
            return 0
        return 1 if self.endpoint.failures >= FAILURES_BEFORE_REST else self.endpoint.at_once

    def rate(self) -> int:
        """How many more calls this minute has room for, at the endpoint and in the project."""
        room = self.endpoint.at_once
        for most, mine in (
            (self.endpoint.per_minute, Q(endpoint=self.endpoint)),
            (self.limit.per_minute, Q(project=self.limit.project_id)),
        ):
            sent = CallAttempt.objects.filter(mine, at__gt=self.moment - _MINUTE)
            count = sent.count()
            room = min(room, max(most - count, 0))
            if count >= most:
                leaves = sent.order_by("-at").values_list("at", flat=True)[most - 1]
                self.wait = max(self.wait, (leaves + _MINUTE - self.moment).total_seconds())
        return room

    def affordable(self, ready: Sequence[Call], spent: Decimal) -> list[Call]:
        """Those that the budget has room for, were each to cost the most it can."""
        limit, chosen = self.limit, list[Call]()
        for call in ready:
            if spent + self.costs[call.pk] <= limit.budget:
                spent += self.costs[call.pk]
                chosen.append(call)
        if chosen or not ready:
            return chosen
        # What is on its way may turn out cheaper than what was reserved for it.
        asked = Call.objects.filter(project=limit.project_id, state=Call.State.ASKED)
        held = asked.filter(not_before__gt=self.moment, held_by__isnull=False)
        back = held.aggregate(sum=Sum("cost"))["sum"] or Decimal(0)
        if back and spent - back + min(self.costs[call.pk] for call in ready) <= limit.budget:
            self.wait = max(self.wait, HELD_SECONDS)
            return []
        raise AskingBlocked("budget_spent", {"budget": str(limit.budget), "currency": limit.currency})

    def take(self, chosen: Sequence[Call], holder: int) -> None:
        """Write down that these are sent now: counted, paid for at most, in our hands until the answer must come."""
        endpoint, moment = self.endpoint, self.moment
        until = moment + timedelta(seconds=endpoint.seconds + SPARE_SECONDS)
        for call in chosen:
            # Whoever had it never said its outcome.
            doubts = call.doubts + (call.held_by is not None)
            # What was booked before stays: each sending may be paid. Whoever settles an earlier one waits for no lock.
            taken = Call.objects.filter(pk=call.pk, state=Call.State.ASKED, held_by=call.held_by).update(
                cost=F("cost") + self.costs[call.pk],
                attempts=F("attempts") + 1,
                doubts=doubts,
                not_before=until,
                held_by=holder,
                currency=endpoint.currency,
            )
            if taken:
                call.attempts, call.doubts, call.held_by = call.attempts + 1, doubts, holder
                self.calls.append(call)
        CallAttempt.objects.bulk_create(
            CallAttempt(call=call, endpoint=endpoint, project_id=call.project_id, at=moment) for call in self.calls
        )
        if endpoint.failures >= FAILURES_BEFORE_REST:
            # One looks whether it is back.
            Endpoint.objects.filter(pk=endpoint.pk).update(rests_until=until)


def reserve_calls(
    *, endpoint: Endpoint, calls: Sequence[Call], costs: Mapping[int, Decimal], most: int, holder: int
) -> Booking:
    """Reserve what these calls may cost for as many as may be sent now. Raises Stopped, and Later.

    `costs` says by key of a call what it costs at most, `holder` in whose hands they are then. Those in somebody's
    hands, or told to wait, are left.
    """
    with transaction.atomic():
        limit = locked(MachineLimit.objects.filter(project=calls[0].project_id)).first()
        if limit is None:
            raise AskingBlocked("limit_missing")
        # The sum is the long part: nobody else waits for it, as they would behind the endpoint.
        spent = Call.objects.filter(project=limit.project_id).aggregate(sum=Sum("cost"))["sum"] or Decimal(0)
        fresh = locked(Endpoint.objects.filter(pk=endpoint.pk)).get()
        if fresh.version != endpoint.version:
            raise PostponeJob(0)  # somebody changed it: the job comes back and reads it anew
        if fresh.ended_at is not None:
            raise AskingBlocked("endpoint_ended", {"endpoint": fresh.name})
        if fresh.currency != limit.currency and any(costs.values()):
            raise AskingBlocked("currency_other", {"endpoint": fresh.currency, "limit": limit.currency})
        moment, rows = now(), Call.objects.in_bulk([call.pk for call in calls])
        booking = Booking(fresh, limit, costs, moment, rows)
        ready = booking.ready()
        room = min(most, len(ready), booking.rested(), booking.rate())
        chosen = booking.affordable(ready[:room], spent)
        if chosen:
            booking.take(chosen, holder)
        return booking


# --- what is learnt from an answer ---------------------------------------------------------


def jittered(times: int, base: float = BASE_SECONDS) -> float:
    """Capped exponential back-off with full jitter, in seconds."""
    return max(_random.uniform(0, min(LONGEST_REST, base * 2 ** min(times, 20))), 0.5)


def record_success(endpoint: Endpoint) -> None:
    """It answered: it is asked as usual again."""
    broken = Endpoint.objects.filter(pk=endpoint.pk, failures__gte=FAILURES_BEFORE_REST)
    if not broken.update(failures=0, rests_until=None):
        Endpoint.objects.filter(pk=endpoint.pk, failures__gt=0).update(failures=0)


def record_failure(endpoint: Endpoint, reply: Reply) -> int:
    """It did not: how often in a row before this, and how long it is left alone from now on."""
    with transaction.atomic():
        fresh = locked(Endpoint.objects.filter(pk=endpoint.pk)).get()
        asked = reply.retry_after
        rest = 0.0 if asked is None else max(min(asked, LONGEST_RETRY_AFTER), 0.5)
        if (reply.status == 429 and asked is None) or fresh.failures + 1 >= FAILURES_BEFORE_REST:
            rest = max(rest, jittered(fresh.failures + 1))
        changes: dict[str, object] = {"failures": F("failures") + 1}
        if rest:
            until = now() + timedelta(seconds=rest)
            asleep = fresh.rests_until if fresh.failures < FAILURES_BEFORE_REST else None
            changes["rests_until"] = max(until, asleep) if asleep else until
        Endpoint.objects.filter(pk=endpoint.pk).update(**changes)
        return fresh.failures
