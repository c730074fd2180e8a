"""Disclosures of a page that was refused: whatever says what is wrong is seen, also where no script opens it."""

from html.parser import HTMLParser

ERROR_CLASSES = frozenset({"field__error", "note--error"})
_DETAILS = "<details"


class _Errors(HTMLParser):
    """Finds the closed disclosures around what is wrong: where their tags begin, in characters."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=False)
        self.found: set[int] = set()
        self._around: list[tuple[int, bool]] = []
        self._starts = [0]
        for line in html.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "details":
            line, column = self.getpos()
            self._around.append((self._starts[line - 1] + column, "open" in values))
        elif values.get("aria-invalid") == "true" or ERROR_CLASSES & set((values.get("class") or "").split()):
            self.found.update(place for place, is_open in self._around if not is_open)

    def handle_endtag(self, tag: str) -> None:
        if tag == "details" and self._around:
            self._around.pop()


def open_over_errors(html: str) -> str:
    """Give a page with every disclosure open that an error stands in."""
    if _DETAILS not in html:
        return html
    parts, last = [], 0
    for place in sorted(_Errors(html).found):
        parts.append(html[last:place] + _DETAILS + " open")
        last = place + len(_DETAILS)
    return "".join([*parts, html[last:]])
