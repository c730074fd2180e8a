"""Sign-in besides e-mail and password, from the environment: an institution by OpenID Connect, the second factor."""

from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from annotation.core.rules.os_errors import os_reason
from config.variables import env
from validation.sign_in.rules import Institution, InvalidSetting, roles_by_group

OPENID_CONNECT = "allauth.socialaccount.providers.openid_connect"
PROVIDER = {"provider_class": "validation.sign_in.provider.InstitutionProvider"}


def institution() -> Institution | None:
    """The institution that the environment names, or None. Raises ImproperlyConfigured where a part of it is wrong."""
    try:
        roles = roles_by_group(env("OIDC_ROLES"))
        if not (issuer := env("OIDC_ISSUER")):
            return None
        return Institution(
            issuer=issuer,
            client_id=env("OIDC_CLIENT_ID"),
            secret=_secret(),
            name=env("OIDC_NAME") or issuer,
            scopes=tuple(env("OIDC_SCOPES")),
            groups_claim=env("OIDC_GROUPS_CLAIM"),
            roles=roles,
            only=env("OIDC_ONLY"),
            hours=env("OIDC_SESSION_HOURS"),
            domains=tuple(env("OIDC_EMAIL_DOMAINS")),
            has_second_factor=env("OIDC_SECOND_FACTOR"),
        ).checked()
    except InvalidSetting as error:
        raise ImproperlyConfigured(str(error)) from error


def _secret() -> str:
    path = env("OIDC_CLIENT_SECRET_FILE")
    if not path:
        return ""
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"OIDC_CLIENT_SECRET_FILE: {path} cannot be read ({os_reason(error)}).") from error


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
