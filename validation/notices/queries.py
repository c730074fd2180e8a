"""A person's news since a moment: read from the rows of the events, so that none is missing or repeated.

A notice is told by project, with how many things of one's own it is about; of others' it tells nothing.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet
from django.utils.translation import gettext, ngettext

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.database import now
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import GuidelineVersion, Project
from annotation.core.models.user import User
from annotation.pay.models import LedgerEntry
from annotation.ui.navigation import page_url
from validation.consensus import stages
from validation.notices.models import NoticeState
from validation.questions.models import Reply
from validation.voting.models.review import Review
from validation.voting.waiting_work import annotators_with_work

# How far back the page looks, and a first e-mail.
SHOWN_PERIOD, FIRST_PERIOD = timedelta(days=30), timedelta(days=1)


@dataclass(frozen=True)
class Notice:
    """One line: what is new in a project, since when, and where it is dealt with; `code` says what, for programs."""

    code: str
    slug: str
    project: str
    words: str
    at: datetime
    url: str


@dataclass(frozen=True)
class Span:
    """From a moment (without it) to another."""

    since: datetime
    until: datetime

    def of(self, field: str) -> Q:
        """Rows in it."""
        return Q(**{f"{field}__gt": self.since, f"{field}__lte": self.until})


def notice_state_of(user: User) -> NoticeState:
    """The person's own row, or one that is not stored where they have none yet."""
    return NoticeState.objects.filter(user=user).first() or NoticeState(user=user)


def notices(user: User, span: Span) -> list[Notice]:
    """What is new in open projects that somebody belongs to, latest first; as many statements for one as for many."""
    rows = Annotator.objects.select_related("project").filter(user=user, left_at=None, project__closed_at=None)
    places = {place.pk: place for place in rows}
    if not places:
        return []
    parts: tuple[Callable[[dict[int, Annotator], Span], Iterator[Notice]], ...]
    parts = (_returned, _answers, _guidelines, _to_write, _to_vote, _paid, _closed_pages)
    found = [notice for part in parts for notice in part(places, span)]
    return sorted(found, key=lambda notice: notice.at, reverse=True)


def recent_notices(user: User) -> tuple[list[tuple[Notice, bool]], int]:
    """The notices of the last weeks, each with whether it is new, and how many are."""
    until = now()
    seen = notice_state_of(user).seen_at or user.created_at
    found = [(one, one.at > seen) for one in notices(user, Span(until - SHOWN_PERIOD, until))]
    return found, sum(new for _, new in found)


def count_unread(user: User) -> int:
    """How many notices are new."""
    return recent_notices(user)[1]


def _by_place(rows: QuerySet[Any], place: str, at: str, what: str = "pk") -> list[tuple[int, int, datetime]]:
    """The rows counted by whose they are: place, of how many different things, the latest moment."""
    counted = rows.order_by().values(place).annotate(n=Count(what, distinct=True), latest=Max(at))
    return [(row[place], row["n"], row["latest"]) for row in counted]


def _returned(places: dict[int, Annotator], span: Span) -> Iterator[Notice]:
    back = Review.objects.filter(
        span.of("at"), item__author__in=places, item__stage=stages.RETURNED, event__in=stages.RETURNS
    )
    for pk, n, at in _by_place(back, "item__author", "at", "item"):
        words = ngettext("%(n)d text was returned to you", "%(n)d texts were returned to you", n)
        yield _notice("returned", places[pk].project, words % {"n": n}, at, "returned")


def _answers(places: dict[int, Annotator], span: Span) -> Iterator[Notice]:
    replies = Reply.objects.filter(span.of("at"), question__by__in=places, by_asker=False)
    for pk, _, at in _by_place(replies, "question__by", "at"):
        yield _notice("answered", places[pk].project, gettext("Your question was answered"), at, "questions")


