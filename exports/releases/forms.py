"""The rules of a release as a form shows them and sends them back, and the other projects that it takes along."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms as django_forms
from django.http import QueryDict
from django.utils.html import format_html
from django.utils.translation import gettext

from annotation.core import access as people
from annotation.core.access import Membership
from annotation.core.models.project import Project
from annotation.core.rules.fields import FieldError, Rule
from annotation.ui.rule_forms import RulesForm, as_sent, reason_of
from exports.formats import release as forms
from exports.releases import queries as access
from exports.releases.actions import PartIn
from exports.releases.preview import preview
from exports.releases.rules.settings import (
    NO_FORMS,
    SplitRules,
    fitting,
    layout_of,
    preset,
    rule_names,
    usual,
)

FORMS = "forms"


class ReleaseForm(RulesForm):
    """The rules that mean something for a project's releases; what is typed counts where `chosen` was sent."""

    def __init__(self, sent: Mapping[str, str], *, project: Project, stands: SplitRules) -> None:
        kind = project.kind_spec
        self.project, names = project, rule_names(kind.shape, kind.settings)
        super().__init__(sent if "chosen" in sent else None, stands=stands, usual=stands, names=names)

    def field_of(self, name: str, rule: Rule, default: Any) -> django_forms.Field:
        """The further forms are a registry's."""
        return FormsField(rule) if name == FORMS else super().field_of(name, rule, default)

    def clean(self) -> dict[str, Any]:
        """Look also at what the project has: its targets and its layout."""
        cleaned = super().clean()
        if not self.errors:
            try:
                access.checked(self.project, self.rules)
            except FieldError as error:
                self.add_error(error.field if error.field in self.fields else None, reason_of(error))
        return cleaned

    @property
    def sent(self) -> list[tuple[str, str]]:
        """What a form without fields to type in sends for the same rules."""
        given = {name: as_sent(getattr(self.rules, name)) for name in self.names}
        ticked = self.rules.forms.split() or [form.slug for form in forms.all_forms()]
        boxes = {True: "yes", False: ""}
        plain = [
            (name, boxes[value] if isinstance(value, bool) else str(value))
            for name, value in given.items()
            if name != FORMS
        ]
        return [("preset", self.rules.preset), ("chosen", "1"), *plain, *((FORMS, slug) for slug in ticked)]


class FormsField(django_forms.MultipleChoiceField):
    """A tick for each further form; every one of them is the same as those of later versions too."""

    def __init__(self, rule: Rule) -> None:
        choices = [
            (
                form.slug,
                format_html(
                    '<span>{} <span class="muted small">{}</span></span>',
                    gettext(form.title),
                    gettext(form.help),
                ),
            )
            for form in forms.all_forms()
        ]
        super().__init__(
            choices=choices,
            required=False,
            label=gettext(rule.title),
            help_text=gettext(rule.help),
            widget=django_forms.CheckboxSelectMultiple,
        )

    def prepare_value(self, value: Any) -> Any:
        """The rule as ticks."""
        return [form.slug for form in forms.chosen(value)] if isinstance(value, str) else value

    def valid_value(self, value: str) -> bool:
        """Say whether there is such a form; `none` says that none is ticked."""
        return value == NO_FORMS or super().valid_value(value)

    def clean(self, value: Any) -> str:
        """The ticks as the rule."""
        ticked = [slug for slug in super().clean(value) if slug != NO_FORMS]
        return "" if ticked == [form.slug for form in forms.all_forms()] else " ".join(ticked) or NO_FORMS


_CHANGE = re.compile(r"\s+")
CHOSEN, MINE = "with", "suffix"


@dataclass(frozen=True)
class Other:
    """A further project as the form has it: what was typed, what that comes to, and what is wrong with it."""

    project: Project
    chosen: bool
    suffix: str
    preset: str
    presets: tuple[str, ...]
    changes: str
    rules: SplitRules | None = None
    error: str = ""
    counts: Mapping[str, Any] | None = None

    @property
    def part(self) -> PartIn | None:
        """What is frozen, where it can be."""
        return PartIn(self.project, self.rules, self.suffix) if self.rules is not None else None

    @property
    def sent(self) -> list[tuple[str, str]]:
        """What a form sends to choose it."""
        slug = self.project.slug
        fields = (("suffix", self.suffix), ("preset", self.preset), ("changes", self.changes))
        return [(CHOSEN, slug), *((f"{name}-{slug}", value) for name, value in fields)]


def others(membership: Membership, sent: QueryDict, *, counted: bool = False) -> list[Other]:
    """The projects that an administrator can take along, those that are chosen first; nobody else is offered any."""
    if not membership.is_administrator:
        return []
    wanted = sent.getlist(CHOSEN)
    found = []
    for place in people.memberships(membership.user):
        if place.project.pk != membership.project.pk:
            found.append(_other(place.project, sent, place.project.slug in wanted, counted))
    return sorted(found, key=lambda other: not other.chosen)


def _other(project: Project, sent: Mapping[str, str], chosen: bool, counted: bool) -> Other:
    slug, layout = project.slug, layout_of(project.kind_spec.shape)
    named = sent.get(f"preset-{slug}", "") or usual(layout, project.rules.release).preset
    suffix, changes = sent.get(f"suffix-{slug}", "").strip() or slug, sent.get(f"changes-{slug}", "").strip()
    plain = Other(project, chosen, suffix, named, fitting(layout), changes)
    if not chosen:
        return plain
    try:
        rules = access.checked(project, preset(named).changed(_changes(changes)))
    except FieldError as error:
        rule = SplitRules.declared().get(error.field)
        name = gettext(rule.title) if rule else error.field
        return Other(*_fields(plain), error=f"{name}: {reason_of(error)}")
    return Other(*_fields(plain), rules, counts=preview(project, rules) if counted else None)


def _fields(of: Other) -> tuple[Project, bool, str, str, tuple[str, ...], str]:
    return of.project, of.chosen, of.suffix, of.preset, of.presets, of.changes


def _changes(text: str) -> dict[str, str]:
    """`strict=yes seed=x` as names and values. Raises FieldError."""
    found = {}
    for change in filter(None, _CHANGE.split(text)):
        name, _, value = change.partition("=")
        found[name] = value
    return found


def suffix_of(membership: Membership, sent: Mapping[str, str]) -> str:
    """What the names of the first project's own files end in."""
    return sent.get(MINE, "").strip() or membership.project.slug


def parts(found: Sequence[Other]) -> tuple[list[PartIn], bool]:
    """The chosen projects that can be frozen, and whether that is all that are chosen."""
    chosen = [other for other in found if other.chosen]
    ready = [other.part for other in chosen]
    return [part for part in ready if part is not None], all(part is not None for part in ready)
