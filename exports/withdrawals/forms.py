"""What an administrator types to have a version of a release without some of its rows."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.ui.fields import area_field
from exports.releases.models import Replacement
from exports.withdrawals.actions import LONGEST_REASON

LONGEST_NAMES = 200_000


class ReplaceForm(forms.Form):
    """Whose work, or which items and sources, and why."""

    kind = forms.ChoiceField(label=_("Why"), choices=Replacement.Kind.choices, widget=forms.RadioSelect)
    people = area_field(
        _("People, by pseudonym"),
        LONGEST_NAMES,
        3,
        _("One a line. Everything that they wrote is left out, and each of their votes."),
        required=False,
    )
    items = area_field(
        _("Items"), LONGEST_NAMES, 3, _("Their ids in the files, or in the project, one a line."), required=False
    )
    sources = area_field(
        _("Sources"),
        LONGEST_NAMES,
        3,
        _("Ids of premises, concepts or source texts, one a line. Every item made from them is left out."),
        required=False,
    )
    reason = area_field(
        _("Reason"),
        LONGEST_REASON,
        4,
        _("Everybody can read it, on both pages and in the card. Name nobody who does not want it."),
    )
    withdraw_files = forms.BooleanField(
        label=_("Withdraw the files of this release from its public page"), required=False
    )

    def names(self) -> dict[str, list[str]]:
        """What was typed into the lists, line by line."""
        return {name: self._lines(self.cleaned_data[name]) for name in ("people", "items", "sources")}

    @staticmethod
    def _lines(text: Any) -> list[str]:
        return list(dict.fromkeys(filter(None, (line.strip() for line in str(text).splitlines()))))
