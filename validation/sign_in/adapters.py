"""How allauth behaves where people sign in through an institution."""

from datetime import timedelta
from typing import Any

import structlog
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.socialaccount.providers.base.constants import AuthProcess
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from annotation.core.messages import problem_words
from annotation.core.models.user import User, canonical_email
from annotation.projects import accounts
from annotation.ui.pages import words_of
from validation.sign_in.actions import groups_apply
from validation.sign_in.provider import current_institution

log = structlog.get_logger("sign_in")
# In the session: it began at the institution, which may hold another one open.
SESSION_KEY = "institution"


class InstitutionAdapter(DefaultSocialAccountAdapter):
    """Accounts are found by issuer and subject alone; an address that is equal connects nothing."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Let in whoever has an account; make one only for a confirmed address that no account has.

        Everybody else is shown the same page, which does not tell whether an address has an account.
        """
        if sociallogin.is_existing or sociallogin.state.get("process") == AuthProcess.CONNECT:
            return
        address = next((each for each in sociallogin.email_addresses if each.verified), None)
        if address is None or not self.is_open_for_signup(request, sociallogin) or _is_taken(address.email):
            shown = render(request, "validation/sign_in/not_connected.html", status=403)
            raise ImmediateHttpResponse(shown)
        sociallogin.email_addresses = [address]
        sociallogin.user.email = canonical_email(address.email)  # type: ignore[union-attr]

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Whether the person may have an account: groups give a role, an invitation is held, or anybody may."""
        invited = accounts.held_invitation(request) is not None
        return settings.MUFAKAT_OPEN_SIGNUP or invited or bool(sociallogin.account.extra_data["wanted"])

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> Any:
        """Address and name as the institution gives them."""
        user: Any = sociallogin.user
        user.email = canonical_email(data.get("email") or "")
        # Kept in the session while somebody gives their password; what the database would fill in cannot be.
        user.created_at = timezone.now()
        user.name = " ".join(str(data.get("name") or "").replace("\0", "").split())[:120]
        return user

    def validate_disconnect(self, account: SocialAccount, accounts: Any) -> None:
        """Nobody keeps what their groups give by leaving the institution out of it."""
        if account.extra_data.get("given"):
            raise ValidationError(problem_words("stay_connected"))

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: Any = None,
        exception: Any = None,
        extra_context: Any = None,
    ) -> None:
        """Say in the log what class of fault it was; a message may quote what the provider sent."""
        log.warning("institution_failed", error=type(exception).__name__, code=str(error))

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: SocialAccount) -> str:
        return reverse("socialaccount_connections")


def _is_taken(email: str) -> bool:
    email = canonical_email(email)
    owned = EmailAddress.objects.filter(email__iexact=email)
    return owned.exists() or User.objects.filter(email=email).exists()


class AccountAdapter(accounts.AccountAdapter):
    """Beside what it does anyway: roles follow the groups, sessions end in time, passwords may be off."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return not current_institution().only and super().is_open_for_signup(request)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse every password where the institution is the only way in."""
        if current_institution().only:
            raise self.validation_error("email_password_mismatch")
        super().pre_authenticate(request, **credentials)

    def pre_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> Any:
        """The same for every other way in, such as a passkey."""
        through = "sociallogin" in (kwargs.get("signal_kwargs") or {})
        if current_institution().only and not through:
            return redirect("account_login")
        return super().pre_login(request, user, **kwargs)

    def post_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponse:
        """Give and take what the groups say, before the page that follows is chosen."""
        sociallogin = (kwargs.get("signal_kwargs") or {}).get("sociallogin")
        if sociallogin is not None:
            request.session[SESSION_KEY] = True
            request.session.set_expiry(timezone.now() + timedelta(hours=current_institution().hours))
            for refused in groups_apply(account_id=sociallogin.account.pk):
                words = {"grant": refused.grant, "why": words_of(refused.refusal)}
                messages.warning(
                    request, gettext("Your groups give %(grant)s, which could not be given: %(why)s") % words
                )
        return super().post_login(request, user, **kwargs)

    def get_logout_redirect_url(self, request: HttpRequest) -> str:
        """Say that the institution's own session goes on: on a shared machine the next person would be let in."""
        if request.session.get(SESSION_KEY) is True:
            return reverse("institution_signed_out")
        return str(super().get_logout_redirect_url(request))

    def get_email_verification_redirect_url(self, email_address: EmailAddress) -> str:
        """Whoever has no password because the institution signs them in chooses none."""
        if SocialAccount.objects.filter(user=email_address.user).exists():
            return reverse("account_login")
        return super().get_email_verification_redirect_url(email_address)