def _guidelines(places: dict[int, Annotator], span: Span) -> Iterator[Notice]:
    role = GuidelineVersion.Role
    projects = [place.project_id for place in places.values()]
    newest: dict[tuple[int, str], GuidelineVersion] = {}
    changed = GuidelineVersion.objects.filter(span.of("at"), project__in=projects, n__gt=1)
    for row in changed.order_by("n"):
        newest[(row.project_id, row.role)] = row
    for place in places.values():
        concerned = {role.WRITING: place.is_writer, role.VALIDATION: place.is_validator}
        found = [
            version.at
            for name, mine in concerned.items()
            if mine and (version := newest.get((place.project_id, name)))
            if place.read_guidelines.get(name, 0) < version.n and version.at > place.joined_at
        ]
        if found:
            yield _notice("guidelines", place.project, gettext("The guidelines have changed"), max(found), "guidelines")


def _to_write(places: dict[int, Annotator], span: Span) -> Iterator[Notice]:
    given = Allocation.objects.filter(
        span.of("opened_at"), writer__in=places, writer__is_writer=True, state=Allocation.State.OPEN
    )
    for pk, n, at in _by_place(given, "writer", "opened_at"):
        words = ngettext("There is %(n)d new text to write for", "There are %(n)d new texts to write for", n)
        yield _notice("to_write", places[pk].project, words % {"n": n}, at, "write")


def _to_vote(places: dict[int, Annotator], span: Span) -> Iterator[Notice]:
    """Whether there is something new, without the number, which would reveal what others do."""
    voters = [pk for pk, place in places.items() if place.is_validator]
    waits = annotators_with_work(voters)
    # Whatever became of it: when others decide the newest one is told to nobody.
    items = Item.objects.filter(span.of("at"), target__in={target for _, target in waits})
    came = dict(items.order_by().values("target").annotate(latest=Max("at")).values_list("target", "latest"))
    for pk in voters:
        found = [came[target] for who, target in waits if who == pk and target in came]
        if found:
            yield _notice(
                "to_vote",
                places[pk].project,
                gettext("There is something new to vote on"),
                max(found),
                "vote",
            )


def _paid(places: dict[int, Annotator], span: Span) -> Iterator[Notice]:
    entries = LedgerEntry.objects.filter(span.of("approval__at"), annotator__in=places)
    for pk, _, at in _by_place(entries, "annotator", "approval__at"):
        project = places[pk].project
        yield Notice("paid", project.slug, project.name, gettext("Pay was approved"), at, page_url("my_pay"))


def _closed_pages(places: dict[int, Annotator], span: Span) -> Iterator[Notice]:
    """Public pages that were closed because votes are asked for again, and nobody could be asked before."""
    led = {place.project_id: place for place in places.values() if place.is_lead}
    closed = Event.objects.filter(span.of("at"), project__in=led, verb="release_closed", data__unattended=True)
    for project, n, at in _by_place(closed, "project", "at") if led else ():
        words = ngettext(
            "%(n)d public page was closed: items of it are voted on again",
            "%(n)d public pages were closed: items of them are voted on again",
            n,
        )
        yield _notice("page_closed", led[project].project, words % {"n": n}, at, "releases")


def _notice(code: str, project: Project, words: str, at: datetime, room: str) -> Notice:
    return Notice(code, project.slug, project.name, words, at, page_url(room, project.slug))


def users_to_mail(before: datetime) -> QuerySet[User]:
    """Who gets e-mails: people with an account and an address that they confirmed, unless they switched them off."""
    people = User.objects.filter(is_active=True, deleted_at=None, memberships__left_at=None)
    people = people.filter(emailaddress__verified=True, emailaddress__email__iexact=F("email"))
    wanted = Q(notices=None) | Q(notices__mails=True)
    return people.filter(wanted, created_at__lt=before).select_related("notices").distinct().order_by("pk")


def span_to_mail(user: User, until: datetime) -> Span:
    """The content of an e-mail at this moment: since the last one, at most a month; for a first one a day."""
    mailed_until = notice_state_of(user).mailed_until
    return Span(
        max(mailed_until, until - SHOWN_PERIOD) if mailed_until else max(until - FIRST_PERIOD, user.created_at),
        until,
    )


def notice_data_of(user: User) -> dict[str, Any]:
    """What is kept of somebody's notices, for their own data."""
    state = notice_state_of(user)
    return {
        "mails": state.mails,
        "zone": state.zone,
        "seen_at": state.seen_at,
        "mailed_until": state.mailed_until,
    }
