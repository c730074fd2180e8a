"""`predictions` of a release: files in, figures out, as on the pages."""

from typing import Any

from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.jobs import JobRow
from annotation.api.views import MANAGE, READ, RELEASE, ApiView, operation
from annotation.api.wire import Body, Row
from annotation.core import access as people
from annotation.core.errors import Invalid
from annotation.core.links import site_link
from annotation.ui.navigation import page_url
from exports.predictions import actions
from exports.predictions import queries as access
from exports.predictions.actions import LONGEST_MODEL, LONGEST_RESTART
from exports.releases.queries import release as release_of


class PredictionsRow(Row):
    """A model's answers by their number; a `baseline` is the release's own, made without the source. `splits` has the
    figures of each split once they are scored: of a split its rows, how many are unanswered, `figures` (value, low,
    high, n), `groups`, `confusion` and `against` other models (`p`, and `p_holm` corrected for all of them); `missing`
    says which measures of free answers could not be computed and why (`no_model`, `no_packages`, `unusable`).
    `assisted` says how often the answer is what people say over all items, checked or not, estimated from the sample
    that they checked: `classic` without, `assisted` with predictions (value, low, high, and how many `more` checks make
    the interval ± 1 point), or `why` it is not. `restart` is empty where nobody named one. Of hidden answers there are
    neither groups nor a confusion, and figures have three decimal places."""

    n = serializers.IntegerField()
    model = serializers.CharField()
    restart = serializers.CharField()
    baseline = serializers.BooleanField()
    at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    job = JobRow(allow_null=True)
    splits = serializers.DictField(source="result.splits", default=dict)
    assisted = serializers.DictField(source="result.assisted", default=dict)


class LeaderboardIn(Body):
    """Whether everybody may read the results of a release's models."""

    public = serializers.BooleanField()


class LeaderboardRow(Row):
    """Whether the results are public, and the page that shows them then."""

    public = serializers.BooleanField()
    page = serializers.URLField()


class ModelQuery(Body):
    """Whose answers they are."""

    model = serializers.CharField(
        max_length=LONGEST_MODEL, default="", help_text="The model's name in the results; it has to have one."
    )
    restart = serializers.CharField(
        max_length=LONGEST_RESTART,
        default="",
        help_text="Which of the model's restarts it is, such as a seed; they stand as one system.",
    )


class PredictionsList(ApiView):
    """The predictions of a release."""

    tag = "predictions"
    parser_classes = [MultiPartParser]

    @operation(scopes=[READ, RELEASE], gives=PredictionsRow, paged=True, since=("at", "job__finished_at"))
    def get(self, request: Request, slug: str, n: int) -> Response:
        """List what models predicted for a release, with their figures. For leads and administrators."""
        return self.page_response(access.predictions_of(people.lead_membership(self.user, slug), n))

    @operation(scopes=[MANAGE, RELEASE], gives=PredictionsRow, query=ModelQuery, status=202, upload=True)
    def post(self, request: Request, slug: str, n: int) -> Response:
        """Send a model's answers, as `file` of a form. They are scored in the background. The
        same file of the same model is taken once. For leads and administrators."""
        membership = people.lead_membership(self.user, slug)
        release = release_of(membership, n)
        sent = request.FILES.get("file")
        if sent is None:
            raise Invalid(field="file", code="file_missing")
        given: dict[str, Any] = {
            "model": self.query_values["model"],
            "restart": self.query_values["restart"],
            "name": sent.name or "file",
            "chunks": sent.chunks(),
        }
        made = actions.predictions_add(release=release, by=self.user, **given)
        return self.row_response(access.predictions_by_number(membership, n, made.n), status=202)


class PredictionsView(ApiView):
    """One model's answers to a release."""

    tag = "predictions"

    @operation(scopes=[READ, RELEASE], gives=PredictionsRow)
    def get(self, request: Request, slug: str, n: int, number: int) -> Response:
        """Read what a model scored. For leads and administrators."""
        return self.row_response(access.predictions_by_number(people.lead_membership(self.user, slug), n, number))


class PredictionsWithdraw(ApiView):
    """One model's answers to a release."""

    tag = "predictions"

    @operation(scopes=[MANAGE, RELEASE], gives=PredictionsRow)
    def post(self, request: Request, slug: str, n: int, number: int) -> Response:
        """Take a model's answers out of all tables; what they scored stays stored. For leads and administrators."""
        membership = people.lead_membership(self.user, slug)
        actions.predictions_withdraw(predictions=access.predictions_by_number(membership, n, number), by=self.user)
        return self.row_response(access.predictions_by_number(membership, n, number))


class LeaderboardSet(ApiView):
    """The public page of a release's models."""

    tag = "predictions"

    @operation(scopes=[MANAGE, RELEASE], takes=LeaderboardIn, gives=LeaderboardRow)
    def post(self, request: Request, slug: str, n: int) -> Response:
        """Show the results of a release's models to everybody, or no more. For administrators."""
        release, public = (
            release_of(people.administrator_membership(self.user, slug), n),
            self.validated_body()["public"],
        )
        actions.leaderboard_set(release=release, by=self.user, public=public)
        return self.row_response({"public": public, "page": site_link(page_url("leaderboard", slug, n))})
