"""Where sessions are kept (SESSION_ENGINE), and what people see and end of their own."""

import re
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends import db
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from annotation.core.models.session import BrowserSession
from annotation.core.models.user import User

# In a session: since when somebody is signed in, and with which browser.
SIGNED_IN = "signed_in"
LONGEST_BROWSER = 300
# Signs of browsers in the order in which they are looked for: most also call themselves Chrome or Safari.
BROWSERS = {"Edg": "Edge", "OPR": "Opera", "SamsungBrowser": "Samsung Internet", "Firefox": "Firefox"}
BROWSERS |= {"FxiOS": "Firefox", "CriOS": "Chrome", "Chrome": "Chrome", "Safari": "Safari"}
SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "CrOS", "Mac OS", "Linux")


class SessionStore(db.SessionStore):
    """Django's store, with the person beside each session."""

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        """The table of sessions."""
        return BrowserSession

    def create_model_instance(self, data: dict[str, Any]) -> BrowserSession:
        """A row for this content."""
        session = super().create_model_instance(data)
        assert isinstance(session, BrowserSession)  # noqa: S101 - what get_model_class returns
        session.user_id = data.get(SESSION_KEY)
        return session


class OpenSession(NamedTuple):
    """A session in which somebody is signed in. `at` is None and `browser` empty where that is not known."""

    at: datetime | None
    browser: str
    is_current: bool


def remember_sign_in(request: HttpRequest) -> None:
    """Keep in the session when somebody signed in and with which browser."""
    agent = request.headers.get("User-Agent", "").replace("\0", "")[:LONGEST_BROWSER]
    request.session[SIGNED_IN] = {"at": timezone.now().isoformat(), "browser": agent}


def open_sessions(request: HttpRequest, user: User) -> list[OpenSession]:
    """The sessions in which this person is signed in: that of the request first, then the newest."""
    sessions = []
    for row in BrowserSession.objects.filter(user=user, expire_date__gt=timezone.now()):
        content = row.get_decoded()
        if not constant_time_compare(content.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash()):
            continue  # it ended when the password was changed
        sign_in = content.get(SIGNED_IN) or {}
        at = datetime.fromisoformat(sign_in["at"]) if sign_in else None
        browser = browser_name(sign_in.get("browser", ""))
        sessions.append(OpenSession(at, browser, row.session_key == request.session.session_key))
    return sorted(sessions, key=lambda session: (session.is_current, session.at is not None, session.at), reverse=True)


def end_sessions(user: User) -> None:
    """Sign a person out in every browser."""
    BrowserSession.objects.filter(user=user).delete()


def browser_name(agent: str) -> str:
    """A browser and its system as people call them, from a User-Agent header; empty where neither is known."""
    names = [name for sign, name in BROWSERS.items() if re.search(rf"\b{sign}/", agent)]
    systems = [system for system in SYSTEMS if system in agent]
    return " · ".join([*names[:1], *systems[:1]])
