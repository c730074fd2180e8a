"""How many guesses are allowed, and whether mail leaves here."""

from django.conf import settings

from annotation.core.rules import mailboxes as mailing

RATE_LIMIT_APP = "allauth.account"


def is_mail_delivered() -> bool:
    """Whether messages reach people, or are only written to a terminal or a log here."""
    return mailing.delivers_mail(settings.EMAIL_BACKEND)
