"""The message after each Submit: that it was stored, how many are left, what it earned."""

from django.utils.translation import gettext, ngettext

from annotation.core import declared
from annotation.core.models.member import Annotator


def submitted_words(writer: Annotator, key: str, left: int) -> str:
    """“Submitted · 9 left · Rp6.000”: `key` is that of what is paid, `left` what the writer has in hand."""
    earned = declared.attribute("submitted", "earned")
    counted = ngettext("%(n)d left", "%(n)d left", left) % {"n": left}
    return " · ".join([gettext("Submitted"), *([counted] if left else []), *earned(writer, key)])
