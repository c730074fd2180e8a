"""Where static files are collected: compressed, under names that say what they hold, ours without their comments."""

import re
from typing import Any

from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

# A comment of a style sheet, wherever it stands; of a script one that begins a line, which no string or pattern does.
_COMMENTS = {
    "css": re.compile(r"\s*/\*.*?\*/", re.DOTALL),
    "js": re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/[ \t]*)\n", re.DOTALL | re.MULTILINE),
}


def without_comments(name: str, text: str) -> str:
    """A style sheet or script of ours as it goes over the line; every other file as it is."""
    folder, _, suffix = name.partition("/")[0], *name.rpartition(".")[1:]
    return _COMMENTS[suffix].sub("", text) if folder == suffix and suffix in _COMMENTS else text


class CollectedStaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # untyped
    """Also what our scripts import is called by such a name: kept for long, never mixed with another version's.

    Scripts of other people's packages stay as they are: some import what their package does not have.
    """

    support_js_module_import_aggregation = True
    _js_module_import_aggregation_patterns = (
        "js/*.js",
        CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1],
    )

    def _save(self, name: str, content: Any) -> str:
        if name.startswith(("css/", "js/")):
            content.seek(0)
            content = ContentFile(without_comments(name, content.read().decode()).encode())
        saved: str = super()._save(name, content)
        return saved
