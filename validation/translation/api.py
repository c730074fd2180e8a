"""`targets`: the languages and registers that a project's items belong to."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.jobs import JobRow
from annotation.api.views import ANNOTATE, MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row, WholeNumberField
from annotation.core import access
from annotation.core.models.project import Target
from annotation.translation.actions.targets import (
    LONGEST_DESCRIPTION,
    target_change,
    target_create,
    units_take,
)
from validation.review.queries import desk
from validation.translation.actions import target_end
from validation.voting.actions.check_findings import recheck_start


class TargetRow(Row):
    """A target; a project whose kind has none has one, `main`."""

    key = serializers.CharField()
    language = serializers.CharField()
    register = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    version = serializers.IntegerField()
    ended_at = serializers.DateTimeField(allow_null=True)


class TargetIn(Body):
    """A further target. Its key is made of language and register and is for good; an empty name is filled in."""

    language = serializers.CharField(max_length=10)
    register = serializers.CharField(max_length=200, default="", allow_blank=True)
    name = serializers.CharField(max_length=200, default="", allow_blank=True)
    description = serializers.CharField(max_length=LONGEST_DESCRIPTION, default="", allow_blank=True)


class TargetChangeIn(Body):
    """What a target is called and explained by; what is left out stays. `words`: pairs of a word of the register and
    what it stands for, all of them."""

    version = WholeNumberField()
    name = serializers.CharField(max_length=200, required=False)
    register = serializers.CharField(max_length=200, allow_blank=True, required=False)
    description = serializers.CharField(max_length=LONGEST_DESCRIPTION, allow_blank=True, required=False)
    words = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField(max_length=200), min_length=2, max_length=2),
        max_length=500,
        required=False,
    )


class TargetEndIn(Body):
    """Whether the target is ended from now on."""

    ended = serializers.BooleanField()


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
        return self.page_response(rows)

    @operation(scopes=[MANAGE], takes=TargetIn, gives=TargetRow, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Add a target. For leads and administrators of projects with targets."""
        membership = access.membership(self.user, slug)
        desk.targets(membership)
        made = target_create(project=membership.project, by=self.user, **self.validated_body())
        return self.row_response(made, status=201)


class TargetApi(ApiView):
    """One target."""

    tag = "targets"

    def target(self, slug: str, key: str) -> Target:
        """It, for leads and administrators. Raises NotFound where the project has no targets."""
        membership = access.membership(self.user, slug)
        desk.targets(membership)
        return access.target(membership, key)


class TargetChange(TargetApi):
    """What a target is called and explained by."""

    @operation(scopes=[MANAGE], takes=TargetChangeIn, gives=TargetRow, repeats=True)
    def post(self, request: Request, slug: str, key: str) -> Response:
        """Change a target's name, register, description and words. A stale `version` is answered with 409. For leads
        and administrators."""
        target, sent = self.target(slug, key), self.validated_body()
        names = ("name", "register", "description", "words")
        given: dict[str, Any] = {name: sent.get(name, getattr(target, name)) for name in names}
        made = target_change(target=target, version=sent["version"], by=self.user, **given)
        return self.row_response(made)


class TargetEnd(TargetApi):
    """Whether a target is open."""

    @operation(scopes=[MANAGE], takes=TargetEndIn, gives=TargetRow)
    def post(self, request: Request, slug: str, key: str) -> Response:
        """End a target, so that nothing new is given out in it, or open it again. For leads and administrators."""
        target, ended = self.target(slug, key), self.validated_body()["ended"]
        target_end(target=target, ended=ended, by=self.user)
        return self.row_response(Target.objects.get(pk=target.pk))


class UnitsTakenRow(Row):
    """How many texts you were given; `allocations` lists them."""

    taken = serializers.IntegerField()


class TargetRecheck(TargetApi):
    """The translations of a target."""

    @operation(scopes=[MANAGE], gives=JobRow, status=202)
    def post(self, request: Request, slug: str, key: str) -> Response:
        """Check the translations of a target again; what is found stands on the review desk. For leads and
        administrators."""
        membership = access.lead_membership(self.user, slug)
        desk.targets(membership)
        return self.row_response(recheck_start(target=access.target(membership, key), by=self.user), status=202)


class TargetTake(ApiView):
    """The texts of a target."""

    tag = "work"

    @operation(scopes=[ANNOTATE], gives=UnitsTakenRow)
    def post(self, request: Request, slug: str, key: str) -> Response:
        """Take the next texts of a target that you translate into; none while you have some. For writers."""
        membership, writer = access.writer_at_work(self.user, slug)
        return self.row_response({"taken": units_take(writer=writer, target=access.target(membership, key))})
