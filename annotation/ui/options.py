"""The options of a `<select>` that a page has once for each column of a file, rendered once."""

from collections.abc import Iterable

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

OPTION = '<option value="{}" title="{}">{}</option>'


class Options:
    """Options by their value, each with its help."""

    def __init__(self, helped: Iterable[tuple[str, str]]) -> None:
        self._drawn = {
            value: format_html(OPTION, value, gettext(help) if help else "", value) for value, help in helped
        }
        self._all = SafeString("".join(self._drawn.values()))

    def html(self, chosen: str) -> SafeString:
        """All of them, with the chosen one selected where there is such a one."""
        option = self._drawn.get(chosen)
        if option is None:
            return self._all
        return SafeString(self._all.replace(option, option.replace("<option ", "<option selected ", 1), 1))
