"""The rules of a release as a form shows them and sends them back, and the other projects that it takes along."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext

from annotation.core import access as people
from annotation.core.access import Membership
from annotation.core.models.project import Project
from exports.formats import release as forms
from exports.releases import queries as access
from exports.releases.actions import PartIn
from exports.releases.preview import preview
from exports.releases.rules.settings import (
    CHOICES,
    LONGEST_SEED,
    LONGEST_TARGETS,
    NO_FORMS,
    PRESETS,
    RULE_HELP,
    RULE_NAMES,
    RulesError,
    SplitRules,
    fitting,
    layout_of,
    preset,
    usual,
)

FORMS = "forms"
# Sent with the ticks of forms, which say nothing where none is set.
TICKED, TICK = f"{FORMS}-ticked", "form-"


@dataclass(frozen=True)
class Tick:
    """One form that can be chosen."""

    name: str
    label: str
    help: str
    chosen: bool


@dataclass(frozen=True)
class RuleField:
    """One rule as the form shows it: `kind` is choice, yes, number, ticks or text."""

    name: str
    label: str
    help: str
    kind: str
    value: str
    choices: list[tuple[str, str]]
    error: str
    ticks: tuple[Tick, ...] = ()

    @property
    def most(self) -> int | None:
        """The largest number to be typed, where the rule has one."""
        return 100 if self.name.endswith("_percent") else None

    @property
    def longest(self) -> int:
        """How many characters may be typed."""
        return LONGEST_TARGETS if self.name == "targets" else LONGEST_SEED


def given(names: Iterable[str], sent: Mapping[str, str]) -> dict[str, str]:
    """What a form says of these rules; a box that is not ticked is not sent."""
    wanted = tuple(names)
    found = {name: sent[name] for name in wanted if name in sent}
    found |= {name: sent.get(name, "no") for name in wanted if _shape(name) == "yes"}
    if TICKED in sent and FORMS in wanted:
        found[FORMS] = _ticked(sent)
    return found


def _ticked(sent: Mapping[str, str]) -> str:
    """The rule that the ticks make: nothing where every form is wanted, those of later versions too."""
    every = [form.slug for form in forms.all_forms()]
    chosen = [slug for slug in every if TICK + slug in sent]
    return "" if chosen == every else " ".join(chosen) or NO_FORMS


def _shape(name: str) -> str:
    if name in CHOICES:
        return "choice"
    if name == FORMS:
        return "ticks"
    value = getattr(PRESETS["indonli-lay"], name)
    return "yes" if isinstance(value, bool) else "number" if isinstance(value, int) else "text"


def field(name: str, rules: SplitRules, sent: Mapping[str, str], problem: RulesError | None) -> RuleField:
    """One rule as the form shows it; what cannot be read stands there as it was typed."""
    value = getattr(rules, name)
    wrong = problem is not None and problem.field == name
    return RuleField(
        name=name,
        label=gettext(RULE_NAMES[name]),
        help=gettext(RULE_HELP[name]),
        kind=_shape(name),
        value=sent.get(name, "")
        if wrong
        else "yes"
        if value is True
        else ""
        if value is False
        else str(value),
        choices=[(key, gettext(words)) for key, words in CHOICES.get(name, {}).items()],
        error=gettext(problem.reason) % problem.params if problem is not None and wrong else "",
        ticks=_ticks(str(value)) if name == FORMS else (),
    )


def _ticks(value: str) -> tuple[Tick, ...]:
    chosen = {form.slug for form in forms.chosen(value)}
    return tuple(
        Tick(TICK + form.slug, gettext(form.title), gettext(form.help), form.slug in chosen)
        for form in forms.all_forms()
    )


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
    except RulesError as error:
        name = gettext(RULE_NAMES.get(error.field, error.field))
        told = gettext(error.reason) % error.params
        return Other(*_fields(plain), error=f"{name}: {told}")
    return Other(*_fields(plain), rules, counts=preview(project, rules) if counted else None)


def _fields(of: Other) -> tuple[Project, bool, str, str, tuple[str, ...], str]:
    return of.project, of.chosen, of.suffix, of.preset, of.presets, of.changes


def _changes(text: str) -> dict[str, str]:
    """`strict=yes seed=x` as names and values. Raises RulesError."""
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
