"""The people of a project: who is there, as what, who is invited, and whether they are enough (screens.md 8).

Names and addresses are shown on this page only, to QC leads and administrators.
"""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Prefetch, Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotation.content.models.source import Share
from annotation.core import access
from annotation.core.access import Place
from annotation.core.actions.invitations import invitation_create, invitation_revoke, roles_of
from annotation.core.actions.members import ROLE_NAMES, Roles
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.mail import mail_leaves, send_invitation, site_link
from annotation.core.models.member import Annotator, Invitation
from annotation.core.models.project import Lane
from annotation.translation.models import LanePlace
from annotation.ui.navigation import rooms
from annotation.writing.actions.allocation import shares_assign
from validation.consensus.protocol import Protocol, people_needed
from validation.people import actions as leaving
from validation.translation.queries import targets_of

MOST_GIVEN = 10_000


@dataclass(frozen=True)
class Member:
    """One row of the page; `changeable` where the viewer may change it, `lanes` the targets that they work for."""

    annotator: Annotator
    roles: Roles
    seen: str
    open_shares: int
    changeable: bool
    lanes: list[Lane]


def seen_of(roles: Roles) -> str:
    """The roles that a page showed, as its forms send them back."""
    return " ".join(name for name, held in roles.to_dict().items() if held)


def _posted_roles(sent: QueryDict) -> Roles:
    return Roles(**{name: name in sent for name in ROLE_NAMES})


def _seen_roles(sent: QueryDict) -> Roles | None:
    seen = sent.get("seen")
    return None if seen is None else Roles(**{name: name in seen.split() for name in ROLE_NAMES})


def _members(spot: Place) -> list[Member]:
    rows = (
        Annotator.objects.filter(project=spot.project, user__isnull=False, left_at=None)
        .select_related("user")
        .prefetch_related(Prefetch("lane_places", LanePlace.objects.select_related("lane")))
        .annotate(open_shares=Count("shares", filter=Q(shares__state=Share.State.OPEN)))
        .order_by("pseudonym")
    )
    return [
        Member(
            annotator=row,
            roles=Roles.of(row),
            seen=seen_of(Roles.of(row)),
            open_shares=row.open_shares,
            changeable=spot.is_administrator or not row.is_lead,
            lanes=sorted((place.lane for place in row.lane_places.all()), key=lambda lane: lane.key),
        )
        for row in rows
    ]


def _enough(spot: Place, members: list[Member]) -> dict[str, Any]:
    """How many people the protocol needs, and how many are there (ruling 9)."""
    protocol = Protocol.from_dict(spot.project.protocols.order_by("-n")[0].rules)
    return {
        "votes": protocol.votes_at_most,
        "needed": people_needed(protocol),
        "validators": sum(1 for member in members if member.roles.validator),
        "writers": sum(1 for member in members if member.roles.writer),
        "there": sum(1 for member in members if member.roles.validator or member.roles.writer),
    }


def _page(request: HttpRequest, spot: Place, *, status: int = 200, **more: Any) -> HttpResponse:
    members = _members(spot)
    invitations = Invitation.objects.open().filter(project=spot.project).order_by("email")
    context = {
        **_of_targets(request, spot, members),
        "project": spot.project,
        "place": spot,
        "nav": rooms(spot, "people"),
        "members": members,
        "writers": [member for member in members if member.roles.writer],
        "gone": Annotator.objects.filter(project=spot.project, left_at__isnull=False).order_by("pseudonym"),
        "imported": Annotator.objects.filter(project=spot.project, imported=True).count(),
        "invitations": [(row, roles_of(row), row.lanes) for row in invitations],
        "enough": _enough(spot, members),
        "kind": spot.project.kind_spec,
        "share_size": _share_size(spot),
        "by_category": access.has_concepts(spot.project),
        "mail_leaves": mail_leaves(),
        **more,
    }
    return render(request, "validation/people/people.html", context, status=status)


def _of_targets(request: HttpRequest, spot: Place, members: list[Member]) -> dict[str, Any]:
    """Where a project has targets: each with its people, and the members of one, if the address asks for one."""
    if not access.has_targets(spot.project):
        return {"shown": members, "targets": None, "free": access.sources_free(spot)}
    rows = targets_of(spot.project)
    wanted = request.GET.get("target", "")
    one = next((row.lane for row in rows if row.lane.key == wanted), None)
    if one is not None:
        members = [member for member in members if one.key in {lane.key for lane in member.lanes}]
    return {
        "shown": members,
        "targets": rows,
        "of_target": one,
        "ticked": [one.key] if one else [],
        "lanes": [row.lane for row in rows],
        "short": [row.lane for row in rows if row.short],
        "without": [member for member in members if not member.lanes and not member.roles.lead],
    }


def _share_size(spot: Place) -> int:
    """How many a writer is given at a time, of concepts in each category."""
    rules = spot.project.rules
    return rules.per_category if access.has_concepts(spot.project) else rules.share_size


@login_required
@require_GET
def people(request: HttpRequest, slug: str) -> HttpResponse:
    """Members with pseudonym, roles and state; invitations; what the protocol needs."""
    return _page(request, access.overseer(request.user, slug))


