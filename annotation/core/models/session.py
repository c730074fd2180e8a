"""Sessions of browsers, each with the person who signed in, so that people can see and end their own."""

from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models

from annotation.core.models.user import User


class BrowserSession(AbstractBaseSession):
    """A browser's session. `user` is unknown before somebody signs in."""

    user = models.ForeignKey(User, models.PROTECT, null=True, related_name="sessions")

    @classmethod
    def get_session_store_class(cls) -> type:
        """The store that reads and writes these rows."""
        from annotation.core.sessions import SessionStore

        return SessionStore
