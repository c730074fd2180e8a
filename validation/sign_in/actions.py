"""What an institution's groups give and take when somebody signs in through it."""

from collections.abc import Iterator
from typing import NamedTuple

from allauth.socialaccount.models import SocialAccount
from django.db import transaction

from annotation.core.actions.members import Roles
from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid, Refusal
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from validation.people.actions import apply_group_roles
from validation.sign_in.rules import ADMINISTRATOR, by_project


class RefusedGrant(NamedTuple):
    """A grant that could not be given or taken, and why."""

    grant: str
    refusal: Refusal


def groups_apply(*, account_id: int) -> list[RefusedGrant]:
    """Give what the person's groups give since they last signed in, take what they gave before and do no more.

    What was given by hand stays (`own`: what was held before a group gave it too), and so does a role that somebody
    took by hand meanwhile. What is refused is tried again at the next sign-in.
    """
    with transaction.atomic():
        account = locked(SocialAccount.objects.filter(pk=account_id)).get()
        before, now = ({*account.extra_data.get(name, ())} for name in ("given", "wanted"))
        own = now.intersection(account.extra_data.get("own", ()))
        give, take = now - before - own, before - now
        if not give and not take and len(own) == len(account.extra_data.get("own", ())):
            return []
        user = locked(User.objects.filter(pk=account.user_id)).get()
        own |= _held_grants(user) & give
        refused = [*_change_administrator(user, give=ADMINISTRATOR in give, take=ADMINISTRATOR in take)]
        for slug, roles in by_project(give | take):
            refused += _change_project_roles(user, slug, roles, give, take)
        failed = {each.grant for each in refused}
        # What could not be given is not held; what could not be taken still is.
        given = (now - own - (failed & give)) | (failed & take)
        account.extra_data = {"given": sorted(given), "wanted": sorted(now)}
        account.extra_data |= {"own": sorted(own)} if own else {}
        account.save(update_fields=["extra_data"])
        data = {
            "given": sorted(give - own - failed),
            "taken": sorted(take - failed),
            "refused": sorted(failed),
        }
        Event.objects.create(actor=user, verb="groups_applied", data=data)
    return refused


def _held_grants(user: User) -> set[str]:
    """What the person holds now, by whomever it was given."""
    found = {ADMINISTRATOR} if user.is_administrator else set()
    for place in Annotator.objects.filter(user=user, left_at=None).select_related("project"):
        found |= {f"{place.project.slug}:{role}" for role, has in Roles.of(place).to_dict().items() if has}
    return found


def _change_administrator(user: User, *, give: bool, take: bool) -> Iterator[RefusedGrant]:
    if give == take:
        return
    others = User.objects.filter(is_administrator=True, is_active=True).exclude(pk=user.pk)
    if take and not others.exists():
        yield RefusedGrant(ADMINISTRATOR, Conflict(code="account_leads"))
        return
    user.is_administrator = give
    user.save(update_fields=["is_administrator"])


def _change_project_roles(
    user: User, slug: str, roles: frozenset[str], give: set[str], take: set[str]
) -> Iterator[RefusedGrant]:
    """The roles of one project, all or none."""
    given, taken = (frozenset(role for role in roles if f"{slug}:{role}" in grants) for grants in (give, take))
    project = Project.objects.filter(slug=slug, kept_for=None).first()
    try:
        if project is None:
            raise Invalid(code="group_project_unknown")
        with transaction.atomic():
            apply_group_roles(project=project, user=user, give=given, take=taken)
    except (Invalid, Conflict) as refusal:
        yield from (RefusedGrant(f"{slug}:{role}", refusal) for role in sorted(roles))


def account_connect(*, email: str, subject: str, provider: str) -> SocialAccount:
    """Connect an account to an institution's subject by an administrator's word, at the machine.

    Raises Invalid where no account has the address, Conflict where the subject is connected to another one.
    """
    with transaction.atomic():
        user = locked(User.objects.filter(email=email.strip().lower(), deleted_at=None)).first()
        if user is None:
            raise Invalid(field="email", code="no_such_account")
        account, made = SocialAccount.objects.get_or_create(provider=provider, uid=subject, defaults={"user": user})
        if account.user_id != user.pk:
            raise Conflict(field="subject", code="subject_connected")
        if made:
            Event.objects.create(actor=None, verb="institution_connected", data={"user": user.pk})
    return account
