"""Forms for messages of a thread, and for publishing an answer."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.core.models.project import GuidelineVersion
from annotation.ui.fields import area_field
from validation.questions.actions import LONGEST


class AskForm(forms.Form):
    """A question; what it is about is in hidden fields, or a section that is chosen."""

    assignment = forms.CharField(required=False, widget=forms.HiddenInput)
    item = forms.CharField(required=False, widget=forms.HiddenInput)
    role = forms.CharField(required=False, widget=forms.HiddenInput)
    text = area_field(_("Your question"), LONGEST, 4, _("Only the QC leads and you can read it."))

    def __init__(self, *args: Any, sections: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if sections:
            choices = [("", _("The guidelines as a whole")), *((name, name) for name in sections)]
            self.fields["section"] = forms.ChoiceField(label=_("About"), choices=choices, required=False)
            self.order_fields(["section", "text"])


class ReplyForm(forms.Form):
    """One more message."""

    text = area_field(_("Your words"), LONGEST, 4)


class PublishForm(forms.Form):
    """A question and its answer as everybody is to read them."""

    question = area_field(
        _("Question"), LONGEST, 3, _("For everybody: say nothing of who asked, of authors, labels or votes.")
    )
    answer = area_field(_("Answer"), LONGEST, 5)
    roles = forms.MultipleChoiceField(
        label=_("Into the guidelines for"),
        choices=GuidelineVersion.Role.choices,
        widget=forms.CheckboxSelectMultiple,
    )
