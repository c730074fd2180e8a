"""OpenID Connect by allauth, identified by issuer and subject, storing no other data about a person."""

from collections.abc import Mapping
from typing import Any

from allauth.socialaccount.models import SocialAccount, SocialApp
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest

from validation.sign_in.rules import Institution, groups_of

LONGEST_SUBJECT = 191  # what allauth has room for; OpenID Connect Core 1.0, section 2, allows 255


def current_institution() -> Institution:
    """The institution of this site, which there is wherever allauth comes to these classes."""
    named: Institution | None = settings.MUFAKAT_INSTITUTION
    assert named is not None  # noqa: S101
    return named


class InstitutionOAuth2Adapter(OpenIDConnectOAuth2Adapter):
    """Asks the provider for what it says of itself and of a person."""

    @property
    def openid_config(self) -> dict[str, Any]:
        """What the provider publishes. Raises OAuth2Error where it names another issuer (Discovery 1.0, 4.3)."""
        config: dict[str, Any] = super().openid_config
        if config.get("issuer") != current_institution().issuer:
            raise OAuth2Error("The provider names another issuer.")
        return config

    @property
    def end_session_url(self) -> str:
        """Where a session at the provider is ended; empty where it offers none."""
        return str(self.openid_config.get("end_session_endpoint", ""))

    def complete_login(self, request: HttpRequest, app: SocialApp, token: Any, **kwargs: Any) -> Any:
        """What allauth does. Raises OAuth2Error where the subject is not told once and the same everywhere."""
        if not kwargs["response"].get("id_token"):
            raise OAuth2Error("The provider sent no ID token.")
        return super().complete_login(request, app, token, **kwargs)


class InstitutionProvider(OpenIDConnectProvider):
    """The issuer's subject is the person; of the rest only what their groups give here is kept."""

    oauth2_adapter_class = InstitutionOAuth2Adapter

    def extract_uid(self, data: Mapping[str, Any]) -> str:
        """The subject of the ID token. Raises OAuth2Error where the user info is of another one (Core 1.0, 5.3.2)."""
        subject = data.get("id_token", {}).get("sub")
        told = data.get("userinfo", {}).get("sub", subject)
        if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT or told != subject:
            raise OAuth2Error("The provider names no subject, or two.")
        return subject

    def extract_email_addresses(self, data: Mapping[str, Any]) -> list[Any]:
        """The address; some providers write `email_verified` as text, and "false" confirms nothing."""
        found: list[Any] = super().extract_email_addresses(data)  # type: ignore[no-untyped-call]
        for each in found:
            each.verified = each.verified in (True, "true")
        return found

    def extract_extra_data(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """What groups gave before (`given`), what was held without them (`own`), and what they give now (`wanted`)."""
        there = SocialAccount.objects.filter(provider=self.sub_id, uid=self.extract_uid(data))
        kept = there.values_list("extra_data", flat=True).first() or {}
        claims = {**data.get("id_token", {}), **data.get("userinfo", {})}
        institution = current_institution()
        wanted = institution.granted(groups_of(claims, institution.groups_claim))
        own = {"own": kept["own"]} if kept.get("own") else {}
        return {"given": kept.get("given", []), **own, "wanted": wanted}
