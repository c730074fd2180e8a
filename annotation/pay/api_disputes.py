"""Single entries of pay: the ledger as lines, an entry undone, disputes asked and answered, as on the pages."""

from typing import Any
from uuid import UUID

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import ANNOTATE, MANAGE, READ, ApiView, operation
from annotation.api.wire import NDJSON, Body, ListQuery, Row
from annotation.core import access
from annotation.core.errors import Invalid, NotFound
from annotation.pay import actions
from annotation.pay import queries as fetch
from annotation.pay.api import Amount, DaysQuery, EntryRow, OwnPayView, json_lines
from annotation.pay.files import LEDGER_COLUMNS, ledger_lines
from annotation.pay.models import Action, Adjustment, Unit


class LedgerRow(EntryRow):
    """An entry of the ledger, in the columns of the file on *Pay*."""

    person = serializers.CharField()
    account = serializers.CharField(help_text="`deleted` where the person deleted their account, else empty.")
    item = serializers.CharField()
    by = serializers.CharField()


class DisputeRow(Row):
    """What somebody says against the pay of an action. `units` is how many it counts by the answer; null: as it was."""

    id = serializers.IntegerField()
    person = serializers.CharField(source="annotator.pseudonym")
    words = serializers.CharField()
    answer = serializers.CharField()
    units = serializers.IntegerField(allow_null=True)
    at = serializers.DateTimeField()
    answered_at = serializers.DateTimeField(allow_null=True)


class DisputedRow(Row):
    """The entry that a dispute is about, as it stands."""

    entry = serializers.CharField(source="token")
    at = serializers.DateTimeField()
    action = serializers.ChoiceField(Action.values, source="rate.action")
    unit = serializers.ChoiceField(Unit.values, source="rate.unit")
    units = serializers.IntegerField()
    amount = Amount()
    currency = serializers.CharField(source="rate.currency")


class DisputeWhole(DisputeRow):
    """A dispute with its entry."""

    entry = DisputedRow()


class DisputeQuery(ListQuery):
    """Which disputes."""

    answered = serializers.BooleanField(default=None, allow_null=True, help_text="Only answered or open ones.")


class PayDisputeIn(Body):
    """What is wrong with the entry."""

    words = serializers.CharField(max_length=actions.LONGEST_WORDS)


class DisputeAnswerIn(Body):
    """The answer, which the person reads, and what happens to the entry: it stays (`keep`), is undone (`reverse`), or
    counts so many `units` (`again`)."""

    answer = serializers.CharField(max_length=actions.LONGEST_WORDS)
    outcome = serializers.ChoiceField(list(actions.OUTCOMES), default=actions.KEEP)
    units = serializers.IntegerField(min_value=1, max_value=actions.MOST_UNITS, default=None, allow_null=True)


class PayReverseIn(Body):
    """Why an entry is undone; the person reads it."""

    reason = serializers.CharField(max_length=actions.LONGEST_REASON)


class EntryReversedRow(Row):
    """An entry that was undone."""

    entry = serializers.CharField()
    reason = serializers.CharField()


class PayExport(ApiView):
    """The ledger."""

    tag = "pay"

    @operation(scopes=[READ, MANAGE], gives=LedgerRow, query=DaysQuery, media=NDJSON)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Read each entry of some days, one JSON object a line. For administrators."""
        membership = access.administrator_membership(self.user, slug)
        entries = ledger_lines(LEDGER_COLUMNS, fetch.ledger_of(membership, self.query_values["span"]))
        return StreamingHttpResponse(json_lines(entries), content_type=NDJSON)


class PayReverse(ApiView):
    """One entry of the ledger."""

    tag = "pay"

    @operation(scopes=[MANAGE], takes=PayReverseIn, gives=EntryReversedRow, repeats=True)
    def post(self, request: Request, slug: str, token: UUID) -> Response:
        """Undo an entry with a reason: its action earns nothing. For administrators."""
        entry = fetch.entry(access.administrator_membership(self.user, slug), token)
        made = actions.entry_reverse(entry=entry, by=self.user, **self.validated_body())
        return self.row_response({"entry": str(token), "reason": made.answer})


class Disputes(ApiView):
    """The disputes of a project."""

    tag = "pay"

    @operation(scopes=[READ], gives=DisputeRow, query=DisputeQuery, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List what people say against entries of their pay. For administrators."""
        rows = fetch.disputes_of(access.administrator_membership(self.user, slug))
        if self.query_values["answered"] is not None:
            rows = rows.filter(answered_at__isnull=not self.query_values["answered"])
        return self.page_response(rows)


class DisputeApi(ApiView):
    """One dispute."""

    tag = "pay"

    def row(self, slug: str, dispute_id: int) -> Response:
        """It as it stands, with its entry."""
        dispute, entry = fetch.dispute(access.administrator_membership(self.user, slug), dispute_id)
        vars(dispute)["entry"] = entry
        return self.row_response(dispute)


class DisputeView(DisputeApi):
    """One dispute that is read."""

    @operation(scopes=[READ], gives=DisputeWhole)
    def get(self, request: Request, slug: str, dispute_id: int) -> Response:
        """Read a dispute with the entry that it is about. For administrators."""
        return self.row(slug, dispute_id)


class DisputeAnswer(DisputeApi):
    """One dispute that is answered."""

    @operation(scopes=[MANAGE], takes=DisputeAnswerIn, gives=DisputeWhole, repeats=True)
    def post(self, request: Request, slug: str, dispute_id: int) -> Response:
        """Answer a dispute, once, and leave its entry, undo it, or count it anew. For administrators."""
        dispute, _ = fetch.dispute(access.administrator_membership(self.user, slug), dispute_id)
        sent: dict[str, Any] = self.validated_body()
        if (sent["units"] is not None) != (sent["outcome"] == actions.RECOUNT):
            raise Invalid(field="units", code="units_wrong")
        actions.dispute_answer(dispute=dispute, by=self.user, **sent)
        return self.row(slug, dispute_id)


class OwnDispute(OwnPayView):
    """One entry of one's own."""

    @operation(scopes=[ANNOTATE], takes=PayDisputeIn, gives=DisputeRow, status=201, repeats=True)
    def post(self, request: Request, slug: str, token: UUID) -> Response:
        """Say what is wrong with an entry of your pay; it is not approved before somebody answered. For members."""
        place = self.place(slug)
        entry = fetch.own_entry(self.user, token)
        if entry.annotator_id != place.pk:
            raise NotFound
        made = actions.dispute_open(entry=entry, words=self.validated_body()["words"])
        return self.row_response(Adjustment.objects.select_related("annotator").get(pk=made.pk), status=201)
