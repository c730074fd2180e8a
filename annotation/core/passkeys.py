"""What people send about their passkeys; only imported where passkeys are offered (PASSKEYS)."""

from typing import Any

from allauth.mfa.webauthn.forms import AddWebAuthnForm
from django import forms
from django.utils.translation import gettext_lazy as _


class AddPasskeyForm(AddWebAuthnForm):
    """A passkey with its name, and whether it is enough alone."""

    name = forms.CharField(label=_("Name"), max_length=80, required=False, help_text=_("To tell several apart."))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if field := self.fields.get("passwordless"):
            field.label = _("It is enough alone, without the password")
            field.help_text = _("Then the device asks for your finger, your face or its PIN.")
