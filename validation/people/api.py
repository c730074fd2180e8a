"""`members` and `invitations` of a project, for its leads and administrators."""

from typing import Any

from django.db.models import Prefetch, QuerySet
from django.http import QueryDict
from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row, WholeNumberField
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.actions.members import ROLE_NAMES, Roles
from annotation.core.links import site_link
from annotation.core.models.member import Annotator, Invitation
from annotation.datasheet.actions import REGION_LONGEST, region_change
from annotation.projects.accounts import send_invitation
from annotation.projects.actions.invitations import invitation_create, invitation_revoke
from annotation.translation.models import TargetMember
from annotation.writing.actions.allocation import allocations_assign
from validation.people.actions import annotator_remove, hand_over_allocations, member_roles_change
from validation.people.views.people import MOST_GIVEN, allocation_target, allocation_wanted
from validation.review.queries import desk
from validation.translation.actions import targets_give


class HasRoles(Row):
    """Who has roles, by their names."""

    roles = serializers.SerializerMethodField()

    def get_roles(self, row: Annotator | Invitation) -> list[str]:
        """In the order of roles."""
        return [name for name in ROLE_NAMES if getattr(row, f"is_{name}")]


class MemberRow(HasRoles):
    """A member with an account."""

    id = serializers.IntegerField()
    pseudonym = serializers.CharField()
    name = serializers.CharField(source="user.name")
    email = serializers.EmailField(source="user.email")
    region = serializers.CharField()
    targets = serializers.SerializerMethodField()
    joined_at = serializers.DateTimeField()

    def get_targets(self, row: Annotator) -> list[str]:
        """For which targets they work, by key."""
        return sorted(place.target.key for place in row.target_memberships.all())


class InvitationRow(HasRoles):
    """An invitation that can still be accepted."""

    id = serializers.IntegerField()
    email = serializers.EmailField()
    targets = serializers.ListField(child=serializers.CharField())
    at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()


class InvitationMade(InvitationRow):
    """A new invitation; its link is shown only this once. `sent`: whether it was mailed."""

    link = serializers.URLField()
    sent = serializers.BooleanField()


class InvitationIn(Body):
    """Whom to invite, as what, for which targets."""

    email = serializers.CharField(max_length=254)
    roles = serializers.ListField(child=serializers.ChoiceField(ROLE_NAMES), allow_empty=False)
    targets = serializers.ListField(child=serializers.CharField(max_length=40), default=list, max_length=1000)


class RolesIn(Body):
    """All roles that a member has from now on. `seen`: those that you read, where a stale change is to be refused."""

    roles = serializers.ListField(child=serializers.ChoiceField(ROLE_NAMES), allow_empty=False)
    seen = serializers.ListField(child=serializers.ChoiceField(ROLE_NAMES), default=None, allow_null=True)


class LeaverIn(Body):
    """Which writer (`id` of a member) is given what they had open; null: it goes back to the pool. `void_votes`: what
    they voted does not count any more, and is asked of others."""

    heir = WholeNumberField(default=None, allow_null=True)
    void_votes = serializers.BooleanField(default=False)


class HandOverIn(Body):
    """Which writer (`id` of a member) is given what somebody has open."""

    heir = WholeNumberField()


class RegionIn(Body):
    """Where somebody answers from; empty takes it back."""

    region = serializers.CharField(max_length=REGION_LONGEST, allow_blank=True)


class MemberTargetsIn(Body):
    """All targets that a member works for from now on, by key. `seen`: those that you read, where a stale change is to
    be refused."""

    targets = serializers.ListField(child=serializers.CharField(max_length=40), max_length=1000)
    seen = serializers.ListField(
        child=serializers.CharField(max_length=40), default=None, allow_null=True, max_length=1000
    )


class AllocateIn(Body):
    """How many sources to give at most: to each writer, of concepts in each category. `to` is one writer by pseudonym,
    `target` what is given out for, where a project has targets."""

    size = serializers.IntegerField(min_value=1, max_value=MOST_GIVEN)
    to = serializers.CharField(max_length=40, default="", allow_blank=True)
    target = serializers.CharField(max_length=40, default="", allow_blank=True)


class GivenRow(Row):
    """How many sources were given out."""

    given = serializers.IntegerField()


class DoneRow(Row):
    """It was done."""

    done = serializers.BooleanField()


def _roles(names: list[str]) -> Roles:
    return Roles(**{name: name in names for name in ROLE_NAMES})


def _members(membership: Membership) -> QuerySet[Annotator]:
    placed = Prefetch("target_memberships", TargetMember.objects.select_related("target"))
    there = Annotator.objects.filter(project=membership.project, user__isnull=False, left_at=None)
    return there.select_related("user").prefetch_related(placed)


