"""Notices marked as read; e-mails switched on and off; the daily e-mail, sent once a day however often it runs."""

from datetime import date, datetime, timedelta
from smtplib import SMTPException
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import structlog
from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext

from annotation.core import access
from annotation.core.accounts import is_mail_delivered
from annotation.core.database import locked, now
from annotation.core.errors import NotFound
from annotation.core.language import mail_language
from annotation.core.links import site_link
from annotation.core.models.user import User
from annotation.core.rules.languages import interface_language
from annotation.jobs import queue
from annotation.jobs.models import Job
from validation.notices import queries
from validation.notices.models import NoticeState

log = structlog.get_logger("notices")
KIND = "notices"
SALT = "notices.off"
# From which hour of their day people are written to.
MAIL_HOUR = 7
# Rows carry the moment at which they were written: what is younger than this may not be committed yet.
SETTLING_TIME = timedelta(minutes=5)


def mark_notices_seen(*, user: User, until: datetime) -> None:
    """Mark what was shown up to a moment as read; an older page takes nothing back."""
    with transaction.atomic():
        NoticeState.objects.get_or_create(user=user)
        older = Q(seen_at=None) | Q(seen_at__lt=until)
        NoticeState.objects.filter(older, user=user).update(seen_at=min(until, now()))


def switch_mails(*, user: User, mails: bool) -> None:
    """Switch the daily e-mail on or off."""
    with transaction.atomic():
        NoticeState.objects.get_or_create(user=user)
        changed = NoticeState.objects.filter(user=user, mails=not mails)
        changed.update(mails=mails)


def zone_keep(*, user: User, zone: str) -> None:
    """Store the time zone of somebody's browser, for the days of notices."""
    if _zone(zone) is not None and queries.notice_state_of(user).zone != zone:
        NoticeState.objects.update_or_create(user=user, defaults={"zone": zone})


def opt_out_token(user: User) -> str:
    """What the link in an e-mail carries: it switches e-mails off and does nothing else, also without a log-in."""
    return signing.dumps(user.pk, salt=SALT)


def user_of_token(token: str) -> User:
    """Whose link it is. Raises NotFound for one that this site did not make."""
    try:
        return User.objects.get(pk=signing.loads(token, salt=SALT), deleted_at=None)
    except (signing.BadSignature, User.DoesNotExist) as error:
        raise NotFound from error


def notices_watch() -> Job | None:
    """Have the e-mails sent that are due; one job at a time, and none where no mail leaves."""
    if not is_mail_delivered():
        return None
    moment = now()
    people = queries.users_to_mail(moment).iterator(chunk_size=200)
    if not any(_is_due(getattr(user, "notices", None) or NoticeState(), moment) for user in people):
        return None
    with transaction.atomic():
        if Job.objects.filter(kind=KIND, state__in=queue.UNFINISHED).exists():
            return None
        return queue.enqueue(kind=KIND, project=None, by=None, args={})


def mail_notices(*, user: User) -> bool:
    """Write to one person what is new, if their day's e-mail is due and there is anything; whether it was sent.

    The day is taken before anything is sent, so nobody is written to twice; what could not be sent is told the day
    after, as `mailed_until` moves only then.
    """
    moment = now()
    day = _today(queries.notice_state_of(user), moment)
    with transaction.atomic():
        NoticeState.objects.get_or_create(user=user)
        state = locked(NoticeState.objects.filter(user=user)).get()
        if not state.mails or not _is_due(state, moment):
            return False
        state.day = day
        state.save(update_fields=["day"])
    span = queries.span_to_mail(user, moment - SETTLING_TIME)
    with translation.override(_language(user)), timezone.override(_zone(state.zone)):
        found = queries.notices(user, span)
        if found and not _send(user, found):
            return False
    NoticeState.objects.filter(user=user).update(mailed_until=span.until)
    return bool(found)


def _send(user: User, found: list[queries.Notice]) -> bool:
    off = site_link(reverse("notices_off", args=[opt_out_token(user)]))
    lines = [(one.project, one.words, site_link(one.url)) for one in found]
    home = site_link(reverse("home"))
    body = render_to_string("validation/notices/mail/digest.txt", {"lines": lines, "home": home, "off": off})
    headers = {"List-Unsubscribe": f"<{off}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    mail = EmailMessage(
        gettext("What is new for you"), body, settings.DEFAULT_FROM_EMAIL, [user.email], headers=headers
    )
    try:
        mail.send()
    except (OSError, SMTPException) as error:
        log.warning("mail_not_sent", error=type(error).__name__)
        return False
    return True


def _language(user: User) -> str:
    """That of their profile, else that of a project of theirs."""
    place = user.memberships.select_related("project").filter(left_at=None).order_by("-pk").first()
    return mail_language(user.email, interface_language(access.language_of_work(place)) if place else "")


def _is_due(state: NoticeState, moment: datetime) -> bool:
    """Whether it is day where they are, and this day's e-mail was not dealt with."""
    today = _today(state, moment)
    hour = moment.astimezone(_zone(state.zone) or timezone.get_default_timezone()).hour
    return hour >= MAIL_HOUR and (state.day is None or state.day < today)


def _today(state: NoticeState, moment: datetime) -> date:
    return moment.astimezone(_zone(state.zone) or timezone.get_default_timezone()).date()


def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name and len(name) <= 60 else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
