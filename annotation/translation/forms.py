"""Forms of leads for targets: adding many at once, and the name and explanation of one."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.core.models.project import Target
from annotation.text import word_list
from annotation.text.word_list import LONGEST_LIST, Word, WordListError
from annotation.translation.actions.targets import LONGEST_DESCRIPTION
from annotation.translation.rules.target_lines import LONGEST_NAME, MOST_TARGETS, LineFault
from annotation.ui.fields import TYPED, area_field, hidden_number, line_field


class TargetLinesForm(forms.Form):
    """Targets, one a line; `faults` are the lines that name none."""

    lines = area_field(
        _("Targets, one a line"),
        MOST_TARGETS * 200,
        12,
        _(
            "A language code of two or three letters; after a comma a register, where the language has several: "
            "jv, ngoko. The name of the language is filled in."
        ),
        spellcheck="false",
        **TYPED,
    )
    faults: tuple[LineFault, ...] = ()


class TargetForm(forms.Form):
    """What a target is called and explained by; `version` is the target's, as the page showed it."""

    version = hidden_number()
    name = line_field(_("Name of the language"), LONGEST_NAME)
    register = line_field(
        _("Register"),
        LONGEST_NAME,
        _("Where the language has several. The target's key stays as it is."),
        required=False,
    )
    description = area_field(
        _("When it is used"),
        LONGEST_DESCRIPTION,
        3,
        _("To whom one speaks like this, and what it is not. Translators and reviewers see it."),
        required=False,
        **TYPED,
    )
    words = area_field(
        _("Word list"),
        LONGEST_LIST,
        10,
        _(
            "Words of this register, one a line: word = what it stands for. They are hints while translating, and by "
            "them words of another register are noticed. At most 500."
        ),
        required=False,
        spellcheck="false",
        **TYPED,
    )

    def clean_words(self) -> tuple[Word, ...]:
        """The list as `annotation.text.word_list` reads it; a line that is wrong is named."""
        try:
            return word_list.parse(self.cleaned_data["words"])
        except WordListError as error:
            fault = {"line": error.line, "reason": gettext(error.reason)}
            raise forms.ValidationError(gettext("Line %(line)d: %(reason)s.") % fault) from error


def initial_of(target: Target) -> dict[str, Any]:
    """A target as its form shows it."""
    return {
        "version": target.version,
        "name": target.name,
        "register": target.register,
        "description": target.description,
        "words": word_list.text_of(target.words),
    }
