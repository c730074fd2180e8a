"""What administrators say about a project, and members about themselves."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from annotation.core.database import now
from annotation.core.messages import problem_words
from annotation.datasheet.actions import LONGEST_CITATION, LONGEST_CONSENT
from annotation.datasheet.models import About
from annotation.datasheet.rules import (
    CHOICES,
    FIELDS,
    LARGEST_THRESHOLD,
    LONGEST_ANSWER,
    LONGEST_LINE,
    LONGEST_SECTION,
    QUESTIONS,
    SECTIONS,
    THRESHOLD,
    wrong_values,
)
from annotation.ui.fields import area_field, hidden_number, line_field, whole_number_field

# Shown as one types; any other words can be written too. Names as SPDX has them.
LICENCES = (
    *("CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0"),
    *("ODC-By-1.0", "ODbL-1.0", "Apache-2.0", "MIT"),
)
PLAIN_FIELDS = ("licence", "citation", "homepage", "ethics_board", "ethics_number", "threshold")


class AboutForm(forms.Form):
    """The statements of releases about a project; `version` is the one that the page showed."""

    version = hidden_number()
    licence = line_field(
        _("Licence"),
        80,
        _("Of what people wrote here: its name as SPDX has it (CC-BY-4.0). Licences of sources are listed beside it."),
        required=False,
        list="licences",
        autocomplete="on",
    )
    citation = area_field(
        _("Citation"),
        LONGEST_CITATION,
        6,
        _("How to cite the data set: BibTeX, or a sentence."),
        required=False,
    )
    homepage = line_field(_("Home page"), 200, _("Where more is to be read, beginning with https://."), required=False)
    ethics_board = line_field(_("Ethics board"), 200, _("Which board approved the work with people."), required=False)
    ethics_number = line_field(_("Number of the approval"), 80, required=False)
    threshold = whole_number_field(
        _("Smallest group of people"),
        1,
        LARGEST_THRESHOLD,
        _(
            "Releases count what people said about themselves in groups of at least so many. Below 5 only where "
            "everybody in a table agreed to it; the card says so."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, (title, help_text) in SECTIONS.items():
            field = area_field(gettext(title), LONGEST_SECTION, 4, gettext(help_text), required=False)
            self.fields[f"section-{name}"] = field
        for name, (title, help_text, is_line) in QUESTIONS.items():
            words, extra = gettext(title), gettext(help_text)
            self.fields[f"answer-{name}"] = (
                line_field(words, LONGEST_LINE, extra, required=False)
                if is_line
                else area_field(words, LONGEST_SECTION, 3, extra, required=False)
            )

    def clean(self) -> dict[str, Any]:
        """Say of all addresses and days what is wrong with them, at once."""
        sent = self.cleaned_data
        answers = {name: sent.get(f"answer-{name}", "") for name in QUESTIONS}
        for name, code in wrong_values(sent.get("homepage", ""), answers, now().date()).items():
            self.add_error(name if name in self.fields else f"answer-{name}", problem_words(code))
        return sent

    @property
    def plain(self) -> list[forms.BoundField]:
        """The fields beside the statement."""
        return [self[name] for name in ("version", *PLAIN_FIELDS)]

    @property
    def sections(self) -> list[forms.BoundField]:
        """The fields of the statement."""
        return [self[f"section-{name}"] for name in SECTIONS]

    @property
    def questions(self) -> list[forms.BoundField]:
        """The fields of what reviewers ask."""
        return [self[f"answer-{name}"] for name in QUESTIONS]

    def changes(self) -> dict[str, Any]:
        """What was sent, as `about_change` takes it."""
        sent = self.cleaned_data
        return {name: sent[name] for name in PLAIN_FIELDS} | {
            "statement": {name: sent[f"section-{name}"] for name in SECTIONS},
            "answers": {name: sent[f"answer-{name}"] for name in QUESTIONS},
        }


def initial_of(about: About) -> dict[str, Any]:
    """What stands, as the form shows it."""
    shown = {name: getattr(about, name) for name in PLAIN_FIELDS} | {"version": about.version if about.pk else 0}
    shown |= {f"section-{name}": about.statement.get(name, "") for name in SECTIONS}
    return shown | {f"answer-{name}": about.answers.get(name, "") for name in QUESTIONS}


class ConsentForm(forms.Form):
    """A new version of what members agree to; `seen` is the number of the one that the page showed."""

    seen = hidden_number()
    text = area_field(
        _("Text"),
        LONGEST_CONSENT,
        12,
        _(
            "In Markdown. Members read it before they say anything about themselves: what is kept, what for, who "
            "sees it, that it is optional and can be taken back."
        ),
    )
    asks = forms.ChoiceField(
        label=_("Who agreed before"),
        choices=[
            ("again", _("is asked again: the meaning is new")),
            ("stays", _("need not be asked: the meaning is the same")),
        ],
        widget=forms.RadioSelect,
    )


class DemographicsForm(forms.Form):
    """What a member says about themselves; every field may stay empty."""

    def __init__(self, *args: Any, least: int = THRESHOLD, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, title in FIELDS.items():
            self.fields[name] = _answer_field(name, gettext(title))
        self.fields["region"].help_text = gettext(
            "Answers are compared by region too, so administrators see it and can enter it for you."
        )
        if least < THRESHOLD:
            self.fields["small"] = forms.BooleanField(
                label=gettext("I may be counted in groups of fewer than five people, down to %(n)d.") % {"n": least},
                required=False,
                help_text=gettext(
                    "In so small a group somebody who knows the team may guess who is meant. Smaller groups than five "
                    "are shown only if everybody in the table agrees."
                ),
            )

    def answers(self) -> Mapping[str, str]:
        """What was sent about each field."""
        return {name: self.cleaned_data[name] for name in FIELDS}


def _answer_field(name: str, label: str) -> forms.Field:
    if name not in CHOICES:
        return line_field(label, LONGEST_ANSWER, required=False)
    choices: list[tuple[str, Any]] = [("", pgettext_lazy("demographics", "not said"))]
    choices += [(value, gettext(words)) for value, words in CHOICES[name]]
    return forms.ChoiceField(label=label, choices=choices, required=False)
