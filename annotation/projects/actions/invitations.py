"""Invitations: a single-use link bound to an e-mail address, a project and roles; only its hash is kept."""

import secrets
from collections.abc import Collection
from typing import NamedTuple

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Now, Replace

from annotation.core.actions.accounts import check_address
from annotation.core.actions.members import ROLE_NAMES, Roles, annotator_add, may_grant
from annotation.core.database import locked, seconds_from_now
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound, first_or_not_found
from annotation.core.models.member import Annotator, Event, Invitation
from annotation.core.models.project import Project
from annotation.core.models.user import User, canonical_email
from annotation.core.rules.mailboxes import DOTLESS_HOSTS, mailbox
from annotation.elicitation.actions import must_sign, no_part_sign
from annotation.translation.actions.targets import target_members_add, targets_by_keys

HOUR, DAY = 3600, 24 * 3600


class NewInvitation(NamedTuple):
    """A new invitation and its token, which nobody can read again."""

    invitation: Invitation
    token: str


def invitation_create(
    *, project: Project, email: str, roles: Roles, by: User, targets: Collection[str] = ()
) -> NewInvitation:
    """Invite an address into a project; an earlier open invitation of the same address is revoked.

    `targets` are keys of targets of the project that the person is to work for; Invalid where one is not there.
    Administrators invite for any role, a lead for any but a lead's in their own project. Whether the address
    has an account is never looked at, so the answer tells nothing.
    """
    if not may_grant(by=by, project=project, roles=roles):
        raise Forbidden
    email = check_address(email)
    roles.check()
    if email != canonical_email(by.email) and mailbox(email) == mailbox(canonical_email(by.email)):
        raise Invalid(field="email", code="alias_of_member")
    _refuse_alias(project, email)
    keys = sorted(target.key for target in targets_by_keys(project, targets))
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        Project.lock(project.pk)
        if Invitation.objects.filter(by=by, at__gt=seconds_from_now(-HOUR)).count() >= settings.INVITATIONS_AN_HOUR:
            raise Invalid(field="email", code="invitations_too_many")
        Invitation.objects.filter(project=project, email=email, accepted_at=None, revoked_at=None).update(
            revoked_at=Now()
        )
        invitation = Invitation.objects.create(
            project=project,
            email=email,
            **{f"is_{name}": held for name, held in roles.to_dict().items()},
            token_hash=Invitation.hash_of(token),
            by=by,
            expires_at=seconds_from_now(settings.INVITATION_DAYS * DAY),
            targets=keys,
        )
        granted = roles.to_dict()
        Event.record(project, by, "invited", invitation=invitation.pk, roles=granted, targets=keys)
    invitation.refresh_from_db()
    return NewInvitation(invitation, token)


def _refuse_alias(project: Project, email: str) -> None:
    """Raise Invalid where the address is another spelling of a member's mailbox: the same person a second time."""
    name, _, host = mailbox(email).rpartition("@")
    address: F | Replace = F("user__email")
    hosts = [host]
    if host in DOTLESS_HOSTS:
        address, hosts = (
            Replace(address, Value("."), Value("")),
            [each.replace(".", "") for each in DOTLESS_HOSTS],
        )
    same = Q()
    for each in hosts:
        same |= Q(address=f"{name}@{each}") | Q(address__startswith=f"{name}+", address__endswith=f"@{each}")
    members = Annotator.objects.filter(project=project, left_at=None, user__isnull=False)
    others = members.annotate(address=address).filter(same).values_list("user__email", flat=True)
    if any(other != email and mailbox(other) == mailbox(email) for other in others):
        raise Invalid(field="email", code="alias_of_member")


def invitation_revoke(*, project: Project, invitation_id: int, by: User) -> None:
    """An open invitation stops working; revoking it twice is the same as once."""
    with transaction.atomic():
        invitation = first_or_not_found(locked(Invitation.objects.filter(pk=invitation_id, project=project)))
        if not may_grant(by=by, project=project, roles=roles_of(invitation)):
            raise Forbidden
        if invitation.accepted_at is not None:
            raise Conflict(code="invitation_accepted")
        if invitation.revoked_at is None:
            Invitation.objects.filter(pk=invitation.pk).update(revoked_at=Now())
            Event.record(project, by, "invitation_revoked", invitation=invitation.pk)


def roles_of(invitation: Invitation) -> Roles:
    """The roles that an invitation gives."""
    return Roles(**{name: getattr(invitation, f"is_{name}") for name in ROLE_NAMES})


def invitation_accept(*, token: str, user: User, no_part: bool = False) -> Annotator:
    """Take the place that the link gives: once, by the invited address only.

    `no_part`: they signed that they took no part in making what they are to judge. Raises NotFound for a link that is
    unknown, over, revoked or used, Forbidden for another account's, Invalid where the signature is missing, Conflict
    where the roles exclude those that the person has here. The invited targets come to those that they work for.
    """
    return _accept(Invitation.objects.filter(token_hash=Invitation.hash_of(token)), user, no_part)


def invitation_accept_held(*, invitation_id: int, user: User, no_part: bool = False) -> Annotator:
    """The same for an invitation that somebody took along while they logged in or signed up."""
    return _accept(Invitation.objects.filter(pk=invitation_id), user, no_part)


def _accept(rows: QuerySet[Invitation], user: User, no_part: bool) -> Annotator:
    with transaction.atomic():
        # The row's lock makes two accepts at once one after the other; the second finds it used.
        invitation = first_or_not_found(locked(rows.select_related("project", "by")))
        if invitation.accepted_by_id == user.pk:
            return Annotator.objects.get(project=invitation.project_id, user=user)
        if not Invitation.objects.open().filter(pk=invitation.pk).exists():
            raise NotFound
        if canonical_email(user.email) != invitation.email or not user.is_active:
            raise Forbidden(code="invitation_for_another")
        _refuse_unconfirmed(invitation, user)
        asked = must_sign(invitation)
        if asked and not no_part:
            raise Invalid(field="no_part", code="no_part_missing")
        annotator = _add_member(invitation, user)
        if invitation.targets:
            target_members_add(annotator=annotator, keys=invitation.targets, by=invitation.by)
        if asked:
            no_part_sign(annotator=annotator)
        Invitation.objects.filter(pk=invitation.pk).update(accepted_at=Now(), accepted_by=user)
    return annotator


def _refuse_unconfirmed(invitation: Invitation, user: User) -> None:
    """Raise Conflict where nobody but the inviter says that the address is this person's.

    An administrator's word is enough, and is kept: they give the link to the person where no mail leaves.
    """
    addresses = EmailAddress.objects.filter(user=user, email=invitation.email)
    if invitation.by.is_administrator:
        addresses.update(verified=True)
    elif not addresses.filter(verified=True).exists():
        raise Conflict(code="address_not_confirmed")


def _add_member(invitation: Invitation, user: User) -> Annotator:
    """The invited roles beside those that the person has already."""
    try:
        _refuse_alias(invitation.project, invitation.email)
    except Invalid as refusal:
        raise Conflict(code=refusal.code) from refusal
    roles = roles_of(invitation)
    present = Annotator.objects.filter(project=invitation.project_id, user=user, left_at=None).first()
    if present is not None:
        roles = roles.union(Roles.of(present))
    try:
        return annotator_add(project=invitation.project, user=user, by=invitation.by, **roles.to_dict())
    except Invalid as refusal:
        raise Conflict(code=refusal.code) from refusal
