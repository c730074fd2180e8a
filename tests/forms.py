"""The forms of a page as a browser reads and sends them, without its scripts."""

import re
from html.parser import HTMLParser

_BREAK = re.compile("\r\n|\r|\n")
Fields = dict[str, list[str]]


class _Reader(HTMLParser):
    """Every form: where it goes, and its fields with what stands in them."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[str, Fields]] = []
        self.area: str | None = None
        self.typed, self.select = "", ""

    def _field(self, name: str, value: str) -> None:
        if self.forms and name:
            self.forms[-1][1].setdefault(name, []).append(value)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        at = {name: value or "" for name, value in attrs}
        name, sort = at.get("name", ""), at.get("type", "text")
        if "disabled" in at:
            return
        if tag == "form":
            self.forms.append((at.get("action", ""), {}))
        elif tag == "textarea":
            self.area, self.typed = name, ""
        elif tag == "select":
            self.select = name
        elif tag == "option" and "selected" in at:
            self._field(self.select, at.get("value", ""))
        elif tag == "input" and sort in ("radio", "checkbox") and "checked" in at:
            self._field(name, at.get("value", "on"))
        elif tag == "input" and sort not in ("radio", "checkbox", "submit", "button", "file"):
            # A line has no breaks, whatever the page wrote into it.
            self._field(name, at.get("value", "") if sort == "hidden" else _BREAK.sub("", at.get("value", "")))

    def handle_data(self, data: str) -> None:
        if self.area is not None:
            self.typed += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self.area is not None:
            self._field(self.area, self.typed.removeprefix("\n"))
            self.area = None


def unchanged_form(markup: str, action: str, has: str = "") -> tuple[str, Fields]:
    """Where a form is sent, and its fields as nobody touched them: every line break as CRLF.

    Its address has this in it, and it `has` this field, or this field with this value (`form=reword`).
    """
    reader, (name, _, value) = _Reader(), has.partition("=")
    reader.feed(_BREAK.sub("\n", markup))
    for place, fields in reader.forms:
        goes_there = action in place.partition("?")[0] if action else not place
        is_it = fields.get(name) == [value] if value else name in fields or not has
        if goes_there and is_it:
            return place, {key: [_BREAK.sub("\r\n", each) for each in values] for key, values in fields.items()}
    raise AssertionError(f"no form goes to {action!r}: {[(place, list(fields)) for place, fields in reader.forms]}")
