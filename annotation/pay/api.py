"""`pay` of a project: units for leads, amounts for administrators; and `my-pay`, what one earned there."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import orjson
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import READ, ApiView, operation
from annotation.api.wire import NDJSON, Body, Row
from annotation.core import access
from annotation.core.errors import Forbidden, Invalid
from annotation.core.models.member import Annotator
from annotation.pay import queries as fetch
from annotation.pay.earnings import EXACT
from annotation.pay.models import Action, Unit
from annotation.pay.rules import FIRST_DAY, LAST_DAY, Span, month_of
from annotation.pay.views import OWN_LEDGER, lines


class Amount(serializers.DecimalField):
    """An amount of money as a text, so that none of it is rounded."""

    def __init__(self, **options: Any) -> None:
        places = abs(int(EXACT.as_tuple().exponent))
        super().__init__(max_digits=None, decimal_places=places, **options)


class DaysQuery(Body):
    """Which days, the last one included; this month where nothing is said. Days are those of the site's time zone."""

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

    by = serializers.ChoiceField(list(fetch.BY), default="person", help_text="What is counted by.")


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


class ProjectPay(ApiView):
    """What a project pays for."""

    tag = "pay"

    @operation(scopes=[READ], gives=PayRow, query=PayQuery)
    def get(self, request: Request, slug: str) -> Response:
        """Count what was done by person, target or action. For leads, who see units, and administrators, who see what
        they come to."""
        membership, span = access.overseer(self.user, slug), self.asked["span"]
        totals = fetch.totals(membership, span, self.asked["by"])
        return self.given({"start": span.start, "end": span.end, "totals": totals})


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
        span = self.asked["span"]
        sums = fetch.own_sums_in(self.place(slug), span)
        return self.given({"start": span.start, "end": span.end, "sums": sums})


class OwnPayExport(OwnPayView):
    """Each entry of what one earned in a project."""

    @operation(scopes=[READ], gives=EntryRow, query=DaysQuery, media=NDJSON)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Read each entry of your pay of some days, one JSON object a line. For members."""
        entries = fetch.own_ledger_in(self.place(slug), self.asked["span"])
        return StreamingHttpResponse(_told(lines(OWN_LEDGER, entries)), content_type=NDJSON)


def _told(rows: Iterator[tuple[object, ...]]) -> Iterator[bytes]:
    names = [str(name) for name in next(rows)]
    for row in rows:
        yield orjson.dumps(dict(zip(names, row, strict=True)), default=str, option=orjson.OPT_APPEND_NEWLINE)
