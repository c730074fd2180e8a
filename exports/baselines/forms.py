"""What administrators send about human baselines."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.ui.fields import area, whole
from exports.baselines.actions import LARGEST, LONGEST_TASK, MOST_EXAMPLES, MOST_PEOPLE

SOURCE = "source-"


class BaselineForm(forms.Form):
    """A new human baseline: how many items of what, how many people, and what they read before.

    `sources` are what can be drawn from: a name in the form to what it is called, and the number that stands there.
    """

    people = whole(
        _("People for each item"),
        1,
        MOST_PEOPLE,
        _("What more than half of them say is their answer; else the label that most of the data has."),
    )
    examples = whole(_("Examples"), 0, MOST_EXAMPLES, _("As many of each label. They are never asked."))
    task = area(
        _("What people read before they begin"),
        LONGEST_TASK,
        8,
        _("A short text on the task. They see neither guidelines nor anything else of the project."),
    )

    def __init__(self, *args: Any, sources: Mapping[str, tuple[str, int]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields = {
            SOURCE + name: whole(words, 0, LARGEST, required=False, initial=n)
            for name, (words, n) in sources.items()
        }
        self.fields = {**fields, **self.fields}

    def chosen(self) -> Iterator[tuple[str, int]]:
        """What was chosen of the sources: their names and numbers above 0, in the form's order."""
        for name, value in self.cleaned_data.items():
            if name.startswith(SOURCE) and value:
                yield name.removeprefix(SOURCE), value
