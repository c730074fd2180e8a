"""The forms by which something is proposed about a prompt: filled with the prompt as it stands, or as it was typed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from annotation.elicitation.rules.prompts import CONTEXT, PERSONAL, REQUIRED
from annotation.kinds import Kind, option_field, text_at
from validation.group_review import queries as fetch
from validation.group_review import rules as suggestions

HELP: Mapping[str, str] = {
    suggestions.REWORD: _(
        "Change what you would have otherwise. A new context goes to every prompt that has this one."
    ),
    suggestions.REPHRASE: _("Change the responses that you would have otherwise."),
    suggestions.COMBINE: _(
        "Give the id of the other prompt, and write the prompt that comes of both. The other one is left out then."
    ),
    suggestions.SPLIT: _("Write both prompts. The second has the same responses to begin with."),
    suggestions.VARIATION: _(
        "Another personal situation for the same prompt. Its writer then changes the responses that you tick."
    ),
}
FIRST_HALF, SECOND_HALF = _("First prompt"), _("Second prompt")


@dataclass(frozen=True)
class Field:
    """One text of a form; `wrong` says that it is what keeps the proposal from being made."""

    name: str
    id: str
    label: str
    value: str
    lines: bool = False
    needed: bool = False
    own: bool = False
    wrong: bool = False


@dataclass(frozen=True)
class Form:
    """One way of proposing something; `groups` are its fields under their titles, `later` responses to tick."""

    key: str
    name: str
    help: str
    groups: list[tuple[str, list[Field]]]
    later: list[tuple[str, str, bool]] = field(default_factory=list)
    words: str = ""
    open: bool = False


def forms_of(
    kind: Kind,
    content: Mapping[str, Any],
    *,
    act: str = "",
    typed: Mapping[str, str] | None = None,
    wrong: str = "",
) -> list[Form]:
    """Every form for a prompt; `act` is the one that was sent and refused, with what was `typed` there."""
    names = fetch.names_of(kind, content)
    made = []
    for key, name in suggestions.FORMS.items():
        here = (typed or {}) if key == act else {}
        build = _Builder(key, names, content, here, wrong if key == act else "")
        later = build.later() if key == suggestions.VARIATION else []
        help_text = gettext(HELP[key])
        made.append(
            Form(key, gettext(name), help_text, build.groups(), later, here.get("words", ""), key == act)
        )
    return made


@dataclass(frozen=True)
class _Builder:
    key: str
    names: Mapping[str, str]
    content: Mapping[str, Any]
    typed: Mapping[str, str]
    wrong: str

    def groups(self) -> list[tuple[str, list[Field]]]:
        if self.key == suggestions.REWORD:
            return [("", self._parts())]
        if self.key == suggestions.REPHRASE:
            names = map(option_field, suggestions.option_keys(self.content))
            return [("", [self._field(name, name, lines=True, needed=True) for name in names])]
        if self.key == suggestions.COMBINE:
            other = self._one("other", gettext("Id of the other prompt"), "", needed=True, own=True)
            return [("", [other, *self._parts()])]
        if self.key == suggestions.SPLIT:
            second = self._parts(f"{suggestions.SECOND}-")
            return [(gettext(FIRST_HALF), self._parts()), (gettext(SECOND_HALF), second)]
        return [("", [self._one(PERSONAL, gettext(self.names[PERSONAL]), "", needed=True)])]

    def later(self) -> list[tuple[str, str, bool]]:
        ticked = self.typed.get("later", "").split()
        return [
            (key, text_at(self.content, option_field(key)), key in ticked)
            for key in suggestions.option_keys(self.content)
        ]

    def _parts(self, before: str = "") -> list[Field]:
        return [
            self._field(before + part, part, lines=part == CONTEXT, needed=part in REQUIRED)
            for part in suggestions.PARTS
        ]

    def _field(self, name: str, text: str, *, lines: bool, needed: bool) -> Field:
        return self._one(
            name, gettext(self.names[text]), text_at(self.content, text), lines=lines, needed=needed
        )

    def _one(
        self,
        name: str,
        label: str,
        stands: str,
        *,
        lines: bool = False,
        needed: bool = False,
        own: bool = False,
    ) -> Field:
        value = self.typed.get(name, stands)
        return Field(name, f"{self.key}-{name}", label, value, lines, needed, own, name == self.wrong)
