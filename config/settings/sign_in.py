"""Sign-in besides e-mail and password, from the environment: an institution by OpenID Connect, the second factor."""

from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from validation.sign_in.rules import Institution, InvalidSetting, roles_by_group

env = environ.Env()
SECOND_FACTOR_CHOICES = ("", "administrators", "leads")
OPENID_CONNECT = "allauth.socialaccount.providers.openid_connect"
PROVIDER = {"provider_class": "validation.sign_in.provider.InstitutionProvider"}


def second_factor() -> str:
    """Who must have a second factor: nobody (empty), `administrators`, or `leads` (and administrators)."""
    asked = env.str("SECOND_FACTOR_REQUIRED", default="")
    if asked not in SECOND_FACTOR_CHOICES:
        raise ImproperlyConfigured("SECOND_FACTOR_REQUIRED must be administrators, leads or empty.")
    return asked


def institution() -> Institution | None:
    """The institution that the environment names, or None. Raises ImproperlyConfigured where a part of it is wrong."""
    issuer = env.str("OIDC_ISSUER", default="")
    if not issuer:
        return None
    try:
        return Institution(
            issuer=issuer,
            client_id=env.str("OIDC_CLIENT_ID", default=""),
            secret=_secret(),
            name=env.str("OIDC_NAME", default="") or issuer,
            scopes=tuple(env.str("OIDC_SCOPES", default="openid profile email").split()),
            groups_claim=env.str("OIDC_GROUPS_CLAIM", default="groups"),
            roles=roles_by_group(env.str("OIDC_ROLES", default="")),
            only=env.bool("OIDC_ONLY", default=False),
            hours=env.int("OIDC_SESSION_HOURS", default=12),
            domains=tuple(env.str("OIDC_EMAIL_DOMAINS", default="").split()),
            has_second_factor=env.bool("OIDC_SECOND_FACTOR", default=False),
        ).checked()
    except InvalidSetting as error:
        raise ImproperlyConfigured(str(error)) from error


def _secret() -> str:
    path = env.str("OIDC_CLIENT_SECRET_FILE", default="")
    if not path:
        return ""
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"OIDC_CLIENT_SECRET_FILE: {path} cannot be read ({error.strerror}).") from error


def settings_of(named: Institution) -> dict[str, Any]:
    """The settings of Django and allauth for an institution."""
    app = {
        "provider_id": named.provider_id,
        "name": named.name,
        "client_id": named.client_id,
        "secret": named.secret,
        "settings": {
            "server_url": named.issuer.rstrip("/"),
            "scope": list(named.scopes),
            "oauth_pkce_enabled": True,
            "verified_email": list(named.domains),
        },
    }
    return {
        "MUFAKAT_INSTITUTION": named,
        "SOCIALACCOUNT_PROVIDERS": {"openid_connect": {**PROVIDER, "APPS": [app]}},
        "SOCIALACCOUNT_ADAPTER": "validation.sign_in.adapters.InstitutionAdapter",
        "ACCOUNT_ADAPTER": "validation.sign_in.adapters.AccountAdapter",
    }
