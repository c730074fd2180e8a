"""People who go: their open assignments and sources go back, their votes and items stay under the pseudonym."""

import secrets

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db import transaction
from django.db.models import F, Max, Value
from django.db.models.functions import Left, Now, StrIndex
from django.utils.translation import gettext

from annotation.api.tokens import tokens_forget
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.actions.members import Roles, annotator_add, get_changeable_member, roles_change
from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.feed import FeedEvent
from annotation.core.models.member import Annotator, Event, Invitation
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.core.rules import feed
from annotation.core.sessions import end_sessions
from annotation.datasheet.actions import account_forget
from annotation.pay.actions import pay_waive
from annotation.pay.queries import own_unpaid
from validation.consensus.stages import ASKED_STAGES
from validation.notices.models import NoticeState
from validation.questions.actions import questions_forget
from validation.review.models.comment import Comment
from validation.voting import wake
from validation.voting.actions.assignments import assignment_expire
from validation.voting.actions.exclusions import bar_for_good
from validation.voting.actions.voids import votes_void
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

# What becomes of pay that nobody approved when an account goes.
APPROVE, WAIVE = "approve", "waive"
VOIDED = "The person was taken out of the project, with their votes."


def annotator_remove(
    *, project: Project, annotator_id: int, by: User, heir_id: int | None = None, void: bool = False
) -> Annotator:
    """Take a member out of the project. Open sources go to `heir_id`, another writer, or back to the pool.

    `void`: what they voted does not count any more, and is asked of others.
    """
    with transaction.atomic():
        fresh = locked(Project.objects.filter(pk=project.pk)).get()
        place = get_changeable_member(project=fresh, annotator_id=annotator_id, by=by)
        heir = _heir(place, heir_id) if heir_id is not None else None
        membership_end(place, by=by, heir=heir)
        if void:
            votes_void(annotator=place, by=by, reason=VOIDED)
    return place


def member_roles_change(
    *, project: Project, annotator_id: int, roles: Roles, by: User, seen: Roles | None = None
) -> Annotator:
    """Change a member's roles; who votes no longer gives up their assignments, and the slots are free at once.

    A lead who votes from now on is never asked about what has votes already.
    """
    with transaction.atomic():
        voted_before = Annotator.objects.filter(pk=annotator_id, is_validator=True).exists()
        place = roles_change(project=project, annotator_id=annotator_id, roles=roles, by=by, seen=seen)
        if not roles.validator:
            _end_assignments(place)
        elif not voted_before:
            _bar_what_leads_saw(place)
    return place


def _bar_what_leads_saw(place: Annotator) -> None:
    """Never ask somebody who begins to vote about votes that they could read as a lead."""
    if place.has_led:
        there = Item.objects.filter(project=place.project_id, stage__in=ASKED_STAGES, votes_n__gt=0)
        bar_for_good(list(there), place)


def apply_group_roles(*, project: Project, user: User, give: frozenset[str], take: frozenset[str]) -> None:
    """Give and take roles by what somebody's groups at their institution say; with no role left they leave.

    Raises Invalid or Conflict where the roles exclude each other, or what the person did. Votes and items stay.
    """
    with transaction.atomic():
        fresh = locked(Project.objects.filter(pk=project.pk)).get()
        place = Annotator.objects.filter(project=fresh, user=user, left_at=None).first()
        held = {name for name, has in Roles.of(place).to_dict().items() if has} if place else set()
        wanted = (held - take) | give
        if wanted == held:
            return
        if not wanted and place is not None:
            membership_end(place, by=None)
            return
        roles = Roles(**dict.fromkeys(wanted, True))
        place = annotator_add(project=fresh, user=user, by=None, **roles.to_dict())
        if "validator" not in wanted:
            _end_assignments(place)
        elif "validator" not in held:
            _bar_what_leads_saw(place)


def hand_over_allocations(*, project: Project, annotator_id: int, heir_id: int, by: User) -> int:
    """Give the sources that a writer has not submitted to another writer; how many went over."""
    with transaction.atomic():
        fresh = locked(Project.objects.filter(pk=project.pk)).get()
        place = get_changeable_member(project=fresh, annotator_id=annotator_id, by=by)
        return _hand_over(place, _heir(place, heir_id), by)


def _heir(place: Annotator, heir_id: int) -> Annotator:
    writers = Annotator.objects.filter(project=place.project_id, is_writer=True, left_at=None)
    heir = writers.filter(pk=heir_id, user__isnull=False).exclude(pk=place.pk).first()
    if heir is None:
        raise Invalid(field="heir", code="heir_wrong")
    return heir


def _hand_over(place: Annotator, heir: Annotator, by: User) -> int:
    """The drafts stay with the first writer; a source that the heir had before goes back to the pool instead, and so
    does a text of a target that the heir does not work for."""
    open_allocations = list(locked(place.allocations.filter(state=Allocation.State.OPEN)).order_by("position"))
    Allocation.objects.filter(pk__in=[allocation.pk for allocation in open_allocations]).update(
        state=Allocation.State.LAPSED
    )
    had = set(heir.allocations.values_list("premise_id", "concept_id", "unit_id", "target_id"))
    targets = {
        None,
        *heir.target_memberships.filter(target__ended_at=None).values_list("target_id", flat=True),
    }
    position = heir.allocations.aggregate(n=Max("position"))["n"] or 0
    given = [
        allocation
        for allocation in open_allocations
        if (allocation.premise_id, allocation.concept_id, allocation.unit_id, allocation.target_id) not in had
        and allocation.target_id in targets
    ]
    Allocation.objects.bulk_create(
        Allocation(
            project_id=place.project_id,
            premise_id=allocation.premise_id,
            concept_id=allocation.concept_id,
            unit_id=allocation.unit_id,
            target_id=allocation.target_id,
            writer=heir,
            token=secrets.token_urlsafe(18),
            position=position + number,
        )
        for number, allocation in enumerate(given, start=1)
    )
    data = {"from": place.pseudonym, "to": heir.pseudonym, "sources": len(given)}
    Event.objects.create(project_id=place.project_id, actor=by, verb="handed_over", data=data)
    return len(given)


