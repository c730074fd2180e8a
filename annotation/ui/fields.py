"""The fields that most forms are made of."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from annotation.ui.typed_numbers import TypedNumberError, number_text, read_number

# Text in any script, which no browser fills in.
TYPED: dict[str, Any] = {"dir": "auto", "autocomplete": "off"}


def line_field(label: Any, longest: int, help: Any = "", *, required: bool = True, **attrs: str) -> forms.CharField:
    """One line that somebody types."""
    widget = forms.TextInput(attrs={**TYPED, **attrs})
    return forms.CharField(label=label, max_length=longest, required=required, help_text=help, widget=widget)


def area_field(
    label: Any, longest: int, rows: int, help: Any = "", *, required: bool = True, strip: bool = True, **attrs: str
) -> forms.CharField:
    """Several lines that somebody types; blanks around them are theirs where they are not stripped."""
    widget = forms.Textarea(attrs={"rows": rows, "dir": "auto", **attrs})
    given: dict[str, Any] = {"label": label, "max_length": longest, "required": required, "help_text": help}
    return forms.CharField(widget=widget, strip=strip, **given)


class _Typed:
    """A number that is read, and shown, as the page's language writes it (`annotation.ui.typed_numbers`)."""

    keys = "decimal"

    def __init__(self, **more: Any) -> None:
        # No input of type "number": browsers make of “1.500” what their own language says, and send that.
        super().__init__(**{"widget": forms.TextInput(attrs={"inputmode": self.keys, "autocomplete": "off"}), **more})

    def to_python(self, value: Any) -> Any:
        """The number that was typed."""
        if isinstance(value, str) and value.strip():
            try:
                value = f"{read_number(value):f}"
            except TypedNumberError as error:
                raise ValidationError(gettext(error.reason) % error.params, code="invalid") from error
        return super().to_python(value)  # type: ignore[misc]

    def prepare_value(self, value: Any) -> Any:
        """What is stored as the language writes it; what was typed as it was."""
        return number_text(value) if isinstance(value, float | Decimal) else value


class WholeNumberField(_Typed, forms.IntegerField):
    """A whole number that somebody types."""

    keys = "numeric"


class NumberField(_Typed, forms.DecimalField):
    """A number that somebody types, kept exactly."""


class FigureField(_Typed, forms.FloatField):
    """A number that somebody types, kept as machines count."""


def whole_number_field(label: Any, least: int, most: int, help: Any = "", **more: Any) -> WholeNumberField:
    """A whole number that somebody types, between two bounds."""
    return WholeNumberField(label=label, min_value=least, max_value=most, help_text=help, **more)


def hidden_number() -> forms.IntegerField:
    """The version, or the number of one, that the page showed."""
    return forms.IntegerField(min_value=0, widget=forms.HiddenInput)
