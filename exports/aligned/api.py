"""`registers`: two registers of one language compared, as on their page."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.jobs import JobRow
from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import NotFound
from annotation.jobs.models import Job
from exports.aligned.registers import latest_comparisons, register_pairs, registers_compare


class RegistersComparedRow(Row):
    """Two targets of a language. `figures` and the words that one alone has, most frequent first, are null until the
    job is done."""

    language = serializers.CharField()
    formal = serializers.CharField()
    casual = serializers.CharField()
    figures = serializers.DictField(allow_null=True)
    job = JobRow()


class RegistersRow(Row):
    """The last comparison of each pair, and the languages in several registers with the keys of their targets."""

    languages = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))
    compared = RegistersComparedRow(many=True)


class RegistersIn(Body):
    """Two targets of one language, by their keys."""

    formal = serializers.CharField(max_length=60)
    casual = serializers.CharField(max_length=60)


class Registers(ApiView):
    """The registers of a project."""

    tag = "targets"

    def place(self, slug: str) -> Membership:
        """Whoever asks, as lead or administrator of a project with targets."""
        membership = access.lead_membership(self.user, slug)
        if not access.has_targets(membership.project):
            raise NotFound
        return membership

    @operation(scopes=[READ], gives=RegistersRow)
    def get(self, request: Request, slug: str) -> Response:
        """Read how the registers of a language differ. For leads and administrators of projects with targets."""
        project = self.place(slug).project
        languages = register_pairs(project)
        of_target = {target.key: code for code, targets in languages.items() for target in targets}
        compared = [
            {
                "language": of_target[formal],
                "formal": formal,
                "casual": casual,
                "figures": _figures(job),
                "job": job,
            }
            for (formal, casual), job in sorted(latest_comparisons(project).items())
            if formal in of_target and casual in of_target
        ]
        keys = {code: [target.key for target in targets] for code, targets in languages.items()}
        return self.row_response({"languages": keys, "compared": compared})

    @operation(scopes=[MANAGE], takes=RegistersIn, gives=JobRow, status=202)
    def post(self, request: Request, slug: str) -> Response:
        """Have two registers of one language compared; what is being compared already is not begun twice. For leads and
        administrators."""
        project = self.place(slug).project
        made = registers_compare(project=project, by=self.user, **self.validated_body())
        return self.row_response(made, status=202)


def _figures(job: Job) -> dict[str, Any] | None:
    return job.result if job.state == Job.State.DONE else None
