"""`pay` of a project: units for leads, amounts for administrators; and `my-pay`, one's own earnings there."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import orjson
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import NDJSON, Body, Row
from annotation.core import access
from annotation.core.errors import Forbidden, Invalid
from annotation.core.models.member import Annotator
from annotation.pay import queries as fetch
from annotation.pay.actions import pay_approve, pay_mark_paid, rate_set
from annotation.pay.earnings import EXACT
from annotation.pay.files import OWN_LEDGER_COLUMNS, ledger_lines
from annotation.pay.models import Action, Rate, Unit
from annotation.pay.rules import FIRST_DAY, LAST_DAY, Span, month_of


class Amount(serializers.DecimalField):
    """An amount of money as a text, so that none of it is rounded."""

    def __init__(self, **options: Any) -> None:
        places = abs(int(EXACT.as_tuple().exponent))
        super().__init__(max_digits=None, decimal_places=places, **options)


class DaysQuery(Body):
    """Which days, the last one included; this month where nothing is said. Days are those of the project's time zone,
    or of the site's where it names none."""

    start = serializers.DateField(default=None, help_text="The first day.")
    end = serializers.DateField(default=None, help_text="The last day.")

    def validate(self, asked: dict[str, Any]) -> dict[str, Any]:
        """With the `span`. Raises Invalid."""
        start, end = asked["start"], asked["end"]
        if start is None and end is None:
            return {**asked, "span": month_of(fetch.today())}
        for name, day in (("start", start), ("end", end)):
            if not isinstance(day, date) or not FIRST_DAY <= day <= LAST_DAY:
                raise Invalid(field=name, code="period_unknown")
        if end < start:
            raise Invalid(field="end", code="period_unknown")
        return {**asked, "span": Span(start, end)}


class PayQuery(DaysQuery):
    """Which days, and what they are counted by."""

    by = serializers.ChoiceField(list(fetch.GROUP_COLUMNS), default="person", help_text="What is counted by.")


class TotalRow(Row):
    """Units of one person, target or action (`name`). For leads `amount` is null and `currency` is empty."""

    name = serializers.CharField()
    action = serializers.ChoiceField(Action.values)
    unit = serializers.ChoiceField(Unit.values)
    units = serializers.IntegerField()
    currency = serializers.CharField()
    amount = Amount(allow_null=True)


class PayRow(Row):
    """What was done in some days. Amounts of two currencies are never added."""

    start = serializers.DateField()
    end = serializers.DateField()
    totals = TotalRow(many=True)


class EarnedRow(Row):
    """What one earned in a currency; how much of it is approved, waits for that, or is disputed by oneself."""

    currency = serializers.CharField()
    amount = Amount()
    approved = Amount()
    waiting = Amount()
    disputed = Amount()


class OwnPayRow(Row):
    """What one earned in some days."""

    start = serializers.DateField()
    end = serializers.DateField()
    sums = EarnedRow(many=True)


class EntryRow(Row):
    """An entry of one's own pay, in the columns of the file on *Pay*. No item is named."""

    entry = serializers.CharField()
    n = serializers.IntegerField()
    at = serializers.DateTimeField()
    project = serializers.CharField()
    action = serializers.ChoiceField(Action.values)
    target = serializers.CharField()
    unit = serializers.ChoiceField(Unit.values)
    units = serializers.IntegerField()
    rate = Amount()
    amount = Amount()
    currency = serializers.CharField()
    reason = serializers.CharField()
    disputed = serializers.CharField()
    answer = serializers.CharField()
    approved_until = serializers.CharField()


class RateRow(Row):
    """What one unit of an action is worth from `at` on, in the project (`target` null) or in one of its targets. The
    newest is in force; an amount of 0 ends it."""

    action = serializers.ChoiceField(Action.values)
    unit = serializers.ChoiceField(Unit.values)
    amount = Amount()
    currency = serializers.CharField()
    target = serializers.CharField(source="target.key", allow_null=True, default=None)
    at = serializers.DateTimeField()


class RateIn(Body):
    """A new rate. Amounts are sent as texts; `currency` is ISO 4217."""

    action = serializers.ChoiceField(Action.values)
    unit = serializers.ChoiceField(Unit.values)
    amount = serializers.DecimalField(max_digits=12, decimal_places=4)
    currency = serializers.CharField(max_length=3)
    target = serializers.CharField(max_length=40, default=None, allow_null=True)


class ApproveIn(Body):
    """Up to which day, the last one included, and of whom by pseudonym; of everybody where nobody is named."""

    end = serializers.DateField()
    people = serializers.ListField(
        child=serializers.CharField(max_length=40), default=None, allow_null=True, max_length=1000
    )


class ApprovedRow(Row):
    """Whether there was anything to approve, and how many people's pay it was."""

    approved = serializers.BooleanField()
    people = serializers.IntegerField()


