"""The form of a new token."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.api import rules
from annotation.core import access
from annotation.core.models.user import User

SCOPE_NAMES = (
    ("read", _("read: lists, items, votes, statistics, as far as you may see them")),
    ("annotate", _("annotate: write and vote in your name")),
    ("manage", _("manage: change projects, people and items, import")),
    ("release", _("release: freeze releases and download their files")),
)
DAYS = ((7, _("a week")), (30, _("30 days")), (90, _("90 days")), (365, _("a year")))


class TokenForm(forms.Form):
    """What a token is called, what it may do, where, and how long. No project chosen: all of them."""

    name = forms.CharField(
        label=_("Name"),
        max_length=rules.LONGEST_NAME,
        help_text=_("What uses it, such as “nightly import on server 2”."),
    )
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"), choices=SCOPE_NAMES, widget=forms.CheckboxSelectMultiple
    )
    projects = forms.MultipleChoiceField(
        label=_("In which projects"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None ticked: in all of yours, also later ones."),
    )
    days = forms.TypedChoiceField(label=_("How long it works"), choices=DAYS, coerce=int, initial=rules.DEFAULT_DAYS)

    def __init__(self, *args: Any, user: User, **more: Any) -> None:
        super().__init__(*args, **more)
        places = access.memberships(user)
        self.fields["projects"].choices = [  # type: ignore[attr-defined]
            (place.project.slug, place.project.name) for place in places
        ]
        if not places:
            del self.fields["projects"]
