"""E-mail that the platform sends by itself; allauth sends its own."""

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string

from annotation.core.models.member import Invitation
from annotation.core.rules import mailboxes as mailing

log = structlog.get_logger("mail")


def mail_leaves() -> bool:
    """Whether messages reach people, or are only written to a terminal or a log here."""
    return mailing.mail_leaves(settings.EMAIL_BACKEND)


def site_link(path: str) -> str:
    """The whole address of a page of this site: the configured one, whatever Host a request names."""
    return f"{settings.MUFAKAT_SITE_URL}{path}"


def send_invitation(invitation: Invitation, link: str) -> bool:
    """Send the link to the invited address; False where no mail left (the link was shown to the inviter)."""
    context = {"invitation": invitation, "project": invitation.project, "link": link}
    # A subject is one line; a project's name may hold anything.
    subject = " ".join(render_to_string("annotation/core/mail/invitation_subject.txt", context).split())
    body = render_to_string("annotation/core/mail/invitation.txt", context)
    try:
        send_mail(subject, body, settings.DEFAULT_FROM_EMAIL, [invitation.email])
    except OSError as error:
        log.warning("mail_not_sent", error=type(error).__name__)
        return False
    return mail_leaves()
