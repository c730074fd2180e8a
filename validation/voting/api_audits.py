"""`audits`: the state of the audits of two agreeing labels, and their steps."""

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import READ, ApiView, operation
from annotation.api.wire import Row
from annotation.core import access
from annotation.core.errors import first_or_not_found
from annotation.core.models.project import ProtocolVersion
from validation.voting.audit_steps import AuditStatus, audit_status
from validation.voting.models.stopping import StopStep


class AuditRow(Row):
    """The audits of a protocol version: of those drawn (`audited`) some are `decided`, the others `open`. `bound95`: at
    most so many items have another gold, with 95 % confidence, open audits counted as changed; null where nobody said
    how many items are planned. `stopped` items settled with two labels; `held` agreements wait for their draw. With
    fewer than four `voters` besides an item's writer nothing is drawn. `digest` is the
    hash that the rules were sealed with."""

    protocol = serializers.IntegerField(source="n")
    digest = serializers.CharField()
    planned = serializers.IntegerField(source="figures.planned", allow_null=True)
    alpha = serializers.FloatField(source="figures.alpha")
    seen = serializers.IntegerField(source="figures.seen")
    agreed = serializers.IntegerField(source="figures.agreed")
    audited = serializers.IntegerField(source="figures.audited")
    decided = serializers.IntegerField(source="figures.decided")
    open = serializers.IntegerField(source="figures.open")
    changed = serializers.IntegerField(source="figures.changed")
    bound95 = serializers.FloatField(source="figures.bound95", allow_null=True)
    stopped = serializers.IntegerField()
    held = serializers.IntegerField()
    voters = serializers.IntegerField()


class AuditStepRow(Row):
    """A step: a first vote, or the outcome of an audit (`changed`: whether it found another gold; null: not known yet,
    a further vote was another label). `route` is what
    becomes of the item, `q` the chance of an audit that it had."""

    n = serializers.IntegerField()
    item = serializers.CharField(source="item.key")
    event = serializers.CharField()
    agrees = serializers.BooleanField()
    doubt = serializers.BooleanField()
    route = serializers.CharField()
    q = serializers.FloatField(allow_null=True)
    changed = serializers.BooleanField(allow_null=True)
    at = serializers.DateTimeField()


class AuditList(ApiView):
    """The audits of a project."""

    tag = "audits"

    @operation(scopes=[READ], gives=AuditRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List how the audits of each protocol version with some stand. For leads who do not vote, and
        administrators."""
        versions = _versions_with_audits(access.reader_of_all(self.user, slug).project.pk)
        return self.page_response(versions, lambda page: [row for each in page if (row := _audit_row(each))])


class AuditSteps(ApiView):
    """The steps of one version's audits."""

    tag = "audits"

    @operation(scopes=[READ], gives=AuditStepRow, paged=True, since=["at"])
    def get(self, request: Request, slug: str, n: int) -> Response:
        """List the steps of a protocol version's audits, in their order. For leads who do not vote, and
        administrators."""
        membership = access.reader_of_all(self.user, slug)
        version = first_or_not_found(_versions_with_audits(membership.project.pk).filter(n=n))
        return self.page_response(StopStep.objects.filter(protocol=version).select_related("item"))


def _versions_with_audits(project: int) -> QuerySet[ProtocolVersion]:
    """Those whose rules have audits: the error that they allow (`alpha`) is not 0."""
    rows = ProtocolVersion.objects.filter(project=project, rules__alpha__isnull=False)
    return rows.exclude(rules__alpha=0).select_related("project")


def _audit_row(version: ProtocolVersion) -> AuditStatus | None:
    return audit_status(version)
