"""`model-votes`: a language model as a second annotator: its votes, the test against people, and having it asked."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.jobs import JobRow
from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row
from annotation.core import access
from annotation.core.errors import Invalid
from annotation.generation.models import Endpoint
from validation.model_votes.actions import MOST, model_votes_ask
from validation.model_votes.models import ModelVote
from validation.model_votes.queries import compare_models


class ModelVoteRow(Row):
    """A model's label for one revision of an item; `fault` says why there is none. It counts nowhere."""

    item = serializers.CharField(source="item.key")
    endpoint = serializers.CharField(source="endpoint.name")
    model = serializers.CharField()
    revision = serializers.IntegerField(source="revision_n")
    label = serializers.CharField()  # type: ignore[assignment]
    fault = serializers.CharField()
    at = serializers.DateTimeField()


class ModelPersonRow(Row):
    """One annotator left out: on `items`, how often the model (`model`) and they (`human`) agreed with the others at
    least as often as the other one did, the p-value of the test, the same corrected for the number of people
    (Benjamini and Yekutieli), and whether the model won."""

    pseudonym = serializers.CharField(source="name")
    items = serializers.IntegerField()
    model = serializers.FloatField()
    human = serializers.FloatField()
    p = serializers.FloatField()
    p_corrected = serializers.FloatField()
    won = serializers.BooleanField()


class ModelTestRow(Row):
    """The alternative annotator test for one `epsilon`; null where too few people have enough items."""

    epsilon = serializers.FloatField()
    winning_rate = serializers.FloatField(allow_null=True)
    advantage = serializers.FloatField(allow_null=True)
    stands_in = serializers.BooleanField(allow_null=True)
    people = ModelPersonRow(many=True)
    left_out = serializers.ListField(child=serializers.CharField())


class ModelComparedRow(Row):
    """A model against people. `against` are the keys of items on which all people disagree with it; `over` says which
    votes the tests are over. There are none where no item has two votes that were asked for whatever others said."""

    endpoint = serializers.CharField(source="endpoint.name")
    model = serializers.CharField()
    labels = serializers.IntegerField()
    faults = serializers.IntegerField()
    tests = ModelTestRow(many=True)
    over = serializers.CharField()
    against = serializers.SerializerMethodField()

    def get_against(self, row: Any) -> list[str]:
        """By key."""
        return [item.key for item in row.against]


class ModelsRow(Row):
    """Every model that voted."""

    models = ModelComparedRow(many=True)


class ModelAskIn(Body):
    """The number of an endpoint that chats, and on how many decided items it votes at most."""

    endpoint = serializers.IntegerField(min_value=1, max_value=2**53)
    count = serializers.IntegerField(min_value=1, max_value=MOST)


class ModelVotes(ApiView):
    """What models answered."""

    tag = "model-votes"

    @operation(scopes=[READ], gives=ModelVoteRow, paged=True, since=["at"])
    def get(self, request: Request, slug: str) -> Response:
        """List the votes of models. For leads who do not vote, and administrators."""
        rows = ModelVote.objects.filter(project=access.reader_of_all(self.user, slug).project)
        return self.page_response(rows.select_related("item", "endpoint"))


class ModelVotesCompared(ApiView):
    """Models and people."""

    tag = "model-votes"

    @operation(scopes=[READ], gives=ModelsRow)
    def get(self, request: Request, slug: str) -> Response:
        """Compare each model with the people, by the alternative annotator test. For leads and administrators."""
        return self.row_response({"models": compare_models(access.lead_membership(self.user, slug))})


class ModelVotesAsk(ApiView):
    """A model that is asked."""

    tag = "model-votes"

    @operation(scopes=[MANAGE], takes=ModelAskIn, gives=JobRow, status=202, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Have a model vote on decided items; a job does it. For administrators."""
        membership, sent = access.administrator_membership(self.user, slug), self.validated_body()
        endpoint = Endpoint.objects.filter(pk=sent["endpoint"]).first()
        if endpoint is None:
            raise Invalid(field="endpoint", code="model_cannot_vote")
        given: dict[str, Any] = {"endpoint": endpoint, "count": sent["count"]}
        return self.row_response(model_votes_ask(project=membership.project, by=self.user, **given), status=202)
