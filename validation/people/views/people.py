"""The people of a project: members and roles, invitations, and whether there are enough (screens.md 8).

Names and addresses are shown on this page only, to QC leads and administrators.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Prefetch, Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotation.content import queries as content_queries
from annotation.content.models.source import Allocation
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.accounts import is_mail_delivered
from annotation.core.actions.members import ROLE_NAMES, Roles
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.core.links import site_link
from annotation.core.models.member import Annotator, Invitation
from annotation.core.models.project import Target
from annotation.datasheet.actions import region_change
from annotation.projects.accounts import send_invitation
from annotation.projects.actions.invitations import invitation_create, invitation_revoke, roles_of
from annotation.translation.models import TargetMember
from annotation.ui.navigation import frame_context
from annotation.ui.pages import typed_number
from annotation.writing.actions.allocation import allocations_assign
from validation.consensus.protocol import Protocol, people_needed
from validation.people import actions as leaving
from validation.people import queries
from validation.people.queries import last_active
from validation.translation.queries import targets_of

MOST_GIVEN = 10_000
# The newest invitations that came to something or to nothing, below those that still work.
OVER_SHOWN = 200


@dataclass(frozen=True)
class Member:
    """One row of the page; `changeable` where the viewer may change it, `targets` the targets that they work for.

    `active_at`: when they last voted, wrote or decided something; pages say the day.
    """

    annotator: Annotator
    roles: Roles
    seen: str
    open_allocations: int
    changeable: bool
    targets: list[Target]
    active_at: datetime | None


def roles_as_field(roles: Roles) -> str:
    """The roles that a page showed, as its forms send them back."""
    return " ".join(name for name, held in roles.to_dict().items() if held)


def posted_roles(sent: QueryDict) -> Roles:
    return Roles(**{name: name in sent for name in ROLE_NAMES})


def _seen_roles(sent: QueryDict) -> Roles | None:
    seen = sent.get("seen")
    return None if seen is None else Roles(**{name: name in seen.split() for name in ROLE_NAMES})


def _members(membership: Membership) -> list[Member]:
    rows = (
        Annotator.objects.filter(project=membership.project, user__isnull=False, left_at=None)
        .select_related("user", "withdrawal")
        .prefetch_related(Prefetch("target_memberships", TargetMember.objects.select_related("target")))
        .annotate(open_allocations=Count("allocations", filter=Q(allocations__state=Allocation.State.OPEN)))
        .order_by("pseudonym")
    )
    active = last_active(membership)
    return [
        Member(
            annotator=row,
            active_at=active.get(row.pk),
            roles=Roles.of(row),
            seen=roles_as_field(Roles.of(row)),
            open_allocations=row.open_allocations,
            changeable=membership.is_administrator or not row.is_lead,
            targets=sorted((place.target for place in row.target_memberships.all()), key=lambda target: target.key),
        )
        for row in rows
    ]


def _staffing(membership: Membership, members: list[Member]) -> dict[str, Any]:
    """How many people the protocol needs, and how many are there (ruling 9)."""
    project = membership.project
    protocol = Protocol.from_stored(project.protocols.order_by("-n")[0].rules)
    written = project.kind_spec.has_writers and not project.rules.recipe
    return {
        "votes": protocol.votes_at_most,
        "needed": people_needed(protocol, written_by_people=written),
        "validators": sum(1 for member in members if member.roles.validator),
        "writers": sum(1 for member in members if member.roles.writer),
        "there": sum(1 for member in members if member.roles.validator or member.roles.writer),
    }


def people_page(request: HttpRequest, membership: Membership, *, status: int = 200, **more: Any) -> HttpResponse:
    members = _members(membership)
    invitations = Invitation.objects.open().filter(project=membership.project).order_by("email")
    context = {
        **_targets_context(request, membership, members),
        **frame_context(membership, "people"),
        "members": members,
        "writers": [member for member in members if member.roles.writer],
        "gone": Annotator.objects.filter(project=membership.project, left_at__isnull=False).order_by("pseudonym"),
        "imported": Annotator.objects.filter(project=membership.project, imported=True).count(),
        "invitations": [(row, roles_of(row), row.targets) for row in invitations],
        "over": Invitation.objects.filter(project=membership.project)
        .exclude(pk__in=invitations.values("pk"))
        .select_related("accepted_by")
        .order_by("-pk")[:OVER_SHOWN],
        "enough": _staffing(membership, members),
        "kind": membership.project.kind_spec,
        "allocation_size": _allocation_size(membership),
        "by_category": content_queries.has_concepts(membership.project),
        "mail_leaves": is_mail_delivered(),
        **more,
    }
    return render(request, "validation/people/people.html", context, status=status)


def _targets_context(request: HttpRequest, membership: Membership, members: list[Member]) -> dict[str, Any]:
    """Where a project has targets: each with its people, and the members of one, if the address asks for one."""
    if not access.has_targets(membership.project):
        return {"shown": members, "progress": None, "free": queries.count_free_sources(membership)}
    rows = targets_of(membership)
    wanted = request.GET.get("target", "")
    one = next((row.target for row in rows if row.target.key == wanted), None)
    if one is not None:
        members = [member for member in members if one.key in {target.key for target in member.targets}]
    return {
        "shown": members,
        "has_targets": True,
        "progress": rows,
        "of_target": one,
        "ticked": [one.key] if one else [],
        "targets": [row.target for row in rows],
        "short": [row.target for row in rows if row.lacks_people],
        "without": [member for member in members if not member.targets and not member.roles.lead],
    }


def _allocation_size(membership: Membership) -> int:
    """How many a writer is given at a time, of concepts in each category."""
    rules = membership.project.rules
    return rules.per_category if content_queries.has_concepts(membership.project) else rules.allocation_size


@login_required
@require_GET
def people(request: HttpRequest, slug: str) -> HttpResponse:
    """Members with pseudonym, roles and state; invitations; what the protocol needs."""
    return people_page(request, access.lead_membership(request.user, slug))


@login_required
@require_POST
def people_invite(request: HttpRequest, slug: str) -> HttpResponse:
    """Invite an address; the link is sent to it and shown this once."""
    membership = access.lead_membership(request.user, slug)
    roles, email = posted_roles(request.POST), request.POST.get("email", "")
    keys = request.POST.getlist("target")
    try:
        made = invitation_create(project=membership.project, email=email, roles=roles, by=membership.user, targets=keys)
    except Invalid as refusal:
        typed = {"email": email, "roles": roles}
        return people_page(request, membership, status=422, invite_problem=refusal.code, typed=typed, ticked=keys)
    link = site_link(reverse("invitation", args=[made.token]))
    sent = send_invitation(made.invitation, link)
    return people_page(request, membership, link=link, invited=made.invitation, sent=sent)


@login_required
@require_POST
def people_revoke(request: HttpRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Withdraw an invitation."""
    membership = access.lead_membership(request.user, slug)
    try:
        invitation_revoke(project=membership.project, invitation_id=invitation_id, by=membership.user)
    except Conflict as refusal:
        return people_page(request, membership, status=409, problem=refusal.code)
    messages.success(request, gettext("The invitation was withdrawn."))
    return redirect("people", slug=slug)


