"""How allauth behaves here: nobody signs up by themselves, unless the site says so or an invitation is held."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):
    """Sign-up is closed by default."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.MUFAKAT_OPEN_SIGNUP or "invitation" in request.session)

    def populate_username(self, request: HttpRequest, user: Any) -> None:
        """There is no user name."""
