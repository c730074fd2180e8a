"""What people send about concepts: proposals, lists, changes."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.concepts.actions import LONGEST_CATEGORY, LONGEST_CONCEPT, NearDuplicates
from annotation.elicitation.rules.sessions import LONGEST_SOURCE
from annotation.ui.fields import TYPED, area_field, hidden_number, line_field

MOST_LINES = 500


def source_field() -> forms.CharField:
    """Where a topic comes from, for kinds that keep it."""
    help = _("How it was found: searches, brainstorming, group, or in your words.")
    return line_field(_("Where it comes from"), LONGEST_SOURCE, help, required=False)


class SureForm(forms.Form):
    """A form that warns of nearly equal concepts: it then asks whether they are two, and is sent again."""

    near: Sequence[NearDuplicates] = ()

    def __init__(self, *args: Any, categories: Iterable[str] = (), sourced: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.categories = list(categories)
        if sourced:
            self.fields["source"] = source_field()

    @property
    def sure(self) -> bool:
        return self.data.get("sure") == "on"

    def warn(self, near: Sequence[NearDuplicates]) -> None:
        """Show these beside what was typed, and ask."""
        self.near = near


class ProposeForm(SureForm):
    """One concept that a writer proposes; the category is one of the project's, or the first."""

    category = forms.CharField(label=_("Category"), max_length=LONGEST_CATEGORY)
    text = line_field(_("Concept"), LONGEST_CONCEPT)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.categories:
            self.fields["category"].widget = forms.Select(choices=[(name, name) for name in self.categories])


class AddForm(SureForm):
    """Concepts that a lead types, one a line."""

    category = line_field(_("Category"), LONGEST_CATEGORY, _("One of the list, or a new one."), list="categories")
    text = area_field(_("One a line"), MOST_LINES * LONGEST_CONCEPT, 5, **TYPED)


class ChangeForm(SureForm):
    """One concept as a lead changes it; `version` is the concept's, as the page showed it."""

    version = hidden_number()
    text = line_field(_("Concept"), LONGEST_CONCEPT)
    category = line_field(_("Category"), LONGEST_CATEGORY, list="categories")
    parallel = line_field(_("In the other language"), LONGEST_CONCEPT, required=False)


class AgainForm(SureForm):
    """One concept as its proposer changes it."""

    version = hidden_number()
    text = line_field(_("Concept"), LONGEST_CONCEPT)
