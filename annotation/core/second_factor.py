"""Who must have a second factor of sign-in before they may use the pages of leads and administrators."""

import base64
import secrets
from typing import Any

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings

from annotation.core.errors import SecondFactorOwed
from annotation.core.models.user import User
from annotation.core.sealing import KeyLost, is_readable, seal, unseal

USE = "second factor"
SEALED_START = "gAAAA"  # the version and the time of a Fernet token


class SealedFactors(DefaultMFAAdapter):
    """Second factors of allauth, whose secrets are stored sealed: a copy of the database signs nobody in."""

    def encrypt(self, text: str) -> str:
        """The secret as it is stored."""
        return seal(text, USE)

    def decrypt(self, encrypted_text: str) -> str:
        """The secret; where it cannot be opened one that nobody knows, so that no code fits.

        One that an earlier version stored unsealed is itself: no such secret begins as what is sealed does.
        """
        if not encrypted_text.startswith(SEALED_START):
            return encrypted_text
        try:
            return unseal(encrypted_text, USE)
        except KeyLost:
            return base64.b32encode(secrets.token_bytes(20)).decode()


def remove_unreadable_factors() -> int:
    """Remove second factors that were sealed under another SECRET_KEY; of how many people."""
    sealed = Authenticator.objects.exclude(type=Authenticator.Type.WEBAUTHN)
    unreadable = [factor for factor in sealed if not all(is_readable(text, USE) for text in _sealed_texts(factor.data))]
    Authenticator.objects.filter(pk__in=[factor.pk for factor in unreadable]).delete()
    return len({factor.user_id for factor in unreadable})


def _sealed_texts(data: dict[str, Any]) -> list[str]:
    texts = [data.get("secret") or "", data.get("seed") or "", *data.get("migrated_codes", ())]
    return [text for text in texts if text.startswith(SEALED_START)]


def require_second_factor(user: User, *, leads: bool = False) -> None:
    """Raise SecondFactorOwed where this site asks one of such people (SECOND_FACTOR_REQUIRED) and they have none.

    `leads`: they lead the project concerned. One statement for a person and request, none for anybody else.
    """
    asked = settings.MUFAKAT_SECOND_FACTOR
    if not asked or not (user.is_administrator or (leads and asked == "leads")):
        return
    if not getattr(user, "second_factor_seen", False):
        if not (_has_second_factor(user) or _institution_asks(user)):
            raise SecondFactorOwed
        user.second_factor_seen = True  # type: ignore[attr-defined]


def _has_second_factor(user: User) -> bool:
    """Recovery codes are for the day when it is not at hand: alone they are none."""
    return Authenticator.objects.filter(user=user).exclude(type=Authenticator.Type.RECOVERY_CODES).exists()


def _institution_asks(user: User) -> bool:
    """Whether their only way in is an institution that asks for one itself."""
    institution = settings.MUFAKAT_INSTITUTION
    if institution is None or not institution.has_second_factor:
        return False
    if user.has_usable_password() and not institution.only:
        return False
    return SocialAccount.objects.filter(user=user, provider=institution.provider_id).exists()