class Members(ApiView):
    """Who is in a project."""

    tag = "members"

    @operation(scopes=[READ], gives=MemberRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the members, with names and addresses. For leads and administrators."""
        return self.page_response(_members(access.lead_membership(self.user, slug)))


class MemberRoles(ApiView):
    """What one member is."""

    tag = "members"

    @operation(scopes=[MANAGE], takes=RolesIn, gives=MemberRow, repeats=True)
    def post(self, request: Request, slug: str, annotator_id: int) -> Response:
        """Change a member's roles. Only administrators change a lead's."""
        membership, sent = access.lead_membership(self.user, slug), self.validated_body()
        seen = None if sent["seen"] is None else _roles(sent["seen"])
        roles = _roles(sent["roles"])
        member_roles_change(project=membership.project, annotator_id=annotator_id, roles=roles, by=self.user, seen=seen)
        return self.row_response(_members(membership).get(pk=annotator_id))


class MemberEnd(ApiView):
    """One member who leaves."""

    tag = "members"

    @operation(scopes=[MANAGE], takes=LeaverIn, gives=DoneRow, repeats=True)
    def post(self, request: Request, slug: str, annotator_id: int) -> Response:
        """Take a member out; votes and items stay under the pseudonym."""
        project, sent = access.lead_membership(self.user, slug).project, self.validated_body()
        annotator_remove(
            project=project,
            annotator_id=annotator_id,
            by=self.user,
            heir_id=sent["heir"],
            void=sent["void_votes"],
        )
        return self.row_response({"done": True})


class MemberHandOver(ApiView):
    """What one writer has open."""

    tag = "members"

    @operation(scopes=[MANAGE], takes=HandOverIn, gives=GivenRow, repeats=True)
    def post(self, request: Request, slug: str, annotator_id: int) -> Response:
        """Give the sources that a writer has not submitted to another writer. For leads and administrators."""
        project, heir = access.lead_membership(self.user, slug).project, self.validated_body()["heir"]
        n = hand_over_allocations(project=project, annotator_id=annotator_id, heir_id=heir, by=self.user)
        return self.row_response({"given": n})


class MemberRegion(ApiView):
    """Where one member answers from."""

    tag = "members"

    @operation(scopes=[MANAGE], takes=RegionIn, gives=MemberRow)
    def post(self, request: Request, slug: str, annotator_id: int) -> Response:
        """Enter what somebody said about where they answer from. For administrators."""
        membership = access.administrator_membership(self.user, slug)
        region = self.validated_body()["region"]
        region_change(project=membership.project, annotator_id=annotator_id, region=region, by=self.user)
        return self.row_response(_members(membership).get(pk=annotator_id))


class MemberTargets(ApiView):
    """For which targets one member works."""

    tag = "members"

    @operation(scopes=[MANAGE], takes=MemberTargetsIn, gives=MemberRow, repeats=True)
    def post(self, request: Request, slug: str, annotator_id: int) -> Response:
        """Change for which targets a member works; what they have in hand stays theirs. For leads and administrators
        of projects with targets."""
        membership, sent = access.membership(self.user, slug), self.validated_body()
        desk.targets(membership)
        targets_give(
            project=membership.project,
            annotator_id=annotator_id,
            keys=sent["targets"],
            by=self.user,
            seen=sent["seen"],
        )
        return self.row_response(_members(membership).get(pk=annotator_id))


class SourcesAllocate(ApiView):
    """What writers are given to write from."""

    tag = "sources"

    @operation(scopes=[MANAGE], takes=AllocateIn, gives=GivenRow, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Give sources that are still free to one writer or to all. For leads and administrators."""
        membership, sent = access.lead_membership(self.user, slug), self.validated_body()
        form = QueryDict(mutable=True)
        form.update({name: str(value) for name, value in sent.items()})
        target = allocation_target(membership, form)
        writers, size = allocation_wanted(membership, target, form)
        return self.row_response({"given": allocations_assign(target=target, writers=writers, size=size)})


class Invitations(ApiView):
    """Who is invited."""

    tag = "members"

    @operation(scopes=[READ], gives=InvitationRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the invitations that can still be accepted. For leads and administrators."""
        project = access.lead_membership(self.user, slug).project
        return self.page_response(Invitation.objects.open().filter(project=project))

    @operation(scopes=[MANAGE], takes=InvitationIn, gives=InvitationMade, status=201)
    def post(self, request: Request, slug: str) -> Response:
        """Invite an address. The link is mailed to it and shown here once; an earlier one of it stops working."""
        project, sent = access.lead_membership(self.user, slug).project, self.validated_body()
        made = invitation_create(
            project=project,
            email=sent["email"],
            roles=_roles(sent["roles"]),
            by=self.user,
            targets=sent["targets"],
        )
        link = site_link(reverse("invitation", args=[made.token]))
        body: dict[str, Any] = {"link": link, "sent": send_invitation(made.invitation, link)}
        return Response({**InvitationRow(made.invitation).data, **body}, status=201)


class InvitationRevoke(ApiView):
    """One invitation."""

    tag = "members"

    @operation(scopes=[MANAGE], gives=DoneRow)
    def post(self, request: Request, slug: str, invitation_id: int) -> Response:
        """Withdraw an invitation."""
        project = access.lead_membership(self.user, slug).project
        invitation_revoke(project=project, invitation_id=invitation_id, by=self.user)
        return self.row_response({"done": True})
