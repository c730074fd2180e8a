"""What administrators say of endpoints, and of what a project may spend on them."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.generation.actions.endpoints import (
    MOST_AT_ONCE,
    MOST_BUDGET,
    MOST_PER_MINUTE,
    MOST_PRICE,
    MOST_SECONDS,
)
from annotation.generation.llm import guard, sealing
from annotation.generation.llm.parameters import BY_WHAT
from annotation.generation.models import Endpoint
from annotation.pay.rules import CURRENCIES

_CURRENCIES = [(code, f"{code} – {name}") for code, name in CURRENCIES.items()]


def lines_of(parameters: Mapping[str, Any]) -> str:
    """Parameters as they are typed: one a line."""
    return "\n".join(f"{name} = {json.dumps(value)}" for name, value in parameters.items())


class ParametersField(forms.CharField):
    """Parameters, one a line: `temperature = 0.7`. Numbers, words, lists in JSON."""

    widget = forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "autocapitalize": "off"})

    def clean(self, value: Any) -> dict[str, Any]:
        found = {}
        for line in super().clean(value).splitlines():
            name, equals, typed = (part.strip() for part in line.partition("="))
            if not line.strip():
                continue
            if not equals or not name or not typed:
                raise ValidationError(_("Write one parameter a line, as in “temperature = 0.7”."))
            try:
                found[name] = json.loads(typed)
            except ValueError:
                found[name] = typed
            except RecursionError as error:
                raise ValidationError(_("Write one parameter a line, as in “temperature = 0.7”.")) from error
        return found


def _price(label: Any) -> forms.DecimalField:
    return forms.DecimalField(
        label=label, min_value=Decimal(0), max_value=MOST_PRICE, decimal_places=6, initial=Decimal(0)
    )


class EndpointForm(forms.Form):
    """An endpoint; its key goes in here and never comes out."""

    name = forms.CharField(
        label=_("Name"), max_length=80, help_text=_("What project administrators choose it by.")
    )
    what = forms.ChoiceField(label=_("What it does"), choices=Endpoint.What.choices)
    address = forms.CharField(
        label=_("Address"),
        max_length=guard.LONGEST,
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "url", "placeholder": "https://host/v1"}),
        help_text=_(
            "Without the last part: /chat/completions, /embeddings or /translate is added. Left empty, the endpoint "
            "answers only what was recorded before."
        ),
    )
    model = forms.CharField(
        label=_("Model"), max_length=200, required=False, help_text=_("As the endpoint calls it.")
    )
    key = forms.CharField(
        label=_("Key"),
        max_length=sealing.LONGEST,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    remove_key = forms.BooleanField(label=_("Remove the key that is kept"), required=False)
    parameters = ParametersField(label=_("Parameters"), required=False)
    price_in = _price(_("Price of a million tokens sent"))
    price_out = _price(_("Price of a million tokens answered"))
    currency = forms.ChoiceField(label=_("Currency"), choices=_CURRENCIES, initial="USD")
    seconds = forms.IntegerField(
        label=_("Seconds that an answer may take"), min_value=1, max_value=MOST_SECONDS, initial=60
    )
    at_once = forms.IntegerField(label=_("Calls at once"), min_value=1, max_value=MOST_AT_ONCE, initial=4)
    per_minute = forms.IntegerField(
        label=_("Calls a minute"), min_value=1, max_value=MOST_PER_MINUTE, initial=60
    )
    version = forms.IntegerField(widget=forms.HiddenInput, initial=0)

    def __init__(self, *args: Any, endpoint: Endpoint | None = None, **more: Any) -> None:
        super().__init__(*args, **more)
        what = endpoint.what if endpoint else Endpoint.What.CHAT.value
        named = BY_WHAT[what] if endpoint else {name for each in BY_WHAT.values() for name in each}
        self.fields["parameters"].help_text = _(
            "One a line, as in “temperature = 0.7”. Known: %(names)s."
        ) % {"names": ", ".join(sorted(named)) or "–"}
        self.fields["price_in"].help_text = _(
            "Of translations and embeddings: of a million characters. 0: it costs nothing."
        )
        if endpoint is not None:
            self.fields["what"].disabled = True
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
    found = {name: getattr(endpoint, name) for name in names}
    prices = {name: getattr(endpoint, name).normalize() + 0 for name in ("price_in", "price_out")}
    return found | prices | {"parameters": lines_of(endpoint.parameters)}


class LimitForm(forms.Form):
    """What a project may spend on endpoints in all, and how fast."""

    budget = forms.DecimalField(
        label=_("Budget"),
        min_value=Decimal(0),
        max_value=MOST_BUDGET,
        decimal_places=4,
        help_text=_(
            "For all runs of the project together. What a call may cost at most is set aside before it is sent, so it "
            "is never overspent. 0: only endpoints that cost nothing are asked."
        ),
    )
    currency = forms.ChoiceField(
        label=_("Currency"),
        choices=_CURRENCIES,
        initial="USD",
        help_text=_("Endpoints that are paid in another currency are not asked."),
    )
    per_minute = forms.IntegerField(
        label=_("Calls a minute"),
        min_value=1,
        max_value=MOST_PER_MINUTE,
        initial=60,
        help_text=_("Of the project, at all endpoints together; each endpoint has a limit of its own too."),
    )
    seen = forms.DateTimeField(widget=forms.HiddenInput, required=False)
