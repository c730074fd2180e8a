"""For which targets a member of a translation project works."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.actions.members import Roles, member_changeable
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from annotation.ui.navigation import rooms
from validation.review.queries import desk as fetch
from validation.translation.actions.targets import targets_give


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def people_targets(request: HttpRequest, slug: str, annotator_id: int) -> HttpResponse:
    """The targets of one member; POST changes them. A page that is behind gets 409 with what was chosen."""
    membership = access.membership(request.user, slug)
    fetch.targets(membership)
    member = member_changeable(project=membership.project, annotator_id=annotator_id, by=membership.user)
    if request.method != "POST":
        return _page(request, membership, member)
    chosen = request.POST.getlist("target")
    try:
        targets_give(
            project=membership.project,
            annotator_id=annotator_id,
            keys=chosen,
            by=membership.user,
            seen=request.POST.get("seen", "").split(),
        )
    except (Conflict, Invalid) as refusal:
        status = 409 if isinstance(refusal, Conflict) else 422
        return _page(request, membership, member, status=status, problem=refusal.code, chosen=chosen)
    messages.success(request, gettext("The targets of %(who)s were changed.") % {"who": member.pseudonym})
    return redirect("people", slug=slug)


def _page(
    request: HttpRequest, membership: Membership, member: Annotator, *, status: int = 200, **more: Any
) -> HttpResponse:
    targets = fetch.targets(membership)
    present = sorted(member.target_memberships.values_list("target__key", flat=True))
    context = {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "people"),
        "member": member,
        "roles": Roles.of(member),
        "targets": targets,
        "present": [target for target in targets if target.key in present],
        "seen": " ".join(present),
        "chosen": present,
        **more,
    }
    return render(request, "validation/translation/people_targets.html", context, status=status)
