"""`targets`: the languages and registers that a project's items belong to."""

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import READ, ApiView, operation
from annotation.api.wire import Row
from annotation.core import access
from annotation.core.models.project import Target


class TargetRow(Row):
    """A target; a project whose kind has none has one, `main`."""

    key = serializers.CharField()
    language = serializers.CharField()
    register = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    version = serializers.IntegerField()
    ended_at = serializers.DateTimeField(allow_null=True)


class Targets(ApiView):
    """The targets of a project."""

    tag = "targets"

    @operation(scopes=[READ], gives=TargetRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the targets: all for leads and administrators, for others those that they work for."""
        membership = access.membership(self.user, slug)
        rows: QuerySet[Target] = membership.project.targets.all()
        if not membership.sees_all:
            mine = access.targets_of(membership.annotator) if membership.annotator else []
            rows = rows.filter(pk__in=[target.pk for target in mine])
        return self.listed(rows)