@login_required
@require_POST
def people_roles(request: HttpRequest, slug: str, annotator_id: int) -> HttpResponse:
    """Change what a member is. A page that is behind gets 409 with what was chosen and what stands now."""
    membership = access.lead_membership(request.user, slug)
    roles = posted_roles(request.POST)
    try:
        leaving.member_roles_change(
            project=membership.project,
            annotator_id=annotator_id,
            roles=roles,
            by=membership.user,
            seen=_seen_roles(request.POST),
        )
    except (Conflict, Invalid) as refusal:
        code = "roles_stale" if refusal.code == "stale" else refusal.code
        status = 409 if isinstance(refusal, Conflict) else 422
        return people_page(
            request, membership, status=status, chosen=annotator_id, chosen_roles=roles, row_problem=code
        )
    messages.success(request, gettext("The roles were changed."))
    return redirect("people", slug=slug)


def _heir_id(sent: QueryDict) -> int | None:
    """The writer who is to have what is open; None for the pool."""
    raw = sent.get("heir", "")
    if not raw:
        return None
    if not raw.isascii() or not raw.isdigit() or len(raw) > 18:
        raise Invalid(field="heir", code="heir_wrong")
    return int(raw)


@login_required
@require_POST
def people_remove(request: HttpRequest, slug: str, annotator_id: int) -> HttpResponse:
    """Take a member out; what they had open goes to the pool or to another writer."""
    membership = access.lead_membership(request.user, slug)
    try:
        gone = leaving.annotator_remove(
            project=membership.project,
            annotator_id=annotator_id,
            by=membership.user,
            heir_id=_heir_id(request.POST),
            void="void" in request.POST,
        )
    except Invalid as refusal:
        return people_page(request, membership, status=422, chosen=annotator_id, row_problem=refusal.code)
    message = gettext("%(who)s left the project. Votes and items stay; an invitation brings them back.")
    messages.success(request, message % {"who": gone.pseudonym})
    return redirect("people", slug=slug)


