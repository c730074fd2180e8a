"""What administrators send about machine writing: a new run, a changed instruction."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.generation.models import Endpoint
from annotation.generation.rules.instructions import LONGEST
from annotation.generation.rules.recipes.base import Recipe, Step

LONGEST_SEED = 80
NAMES: Mapping[str, Any] = {
    "temperature": _("temperature"),
    "top_p": _("top-p"),
    "seed": _("seed"),
    "max_tokens": _("most tokens of an answer"),
}


class RunForm(forms.Form):
    """A new run: for each step the endpoint that is asked and its parameters, how many sources, and its seed."""

    name = forms.CharField(label=_("Name"), max_length=120)
    count = forms.IntegerField(min_value=1)
    fresh = forms.BooleanField(required=False)
    stepwise = forms.BooleanField(
        label=_("Step by step"),
        required=False,
        help_text=_("It stops after each step; you see what the step did before you go on."),
    )
    makes = forms.ChoiceField(
        label=_("What becomes of its questions"),
        widget=forms.RadioSelect,
        choices=[
            ("items", _("they become items of the project, and people see them")),
            ("none", _("they are only there to compare this run with another one")),
        ],
        initial="items",
    )
    seed = forms.CharField(
        label=_("Seed"),
        max_length=LONGEST_SEED,
        required=False,
        help_text=_("Every draw of the run follows from it. Left empty: that of the project."),
    )

    def __init__(
        self, *args: Any, recipe: Recipe, endpoints: Sequence[Endpoint], there: int, **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self.recipe = recipe
        self.fields["count"].label = gettext("How many %(sources)s") % {
            "sources": gettext(recipe.material_plural)
        }
        self.fields["count"].help_text = gettext("There are %(n)d. The first in drawn order are taken.") % {
            "n": there
        }
        self.fields["fresh"].label = gettext("Only %(sources)s that no run has made items from yet") % {
            "sources": gettext(recipe.material_plural)
        }
        for step in recipe.steps:
            if step.asked:
                self._add(step, [each for each in endpoints if each.what == step.asked])

    def _add(self, step: Step, endpoints: Sequence[Endpoint]) -> None:
        nobody = gettext("– leave this step out –") if step.optional else gettext("– choose –")
        choices = [(str(each.pk), f"{each.name} ({each.model})") for each in endpoints]
        first = choices[0][0] if len(choices) == 1 and not step.optional else ""
        self.fields[f"endpoint-{step.slug}"] = forms.ChoiceField(
            label=_("Endpoint"),
            choices=[("", nobody), *choices],
            required=not step.optional,
            initial=first,
        )
        for name, value in step.parameters.items():
            self.fields[f"{name}-{step.slug}"] = _parameter(name, value)

    def parts(self) -> Iterator[tuple[Step, forms.BoundField, list[forms.BoundField]]]:
        """Each step that asks, with the field of its endpoint and those of its parameters."""
        for step in self.recipe.steps:
            if step.asked:
                more = [self[f"{name}-{step.slug}"] for name in step.parameters]
                yield step, self[f"endpoint-{step.slug}"], more

    def chosen(self, endpoints: Sequence[Endpoint]) -> dict[str, Endpoint]:
        """The endpoints of the steps that have one; also of a form that is not filled in whole."""
        by_key = {str(each.pk): each for each in endpoints}
        found = {step.slug: by_key.get(str(field.value() or "")) for step, field, _more in self.parts()}
        return {slug: endpoint for slug, endpoint in found.items() if endpoint is not None}

    def parameters(self) -> dict[str, dict[str, float]]:
        """The parameters of each step; one that is left empty is that of the recipe."""
        sent = self.cleaned_data
        return {
            step.slug: {
                name: sent[f"{name}-{step.slug}"]
                for name in step.parameters
                if sent.get(f"{name}-{step.slug}") is not None
            }
            for step in self.recipe.steps
            if step.asked
        }


def _parameter(name: str, value: float) -> forms.Field:
    label = NAMES.get(name, name)
    if isinstance(value, int):
        return forms.IntegerField(label=label, initial=value, required=False)
    return forms.FloatField(label=label, initial=value, required=False, min_value=0, max_value=10)


class InstructionForm(forms.Form):
    """A changed instruction; `version` is the number that the page showed, 0 for the text of the house."""

    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    text = forms.CharField(
        label=_("Text"),
        max_length=LONGEST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 18, "dir": "auto", "spellcheck": "false"}),
    )
    note = forms.CharField(
        label=_("What changed"),
        max_length=300,
        required=False,
        help_text=_("One line, shown beside the version."),
    )
