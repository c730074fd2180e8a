"""In which language and time zone somebody reads pages and messages.

The language of the profile, then the one chosen in this browser, then that of the project (where texts are translated
that of the reader's own target, never the one that is translated from), then what the browser asks for, then English.
The zone is the one that the browser told (static/js/base.js), else the site's.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from urllib.parse import unquote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone, translation

from annotation.core.models.user import User
from annotation.core.rules.languages import first_offered, interface_language

ZONE_COOKIE = "zone"


def chosen_language(request: HttpRequest) -> str:
    """What somebody chose, in their profile or in this browser; empty where they chose nothing."""
    own = request.user.language if isinstance(request.user, User) else ""
    return first_offered((own, request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")))


# The project whose page is asked for, where nobody chose a language: empty as long as none is, None where one is.
_awaited_project: ContextVar[str | None] = ContextVar("undecided", default=None)


@contextmanager
def allow_project_language(chosen: str) -> Iterator[None]:
    """Until its end `apply_project_language` may set the language, once `request_project_language` named a project;
    not where one was chosen.
    """
    token = _awaited_project.set(None if chosen else "")
    try:
        yield
    finally:
        _awaited_project.reset(token)


def allows_project_language() -> bool:
    """Whether a page is being made for whom nobody chose a language."""
    return _awaited_project.get() is not None


def request_project_language(slug: str) -> None:
    """Take the language of the project of this name, as soon as whoever looks up the reader's place in it knows it."""
    _awaited_project.set(slug)


def apply_project_language(slug: str, code: Callable[[], str]) -> None:
    """Somebody works in this project, in texts of this language: show what follows in it, if it was asked for."""
    if slug == _awaited_project.get() and (language := interface_language(code())):
        translation.activate(language)


def activate(request: HttpRequest, language: str = "") -> None:
    """Show what follows in this language, or in the one that the browser asks for."""
    translation.activate(language or translation.get_language_from_request(request))


def activate_zone(request: HttpRequest) -> None:
    """Show times as the browser's clock has them; what is no zone counts as none."""
    name = unquote(request.COOKIES.get(ZONE_COOKIE, ""))
    try:
        timezone.activate(ZoneInfo(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        timezone.deactivate()


def mail_language(email: str, otherwise: str = "") -> str:
    """In which language somebody is written to: that of their profile, else this one, else that of the page in hand."""
    own = User.objects.filter(email__iexact=email).values_list("language", flat=True).first()
    return first_offered((own or "", otherwise)) or translation.get_language() or settings.LANGUAGE_CODE
