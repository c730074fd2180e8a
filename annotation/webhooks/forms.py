"""The form of a new webhook."""

from django import forms
from django.utils.functional import lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.core.rules import feed
from annotation.generation.llm import guard
from annotation.ui.fields import line_field


def _types() -> list[tuple[str, str]]:
    return [(type, f"{type}: {gettext(words)}") for type, words in feed.TYPES.items()]


class WebhookForm(forms.Form):
    """The address, and the types of events."""

    url = line_field(
        _("Address"),
        guard.LONGEST_ADDRESS,
        _("Where your system takes messages: https://host/path. It may not lie in a private network."),
        inputmode="url",
    )
    types = forms.MultipleChoiceField(
        label=_("Of what it is told"), choices=lazy(_types, list), widget=forms.CheckboxSelectMultiple
    )
