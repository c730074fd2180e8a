"""What an administrator or lead sends about a project: guidelines, settings, protocol."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import GuidelineVersion

LONGEST_GUIDELINE = 100_000


class GuidelineForm(forms.Form):
    """A new version of what writers or validators are told; `version` is the project's, as the page showed it."""

    role = forms.ChoiceField(choices=GuidelineVersion.Role.choices, widget=forms.HiddenInput)
    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    text = forms.CharField(
        label=_("Text, in Markdown"),
        max_length=LONGEST_GUIDELINE,
        widget=forms.Textarea(attrs={"rows": 24, "dir": "auto"}),
    )
    note = forms.CharField(
        label=_("What changed"),
        max_length=300,
        required=False,
        help_text=_("One line, shown to everybody beside the new version."),
    )
