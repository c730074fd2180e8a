"""`events` of a project, for leads and administrators; `webhooks` and `deliveries`, for administrators."""

from typing import Any

from django.http import Http404
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, ListQuery, Row, WholeNumberField
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import first_or_not_found
from annotation.core.rules import feed
from annotation.generation.llm import guard
from annotation.webhooks import actions, queries
from annotation.webhooks.models import Delivery, Webhook

TYPES = tuple(feed.TYPES)


class EventQuery(ListQuery):
    """Where to go on, and what is of interest."""

    after = WholeNumberField(default=None, allow_null=True, help_text="The number of the last event that you have.")
    type = serializers.CharField(
        default="", allow_blank=True, max_length=400, help_text="Types, with commas between them; else all."
    )

    def validate_type(self, text: str) -> list[str]:
        """The types. Raises ValidationError for one that there is not."""
        wanted = [name for name in text.split(",") if name]
        if strange := sorted(set(wanted) - feed.TYPES.keys()):
            raise serializers.ValidationError(f"There is no type “{strange[0]}”.", "choice_unknown")
        return wanted


class EventRow(Row):
    """Something that happened. `n` numbers the events of a project; `item` is the key of the item that it is about."""

    n = serializers.IntegerField()
    type = serializers.CharField()
    item = serializers.CharField(source="subject")
    data = serializers.DictField()  # type: ignore[assignment]
    at = serializers.DateTimeField()


class WebhookRow(Row):
    """An address that events are sent to; its secret is shown when it is entered or rotated, and never again."""

    id = serializers.IntegerField()
    url = serializers.CharField()
    types = serializers.ListField(child=serializers.CharField())
    at = serializers.DateTimeField()
    failing_since = serializers.DateTimeField(allow_null=True)
    failures = serializers.IntegerField(help_text="Failures of the address in a row, up to now.")
    paused_until = serializers.DateTimeField(allow_null=True, help_text="Until then nothing is sent to it.")
    stopped_at = serializers.DateTimeField(allow_null=True)
    stopped_why = serializers.CharField()
    waiting = serializers.IntegerField()
    taken = serializers.IntegerField()
    given_up = serializers.IntegerField()


class WebhookMade(WebhookRow):
    """A webhook with its new secret, which is shown only this once."""

    secret = serializers.CharField()


class WebhookIn(Body):
    """The address, and the types of events that are sent to it."""

    url = serializers.CharField(max_length=guard.LONGEST_ADDRESS)
    types = serializers.ListField(child=serializers.ChoiceField(TYPES), allow_empty=False, max_length=len(TYPES))


class DeliveryRow(Row):
    """One event for one webhook: the outcome of it so far."""

    id = serializers.IntegerField()
    event = serializers.IntegerField(source="event.n")
    type = serializers.CharField(source="event.type")
    item = serializers.CharField(source="event.subject")
    state = serializers.ChoiceField(Delivery.State.values)
    attempts = serializers.IntegerField()
    next_at = serializers.DateTimeField()
    tried_at = serializers.DateTimeField(allow_null=True)
    last_status = serializers.IntegerField(allow_null=True)
    last_fault = serializers.CharField()


class Events(ApiView):
    """What happened in a project."""

    tag = "events"

    @operation(scopes=[READ], gives=EventRow, query=EventQuery, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List events in their order, each within about a second. To be told what is new ask again with
        `after`: none is ever left out."""
        membership = access.lead_membership(self.user, slug)
        return self.page_response(
            queries.events(membership, self.query_values["after"], self.query_values["type"]), by="n"
        )


class WebhookView(ApiView):
    """What the addresses of webhooks have alike."""

    tag = "webhooks"

    def administered(self, slug: str) -> Membership:
        """The project, for its administrators. Raises Forbidden."""
        return access.administrator_membership(self.user, slug)

    def made(self, membership: Membership, opened: actions.NewWebhook, status: int) -> Response:
        """A webhook with its secret."""
        row = queries.webhook(membership, opened.webhook.pk)
        return self.row_response({**WebhookRow(row).data, "secret": opened.secret}, status=status)


class Webhooks(WebhookView):
    """The webhooks of a project."""

    @operation(scopes=[READ], gives=WebhookRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the webhooks, with how many deliveries wait, were taken and were given up."""
        return self.page_response(queries.webhooks(self.administered(slug)))

    @operation(scopes=[MANAGE], takes=WebhookIn, gives=WebhookMade, status=201)
    def post(self, request: Request, slug: str) -> Response:
        """Add a webhook. Its secret is shown only this once."""
        membership = self.administered(slug)
        opened = actions.webhook_create(project=membership.project, by=self.user, **self.validated_body())
        return self.made(membership, opened, 201)


class WebhookRotate(WebhookView):
    """The secret of one webhook."""

    @operation(scopes=[MANAGE], gives=WebhookMade)
    def post(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Give it a new secret; the present one signs too for another day."""
        membership = self.administered(slug)
        stands = queries.webhook(membership, webhook_id)
        return self.made(membership, actions.webhook_rotate(webhook=stands, by=self.user), 200)


class WebhookAct(WebhookView):
    """What is done with one webhook."""

    @operation(scopes=[MANAGE], gives=WebhookRow, repeats=True)
    def post(self, request: Request, slug: str, webhook_id: int, act: str) -> Response:
        """Send a test message (`try`), `stop` or `start` telling it."""
        membership = self.administered(slug)
        stands = queries.webhook(membership, webhook_id)
        if act == "try":
            actions.webhook_try(webhook=stands, by=self.user)
        elif act == "stop":
            actions.webhook_stop(webhook=stands, why=Webhook.Stopped.BY_HAND, by=self.user)
        elif act == "start":
            actions.webhook_start(webhook=stands, by=self.user)
        else:
            raise Http404
        return self.row_response(queries.webhook(membership, webhook_id))


class EndedRow(Row):
    """What was ended for good."""

    ended = serializers.BooleanField()


class WebhookEnd(WebhookView):
    """The end of one webhook."""

    @operation(scopes=[MANAGE], gives=EndedRow, repeats=True)
    def post(self, request: Request, slug: str, webhook_id: int) -> Response:
        """End it for good: its secret is deleted, and what waits is given up."""
        actions.webhook_end(webhook=queries.webhook(self.administered(slug), webhook_id), by=self.user)
        return self.row_response({"ended": True})


class Deliveries(WebhookView):
    """What was sent to one webhook."""

    @operation(scopes=[READ], gives=DeliveryRow, paged=True, since=("event__at", "tried_at"))
    def get(self, request: Request, slug: str, webhook_id: int) -> Response:
        """List its deliveries, with what the address answered last."""
        stands = queries.webhook(self.administered(slug), webhook_id)
        return self.page_response(queries.deliveries(stands))


class DeliveryReplay(WebhookView):
    """One delivery."""

    @operation(scopes=[MANAGE], gives=DeliveryRow, repeats=True)
    def post(self, request: Request, slug: str, webhook_id: int, delivery_id: int) -> Response:
        """Send it again, whatever its outcome: its id is the same."""
        rows: Any = queries.deliveries(queries.webhook(self.administered(slug), webhook_id)).filter(pk=delivery_id)
        actions.delivery_replay(delivery=first_or_not_found(rows), by=self.user)
        return self.row_response(first_or_not_found(rows))
