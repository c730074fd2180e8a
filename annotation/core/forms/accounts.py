"""Sign-up: with an invitation, the invited address is fixed; a password is chosen once the address is confirmed."""

from typing import Any

from allauth.account.forms import SignupForm as AllauthSignupForm
from allauth.core import context
from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.core.accounts import held_invitation
from annotation.core.mail import mail_leaves
from annotation.core.models.user import User


class SignupForm(AllauthSignupForm):
    """E-mail and name; whoever holds an invitation signs up with its address and no other.

    A password is asked here only where no mail leaves: elsewhere it is chosen behind the link that confirms the
    address, so that nobody else's password is ever that of an invited person.
    """

    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        required=False,
        help_text=_("Seen by the QC leads and administrators of your projects, and nobody else."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    field_order = ["email", "name", "password1", "password2"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if mail_leaves():
            del self.fields["password1"], self.fields["password2"]
        invitation = held_invitation(context.request)
        if invitation is not None:
            # A disabled field takes its initial value, whatever is sent.
            self.fields["email"].disabled = True
            self.fields["email"].initial = self.initial["email"] = invitation.email

    def signup(self, request: Any, user: User) -> None:
        """Called by allauth once the account is made."""
        user.name = self.cleaned_data.get("name", "")
        user.save(update_fields=["name"])
