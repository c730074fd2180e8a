"""What a group proposes about a prompt, read from a form and applied to a content (Kalahi §3.2, domain.md §6).

A proposal's data, by its form: `reword` {part: text}, `rephrase` {option key: text}, `combine` {"other": key,
"parts": {part: text}}, `split` {"first": parts, "second": parts}, `variation` {"personal": text, "responses": [keys]}.
Only what differs from the present text is kept, so a proposal says nothing about the rest.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.elicitation.rules.prompts import CONTEXT, INSTRUCTION, PERSONAL, REQUIRED, USER
from annotation.kinds.texts import option_field, text_at, with_text
from annotation.text.gettext import gettext_noop
from annotation.text.line_breaks import typed_text

REWORD, COMBINE, SPLIT, REPHRASE, VARIATION = "reword", "combine", "split", "rephrase", "variation"
FORMS: Mapping[str, str] = {
    REWORD: gettext_noop("Reword"),
    REPHRASE: gettext_noop("Rephrase a response"),
    COMBINE: gettext_noop("Combine with another prompt"),
    SPLIT: gettext_noop("Split in two"),
    VARIATION: gettext_noop("Add a variation"),
}
PARTS = (USER, CONTEXT, PERSONAL, INSTRUCTION)
FIRST, SECOND = "first", "second"
Typed = Mapping[str, str]


class SuggestionFault(ValueError):
    """What keeps a proposal from being made: a code with words of its own, and the field that it is about."""

    def __init__(self, code: str, field: str = "") -> None:
        super().__init__(code)
        self.code, self.field = code, field


def read(form: str, typed: Typed, content: Mapping[str, Any]) -> dict[str, Any]:
    """A proposal's data out of what was typed; raises SuggestionFault.

    Fields: a part by its name (in a split `second-` stands before those of the second half), a response by
    `option-R1`, `other` for the other prompt's key, `later` with the keys of responses, blank between them.
    """
    if form == REWORD:
        return _changed({part: _part(typed, part, content) for part in PARTS}, content)
    if form == REPHRASE:
        return _read_rephrasing(typed, content)
    if form == COMBINE:
        other = typed.get("other", "").strip()
        if not other:
            raise SuggestionFault("other_missing", "other")
        return {"other": other, "parts": _read_all_parts(typed, "", content)}
    if form == SPLIT:
        first, second = _read_all_parts(typed, "", content), _read_all_parts(typed, f"{SECOND}-", content)
        if first == second:
            raise SuggestionFault("halves_same", f"{SECOND}-{INSTRUCTION}")
        return {FIRST: first, SECOND: second}
    if form == VARIATION:
        return _variation(typed, content)
    raise SuggestionFault("suggestion_form", "form")


def _line(text: str, stored: str = "") -> str:
    """What was typed, without blanks around it; the stored text itself where it was not changed."""
    typed = typed_text(text, stored)
    return typed if typed == stored else typed.strip()


def _part(typed: Typed, part: str, content: Mapping[str, Any]) -> str:
    """A part as it was typed; one that the form does not have stays as it is."""
    stored = text_at(content, part)
    return _line(typed[part], stored) if part in typed else stored


def _read_all_parts(typed: Typed, before: str, content: Mapping[str, Any]) -> dict[str, str]:
    """All four parts; raises SuggestionFault where they make no prompt."""
    parts = {part: _line(typed.get(before + part, ""), text_at(content, part)) for part in PARTS}
    _check(parts, before)
    return parts


def _check(parts: Mapping[str, str], before: str = "") -> None:
    """Raise for the first part that keeps them from being a prompt; only a context may have several lines."""
    for part in PARTS:
        if part in REQUIRED and not parts[part]:
            raise SuggestionFault("parts_missing", before + part)
        if part != CONTEXT and "\n" in parts[part]:
            raise SuggestionFault("parts_lines", before + part)


def _changed(parts: Mapping[str, str], content: Mapping[str, Any]) -> dict[str, str]:
    _check(parts)
    changed = {part: text for part, text in parts.items() if text != text_at(content, part)}
    if not changed:
        raise SuggestionFault("suggestion_same", INSTRUCTION)
    return changed


def _read_rephrasing(typed: Typed, content: Mapping[str, Any]) -> dict[str, str]:
    changed = {}
    for key in option_keys(content):
        name = option_field(key)
        text = _line(typed.get(name, text_at(content, name)), text_at(content, name))
        if not text:
            raise SuggestionFault("response_missing", name)
        if text != text_at(content, name):
            changed[key] = text
    if not changed:
        raise SuggestionFault("suggestion_same", option_field(option_keys(content)[0]))
    return changed


def _variation(typed: Typed, content: Mapping[str, Any]) -> dict[str, Any]:
    personal = _line(typed.get(PERSONAL, ""), text_at(content, PERSONAL))
    if not personal:
        raise SuggestionFault("personal_missing", PERSONAL)
    if "\n" in personal:
        raise SuggestionFault("parts_lines", PERSONAL)
    if personal == text_at(content, PERSONAL):
        raise SuggestionFault("suggestion_same", PERSONAL)
    there = option_keys(content)
    later = [key for key in typed.get("later", "").split() if key in there]
    return {PERSONAL: personal, "responses": later}


def option_keys(content: Mapping[str, Any]) -> list[str]:
    """The keys of a prompt's responses, in their order."""
    return [str(option["key"]) for option in content.get("options", ())]


def changes(form: str, data: Mapping[str, Any]) -> dict[str, str]:
    """The texts of the prompt itself that a proposal changes, by the names of its texts."""
    if form == REPHRASE:
        return {option_field(key): str(text) for key, text in data.items()}
    parts = {REWORD: data, COMBINE: data.get("parts", {}), SPLIT: data.get(FIRST, {})}.get(form, {})
    return {part: str(text) for part, text in parts.items()}


def with_texts(content: Mapping[str, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    """The content with these texts; what follows from them is the kind's to derive."""
    made = dict(content)
    for name, text in texts.items():
        made = with_text(made, name, text)
    return made


def shown_changes(form: str, data: Mapping[str, Any], content: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What a proposal changes, as (name of the text, as it is, as proposed), in the order of the prompt.

    The second half of a split and the situation of a variation stand against what they come from.
    """
    texts = changes(form, data)
    names = [*PARTS, *map(option_field, option_keys(content))]
    rows = [
        (name, text_at(content, name), texts[name])
        for name in names
        if name in texts and texts[name] != text_at(content, name)
    ]
    if form == VARIATION:
        rows.append((PERSONAL, text_at(content, PERSONAL), str(data[PERSONAL])))
    return rows


def second_prompt_parts(data: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """The parts of the prompt that a split makes, those that hold something."""
    return [(part, str(data[SECOND][part])) for part in PARTS if data.get(SECOND, {}).get(part)]
