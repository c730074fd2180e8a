"""What people send of their second factor."""

import hashlib
from typing import Any

from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa import app_settings
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import forms as base
from allauth.mfa.totp import forms as totp
from django import forms
from django.core.cache import cache


class OneTimeCodeForm(forms.Form):
    """Refuses a code that this person gave before, for as long as its time lasts."""

    user: Any

    def clean_code(self) -> str:
        code: str = super().clean_code()  # type: ignore[misc]
        given = f"{self.user.pk}:{normalize_user_code(code)}"
        key = f"code-taken:{hashlib.sha256(given.encode()).hexdigest()}"
        # A code is right in its own step and in those that are tolerated before and behind it.
        lasts = app_settings.TOTP_PERIOD * (2 * app_settings.TOTP_TOLERANCE + 1)
        if not cache.add(key, True, timeout=lasts):
            raise get_adapter().validation_error("incorrect_code")
        return code


class ActivateTOTPForm(OneTimeCodeForm, totp.ActivateTOTPForm):
    """Switches the second factor on."""


class AuthenticateForm(OneTimeCodeForm, base.AuthenticateForm):
    """Asks for it at log-in."""


class ReauthenticateForm(OneTimeCodeForm, base.ReauthenticateForm):
    """Asks for it again before something that matters."""
