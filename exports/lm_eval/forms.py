"""What an administrator sends about a prompt for a task of releases."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from exports.lm_eval.rules.tasks import LONGEST, LONGEST_NAME


class TaskPromptForm(forms.Form):
    """A prompt; `version` is the number that the page showed, 0 for a new one, which alone has a name to give."""

    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    name = forms.CharField(
        label=_("Name"),
        max_length=LONGEST_NAME,
        help_text=_("Small letters, digits and hyphens. It stands in the names of tasks, and never changes."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
    text = forms.CharField(
        label=_("Text"),
        max_length=LONGEST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 14, "dir": "auto", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, is_new: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not is_new:
            del self.fields["name"]