@login_required
@require_POST
def people_hand_over(request: HttpRequest, slug: str, annotator_id: int) -> HttpResponse:
    """Give what a writer has open to another writer."""
    membership = access.lead_membership(request.user, slug)
    try:
        heir_id = _heir_id(request.POST)
        given = leaving.hand_over_allocations(
            project=membership.project, annotator_id=annotator_id, heir_id=heir_id or 0, by=membership.user
        )
    except Invalid as refusal:
        return people_page(request, membership, status=422, chosen=annotator_id, row_problem=refusal.code)
    messages.success(request, gettext("Handed over: %(what)s.") % {"what": _sources_in_words(membership, given)})
    return redirect("people", slug=slug)


def _sources_in_words(membership: Membership, n: int) -> str:
    """So many premises or concepts, in words."""
    kind = membership.project.kind_spec
    return f"{n} {gettext(kind.source.name if n == 1 else kind.source.plural)}"


def allocation_wanted(membership: Membership, target: Target, sent: QueryDict) -> tuple[list[Annotator], int]:
    """To whom, and how many each; all writers (of the target, where there are targets) where none is chosen."""
    size, chosen = typed_number(sent.get("size")), sent.get("to", "")
    if not 0 < size <= MOST_GIVEN:
        raise Invalid(field="size", code="size_wrong")
    writers = access.writers(membership)
    if access.has_targets(membership.project):
        if target.ended_at is not None:
            raise Invalid(field="target", code="target_over")
        writers = writers.filter(target_memberships__target=target)
    if chosen:
        writers = writers.filter(pseudonym=chosen)
    found = list(writers)
    if not found:
        raise Invalid(field="to", code="writer_wrong")
    return found, size


def allocation_target(membership: Membership, sent: QueryDict) -> Target:
    """The target that is given out for, or the project's one target."""
    if not access.has_targets(membership.project):
        return access.only_target(membership.project)
    try:
        return access.target(membership, sent.get("target", ""))
    except NotFound as error:
        raise Invalid(field="target", code="target_missing") from error


@login_required
@require_POST
def people_allocate(request: HttpRequest, slug: str) -> HttpResponse:
    """Give premises, concepts or texts that are still free to one writer or to all; texts for one target."""
    membership = access.lead_membership(request.user, slug)
    try:
        target = allocation_target(membership, request.POST)
        writers, size = allocation_wanted(membership, target, request.POST)
    except Invalid as refusal:
        return people_page(request, membership, status=422, allocation_problem=refusal.code, given=request.POST)
    n = allocations_assign(target=target, writers=writers, size=size)
    if n:
        messages.success(request, gettext("Given out: %(what)s.") % {"what": _sources_in_words(membership, n)})
    else:
        messages.warning(
            request, gettext("Nothing was given out: nothing is left that these writers can still be given.")
        )
    if access.has_targets(membership.project):
        return redirect("target", slug=slug, key=target.key)
    return redirect("people", slug=slug)


@login_required
@require_POST
def my_region(request: HttpRequest, slug: str) -> HttpResponse:
    """Say or take back one's own region in a project; a refusal keeps what was typed."""
    membership = access.membership(request.user, slug)
    if membership.annotator is None:
        raise Forbidden
    typed = request.POST.get("region", "")
    try:
        region_change(
            project=membership.project, annotator_id=membership.annotator.pk, region=typed, by=membership.user
        )
    except Invalid as refusal:
        context = frame_context(membership)
        refused = {"region": typed, "problem": refusal.code}
        return render(request, "validation/people/my_region.html", {**context, **refused}, status=422)
    messages.success(request, gettext("Saved."))
    return redirect("my_record")


@login_required
@require_POST
def people_region(request: HttpRequest, slug: str, annotator_id: int) -> HttpResponse:
    """An administrator enters what somebody said; a region that cannot be stays as it was, and says so."""
    membership = access.administrator_membership(request.user, slug)
    region = request.POST.get("region", "")
    try:
        region_change(project=membership.project, annotator_id=annotator_id, region=region, by=membership.user)
    except Invalid:
        messages.error(request, gettext("This cannot be a region: at most 80 characters. Nothing was changed."))
        return redirect("people", slug=slug)
    messages.success(request, gettext("The region was saved."))
    return redirect("people", slug=slug)
