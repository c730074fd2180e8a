"""Rules as pages show them, from their declarations (annotation.core.rules.fields): one form, and values as words."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundField
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.translation import gettext

from annotation.core.rules.fields import FieldError, Rule, Rules
from annotation.ui.fields import TYPED, FigureField, WholeNumberField, area_field
from annotation.ui.typed_numbers import number_text

LONGEST_LINE = 2_000


@dataclass(frozen=True)
class Group:
    """Fields that stand together; `changed_count` of them differ from the preset. Those without a title are shown
    first.
    """

    title: str
    fields: list[BoundField]
    changed_count: int

    @property
    def has_errors(self) -> bool:
        """Whether one of them is refused."""
        return any(each.errors for each in self.fields)

    @property
    def is_open(self) -> bool:
        """Whether the group is open: one of its fields is refused, or has to be filled and is not."""
        empty = (each.field.required and each.value() in (None, "") for each in self.fields)
        return self.has_errors or any(empty)


def reason_of(error: FieldError) -> str:
    """Why a value is refused, in the reader's language."""
    return gettext(error.reason) % error.params if error.params else gettext(error.reason)


def words_of(rule: Rule, value: Any) -> str:
    """A value as people read it."""
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    words = rule.choices.get(value) if rule.choices else None
    if words is None and value == "":
        words = rule.empty
    return gettext(words) if words else str(value)


def in_words(rules: Rules, names: Collection[str]) -> dict[str, str]:
    """These rules, by field, as people read them."""
    declared = rules.declared()
    return {name: words_of(declared[name], getattr(rules, name)) for name in names}


def named_values(rules: Rules, names: Collection[str]) -> list[tuple[str, str]]:
    """These rules as a page lists them: what each is called and what it says."""
    declared = rules.declared()
    return [(gettext(declared[name].title), words) for name, words in in_words(rules, names).items()]


class CommaField(forms.CharField):
    """A list, with commas between its entries."""

    def to_python(self, value: Any) -> Any:
        """The entries as texts."""
        return tuple(part.strip() for part in (super().to_python(value) or "").split(",") if part.strip())

    def run_validators(self, value: Any) -> None:
        """The rule checks the entries."""


class RulesForm(forms.Form):
    """Some fields of a class of rules as they are declared, after those that the form has of its own.

    `stands` is what the form shows first, `usual` what a preset says: what differs from it is marked. A field that is
    not sent stays as it is, except a box: one that is not ticked is never sent. When the form is valid, `rules` are
    `stands` with what was sent.
    """

    def __init__(
        self,
        sent: Any = None,
        *,
        stands: Rules,
        names: Collection[str],
        usual: Rules | None = None,
        initial: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        self.stands, self.usual, self.names = stands, usual, tuple(names)
        self.rules: Any = stands
        known = {name: as_sent(getattr(stands, name)) for name in self.names}
        super().__init__(sent, initial={**known, **(initial or {})}, **kwargs)
        declared, defaults = stands.declared(), {each.name: each.default for each in fields(stands)}
        for name in self.names:
            self.fields[name] = self.field_of(name, declared[name], defaults[name])
        if self.is_bound:
            self.data = self._completed(sent.copy(), known)

    def _completed(self, data: Any, known: Mapping[str, Any]) -> Any:
        """What was sent, with what stands for the fields that were not."""
        for name in self.names:
            sent, field = self.add_prefix(name), self.fields[name]
            if sent in data or isinstance(field, forms.BooleanField):
                continue
            shown = field.prepare_value(known[name])
            if isinstance(shown, list):
                data.setlist(sent, shown)
            else:
                data[sent] = shown
        return data

    def field_of(self, name: str, rule: Rule, default: Any) -> forms.Field:
        """The form's field for a rule."""
        return field_of(rule, default)

    def clean(self) -> dict[str, Any]:
        """Read the rules from the fields."""
        cleaned = super().clean() or {}
        if not self.errors:
            try:
                self.rules = self.stands.changed({name: cleaned[name] for name in self.names})
            except FieldError as error:
                self.add_error(error.field if error.field in self.fields else None, reason_of(error))
        return cleaned

    @cached_property
    def groups(self) -> list[Group]:
        """The fields by group, those without one first; `help_text` says where one differs from the preset."""
        declared, found = self.stands.declared(), dict[str, list[BoundField]]({"": []})
        changed = dict.fromkeys(("", *(rule.group for rule in declared.values())), 0)
        for name in self.fields:
            group = declared[name].group if name in self.names else ""
            found.setdefault(group, []).append(self[name])
            if name in self.names and self.usual is not None:
                here, usual = getattr(self.rules, name), getattr(self.usual, name)
                changed[group] += here != usual
                self[name].help_text = self._help(name, declared[name], here, usual)
        return [Group(gettext(title) if title else "", those, changed[title]) for title, those in found.items()]

    def _help(self, name: str, rule: Rule, here: Any, usual: Any) -> Any:
        own = self.fields[name].help_text
        if here == usual:
            return own
        if rule.lines:
            return format_html("{} <strong>{}</strong>", own, gettext("Differs from the preset."))
        preset_text = gettext("The preset says: %(value)s.") % {"value": words_of(rule, usual) or "–"}
        return format_html("{} <strong>{}</strong>", own, preset_text)


def as_sent(value: Any) -> Any:
    """A value as a form shows it and sends it back."""
    return words_of(Rule("", ""), value) if isinstance(value, tuple) else value


def field_of(rule: Rule, default: Any) -> forms.Field:
    """The form's field for a rule with this default: its name, explanation, bounds and choices."""
    limits = rule.limits
    common: dict[str, Any] = {"label": gettext(rule.title), "help_text": gettext(rule.help)}
    if rule.choices:
        choices = [(value, gettext(words)) for value, words in rule.choices.items()]
        return forms.ChoiceField(choices=choices, required="" not in rule.choices, **common)
    if isinstance(default, bool):
        return forms.BooleanField(required=False, **common)
    if isinstance(default, float):
        return FigureField(min_value=limits.get("ge"), max_value=limits.get("le"), **common)
    if "ge" in limits:
        return WholeNumberField(min_value=limits["ge"], max_value=limits.get("le"), **common)
    required = bool(limits.get("min_length"))
    if rule.lines:
        field = area_field(common["label"], limits["max_length"], 6, common["help_text"], required=False)
    elif isinstance(default, str):
        widget = forms.TextInput(attrs=TYPED)
        field = forms.CharField(max_length=limits["max_length"], required=required, widget=widget, **common)
    else:
        field = CommaField(max_length=LONGEST_LINE, required=required, **common)
    if rule.reads is not None:
        field.validators.append(_validator(rule.reads))
    return field


def _validator(reads: Callable[[str], object]) -> Callable[[str], None]:
    def validated(text: str) -> None:
        try:
            reads(text)
        except FieldError as error:
            raise ValidationError(reason_of(error)) from error

    return validated
