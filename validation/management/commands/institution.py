"""`manage.py institution`: look at the provider that people sign in through, or connect an account by hand."""

from argparse import ArgumentParser
from typing import Any

from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.http import HttpRequest
from django.urls import reverse

from annotation.core.errors import Refusal
from annotation.core.links import site_link
from annotation.core.messages import problem_words
from validation.sign_in.actions import account_connect


class Command(BaseCommand):
    """Says where the provider has to send people back to, and whether it is what the environment says."""

    help = "Look at the institution's OpenID provider, or connect an account to it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("do", nargs="?", choices=["look", "connect"], default="look")
        parser.add_argument("email", nargs="?", default="", help="connect: the address of the account here")
        parser.add_argument("subject", nargs="?", default="", help="connect: the provider's `sub` of the person")

    def handle(self, *args: Any, **options: Any) -> None:
        institution = settings.MUFAKAT_INSTITUTION
        if institution is None:
            raise CommandError("No institution is named: set OIDC_ISSUER (docs/sign-in.md).")
        if options["do"] == "connect":
            self._connect(institution.provider_id, options["email"], options["subject"])
            return
        back = reverse("openid_connect_callback", args=[institution.provider_id])
        self.stdout.write(f"redirect URI          {site_link(back)}")
        self.stdout.write(f"after sign-out        {site_link(reverse('account_login'))}")
        self._look(institution.provider_id)

    def _look(self, provider_id: str) -> None:
        from requests import RequestException  # only where an institution is named

        from validation.sign_in.provider import InstitutionOAuth2Adapter

        try:
            config = InstitutionOAuth2Adapter(HttpRequest(), provider_id).openid_config
        except (RequestException, OAuth2Error, ValueError) as error:
            raise CommandError(f"The provider cannot be used: {error}") from error
        for name in (
            "issuer",
            "authorization_endpoint",
            "token_endpoint",
            "userinfo_endpoint",
            "end_session_endpoint",
        ):
            self.stdout.write(f"{name:21} {config.get(name, '(none)')}")

    def _connect(self, provider_id: str, email: str, subject: str) -> None:
        if not email or not subject:
            raise CommandError("Give the account's address and the provider's subject: connect EMAIL SUBJECT.")
        try:
            account = account_connect(email=email, subject=subject, provider=provider_id)
        except Refusal as refusal:
            raise CommandError(problem_words(refusal.code)) from refusal
        self.stdout.write(f"{email} is connected to {account.uid}")
