"""What people send about machine writing: endpoints and budgets, files of questions, runs, changed instructions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.core import sealing
from annotation.core.messages import problem_words
from annotation.generation.actions.endpoints import (
    MOST_AT_ONCE,
    MOST_BUDGET,
    MOST_PER_MINUTE,
    MOST_PRICE,
    MOST_SECONDS,
)
from annotation.generation.llm import guard
from annotation.generation.llm.parameters import ALLOWED_PARAMETERS
from annotation.generation.models import Endpoint
from annotation.generation.rules.finished_questions import LONGEST_SPLIT
from annotation.generation.rules.instructions import LONGEST_TEXT
from annotation.generation.rules.recipes.base import Recipe, Step
from annotation.pay.rules import CURRENCIES
from annotation.ui.fields import FigureField, NumberField, WholeNumberField, hidden_number, line_field

# What a request reads at once; CommonsenseQA's training part has 3.8 MB.
MOST_BYTES = 32 << 20
_CURRENCIES = [(code, f"{code} – {name}") for code, name in CURRENCIES.items()]
_PARAMETERS: Mapping[str, Any] = {
    "temperature": _("temperature"),
    "top_p": _("top-p"),
    "seed": _("seed"),
    "max_tokens": _("most tokens of an answer"),
}


def parameters_as_lines(parameters: Mapping[str, Any]) -> str:
    """Parameters as they are typed: one a line."""
    return "\n".join(f"{name} = {json.dumps(value)}" for name, value in parameters.items())


class ParametersField(forms.CharField):
    """Parameters, one a line: `temperature = 0.7`. Numbers, words, lists in JSON."""

    widget = forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "autocapitalize": "off"})

    def clean(self, value: Any) -> dict[str, Any]:
        parameters = {}
        for row in super().clean(value).splitlines():
            name, equals, typed = (part.strip() for part in row.partition("="))
            if not row.strip():
                continue
            try:
                parameters[name] = json.loads(typed)
            except ValueError:
                parameters[name] = typed
            except RecursionError:
                name = ""
            if not equals or not name or not typed:
                raise ValidationError(_("Write one parameter a line, as in “temperature = 0.7”."))
        return parameters


def _amount(label: Any, most: Decimal, places: int, help: Any = "", **more: Any) -> NumberField:
    given = {"label": label, "help_text": help, **more}
    return NumberField(min_value=Decimal(0), max_value=most, decimal_places=places, **given)


def _price(label: Any, help: Any = "") -> NumberField:
    return _amount(label, MOST_PRICE, 6, help, initial=Decimal(0))


def _count(label: Any, most: int, initial: int, help: Any = "") -> WholeNumberField:
    return WholeNumberField(label=label, min_value=1, max_value=most, initial=initial, help_text=help)


def _currency(help: Any = "") -> forms.ChoiceField:
    return forms.ChoiceField(label=_("Currency"), choices=_CURRENCIES, initial="USD", help_text=help)


class EndpointForm(forms.Form):
    """An endpoint; its key goes in here and never comes out."""

    name = line_field(_("Name"), 80, _("What project administrators choose it by."))
    what = forms.ChoiceField(label=_("What it does"), choices=Endpoint.What.choices)
    address = forms.CharField(
        label=_("Address"),
        max_length=guard.LONGEST_ADDRESS,
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "url", "placeholder": "https://host/v1"}),
        help_text=_(
            "Without the last part: /chat/completions, /embeddings or /translate is added. Left empty, the endpoint "
            "answers only what was recorded before."
        ),
    )
    model = line_field(_("Model"), 200, _("As the endpoint calls it."), required=False)
    key = forms.CharField(
        label=_("Key"),
        max_length=sealing.LONGEST_KEY,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    remove_key = forms.BooleanField(label=_("Remove the key that is kept"), required=False)
    parameters = ParametersField(label=_("Parameters"), required=False)
    price_in = _price(
        _("Price of a million tokens sent"),
        _("Of translations and embeddings: of a million characters. 0: it costs nothing."),
    )
    price_out = _price(_("Price of a million tokens answered"))
    currency = _currency()
    seconds = _count(_("Seconds that an answer may take"), MOST_SECONDS, 60)
    at_once = _count(_("Calls at once"), MOST_AT_ONCE, 4)
    per_minute = _count(_("Calls a minute"), MOST_PER_MINUTE, 60)
    version = forms.IntegerField(widget=forms.HiddenInput, initial=0)

    def __init__(self, *args: Any, endpoint: Endpoint | None = None, **more: Any) -> None:
        super().__init__(*args, **more)
        what = endpoint.what if endpoint else Endpoint.What.CHAT.value
        named = (
            ALLOWED_PARAMETERS[what] if endpoint else {name for each in ALLOWED_PARAMETERS.values() for name in each}
        )
        self.fields["parameters"].help_text = _("One a line, as in “temperature = 0.7”. Known: %(names)s.") % {
            "names": ", ".join(sorted(named)) or "–"
        }
        self.fields["what"].disabled = endpoint is not None
        if endpoint is None or not endpoint.key_sealed:
            del self.fields["remove_key"]
            self.fields["key"].help_text = _("Kept sealed, for this address alone, and never shown again.")
        else:
            self.fields["key"].help_text = _(
                "A key is kept for this address. Type one only to put it in its place; another address removes it."
            )


def initial_of(endpoint: Endpoint) -> dict[str, Any]:
    """What the form shows of an endpoint: never its key."""
    names = ("name", "what", "address", "model", "currency", "seconds", "at_once", "per_minute", "version")
    values = {name: getattr(endpoint, name) for name in names}
    prices = {name: getattr(endpoint, name).normalize() + 0 for name in ("price_in", "price_out")}
    return values | prices | {"parameters": parameters_as_lines(endpoint.parameters)}


class LimitForm(forms.Form):
    """What a project may spend on endpoints in all, and how fast."""

    budget = _amount(
        _("Budget"),
        MOST_BUDGET,
        4,
        _(
            "For all runs of the project together. What a call may cost at most is set aside before it is sent, so it "
            "is never overspent. 0: only endpoints that cost nothing are asked."
        ),
    )
    currency = _currency(_("Endpoints that are paid in another currency are not asked."))
    per_minute = _count(
        _("Calls a minute"),
        MOST_PER_MINUTE,
        60,
        _("Of the project, at all endpoints together; each endpoint has a limit of its own too."),
    )
    seen = forms.DateTimeField(widget=forms.HiddenInput, required=False)


class QuestionsForm(forms.Form):
    """A file, and the split of rows that name none."""

    file = forms.FileField(
        label=_("File"),
        widget=forms.FileInput(attrs={"accept": ".jsonl,.ndjson,.json,.csv,.tsv,.txt,.gz"}),
        help_text=_(
            "CommonsenseQA's own JSONL, or rows of id, question_concept, question, choices and answer_creator; also "
            "packed with gzip. A row that cannot be used is refused with its number and a reason, the others are taken."
        ),
    )
    split = line_field(
        _("Split"),
        LONGEST_SPLIT,
        _("Of rows that name none, such as train. The adapted question keeps it."),
        required=False,
    )

    def clean_file(self) -> Any:
        sent: UploadedFile[Any] = self.cleaned_data["file"]
        if sent.size is None or sent.size > MOST_BYTES:
            raise forms.ValidationError(problem_words("material_file_large"))
        return sent


class RunForm(forms.Form):
    """A new run: for each step the endpoint that is asked and its parameters, how many sources, and its seed."""

    name = forms.CharField(label=_("Name"), max_length=120)
    count = WholeNumberField(min_value=1)
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
    seed = line_field(
        _("Seed"),
        80,
        _("Every draw of the run follows from it. Left empty: that of the project."),
        required=False,
    )

    def __init__(self, *args: Any, recipe: Recipe, endpoints: Sequence[Endpoint], there: int, **more: Any) -> None:
        super().__init__(*args, **more)
        self.recipe, self.endpoints, self.there = recipe, endpoints, there
        self.asking = [step for step in recipe.steps if step.asked]
        sources = {"sources": gettext(recipe.material_plural)}
        count, fresh = self.fields["count"], self.fields["fresh"]
        count.label = gettext("How many %(sources)s") % sources
        count.help_text = gettext("There are %(n)d. The first in drawn order are taken.") % {"n": there}
        fresh.label = gettext("Only %(sources)s that no run has made items from yet") % sources
        for step in self.asking:
            nobody = gettext("– leave this step out –") if step.optional else gettext("– choose –")
            fitting = [each for each in endpoints if each.what == step.asked]
            choices = [("", nobody), *((str(each.pk), f"{each.name} ({each.model})") for each in fitting)]
            self.fields[f"endpoint-{step.slug}"] = forms.ChoiceField(
                label=_("Endpoint"),
                choices=choices,
                required=not step.optional,
                initial=choices[1][0] if len(choices) == 2 and not step.optional else "",
            )
            for name, value in step.parameters.items():
                self.fields[f"{name}-{step.slug}"] = _parameter(name, value)

    def parts(self) -> Iterator[tuple[Step, forms.BoundField, list[forms.BoundField]]]:
        """Each step that asks, with the field of its endpoint and those of its parameters."""
        for step in self.asking:
            more = [self[f"{name}-{step.slug}"] for name in step.parameters]
            yield step, self[f"endpoint-{step.slug}"], more

    def chosen(self) -> dict[str, Endpoint]:
        """The endpoints of the steps that have one; also of a form that is not filled in whole."""
        by_key = {str(each.pk): each for each in self.endpoints}
        endpoints = {step.slug: by_key.get(str(field.value() or "")) for step, field, _more in self.parts()}
        return {slug: endpoint for slug, endpoint in endpoints.items() if endpoint is not None}

    def parameters(self) -> dict[str, dict[str, float]]:
        """The parameters of each step; one that is left empty is that of the recipe."""
        sent = self.cleaned_data
        return {
            step.slug: {
                name: sent[f"{name}-{step.slug}"]
                for name in step.parameters
                if sent.get(f"{name}-{step.slug}") is not None
            }
            for step in self.asking
        }


def _parameter(name: str, value: float) -> forms.Field:
    label = _PARAMETERS.get(name, name)
    if isinstance(value, int):
        return WholeNumberField(label=label, initial=value, required=False)
    return FigureField(label=label, initial=value, required=False, min_value=0, max_value=10)


class InstructionForm(forms.Form):
    """A changed instruction; `version` is the number that the page showed, 0 for the default text."""

    version = hidden_number()
    text = forms.CharField(
        label=_("Text"),
        max_length=LONGEST_TEXT,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 18, "dir": "auto", "spellcheck": "false"}),
    )
    note = line_field(_("What changed"), 300, _("One line, shown beside the version."), required=False)
