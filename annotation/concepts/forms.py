"""What people send about concepts: proposals, lists, changes."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.concepts.actions import LONGEST_CATEGORY, LONGEST_CONCEPT, Near
from annotation.elicitation.rules.sessions import LONGEST_SOURCE

MOST_LINES = 500
TYPED = {"dir": "auto", "autocomplete": "off"}


def source_field() -> forms.CharField:
    """Where a topic comes from, for kinds that keep it."""
    return forms.CharField(
        label=_("Where it comes from"),
        max_length=LONGEST_SOURCE,
        required=False,
        widget=forms.TextInput(attrs=TYPED),
        help_text=_("How it was found: searches, brainstorming, group, or in your words."),
    )


class SureForm(forms.Form):
    """A form that warns of nearly equal concepts: it then asks whether they are two, and is sent again."""

    near: Sequence[Near] = ()

    def __init__(
        self, *args: Any, categories: Iterable[str] = (), sourced: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.categories = list(categories)
        if sourced:
            self.fields["source"] = source_field()

    @property
    def sure(self) -> bool:
        return self.data.get("sure") == "on"

    def warn(self, near: Sequence[Near]) -> None:
        """Show these beside what was typed, and ask."""
        self.near = near


class ProposeForm(SureForm):
    """One concept that a writer proposes; the category is one of the project's, or the first."""

    category = forms.CharField(label=_("Category"), max_length=LONGEST_CATEGORY)
    text = forms.CharField(
        label=_("Concept"), max_length=LONGEST_CONCEPT, widget=forms.TextInput(attrs=TYPED)
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.categories:
            self.fields["category"].widget = forms.Select(choices=[(name, name) for name in self.categories])


class AddForm(SureForm):
    """Concepts that a lead types, one a line."""

    category = forms.CharField(
        label=_("Category"),
        max_length=LONGEST_CATEGORY,
        widget=forms.TextInput(attrs={**TYPED, "list": "categories"}),
        help_text=_("One of the list, or a new one."),
    )
    text = forms.CharField(
        label=_("One a line"),
        max_length=MOST_LINES * LONGEST_CONCEPT,
        widget=forms.Textarea(attrs={"rows": 5, **TYPED}),
    )


class ChangeForm(SureForm):
    """One concept as a lead changes it; `version` is the concept's, as the page showed it."""

    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    text = forms.CharField(
        label=_("Concept"), max_length=LONGEST_CONCEPT, widget=forms.TextInput(attrs=TYPED)
    )
    category = forms.CharField(
        label=_("Category"),
        max_length=LONGEST_CATEGORY,
        widget=forms.TextInput(attrs={**TYPED, "list": "categories"}),
    )
    parallel = forms.CharField(
        label=_("In the other language"),
        max_length=LONGEST_CONCEPT,
        required=False,
        widget=forms.TextInput(attrs=TYPED),
    )


class AgainForm(SureForm):
    """One concept as its proposer changes it."""

    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    text = forms.CharField(
        label=_("Concept"), max_length=LONGEST_CONCEPT, widget=forms.TextInput(attrs=TYPED)
    )
