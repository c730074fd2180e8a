"""The rules of a release as a form shows them, and as it sends them back."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext

from exports.formats import release as forms
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
