"""People in projects: places, roles, pseudonyms, and who acts as QC lead."""

from dataclasses import asdict, dataclass, fields

from django.db import transaction
from django.db.models import Max

from annotation.core import access
from annotation.core.access import Membership, Viewer
from annotation.core.actions.contributors import (
    notify_joined,
    refuse_judge,
    refuse_maker,
)
from annotation.core.database import locked
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound, first_or_not_found
from annotation.core.models.feed import FeedEvent
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import GuidelineVersion, Project
from annotation.core.models.user import User
from annotation.core.rules import feed


@dataclass(frozen=True)
class Roles:
    """What somebody is in a project; several at once, but who leads does not vote there.

    `reviewer` takes part in group reviews of prompts.
    """

    writer: bool = False
    validator: bool = False
    lead: bool = False
    reviewer: bool = False

    @classmethod
    def of(cls, annotator: Annotator) -> "Roles":
        return cls(**{name: getattr(annotator, f"is_{name}") for name in ROLE_NAMES})

    def to_dict(self) -> dict[str, bool]:
        return asdict(self)

    @property
    def votes_on_items(self) -> bool:
        """Whether they say what they make of items, so that they must know nothing of them."""
        return self.validator

    def union(self, other: "Roles") -> "Roles":
        held, more = self.to_dict(), other.to_dict()
        return Roles(**{name: held[name] or more[name] for name in ROLE_NAMES})

    def check(self, *, leads_vote: bool = False) -> None:
        """Raise Invalid for no role at all and for roles that exclude each other; `leads_vote`: a project's setting."""
        if not any(asdict(self).values()):
            raise Invalid(field="roles", code="roles_missing")
        if self.lead and self.validator and not leads_vote:
            raise Invalid(field="roles", code="roles_exclude")


ROLE_NAMES = tuple(each.name for each in fields(Roles))


def may_grant(*, by: User, project: Project, roles: Roles) -> bool:
    """Administrators give any role; a lead any but a lead's in their own project."""
    if by.is_administrator:
        return by.is_active
    leads = Annotator.objects.filter(project=project, user=by, is_lead=True, left_at=None)
    return by.is_active and not roles.lead and leads.exists()


def roles_change(
    *, project: Project, annotator_id: int, roles: Roles, by: User, seen: Roles | None = None
) -> Annotator:
    """Change a member's roles. Only administrators touch a lead's; a page that is behind raises Conflict.

    `seen`: the roles that the page showed. Comparing them, not a number of the project, two leads can change two
    people at once.
    """
    roles.check(leads_vote=project.rules.leads_vote)
    with transaction.atomic():
        fresh = Project.lock(project.pk)
        place = get_changeable_member(project=fresh, annotator_id=annotator_id, by=by)
        if not may_grant(by=by, project=fresh, roles=roles):
            raise Forbidden
        present = Roles.of(place)
        if seen is not None and present != seen:
            raise Conflict(code="stale", current=present)
        if present == roles:
            return place
        assert place.user is not None  # noqa: S101 - member_changeable refuses imported people
        return annotator_add(project=fresh, user=place.user, by=by, **roles.to_dict())


def get_changeable_member(*, project: Project, annotator_id: int, by: User) -> Annotator:
    """The member whom `by` may change: NotFound outside the project, Forbidden where a lead meets a lead."""
    place = first_or_not_found(
        Annotator.objects.select_related("user").filter(
            pk=annotator_id, project=project, user__isnull=False, left_at=None
        )
    )
    if not may_grant(by=by, project=project, roles=Roles.of(place)):
        raise Forbidden
    return place


def next_pseudonym(project: Project) -> str:
    """The next free `W01`, `W02`, …; the caller has locked the project."""
    taken = set(Annotator.objects.filter(project=project).values_list("pseudonym", flat=True))
    number = len(taken) + 1
    while f"W{number:02d}" in taken:
        number += 1
    return f"W{number:02d}"


def annotator_add(
    *,
    project: Project,
    user: User,
    writer: bool = False,
    validator: bool = False,
    lead: bool = False,
    reviewer: bool = False,
    by: User | None = None,
) -> Annotator:
    """Give a person a place in a project, or change their roles there; the pseudonym stays the same for ever.

    Who leads does not vote (but where the project lets them), also later; administrators see everything and so do not
    vote.
    """
    roles, leads_vote = Roles(writer, validator, lead, reviewer), project.rules.leads_vote
    roles.check(leads_vote=leads_vote)
    if roles.votes_on_items and user.is_administrator:
        raise Invalid(field="roles", code="roles_exclude")
    with transaction.atomic():
        Project.lock(project.pk)
        place = Annotator.objects.filter(project=project, user=user).first()
        if place is None:
            place = Annotator(project=project, user=user, pseudonym=next_pseudonym(project))
        _refuse_ineligible(place, user, roles)
        if place.pk is None or place.left_at is not None:
            FeedEvent.record(project.pk, feed.JOINED, member=place.pseudonym)
        before, after = Roles.of(place).to_dict(), roles.to_dict()
        for name, held in after.items():
            setattr(place, f"is_{name}", held)
        place.has_led, place.left_at = place.has_led or lead, None
        place.votes_leading = leads_vote and validator and place.has_led
        place.save()
        Event.record(project, by, "roles", annotator=place.pseudonym, before=before, after=after)
        notify_joined(place)
    return place


def _refuse_ineligible(place: Annotator, user: User, roles: Roles) -> None:
    """Raise Conflict where these roles do not go with what the person did, here or in another project."""
    project = place.project
    if not Annotator.objects.filter(user=user).exists():
        return  # whoever never had a place did nothing
    if place.has_led and roles.validator and not project.rules.leads_vote:
        raise Conflict(code="roles_exclude")
    if roles.votes_on_items:
        refuse_maker(project, user)
    refuse_judge(project, user, lead=roles.lead)


def guidelines_read(*, annotator: Annotator, role: str, n: int) -> None:
    """This person has read version `n` of the guidelines of a role; a smaller number never takes it back."""
    if role not in GuidelineVersion.Role.values:
        raise Invalid(field="role", code="role_unknown")
    with transaction.atomic():
        place = locked(Annotator.objects.filter(pk=annotator.pk)).get()
        last = GuidelineVersion.objects.filter(project=place.project_id, role=role).aggregate(n=Max("n"))["n"]
        read = min(n, last or 0)
        if place.read_guidelines.get(role, 0) < read:
            place.read_guidelines = {**place.read_guidelines, role: read}
            place.save(update_fields=["read_guidelines"])


def ensure_lead_place(user: Viewer, slug: str) -> tuple[Membership, Annotator]:
    """The viewer as QC lead; an administrator who is none here becomes one, keeping their other roles.

    Every decision stands under a pseudonym of its project, so whoever decides has a place in it. NotFound and
    Forbidden are raised as by `access.lead_membership`, Conflict where the person judges what is made here.
    """
    membership = access.lead_membership(user, slug)
    if not membership.is_lead:
        roles = Roles(writer=membership.is_writer, reviewer=membership.is_reviewer, lead=True)
        annotator_add(project=membership.project, user=membership.user, by=membership.user, **roles.to_dict())
        membership = access.lead_membership(user, slug)
    if membership.annotator is None:
        raise NotFound
    return membership, membership.annotator
