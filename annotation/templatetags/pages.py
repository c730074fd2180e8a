"""What the head of a page takes; a builtin, so templates load nothing for it."""

from typing import Any

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from annotation.core.person import person_mark
from annotation.media.rules.files import FOLDER, REFERENCE
from annotation.ui.navigation import current_link_name, group_links

register = template.Library()
register.filter("current_room", current_link_name)
register.filter("grouped", group_links)
register.filter("person", person_mark)


@register.simple_tag
def styles(*names: str) -> SafeString:
    """Links to style sheets of static/css, by their names: `{% styles "desk" "topics" %}`."""
    links = ((static(f"css/{name}.css"),) for name in names)
    return format_html_join("\n", '<link rel="stylesheet" href="{}">', links)


@register.simple_tag
def institution() -> Any:
    """The institution that people sign in through (validation/sign_in/rules.py), or None."""
    return settings.MUFAKAT_INSTITUTION


@register.simple_tag
def passkeys() -> bool:
    """Whether people are offered passkeys (PASSKEYS)."""
    return bool(settings.MUFAKAT_PASSKEYS)


@register.simple_tag
def media_address(slug: str, text: str) -> str:
    """Where a page loads an image or a sound from: what was sent lies with the project, the rest where it says."""
    if REFERENCE.fullmatch(text):
        return reverse("media", args=(slug, text.removeprefix(f"{FOLDER}/")))
    return text
