"""How allauth behaves here, and the e-mail that is sent beside it.

One account per mailbox, nobody signs up by themselves unless the site says so or an invitation is held, and log-in
limits that an attacker cannot turn against the person attacked.
"""

import hashlib
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import structlog
from allauth.account import app_settings
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib import messages
from django.core.cache import cache
from django.core.mail import send_mail
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

from annotation.core import access
from annotation.core.accounts import RATE_LIMIT_APP, is_mail_delivered
from annotation.core.errors import Conflict, Refusal
from annotation.core.language import mail_language
from annotation.core.links import site_link
from annotation.core.messages import problem_words
from annotation.core.models.member import Event, Invitation
from annotation.core.models.user import User, canonical_email
from annotation.core.rules.audit import VERB_OF_NOTICE
from annotation.core.rules.languages import interface_language, only_language
from annotation.core.sessions import remember_sign_in
from annotation.projects.actions.invitations import invitation_accept_held
from annotation.projects.queries import invitation_held

INVITATION_KEY, NO_PART_KEY = "invitation", "invitation_no_part"
RATE_LIMIT_ACTION = "login_account"
KNOWN_NETWORK_SECONDS = 90 * 24 * 3600


def invitation_hold(request: HttpRequest, invitation: Invitation, *, no_part: bool = False) -> None:
    """Take an invitation along through log-in or sign-up, signed or not; the token itself is kept nowhere."""
    request.session[INVITATION_KEY], request.session[NO_PART_KEY] = invitation.pk, no_part


def held_invitation(request: HttpRequest) -> Invitation | None:
    """The invitation that this session took along, if it can still be accepted."""
    held = request.session.get(INVITATION_KEY)
    return invitation_held(held) if isinstance(held, int) else None


def may_sign_up_with(invitation: Invitation) -> bool:
    """Whether an invitation lets somebody make an account.

    Where no mail leaves nobody can confirm an address, and whoever made the invitation knows its link: then only an
    administrator's is enough, who could make the account anyway.
    """
    return is_mail_delivered() or invitation.by.is_administrator


def _known_network_key(request: HttpRequest, credentials: Mapping[str, Any]) -> str:
    """Where it is kept that this account gave its password from this network (an IPv6 address counts by its /64)."""
    known = f"{credentials.get('email', '')}:{ratelimit.get_ip(request)}"
    return f"known-network:{hashlib.sha256(known.encode()).hexdigest()}"


def _host() -> str:
    return urlsplit(settings.MUFAKAT_SITE_URL).netloc


