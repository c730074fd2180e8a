"""The forms of the pages of the quiz."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.kinds import Kind
from annotation.ui.fields import area
from validation.qualification.actions import LONGEST
from validation.quality.forms import GoldForm, UnanimousForm

USES = [("quiz", _("Quiz")), ("training", _("Training round"))]


def _use() -> forms.ChoiceField:
    return forms.ChoiceField(label=_("For"), choices=USES, initial="quiz")


class DrawForm(UnanimousForm):
    """How many items are drawn, and what for."""

    use = _use()


class ItemForm(GoldForm):
    """One item, what counts as right, why, and what for."""

    explanation = area(
        _("Why that is right"), LONGEST, 3, _("Shown after the attempt, or after the answer."), required=False
    )
    use = _use()

    def __init__(self, *args: Any, kind: Kind, **kwargs: Any) -> None:
        super().__init__(*args, kind=kind, **kwargs)
        self.order_fields(["use", "key", "accepted", "explanation"])
