"""The forms of the pages of people's work."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.answers import type_of
from annotation.content.models.item import Item
from annotation.core.messages import problem_words
from annotation.core.models.project import Project
from annotation.ui.fields import area_field, line_field, whole_number_field
from validation.quality.actions.gold import AnswerableItem
from validation.quality.actions.set_aside import LONGEST
from validation.quality.models import Pause
from validation.quality.rules import accepted as rules

MOST_GOLD = 500


class ReasonForm(forms.Form):
    """Why something is done to somebody's work."""

    reason = area_field(_("Why"), LONGEST, 3, _("Kept with every vote. Leads read it; the person does not."))


class PauseForm(forms.Form):
    """Why somebody is paused."""

    reason = area_field(_("Why"), LONGEST, 2, _("Leads read it; the person does not."))


class DecisionForm(forms.Form):
    """What is decided about a pause."""

    decision = forms.ChoiceField(
        label=_("Decision"),
        choices=[(Pause.Decision.GO_ON, _("They go on")), (Pause.Decision.STAY, _("They stay paused"))],
        widget=forms.RadioSelect,
    )
    words = area_field(_("Why"), LONGEST, 2, _("Kept in the history of this person's pauses."))


class UnanimousForm(forms.Form):
    """How many gold questions are drawn."""

    count = whole_number_field(
        _("How many"), 1, MOST_GOLD, _("Drawn from what three people or more agree on, nobody against.")
    )


class ItemForm(forms.Form):
    """Which item is meant."""

    item = line_field(_("Item"), 220, _("Its key, as the review desk shows it."))


def item_choice(project: Project, key: str) -> tuple[ItemForm, Item | None]:
    """The form that asks for an item, and the item of this key; where there is none the form says so."""
    form = ItemForm({"item": key} if key else None)
    there = Item.objects.select_related("project", "protocol", "target")
    found = there.filter(project=project, key=key.strip()).first() if key else None
    if key and found is None and form.is_valid():
        form.add_error("item", problem_words("gold_item_missing"))
    return form, found


class GoldForm(forms.Form):
    """One item as a gold question, with what counts as right: labels, or of each question what its type knows."""

    key = forms.CharField(max_length=220, widget=forms.HiddenInput)

    def __init__(self, *args: Any, known: AnswerableItem, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.known = known
        if known.labels:
            named = [(label.key, label.name if label.is_item_option else gettext(label.name)) for label in known.labels]
            self.fields["accepted"] = _ticks(_("What counts as right"), named)
        for question in rules.judgeable_questions(known.questions):
            named = [(key, gettext(name)) for key, name in rules.acceptable_choices(question, known.shown)]
            text, field = gettext(question.text), f"accepted-{question.key}"
            if type_of(question).known_answer_form == rules.ONE_ANSWER:
                self.fields[field] = _ticks(text, named, _("Any of these is right. Without a tick it is not judged."))
            else:
                self.fields[f"{field}-{rules.MUST}"] = _ticks(text, named, _("These must be chosen."))
                self.fields[f"{field}-{rules.MAY}"] = _ticks(text, named, _("These may be chosen as well."))

    def accepted(self) -> dict[str, Any]:
        """What was typed, as actions take it: `accepted` in place of the fields that say it."""
        data = {name: said for name, said in self.cleaned_data.items() if name != "key"}
        ticked = {name: data.pop(name) for name in tuple(data) if name.startswith("accepted")}
        if not self.known.questions:
            return {**data, "accepted": ticked.get("accepted", [])}
        said: dict[str, Any] = {}
        for question in rules.judgeable_questions(self.known.questions):
            field = f"accepted-{question.key}"
            if type_of(question).known_answer_form == rules.ONE_ANSWER:
                one = ticked[field]
                said |= {question.key: one} if one else {}
            else:
                parts = {part: ticked[f"{field}-{part}"] for part in (rules.MUST, rules.MAY)}
                said |= {question.key: parts} if any(parts.values()) else {}
        return {**data, "accepted": said}


def _ticks(label: Any, choices: list[tuple[str, str]], help: Any = "") -> forms.MultipleChoiceField:
    box = forms.CheckboxSelectMultiple
    return forms.MultipleChoiceField(label=label, choices=choices, widget=box, required=False, help_text=help)
