"""The rules of a release as a form shows them and sends them back, and the other projects that it takes along."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    MACHINE_DEALS,
    NO_FORMS,
    RECIPE_SETTING,
    SplitRules,
    default_rules,
    layout_of,
    presets_of_project,
    rule_names,
    rule_of,
)

FORMS = "forms"


class ReleaseForm(RulesForm):
    """The rules that mean something for a project's releases; what is typed counts where `chosen` was sent."""

    def __init__(self, sent: Mapping[str, str], *, project: Project, stands: SplitRules) -> None:
        self.project, self.kind = project, project.kind_spec
        names = rule_names(self.kind.shape, self.kind.settings)
        super().__init__(sent if "chosen" in sent else None, stands=stands, usual=stands, names=names)

    def field_of(self, name: str, rule: Rule, default: Any) -> django_forms.Field:
        """The further forms are a registry's; ways that only items of machines can be shared out are for those."""
        if name == "deal" and RECIPE_SETTING not in self.kind.settings:
            choices = {value: words for value, words in rule.choices.items() if value not in MACHINE_DEALS}
            rule = replace(rule, choices=choices, help="")  # it speaks of machines
        return FormsField(rule) if name == FORMS else super().field_of(name, rule_of(name, rule, self.kind), default)

    def clean(self) -> dict[str, Any]:
        """Look also at what the project has: its targets and its layout."""
        cleaned = super().clean()
        if not self.errors:
            try:
                access.checked_rules(self.project, self.rules)
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
        return [form.slug for form in forms.named_forms(value)] if isinstance(value, str) else value

    def valid_value(self, value: str) -> bool:
        """Say whether there is such a form; `none` says that none is ticked."""
        return value == NO_FORMS or super().valid_value(value)

    def clean(self, value: Any) -> str:
        """The ticks as the rule."""
        ticked = [slug for slug in super().clean(value) if slug != NO_FORMS]
        return "" if ticked == [form.slug for form in forms.all_forms()] else " ".join(ticked) or NO_FORMS


_BLANKS = re.compile(r"\s+")
CHOSEN_FIELD, SUFFIX_FIELD = "with", "suffix"


@dataclass(frozen=True)
class OtherProject:
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
        return [(CHOSEN_FIELD, slug), *((f"{name}-{slug}", value) for name, value in fields)]


def other_projects(membership: Membership, sent: QueryDict, *, counted: bool = False) -> list[OtherProject]:
    """The projects that an administrator can take along, those that are chosen first; nobody else is offered any."""
    if not membership.is_administrator:
        return []
    wanted = sent.getlist(CHOSEN_FIELD)
    found = []
    for place in people.memberships(membership.user):
        if place.project.pk != membership.project.pk:
            found.append(_other_project(place.project, sent, place.project.slug in wanted, counted))
    return sorted(found, key=lambda other: not other.chosen)


def _other_project(project: Project, sent: Mapping[str, str], chosen: bool, counted: bool) -> OtherProject:
    slug, kind = project.slug, project.kind_spec
    layout, presets = layout_of(kind.shape), presets_of_project(project.preset, kind)
    named = sent.get(f"preset-{slug}", "") or default_rules(layout, project.rules.release).preset
    suffix, changes = sent.get(f"suffix-{slug}", "").strip() or slug, sent.get(f"changes-{slug}", "").strip()
    plain = OtherProject(project, chosen, suffix, named, presets, changes)
    if not chosen:
        return plain
    try:
        rules = access.checked_rules(project, access.preset_of(project, named).changed(_parse_changes(changes)))
    except FieldError as error:
        rule = SplitRules.declared().get(error.field)
        name = gettext(rule.title) if rule else error.field
        return OtherProject(*_fields_of_project(plain), error=f"{name}: {reason_of(error)}")
    return OtherProject(*_fields_of_project(plain), rules, counts=preview(project, rules) if counted else None)


def _fields_of_project(of: OtherProject) -> tuple[Project, bool, str, str, tuple[str, ...], str]:
    return of.project, of.chosen, of.suffix, of.preset, of.presets, of.changes


def _parse_changes(text: str) -> dict[str, str]:
    """`strict=yes seed=x` as names and values. Raises FieldError."""
    found = {}
    for change in filter(None, _BLANKS.split(text)):
        name, _, value = change.partition("=")
        found[name] = value
    return found


def own_suffix(membership: Membership, sent: Mapping[str, str]) -> str:
    """What the names of the first project's own files end in."""
    return sent.get(SUFFIX_FIELD, "").strip() or membership.project.slug


def chosen_parts(found: Sequence[OtherProject]) -> tuple[list[PartIn], bool]:
    """The chosen projects that can be frozen, and whether that is all that are chosen."""
    chosen = [other for other in found if other.chosen]
    ready = [other.part for other in chosen]
    return [part for part in ready if part is not None], all(part is not None for part in ready)
