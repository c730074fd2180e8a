"""How many guesses are allowed, and whether mail leaves here."""

from django.conf import settings

from annotation.core.rules import mailboxes as mailing

LIMITS_OF = "allauth.account"


def mail_leaves() -> bool:
    """Whether messages reach people, or are only written to a terminal or a log here."""
    return mailing.mail_leaves(settings.EMAIL_BACKEND)