def membership_end(place: Annotator, *, by: User | None, heir: Annotator | None = None) -> None:
    """End a membership: nothing of it is left open."""
    Annotator.objects.filter(pk=place.pk).update(left_at=Now())
    if heir is not None and by is not None:
        _hand_over(place, heir, by)
    place.allocations.filter(state=Allocation.State.OPEN).update(state=Allocation.State.LAPSED)
    place.target_memberships.all().delete()
    _end_assignments(place)
    FeedEvent.record(place.project_id, feed.LEFT, member=place.pseudonym)
    transaction.on_commit(wake.wake_worker)
    data = {"annotator": place.pseudonym}
    Event.objects.create(project_id=place.project_id, actor=by, verb="left", data=data)


def _end_assignments(place: Annotator) -> None:
    """End the open assignments of somebody. The order of locks is item, then assignment."""
    assignments = Assignment.objects.filter(annotator=place, state=Assignment.State.OPEN).order_by("item")
    for assignment_id in list(assignments.values_list("pk", flat=True)):
        assignment_expire(assignment_id=assignment_id)


def account_delete(*, user: User, password: str, comments: bool = True, pay: str = "") -> None:
    """Name, address, second factor and what they said about themselves go, sessions end (ruling 20).

    With `comments` also the free text of theirs beside votes and items, which may tell who they are. Votes
    and items stay under the pseudonym, and so does what a release published. Where something they earned is not
    approved, `pay` says whether they ask for its approval (APPROVE) or waive it (WAIVE).

    Whoever signs in through an institution has no password. Raises Invalid where the password is not theirs, Conflict
    for the last administrator, and where pay waits and nothing was said of it.
    """
    if user.has_usable_password() and not user.check_password(password):
        raise Invalid(field="password", code="password_wrong")
    with transaction.atomic():
        fresh = locked(User.objects.filter(pk=user.pk)).get()
        others = User.objects.filter(is_administrator=True, is_active=True).exclude(pk=fresh.pk)
        if fresh.is_administrator and not others.exists():
            raise Conflict(code="account_leads")
        # It locks projects, and ending a membership locks items: everywhere projects come first.
        _settle_pay(fresh, pay)
        for place in Annotator.objects.filter(user=fresh, left_at=None).order_by("pk"):
            membership_end(place, by=None)
        account_forget(fresh)
        if comments:
            _comments_clear(fresh)
        gone = f"deleted-{secrets.token_hex(8)}@invalid"
        Invitation.objects.filter(email=fresh.email, accepted_at=None, revoked_at=None).update(revoked_at=Now())
        Invitation.objects.filter(email=fresh.email).update(email=gone)
        Invitation.objects.filter(accepted_by=fresh).update(email=gone)
        EmailAddress.objects.filter(user=fresh).delete()
        Authenticator.objects.filter(user=fresh).delete()
        SocialAccount.objects.filter(user=fresh).delete()
        tokens_forget(fresh)
        end_sessions(fresh)
        NoticeState.objects.filter(user=fresh).delete()
        fresh.email, fresh.name, fresh.theme = gone, "", ""
        fresh.is_active = fresh.is_administrator = False
        # A password that cannot be used has another hash, which every session of before is checked against.
        fresh.set_unusable_password()
        fresh.deleted_at = Now()
        fresh.last_login = None
        fresh.save()
        Event.objects.create(actor=fresh, verb="account_deleted", data={})


def _settle_pay(user: User, pay: str) -> None:
    """Do with what is not approved what its owner says, project by project. Raises Conflict where they said nothing."""
    if not any(each.waiting > 0 for each in own_unpaid(user)):
        return
    if pay not in (APPROVE, WAIVE):
        raise Conflict(code="account_unpaid")
    if pay == WAIVE:
        pay_waive(user=user, reason=gettext("Waived when the account was deleted."))
    verb = "pay_waived" if pay == WAIVE else "pay_asked"
    for place in Annotator.objects.filter(user=user, project__pays=True).order_by("pk"):
        Event.record(place.project_id, user, verb, annotator=place.pseudonym)


def _comments_clear(user: User) -> None:
    """Take out what somebody wrote freely beside their answers; a reason keeps its code.

    The comments of votes stay where a release with comments holds the vote: it has to be built again as it was.
    """
    votes = Vote.objects.filter(annotator__user=user).exclude(comment="")
    rows = {"item__release_rows__release__rules__comments": True, "item__release_rows__votes_n__gte": F("n")}
    votes.exclude(pk__in=votes.filter(**rows).values("pk")).update(comment="")
    Comment.objects.filter(by__user=user).delete()
    questions_forget(user)
    code = Left("reason", StrIndex("reason", Value(": ")) - 1)
    Assignment.objects.filter(annotator__user=user, reason__contains=": ").update(reason=code)
    code = Left("skip_reason", StrIndex("skip_reason", Value(": ")) - 1)
    Allocation.objects.filter(writer__user=user, skip_reason__contains=": ").update(skip_reason=code)