class PaidIn(Body):
    """Which approval, and on which day its people were paid; `on` null: they were not after all."""

    approval = serializers.IntegerField(min_value=0, max_value=2**63 - 1)
    on = serializers.DateField(default=None, allow_null=True)


class ApprovalRow(Row):
    """What was approved at once, up to the day `end`, and on which day it was paid; null: nobody said so."""

    id = serializers.IntegerField()
    end = serializers.DateField()
    at = serializers.DateTimeField()
    paid_on = serializers.DateField(allow_null=True)


class Rates(ApiView):
    """What units are worth."""

    tag = "pay"

    @operation(scopes=[READ], gives=RateRow, paged=True, since=["at"])
    def get(self, request: Request, slug: str) -> Response:
        """List every rate that the project ever had. For administrators."""
        project = access.administrator_membership(self.user, slug).project
        return self.page_response(Rate.objects.filter(project=project).select_related("target"))

    @operation(scopes=[MANAGE], takes=RateIn, gives=RateRow, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Set a rate from now on; what was finished before keeps what it earned. For administrators."""
        membership, sent = access.administrator_membership(self.user, slug), self.validated_body()
        target = None if sent["target"] is None else access.target(membership, sent["target"])
        made = rate_set(**{**sent, "target": target}, project=membership.project, by=self.user)
        made.refresh_from_db()
        return self.row_response(made, status=201)


class PayApprove(ApiView):
    """What was earned."""

    tag = "pay"

    @operation(scopes=[MANAGE], takes=ApproveIn, gives=ApprovedRow, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Approve what these people, or all, earned up to a day, all that nobody approved and nobody disputes. For
        administrators."""
        project, sent = access.administrator_membership(self.user, slug).project, self.validated_body()
        people: list[Annotator] | None = None
        if sent["people"] is not None:
            people = list(Annotator.objects.filter(project=project, pseudonym__in=sent["people"]))
            if not people or len(people) != len(set(sent["people"])):
                raise Invalid(field="people", code="person_missing")
        made = pay_approve(project=project, end=sent["end"], by=self.user, people=people)
        paid = len(fetch.periods_of(made)) if made else 0
        return self.row_response({"approved": made is not None, "people": paid})


class Approvals(ApiView):
    """The approvals of a project."""

    tag = "pay"

    @operation(scopes=[READ], gives=ApprovalRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List every approval with the day on which it was paid. For administrators."""
        return self.page_response(fetch.approvals(access.administrator_membership(self.user, slug)))


class PayPaid(ApiView):
    """What was paid."""

    tag = "pay"

    @operation(scopes=[MANAGE], takes=PaidIn, gives=ApprovalRow, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Say on which day an approval was paid, or that it was not after all. For administrators."""
        project = access.administrator_membership(self.user, slug).project
        return self.row_response(pay_mark_paid(**self.validated_body(), project=project, by=self.user))


class ProjectPay(ApiView):
    """What a project pays for."""

    tag = "pay"

    @operation(scopes=[READ], gives=PayRow, query=PayQuery)
    def get(self, request: Request, slug: str) -> Response:
        """Count what was done by person, target or action. For leads, who see units, and administrators, who see what
        they come to."""
        membership, span = access.lead_membership(self.user, slug), self.query_values["span"]
        totals = fetch.totals(membership, span, self.query_values["by"])
        return self.row_response({"start": span.start, "end": span.end, "totals": totals})


class OwnPayView(ApiView):
    """One's own pay in a project."""

    tag = "pay"

    def place(self, slug: str) -> Annotator:
        """Whoever asks, as a member. Raises Forbidden."""
        place = access.membership(self.user, slug).annotator
        if place is None:
            raise Forbidden
        return place


class OwnPay(OwnPayView):
    """What one earned in a project."""

    @operation(scopes=[READ], gives=OwnPayRow, query=DaysQuery)
    def get(self, request: Request, slug: str) -> Response:
        """Sum up what you earned in some days, by currency. For members."""
        span = self.query_values["span"]
        sums = fetch.own_sums_in(self.place(slug), span)
        return self.row_response({"start": span.start, "end": span.end, "sums": sums})


class OwnPayExport(OwnPayView):
    """Each entry of what one earned in a project."""

    @operation(scopes=[READ], gives=EntryRow, query=DaysQuery, media=NDJSON)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Read each entry of your pay of some days, one JSON object a line. For members."""
        entries = fetch.own_ledger_in(self.place(slug), self.query_values["span"])
        return StreamingHttpResponse(json_lines(ledger_lines(OWN_LEDGER_COLUMNS, entries)), content_type=NDJSON)


def json_lines(rows: Iterator[tuple[object, ...]]) -> Iterator[bytes]:
    """A table, its names first, as lines of JSON."""
    names = [str(name) for name in next(rows)]
    for row in rows:
        yield orjson.dumps(dict(zip(names, row, strict=True)), default=str, option=orjson.OPT_APPEND_NEWLINE)
