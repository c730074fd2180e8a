"""The forms of the pages of the quiz."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.ui.fields import area_field
from validation.qualification.actions import LONGEST
from validation.qualification.models import Role
from validation.quality.actions.gold import AnswerableItem
from validation.quality.forms import GoldForm, UnanimousForm

USES = [("quiz", _("Quiz")), ("training", _("Training round"))]


def _use() -> forms.ChoiceField:
    return forms.ChoiceField(label=_("For"), choices=USES, initial="quiz")


def _role() -> forms.ChoiceField:
    return forms.ChoiceField(label=_("Asked of"), choices=Role.choices, initial=Role.VALIDATOR)


def _offer_roles(form: forms.Form, roles: Sequence[Role]) -> None:
    cast(forms.ChoiceField, form.fields["role"]).choices = [(each.value, each.label) for each in roles]


def action_arguments(data: dict[str, Any]) -> dict[str, Any]:
    """What was sent, as actions take it."""
    return {**{name: data[name] for name in data if name != "use"}, "training": data["use"] == "training"}


class DrawForm(UnanimousForm):
    """How many items are drawn, for whom, and what for."""

    role = _role()
    use = _use()

    def __init__(self, *args: Any, roles: Sequence[Role], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _offer_roles(self, roles)


class QuizForm(GoldForm):
    """One item, what counts as right, why, for whom, and what for."""

    explanation = area_field(
        _("Why that is right"), LONGEST, 3, _("Shown after the attempt, or after the answer."), required=False
    )
    role = _role()
    use = _use()

    def __init__(self, *args: Any, known: AnswerableItem, roles: Sequence[Role], **kwargs: Any) -> None:
        super().__init__(*args, known=known, **kwargs)
        _offer_roles(self, roles)
        right = [name for name in self.fields if name.startswith("accepted")]
        self.order_fields(["role", "use", *right, "explanation"])

    def accepted(self) -> dict[str, Any]:
        """What was typed, as the action takes it."""
        return action_arguments(super().accepted())
