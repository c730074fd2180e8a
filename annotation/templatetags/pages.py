"""What the head of a page takes; a builtin, so templates load nothing for it."""

from django import template
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def styles(*names: str) -> SafeString:
    """Links to style sheets of static/css, by their names: `{% styles "desk" "topics" %}`."""
    links = ((static(f"css/{name}.css"),) for name in names)
    return format_html_join("\n", '<link rel="stylesheet" href="{}">', links)
