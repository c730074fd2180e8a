"""The other projects of a release: which are chosen, under which rules, and how their files end."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext

from annotation.core import access as people
from annotation.core.access import Membership
from annotation.core.models.project import Project
from exports.releases import queries as access
from exports.releases.actions import PartIn
from exports.releases.rules.settings import (
    RULE_NAMES,
    RulesError,
    SplitRules,
    fitting,
    layout_of,
    preset,
    usual,
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
    return Other(*_fields(plain), rules, counts=access.preview(project, rules) if counted else None)


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
