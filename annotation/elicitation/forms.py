"""What leads send about sessions."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.elicitation.actions import LONGEST_NAME, LONGEST_WORDS
from annotation.elicitation.rules.sessions import NAMES


class SessionForm(forms.Form):
    """A new session."""

    purpose = forms.ChoiceField(label=_("What it is for"))
    name = forms.CharField(
        label=_("Name"),
        max_length=LONGEST_NAME,
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
    )
    held_on = forms.DateField(
        label=_("Date"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    participants = forms.CharField(
        label=_("Participants"),
        required=False,
        max_length=LONGEST_WORDS,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
        help_text=_(
            "Describe the group as a whole, such as “nine people, three from each island, 20 to 60 years old”. "
            "No names, no addresses: no personal data is needed."
        ),
    )

    def __init__(self, *args: Any, purposes: Iterable[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(purpose, gettext(NAMES[purpose])) for purpose in purposes]
        field = self.fields["purpose"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
        field.choices = choices
