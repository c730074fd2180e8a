"""How allauth behaves here: one account per mailbox, nobody signs up by themselves unless the site says so or an
invitation is held, and log-in limits that an attacker cannot turn against the person attacked."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from annotation.access import invitation_held
from annotation.actions.invitations import invitation_accept_held
from annotation.errors import Refusal
from annotation.models import Invitation, User
from annotation.models.user import canonical_email

HELD, SIGNED = "invitation", "invitation_no_part"


def invitation_hold(request: HttpRequest, invitation: Invitation, *, no_part: bool = False) -> None:
    """Take an invitation along through log-in or sign-up, signed or not; the token itself is kept nowhere."""
    request.session[HELD], request.session[SIGNED] = invitation.pk, no_part


def held_invitation(request: HttpRequest) -> Invitation | None:
    """The invitation that this session took along, if it can still be accepted."""
    held = request.session.get(HELD)
    return invitation_held(held) if isinstance(held, int) else None


class AccountAdapter(DefaultAccountAdapter):
    """Sign-up is closed by default; addresses have one spelling; a held invitation is accepted after log-in."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.MUFAKAT_OPEN_SIGNUP) or held_invitation(request) is not None

    def populate_username(self, request: HttpRequest, user: Any) -> None:
        """There is no user name."""

    def clean_email(self, email: str) -> str:
        return canonical_email(email)

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Any:
        if "email" in credentials:
            credentials["email"] = canonical_email(credentials["email"])
        return super().authenticate(request, **credentials)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Wrong passwords are counted per account and address, so that others' guesses lock nobody out."""
        key: str = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{key}:{self.get_client_ip(request)}"

    def post_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **kwargs)
        invitation = held_invitation(request)
        request.session.pop(HELD, None)
        signed = request.session.pop(SIGNED, False) is True
        if invitation is None or not isinstance(user, User):
            return response
        try:
            place = invitation_accept_held(invitation_id=invitation.pk, user=user, no_part=signed)
        except Refusal:
            # The account is another one, or the roles exclude each other: the link itself says so when opened.
            return HttpResponseRedirect(reverse("invitation_refused"))
        return HttpResponseRedirect(reverse("guidelines", args=[place.project.slug]))
