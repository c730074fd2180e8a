"""The forms of the pages of people's work."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.kinds import Kind
from annotation.ui.fields import area, line, whole
from validation.quality.actions.set_aside import LONGEST
from validation.quality.models import Pause

MOST_GOLD = 500


class ReasonForm(forms.Form):
    """Why something is done to somebody's work."""

    reason = area(_("Why"), LONGEST, 3, _("Kept with every vote. Leads read it; the person does not."))


class PauseForm(forms.Form):
    """Why somebody is paused."""

    reason = area(_("Why"), LONGEST, 2, _("Leads read it; the person does not."))


class DecisionForm(forms.Form):
    """What is decided about a pause."""

    decision = forms.ChoiceField(
        label=_("Decision"),
        choices=[(Pause.Decision.GO_ON, _("They go on")), (Pause.Decision.STAY, _("They stay paused"))],
        widget=forms.RadioSelect,
    )
    words = area(_("Why"), LONGEST, 2, _("Kept in the history of this person's pauses."))


class UnanimousForm(forms.Form):
    """How many gold questions are drawn."""

    count = whole(
        _("How many"), 1, MOST_GOLD, _("Drawn from what three people or more agree on, nobody against.")
    )


class GoldForm(forms.Form):
    """One item as a gold question, with what counts as right."""

    key = line(_("Item"), 220, _("Its key, as the review desk shows it."))
    accepted = forms.MultipleChoiceField(
        label=_("What counts as right"), widget=forms.CheckboxSelectMultiple, required=False
    )

    def __init__(self, *args: Any, kind: Kind, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        named = {label.key: label.name for label in kind.question.labels}
        choices = [(key, gettext(named.get(key, key))) for key in kind.question.label_keys]
        self.fields["accepted"].choices = choices  # type: ignore[attr-defined]
