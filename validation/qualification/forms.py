"""The forms of the pages of the quiz."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.ui.fields import area
from validation.qualification.actions import LONGEST
from validation.quality.actions.gold import Known
from validation.quality.forms import GoldForm, UnanimousForm

USES = [("quiz", _("Quiz")), ("training", _("Training round"))]


def _use() -> forms.ChoiceField:
    return forms.ChoiceField(label=_("For"), choices=USES, initial="quiz")


class DrawForm(UnanimousForm):
    """How many items are drawn, and what for."""

    use = _use()


class QuizForm(GoldForm):
    """One item, what counts as right, why, and what for."""

    explanation = area(
        _("Why that is right"), LONGEST, 3, _("Shown after the attempt, or after the answer."), required=False
    )
    use = _use()

    def __init__(self, *args: Any, known: Known, **kwargs: Any) -> None:
        super().__init__(*args, known=known, **kwargs)
        right = [name for name in self.fields if name.startswith("accepted")]
        self.order_fields(["use", *right, "explanation"])

    def accepted(self) -> dict[str, Any]:
        """What was typed, as the action takes it."""
        data = super().accepted()
        use = data.pop("use")
        return {**data, "training": use == "training"}
