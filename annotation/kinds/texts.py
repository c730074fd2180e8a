"""The texts of an item's content by name: its own, those of its options, those of a list of fields."""

from collections.abc import Mapping
from typing import Any

from annotation.kinds.rendered_texts import corrected_list, list_text

OPTION_PREFIX = "option-"
FIELD_PREFIX = "field-"
_IN_LISTS = (OPTION_PREFIX, FIELD_PREFIX)
# What a writer says to a check that warned: why the text is right all the same. By the check's id: `why-numbers`.
WHY_PREFIX = "why-"


def field_name(key: str) -> str:
    """The name of an item's own field among its texts: `field-premise`."""
    return FIELD_PREFIX + key


def option_field(key: str) -> str:
    """The name of an option's text among the texts of an item: `option-A`."""
    return OPTION_PREFIX + key


def text_at(content: Mapping[str, Any], key: str) -> str:
    """One text of an item's content; an option's by `option-A`, an own field's by `field-premise`; else empty.

    A dialogue or a table row, which is a list, as one text.
    """
    if not key.startswith(_IN_LISTS):
        value = content.get(key, "")
        return list_text(value) if isinstance(value, list) else str(value)
    name, wanted = _list_and_key(key)
    return next((str(each["text"]) for each in content.get(name, ()) if each["key"] == wanted), "")


def _list_and_key(key: str) -> tuple[str, str]:
    """The list of a content in which such a text stands, and its key there."""
    if key.startswith(OPTION_PREFIX):
        return "options", key.removeprefix(OPTION_PREFIX)
    return "fields", key.removeprefix(FIELD_PREFIX)


def with_text(content: Mapping[str, Any], key: str, text: str) -> dict[str, Any]:
    """The content with one text changed, all else as it was."""
    if not key.startswith(_IN_LISTS):
        stored = content.get(key)
        if isinstance(stored, list):
            # Which kind of list an empty one is, nothing says: lines stand for either.
            return {**content, key: corrected_list(stored, text) if stored else text or stored}
        return {**content, key: text}
    name, wanted = _list_and_key(key)
    rows = [{**each, "text": text} if each["key"] == wanted else dict(each) for each in content.get(name, ())]
    return {**content, name: rows}
