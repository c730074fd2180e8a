"""What leads send about sessions."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.elicitation.actions import LONGEST_NAME, LONGEST_WORDS
from annotation.elicitation.rules.sessions import PURPOSE_NAMES
from annotation.ui.fields import area_field, line_field


class SessionForm(forms.Form):
    """A new session."""

    purpose = forms.ChoiceField(label=_("What it is for"))
    name = line_field(_("Name"), LONGEST_NAME)
    held_on = forms.DateField(label=_("Date"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"))
    participants = area_field(
        _("Participants"),
        LONGEST_WORDS,
        3,
        _(
            "Describe the group as a whole, such as “nine people, three from each island, 20 to 60 years old”. "
            "No names, no addresses: no personal data is needed."
        ),
        required=False,
    )

    def __init__(self, *args: Any, purposes: Iterable[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(purpose, gettext(PURPOSE_NAMES[purpose])) for purpose in purposes]
        self.fields["purpose"] = forms.ChoiceField(label=_("What it is for"), choices=choices)
