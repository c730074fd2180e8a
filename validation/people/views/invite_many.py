"""A list of people to invite, typed or as a file."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.core import access
from annotation.core.errors import Invalid
from annotation.core.links import site_link
from annotation.projects.accounts import send_invitation
from annotation.projects.actions.invitation_lists import invitations_create
from validation.people.views.people import people_page, posted_roles

LONGEST_LIST = 200_000


@login_required
@require_POST
def people_invite_many(request: HttpRequest, slug: str) -> HttpResponse:
    """Invite a list of addresses, typed or as a file; each link is shown this once, each refused line with its number.

    The lines that were refused stay in the form, to be corrected and sent again.
    """
    membership = access.lead_membership(request.user, slug)
    roles, keys = posted_roles(request.POST), request.POST.getlist("target")
    typed = request.POST.get("list", "")
    try:
        text = _list_text(request)
        result = invitations_create(
            project=membership.project, text=text, roles=roles, by=membership.user, targets=keys
        )
    except Invalid as refusal:
        many = {"problem": refusal.code, "text": typed, "roles": roles}
        return people_page(request, membership, status=422, many=many, ticked=keys)
    links = []
    for made in result.made:
        link = site_link(reverse("invitation", args=[made.token]))
        links.append((made.invitation.email, link, send_invitation(made.invitation, link)))
    left = "\n".join(row.line for row in result.refused)
    many = {"links": links, "refused": result.refused, "text": left, "roles": roles}
    return people_page(request, membership, status=200 if links else 422, many=many, ticked=keys)


def _list_text(request: HttpRequest) -> str:
    """The list that was sent, a file before what was typed. Invalid where the file is no text, or too long."""
    sent = request.FILES.get("file")
    if sent is None:
        return request.POST.get("list", "")
    if (sent.size or 0) > LONGEST_LIST:
        raise Invalid(field="file", code="invitation_list_unread")
    try:
        return str(sent.read(), "utf-8")
    except UnicodeDecodeError as error:
        raise Invalid(field="file", code="invitation_list_unread") from error
