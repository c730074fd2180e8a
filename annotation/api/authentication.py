"""Who asks: a script by its token, a browser by its session; and how often they may."""

import time
from typing import Any

from allauth.core.internal import ratelimit
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.authentication import SessionAuthentication as OfRestFramework
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from annotation.api.models import ApiToken
from annotation.api.tokens import token_by_text
from annotation.core.accounts import RATE_LIMIT_APP
from annotation.core.models.user import User

SCHEME = "Bearer"
# The limit of failed authentications from one address, beside those of log-in (ACCOUNT_RATE_LIMITS).
FAILED_ACTION = "api_failed"
MINUTE = 60


def token_text(request: HttpRequest) -> str | None:
    """What a request gives as its token; None where it gives none. Only in the header: addresses are logged."""
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    return text.strip() if scheme.lower() == SCHEME.lower() else None


def carries_token(request: HttpRequest) -> bool:
    """Whether a request has a token that works, before its body is read."""
    text = token_text(request)
    return text is not None and token_by_text(text) is not None


def signed_in_recently(request: HttpRequest, user: User) -> bool:
    """Whether the person of this session has just proved who they are: within five minutes, by their password or second
    factor, or where they have neither by signing in through their institution."""
    from allauth.account import app_settings
    from allauth.account.internal.flows.login import get_authentication_records
    from allauth.account.internal.flows.reauthentication import get_reauthentication_flows, is_reauthentication_required

    if is_reauthentication_required(request, app="account"):
        return False
    if get_reauthentication_flows(user):
        return True
    records = get_authentication_records(request, user)
    return any(time.time() - record["at"] < app_settings.REAUTHENTICATION_TIMEOUT for record in records)


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer muf_…`. Failures are counted by address, as those of log-in are."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """The owner and the token. Raises AuthenticationFailed, or Throttled after too many failures."""
        text = token_text(request._request)
        if text is None:
            return None
        token = token_by_text(text)
        if token is None:
            limited = not ratelimit.consume(request._request, app=RATE_LIMIT_APP, action=FAILED_ACTION, limit_get=True)
            raise Throttled(wait=MINUTE - 1) if limited else AuthenticationFailed()
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """What 401 asks for."""
        return SCHEME


class SessionAuthentication(OfRestFramework):
    """A browser that is signed in; what it sends needs the form's token (CSRF)."""


class TokenThrottle(BaseThrottle):
    """So many requests a minute of one token, or of one person in a browser."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Count the request in its minute."""
        token: Any = request.auth
        who = f"token-{token.pk}" if isinstance(token, ApiToken) else f"user-{request.user.pk}"
        key = f"api:{who}:{int(time.time() // MINUTE)}"
        if cache.add(key, 1, timeout=2 * MINUTE):
            return True
        try:
            return cache.incr(key) <= settings.MUFAKAT_API_A_MINUTE
        except ValueError:  # it was just forgotten
            return True

    def wait(self) -> float:
        """Until the next minute."""
        return MINUTE - time.time() % MINUTE - 1
