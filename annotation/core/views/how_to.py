"""The page for annotators, `docs/annotators*.md`, in the language that the reader reads: the words that it names are
those of the buttons (tests/conventions/test_screen_words.py)."""

import re

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.views.decorators.http import require_GET

from annotation.core.rules.languages import interface_language
from annotation.text import markdown

# Its title stands above it, its other languages at the foot of every page; other documents are not on this site.
_TITLE = re.compile(r"\A# .*\n")
_LANGUAGES = re.compile(r"^\*.*\]\(annotators.*\*\n", re.MULTILINE)
_DOCUMENTS = re.compile(r" ?\(\[[\w-]+\.md\]\([\w-]+\.md\)[^)]*\)")


def how_to_text(language: str) -> str:
    """The page for annotators in this language, else in the one that its speakers read."""
    code = interface_language(language)
    suffix = "" if code in ("", "en") else f".{code}"
    text = (settings.BASE_DIR / "docs" / f"annotators{suffix}.md").read_text(encoding="utf-8")
    return _DOCUMENTS.sub("", _LANGUAGES.sub("", _TITLE.sub("", text)))


@login_required
@require_GET
def how_to(request: HttpRequest) -> HttpResponse:
    """How one writes and votes here."""
    text = how_to_text(get_language() or "")
    context = {
        "html": SafeString(markdown.render(text, "part")),
        "sections": markdown.sections(text, "part"),
    }
    return render(request, "annotation/core/how_to.html", context)
