"""Codes to words in templates: what went wrong, and the names that kinds and rules mark for translation."""

from django import template
from django.utils.translation import gettext

from annotation.messages import problem_words

register = template.Library()


@register.filter
def problem(code: str) -> str:
    """What went wrong and how to mend it: `{{ problem|problem }}`."""
    return problem_words(code)


@register.filter
def translated(text: str) -> str:
    """A name that a kind, a rule or a registry marked for translation."""
    return gettext(text) if text else ""