@login_required
@require_POST
def people_invite(request: HttpRequest, slug: str) -> HttpResponse:
    """Invite an address; the link is sent to it and shown this once."""
    spot = access.overseer(request.user, slug)
    roles, email = _posted_roles(request.POST), request.POST.get("email", "")
    keys = request.POST.getlist("target")
    try:
        made = invitation_create(project=spot.project, email=email, roles=roles, by=spot.user, targets=keys)
    except Invalid as refusal:
        typed = {"email": email, "roles": roles}
        return _page(request, spot, status=422, invite_problem=refusal.code, typed=typed, ticked=keys)
    link = site_link(reverse("invitation", args=[made.token]))
    sent = send_invitation(made.invitation, link)
    return _page(request, spot, link=link, invited=made.invitation, sent=sent)


@login_required
@require_POST
def people_revoke(request: HttpRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Withdraw an invitation."""
    spot = access.overseer(request.user, slug)
    try:
        invitation_revoke(project=spot.project, invitation_id=invitation_id, by=spot.user)
    except Conflict as refusal:
        return _page(request, spot, status=409, problem=refusal.code)
    messages.success(request, gettext("The invitation was withdrawn."))
    return redirect("people", slug=slug)


@login_required
@require_POST
def people_roles(request: HttpRequest, slug: str, annotator_id: int) -> HttpResponse:
    """Change what a member is. A page that is behind gets 409 with what was chosen and what stands now."""
    spot = access.overseer(request.user, slug)
    roles = _posted_roles(request.POST)
    try:
        leaving.member_roles_change(
            project=spot.project,
            annotator_id=annotator_id,
            roles=roles,
            by=spot.user,
            seen=_seen_roles(request.POST),
        )
    except (Conflict, Invalid) as refusal:
        code = "roles_stale" if refusal.code == "stale" else refusal.code
        status = 409 if isinstance(refusal, Conflict) else 422
        return _page(request, spot, status=status, chosen=annotator_id, chosen_roles=roles, row_problem=code)
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
    spot = access.overseer(request.user, slug)
    try:
        gone = leaving.annotator_remove(
            project=spot.project, annotator_id=annotator_id, by=spot.user, heir_id=_heir_id(request.POST)
        )
    except Invalid as refusal:
        return _page(request, spot, status=422, chosen=annotator_id, row_problem=refusal.code)
    message = gettext("%(who)s left the project. Votes and items stay; an invitation brings them back.")
    messages.success(request, message % {"who": gone.pseudonym})
    return redirect("people", slug=slug)


@login_required
@require_POST
def people_hand_over(request: HttpRequest, slug: str, annotator_id: int) -> HttpResponse:
    """Give what a writer has open to another writer."""
    spot = access.overseer(request.user, slug)
    try:
        heir_id = _heir_id(request.POST)
        given = leaving.shares_hand_over(
            project=spot.project, annotator_id=annotator_id, heir_id=heir_id or 0, by=spot.user
        )
    except Invalid as refusal:
        return _page(request, spot, status=422, chosen=annotator_id, row_problem=refusal.code)
    messages.success(request, gettext("Handed over: %(what)s.") % {"what": _counted(spot, given)})
    return redirect("people", slug=slug)


def _counted(spot: Place, n: int) -> str:
    """So many premises or concepts, in words."""
    kind = spot.project.kind_spec
    return f"{n} {gettext(kind.source_name if n == 1 else kind.source_plural)}"


def _share_wanted(spot: Place, lane: Lane, sent: QueryDict) -> tuple[list[Annotator], int]:
    """To whom, and how many each; all writers (of the target, where there are targets) where none is chosen."""
    size, chosen = sent.get("size", ""), sent.get("to", "")
    if not (size.isascii() and size.isdigit() and 0 < int(size[:9]) <= MOST_GIVEN):
        raise Invalid(field="size", code="size_wrong")
    writers = access.writers(spot)
    if access.has_targets(spot.project):
        if lane.ended_at is not None:
            raise Invalid(field="target", code="target_over")
        writers = writers.filter(lane_places__lane=lane)
    if chosen:
        writers = writers.filter(pseudonym=chosen)
    found = list(writers)
    if not found:
        raise Invalid(field="to", code="writer_wrong")
    return found, int(size)


def _share_lane(spot: Place, sent: QueryDict) -> Lane:
    """The target that is given out for, or the project's one lane."""
    if not access.has_targets(spot.project):
        return access.lane(spot.project)
    try:
        return access.target(spot, sent.get("target", ""))
    except NotFound as error:
        raise Invalid(field="target", code="target_missing") from error


@login_required
@require_POST
def people_share(request: HttpRequest, slug: str) -> HttpResponse:
    """Give premises, concepts or texts that are still free to one writer or to all; texts for one target."""
    spot = access.overseer(request.user, slug)
    try:
        lane = _share_lane(spot, request.POST)
        writers, size = _share_wanted(spot, lane, request.POST)
    except Invalid as refusal:
        return _page(request, spot, status=422, share_problem=refusal.code, given=request.POST)
    n = shares_assign(lane=lane, writers=writers, size=size)
    if n:
        messages.success(request, gettext("Given out: %(what)s.") % {"what": _counted(spot, n)})
    else:
        messages.warning(
            request, gettext("Nothing was given out: nothing is left that these writers can still be given.")
        )
    if access.has_targets(spot.project):
        return redirect("target", slug=slug, key=lane.key)
    return redirect("people", slug=slug)