class AccountAdapter(DefaultAccountAdapter):
    """Sign-up is closed by default; addresses have one spelling; a held invitation is accepted after log-in."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        if settings.MUFAKAT_OPEN_SIGNUP:
            return True
        invitation = held_invitation(request)
        return invitation is not None and may_sign_up_with(invitation)

    def populate_username(self, request: HttpRequest, user: Any) -> None:
        """There is no user name."""

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """In the recipient's language. Links lead to the configured address: the Host of a request may be anybody's."""
        links = {
            name: site_link(urlsplit(value).path)
            for name, value in context.items()
            if name.endswith("_url") and isinstance(value, str)
        }
        links["new_password_url"], links["sign_in_url"] = (
            site_link(reverse(name)) for name in ("account_reset_password", "account_login")
        )
        site = SimpleNamespace(domain=_host(), name=_host())
        with translation.override(mail_language(email)):
            super().send_mail(template_prefix, email, {**context, **links, "current_site": site})

    def send_notification_mail(self, template_prefix: str, user: Any, *args: Any, **named: Any) -> None:
        """What the owner of an account is told of its sign-in stands in the audit log too."""
        if template_prefix in VERB_OF_NOTICE:
            Event.objects.create(actor=user, verb=VERB_OF_NOTICE[template_prefix], data={})
        super().send_notification_mail(template_prefix, user, *args, **named)

    def format_email_subject(self, subject: str) -> str:
        return f"[{_host()}] {subject}"

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """A password that was set before anybody confirmed the address is not the password of its owner."""
        user = email_address.user
        known = EmailAddress.objects.filter(user=user, verified=True).exists() or user.last_login is not None
        confirmed: bool = super().confirm_email(request, email_address)
        if confirmed and not known:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        return confirmed

    def get_email_verification_redirect_url(self, email_address: EmailAddress) -> str:
        """Whoever has just confirmed the address of a new account chooses its password."""
        user = email_address.user
        if user.has_usable_password():
            return str(super().get_email_verification_redirect_url(email_address))
        key = app_settings.PASSWORD_RESET_TOKEN_GENERATOR().make_token(user)
        return reverse("account_reset_password_from_key", args=[user_pk_to_url_str(user), key])

    def clean_email(self, email: str) -> str:
        return canonical_email(email)

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Any:
        if "email" in credentials:
            credentials["email"] = canonical_email(credentials["email"])
        user = super().authenticate(request, **credentials)
        if user is not None:
            cache.set(_known_network_key(request, credentials), True, KNOWN_NETWORK_SECONDS)
            if self._guess:
                self._guess.rollback()
        return user

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Wrong passwords are counted per account and network, so that others' guesses lock nobody out."""
        key: str = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{key}:{ratelimit.get_ip(request)}"

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Beside the limits for an address one for the account, over all networks that it never logged in from."""
        super().pre_authenticate(request, **credentials)
        self._guess = None
        if cache.get(_known_network_key(request, credentials)):
            return
        self._guess = ratelimit.consume(
            request, app=RATE_LIMIT_APP, action=RATE_LIMIT_ACTION, key=credentials.get("email", "")
        )
        if not self._guess:
            raise self.validation_error("too_many_login_attempts")

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """Who reset the password by mail gets in, however many others guess."""
        super()._delete_login_attempts_cached_email(request, **credentials)
        ratelimit.clear(request, app=RATE_LIMIT_APP, action=RATE_LIMIT_ACTION, key=credentials.get("email", ""))

    def post_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponse:
        remember_sign_in(request)
        response: HttpResponse = super().post_login(request, user, **kwargs)
        invitation = held_invitation(request)
        request.session.pop(INVITATION_KEY, None)
        signed = request.session.pop(NO_PART_KEY, False) is True
        if invitation is None or not isinstance(user, User):
            return response
        try:
            place = invitation_accept_held(invitation_id=invitation.pk, user=user, no_part=signed)
        except Conflict as refusal:
            if refusal.code != "address_not_confirmed":
                return HttpResponseRedirect(reverse("invitation_refused"))
            messages.warning(request, problem_words(refusal.code))
            return response
        except Refusal:
            # The account is another one, or the roles exclude each other: the link itself says so when opened.
            return HttpResponseRedirect(reverse("invitation_refused"))
        return HttpResponseRedirect(reverse("guidelines", args=[place.project.slug]))


log = structlog.get_logger("mail")


def _language_of_work(invitation: Invitation) -> str:
    """The language of what somebody is invited to write or judge; that of their targets where texts are translated."""
    project = invitation.project
    if not access.has_targets(project):
        return interface_language(project.language)
    return only_language(project.targets.filter(key__in=invitation.targets).values_list("language", flat=True))


def send_invitation(invitation: Invitation, link: str) -> bool:
    """Send the link to the invited address; False where no mail left (the link was shown to the inviter)."""
    context = {"invitation": invitation, "project": invitation.project, "link": link}
    # A subject is one line; a project's name may hold anything.
    with translation.override(mail_language(invitation.email, _language_of_work(invitation))):
        subject = " ".join(render_to_string("annotation/projects/mail/invitation_subject.txt", context).split())
        body = render_to_string("annotation/projects/mail/invitation.txt", context)
    try:
        send_mail(subject, body, settings.DEFAULT_FROM_EMAIL, [invitation.email])
    except OSError as error:
        log.warning("mail_not_sent", error=type(error).__name__)
        return False
    return is_mail_delivered()
