"""What administrators send about label checks."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.validators import validate_slug
from django.utils.translation import gettext_lazy as _

from annotation.core.models.project import Target
from annotation.translation.models import SourceSet
from validation.studies.actions.label_checks import MOST_VOTERS

MOST_ROWS = 10_000


class LabelCheckForm(forms.Form):
    """A new label check: of which translations, how many rows, by how many people each."""

    target = forms.ChoiceField(label=_("Target"))
    source_set = forms.ChoiceField(label=_("Source set"))
    size = forms.IntegerField(
        label=_("Rows"),
        min_value=1,
        max_value=MOST_ROWS,
        initial=100,
        help_text=_("All, where there are fewer."),
    )
    people = forms.IntegerField(
        label=_("People for each row"),
        min_value=1,
        max_value=MOST_VOTERS,
        initial=3,
        help_text=_("What more than half of them say is its label in the target."),
    )
    slug = forms.CharField(
        label=_("Short name of the project in which they are judged"),
        max_length=60,
        validators=[validate_slug],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=_("Small letters, digits and hyphens. It never changes."),
    )

    def __init__(
        self, *args: Any, targets: Iterable[Target] = (), sets: Iterable[SourceSet] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        chosen = {
            "target": [(target.key, target.title) for target in targets],
            "source_set": [(each.key, each.name) for each in sets],
        }
        for name, choices in chosen.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
            field.choices = choices
