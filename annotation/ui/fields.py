"""The fields that most forms are made of."""

from typing import Any

from django import forms

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


def whole_number_field(label: Any, least: int, most: int, help: Any = "", **more: Any) -> forms.IntegerField:
    """A whole number that somebody types."""
    return forms.IntegerField(label=label, min_value=least, max_value=most, help_text=help, **more)


def hidden_number() -> forms.IntegerField:
    """The version, or the number of one, that the page showed."""
    return forms.IntegerField(min_value=0, widget=forms.HiddenInput)
