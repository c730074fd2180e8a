"""What administrators send about evaluations of releases."""

from django import forms
from django.core.validators import validate_slug
from django.utils.translation import gettext_lazy as _

from exports.evaluation.actions import MOST_PEOPLE

MOST_ROWS = 10_000
ALL = _("All, where there are fewer.")


class EvaluationForm(forms.Form):
    """A new evaluation: how many items of dev and of test, how many people each, and where they answer."""

    dev = forms.IntegerField(
        label=_("Items of dev"), min_value=0, max_value=MOST_ROWS, initial=100, help_text=ALL
    )
    test = forms.IntegerField(
        label=_("Items of test"), min_value=0, max_value=MOST_ROWS, initial=100, help_text=ALL
    )
    people = forms.IntegerField(
        label=_("People for each item"),
        min_value=1,
        max_value=MOST_PEOPLE,
        initial=5,
        help_text=_("What most of them say is their answer; ties are drawn."),
    )
    exclude_ambiguous = forms.BooleanField(
        label=_("Leave out what more than half of them mark as ambiguous"), required=False
    )
    slug = forms.CharField(
        label=_("Short name of the project in which they are answered"),
        max_length=60,
        validators=[validate_slug],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=_("Small letters, digits and hyphens. It never changes."),
    )
