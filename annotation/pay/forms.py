"""What administrators and annotators send about pay: days, rates, reasons, words."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from annotation.core.models.project import Target
from annotation.pay.actions import KEEP, LONGEST_REASON, LONGEST_WORDS, MOST_UNITS, RECOUNT, REVERSE
from annotation.pay.models import Action, Unit
from annotation.pay.rules import CURRENCIES, FIRST_DAY, LAST_DAY, MOST_AMOUNT, Span, month_of
from annotation.ui.fields import NumberField, area_field, whole_number_field


def _day(label: Any, *, required: bool = True) -> forms.DateField:
    """A day with a month before it and one behind it, at any time zone's hour."""
    days = {"min": FIRST_DAY.isoformat(), "max": LAST_DAY.isoformat()}
    widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date", **days})
    return forms.DateField(
        label=label,
        required=required,
        widget=widget,
        validators=[MinValueValidator(FIRST_DAY), MaxValueValidator(LAST_DAY)],
    )


class SpanForm(forms.Form):
    """The days that a page is about; a month where nothing is asked."""

    start = _day(_("From"))
    end = _day(_("To"))

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if "start" in given and "end" in given and given["end"] < given["start"]:
            self.add_error("end", _("The last day is before the first."))
        return given


class PaidForm(forms.Form):
    """That an approval was paid, and on which day; without a day: not paid after all."""

    approval = forms.IntegerField(min_value=0, max_value=2**63 - 1)
    on = _day(_("Paid on"), required=False)


def span_of(asked: Mapping[str, Any], today: date) -> tuple[Span, SpanForm]:
    """The days that were asked for, or this month; the form says what was wrong with them."""
    month = month_of(today)
    if not (asked.get("start") or asked.get("end")):
        return month, SpanForm(initial={"start": month.start, "end": month.end})
    form = SpanForm(asked)
    if not form.is_valid():
        return month, form
    return Span(form.cleaned_data["start"], form.cleaned_data["end"]), form


class RateForm(forms.Form):
    """What a unit of an action is worth from now on."""

    action = forms.ChoiceField(label=_("Paid for"), choices=Action.choices)
    target = forms.ChoiceField(
        label=_("Target"), required=False, help_text=_("A target's own rate goes before that of the project.")
    )
    unit = forms.ChoiceField(
        label=_("For each"),
        choices=Unit.choices,
        help_text=_("Writing: sentence, field, item or set. Voting: sentence, field, item or vote."),
    )
    amount = NumberField(
        label=_("Amount"),
        min_value=Decimal(0),
        max_value=MOST_AMOUNT,
        decimal_places=4,
        help_text=_("Up to four decimals. 0: nothing is paid from now on."),
    )
    currency = forms.ChoiceField(
        label=_("Currency"), choices=[(code, f"{code} – {name}") for code, name in CURRENCIES.items()]
    )

    # What was repeated to whoever set it, so that what counts is what they read.
    confirmed = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, targets: Sequence[Target] = (), written: bool = True, **more: Any) -> None:
        super().__init__(*args, **more)
        if not written:
            paid = [Action.VOTE, Action.QUIZ]
            cast(forms.ChoiceField, self.fields["action"]).choices = [(each.value, each.label) for each in paid]
            self.fields["unit"].help_text = _("Voting: sentence, field, item or vote. A quiz: item or set.")
        of_target = cast(forms.ChoiceField, self.fields["target"])
        of_target.choices = [("", _("the whole project")), *((each.key, each.title) for each in targets)]
        if not targets:
            del self.fields["target"]


class ReasonForm(forms.Form):
    """Why an entry is taken back."""

    reason = area_field(_("Reason"), LONGEST_REASON, 3, _("The person whose entry it is reads this."))


class DisputeForm(forms.Form):
    """What is wrong with an entry, in the words of the person whose it is."""

    words = area_field(
        _("What is wrong with it?"),
        LONGEST_WORDS,
        5,
        _("An administrator reads this and answers. Until then the entry is not approved."),
    )


class AnswerForm(forms.Form):
    """What an administrator answers to a dispute, and what happens to the entry."""

    answer = area_field(_("Answer"), LONGEST_WORDS, 4, _("The person whose entry it is reads this."))
    outcome = forms.ChoiceField(
        label=_("The entry"),
        widget=forms.RadioSelect,
        choices=[
            (KEEP, _("stays as it is")),
            (REVERSE, _("is undone")),
            (RECOUNT, _("is counted anew, with so many units:")),
        ],
    )
    units = whole_number_field(_("Units"), 1, MOST_UNITS, required=False)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("outcome") == RECOUNT and not given.get("units") and "units" not in self.errors:
            self.add_error("units", _("Say how many units it should be."))
        return given
