"""Texts for codes in templates: errors, and the names that kinds and rules mark for translation."""

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from annotation.answers import Label
from annotation.core import accounts
from annotation.core.messages import event_words, problem_words
from annotation.generation.messages import fault_words
from annotation.ui.choice_keys import choice_keys
from annotation.ui.options import Options

register = template.Library()


@register.filter
def problem(code: str) -> str:
    """What went wrong and how to correct it: `{{ problem|problem }}`."""
    return problem_words(code)


@register.filter
def keys_at(label: Label, place: int) -> tuple[str, ...]:
    """The keys that choose a label of a card: `{% with keys=label|keys_at:forloop.counter %}`."""
    return choice_keys(label, place)


@register.simple_tag
def mail_leaves() -> bool:
    """Whether messages reach people: `{% mail_leaves as leaves %}`."""
    return accounts.is_mail_delivered()


@register.filter
def event(verb: str) -> str:
    """What somebody did: `{{ row.verb|event }}`."""
    return event_words(verb)


@register.filter
def fault(code: str) -> str:
    """What went wrong with a call to an endpoint: `{{ call.fault|fault }}`."""
    return fault_words(code)


@register.filter
def translated(text: str) -> str:
    """A name that a kind, a rule or a registry marked for translation; "Question 1" is "Question" with its number."""
    if not text:
        return ""
    told = gettext(text)
    name, _, number = text.rpartition(" ")
    return f"{gettext(name)} {number}" if told == text and name and number.isdecimal() else told


@register.filter
def with_returns(text: str) -> str:
    """A text of which every character reaches the page: `{{ text|with_returns }}`.

    A browser reads a CRLF of the markup as one character, and counted other offsets than those of the stored text.
    """
    if not isinstance(text, str) or "\r" not in text:
        return text
    return SafeString(conditional_escape(text).replace("\r", "&#13;"))


@register.filter
def options(fields: Options, chosen: str) -> SafeString:
    """The options of a select, one of them chosen: `{{ fields|options:chosen }}`."""
    return fields.html(chosen)


@register.filter
def duration(seconds: float) -> str:
    """Hours and minutes of work: `{{ seconds|duration }}`."""
    minutes = round(seconds / 60)
    if minutes < 60:
        return gettext("%(minutes)d min") % {"minutes": minutes}
    return gettext("%(hours)d h %(minutes)02d min") % {"hours": minutes // 60, "minutes": minutes % 60}
