"""Texts that look as if they had been read in a wrong encoding (`kafÃ©`): counted and told, never altered."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.text.gettext import gettext_noop
from annotation.text.normalise import meant_text
from validation.imports.rules.problems import Problem, excerpt


class GarbledTexts:
    """How many rows of a file have such a text, and the first of them."""

    def __init__(self) -> None:
        self.count = 0
        self._first: dict[str, object] = {}

    def look(self, n: int, data: Mapping[str, Any]) -> None:
        """Count a row that has such a text."""
        for column, value in data.items():
            for text in texts_in(value):
                if meant := meant_text(text):
                    row = {"row": n, "column": column, "text": excerpt(text, 60), "meant": excerpt(meant, 60)}
                    self._first = self._first or row
                    self.count += 1
                    return

    def notes(self) -> list[Problem]:
        """One line, where there is any."""
        if not self.count:
            return []
        message = gettext_noop(
            "Rows with text that looks wrongly decoded: %(count)s. The first is row %(row)s, %(column)s: “%(text)s” "
            "is probably “%(meant)s”. Texts are imported unchanged. If this is wrong, save the file as UTF-8 again."
        )
        return [Problem("texts_garbled", "", message, {"count": self.count, **self._first})]


def texts_in(value: Any) -> Iterator[str]:
    """Every text within a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts_in(inner)
