"""Results of the quiz, for leads."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import READ, ApiView, operation
from annotation.api.wire import Row
from validation.qualification import queries
from validation.quality.queries import overseer, voters


class AttemptRow(Row):
    """One attempt that was handed in: so many right of so many, and how many were needed."""

    n = serializers.IntegerField()
    asked = serializers.IntegerField()
    right = serializers.IntegerField()
    needed = serializers.IntegerField()
    passed = serializers.BooleanField()
    done_at = serializers.DateTimeField()


class QualificationRow(Row):
    """One voter: since when they may vote (null: not yet, or no quiz was asked), and their attempts."""

    id = serializers.IntegerField(source="annotator.pk")
    pseudonym = serializers.CharField(source="annotator.pseudonym")
    qualified_at = serializers.DateTimeField(source="annotator.qualified_at", allow_null=True)
    attempts = AttemptRow(many=True)


class Qualification(ApiView):
    """The outcome of the quiz."""

    tag = "quality"

    @operation(scopes=[READ], gives=QualificationRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the voters with their attempts at the quiz. For leads and administrators."""
        membership = overseer(self.user, slug)

        def prepare(rows: list[Any]) -> list[queries.PersonResult]:
            return queries.results(membership.project, rows)

        return self.listed(voters(membership.project), prepare)
