"""Texts about machine-written questions: why one was dropped, and what a step changed in it, text by text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from annotation.generation.rules.recipes import reasons
from annotation.generation.rules.recipes.base import CHANGED, DROPPED, EASY, HARD, KEPT
from annotation.text.differences import Part, text_parts

OUTCOMES: Mapping[str, str] = {KEPT: _("as it was"), CHANGED: _("changed"), DROPPED: _("dropped")}
LEVELS: Mapping[str, str] = {EASY: _("easy"), HARD: _("hard")}
ROLES: Mapping[str, str] = {"answer": _("answer"), "distractor": _("distractor")}


def reason_words(code: str, params: Mapping[str, Any]) -> str:
    """Why a question was dropped, with what that says of it; empty where it was not."""
    if not code:
        return ""
    words, values = reasons.words_of(code, params)
    return gettext(words) % values


def step_words(code: str, params: Mapping[str, Any]) -> str:
    """What a step says of a question: why it was dropped, and what it tells beside that (scores, what was refused)."""
    notes = [gettext(words) % values for words, values in reasons.notes_of(params)]
    return " ".join(filter(None, (reason_words(code, params), *notes)))


def reason_name(code: str) -> str:
    """What a reason is called where it is that of many questions: without what it says of each."""
    words, values = reasons.words_of(code, {})
    return (gettext(words) % dict.fromkeys(values, "…")).partition(":")[0].strip(" .")


@dataclass(frozen=True)
class Change:
    """One text of a question: what it is called, what stands there, and how that differs from before."""

    name: str
    text: str
    parts: Sequence[Part]
    role: str = ""

    @property
    def differs(self) -> bool:
        return any(op != "equal" for op, _text in self.parts)


def _texts(content: Mapping[str, Any]) -> dict[str, tuple[str, str, str]]:
    """The texts of a question as far as it was made: key to name, text and role."""
    rows = {}
    for key, name in (("category", _("Category")), ("concept", _("Concept")), ("question", _("Question"))):
        if content.get(key):
            rows[key] = (gettext(name), str(content[key]), "")
    for option in content.get("options", ()):
        role = ROLES.get(str(option.get("role", "")), "")
        letter = str(option["key"])
        rows[f"option-{letter}"] = (letter, str(option["text"]), gettext(role) if role else "")
    level = LEVELS.get(str((content.get("made") or {}).get("level", "")))
    if level:
        rows["level"] = (gettext(_("Level")), gettext(level), "")
    return rows


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Every text of a question after a step, beside what it was before; what went away stands last."""
    old, new = _texts(before), _texts(after)
    rows = [
        Change(name, text, text_parts(old[key][1] if key in old else "", text), role)
        for key, (name, text, role) in new.items()
    ]
    return rows + [Change(name, "", text_parts(text, "")) for key, (name, text, _role) in old.items() if key not in new]


def texts(content: Mapping[str, Any]) -> list[Change]:
    """Every text of a question as it stands."""
    return changes(content, content)
