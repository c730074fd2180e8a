"""My work: for each project returned items, what I can write and vote on, and what I did today."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from urllib.parse import unquote, urlencode

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q
from django.db.models.functions import Now, TruncDate
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET

from annotation.content.models.source import Allocation, Concept
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.language import ZONE_COOKIE
from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion
from annotation.core.models.user import User
from annotation.elicitation import queries as prompts
from annotation.translation.queries.targets import TargetWork, works_of
from annotation.ui.navigation import page_url
from validation.consensus import translation_review as reviewing
from validation.group_review import queries as group
from validation.notices.actions import zone_keep
from validation.notices.queries import count_unread
from validation.notices.views import unread_keep
from validation.quality.queries import open_to as quality_open_to
from validation.quality.queries import paused_counts
from validation.review.queries.desk import count_corrections_to_judge, desk_counts
from validation.review.queries.returned import items_returned_to
from validation.voting.models.vote import Vote
from validation.voting.waiting_work import annotators_with_work, more_by


@dataclass(frozen=True)
class Fact:
    """One line of a project on the home page; `url` is empty where there is no page behind it."""

    words: str
    count: int | None = None
    url: str = ""


class ProjectWork:
    """One project on the home page. Counts are of one's own things only, so they tell nothing about others."""

    def __init__(self, membership: Membership, counts: "_Counts") -> None:
        self.membership, self._counts = membership, counts
        self._project, self._kind = membership.project, membership.project.kind_spec
        self._own = membership.annotator.pk if membership.annotator else 0
        self._row = counts.rows.get(self._own)
        self._open = self._project.closed_at is None
        self._writes = membership.is_writer and self._open
        self._has_targets = access.has_targets(self._project)
        self.targets = counts.targets.get(self._own, [])
        self.new_guidelines = self._changed()
        read = self._row.read_guidelines if self._row else {}
        self.never_read = self._row is not None and not any(read.get(role) for role in self.new_guidelines)

    @property
    def writes_as(self) -> int | None:
        """Their place where they write and the project is open."""
        return self._own if self._writes else None

    @property
    def takeable_targets(self) -> list[TargetWork]:
        """The targets in which they have nothing in hand and there is more."""
        return [each for each in self.targets if each.can_take_texts] if self._writes else []

    @property
    def done_with(self) -> list[TargetWork]:
        """The targets in which there is nothing for them now."""
        rest = [each for each in self.targets if each.is_member and not each.open and not each.more]
        return rest if self._writes else []

    @property
    def no_target(self) -> bool:
        """Whether they cannot be given anything, because nobody has said for which target they work."""
        given = self.membership.is_writer or self.membership.is_validator
        return given and self._has_targets and not any(each.is_member for each in self.targets)

    @property
    def is_paused(self) -> bool:
        """Whether they are given nothing new to vote on until a lead decides."""
        return self.membership.is_validator and self._open and self._row is not None and self._row.paused_at is not None

    @cached_property
    def facts(self) -> list[Fact]:
        """What waits, in the order in which it is to be done, then what was done today."""
        n = self._of_row("written")
        words = ngettext("set submitted today", "sets submitted today", n)
        written = _fact_if_any(n, words, self._link("write_done") if self.membership.is_writer else "")
        n = self._counts.votes.get(self._own, 0)
        return [
            *self._waiting,
            *written,
            *_fact_if_any(n, ngettext("vote cast today", "votes cast today", n)),
        ]

    @property
    def next_url(self) -> str:
        """Where "Continue" leads; what was returned stands before it, with a way to each (domain.md §8)."""
        return next((fact.url for fact in self._waiting if fact.url), "")

    @cached_property
    def _waiting(self) -> list[Fact]:
        parts = (
            self._of_writers,
            self._to_judge,
            self._of_leads,
            self._of_groups,
            self._to_begin,
        )
        return [fact for part in parts for fact in part()]

    def _of_writers(self) -> Iterator[Fact]:
        """What came back to them, and what they have in hand, by target where there are targets."""
        n = self._counts.corrections.get(self._own, 0) if self._open else 0
        words = ngettext("correction by a reviewer to look at", "corrections by reviewers to look at", n)
        yield from _fact_if_any(n, words, self._link("corrected"))
        n = self._to_write
        if n and not self._has_targets:
            words = gettext("%(sources)s to write for") % {"sources": self._sources(n)}
            yield Fact(words, n, self._link("write"))
        for each in self.targets if n and self._has_targets else ():
            words = ngettext("text to translate: %(target)s", "texts to translate: %(target)s", each.open)
            address = f"{self._link('write')}?{urlencode({'target': each.target.key})}"
            yield from _fact_if_any(each.open, words % {"target": each.target.local_title}, address)

    def _to_judge(self) -> Iterator[Fact]:
        """What others wrote, or a model did, and they are asked about."""
        if self.votes_waiting:
            reviews = "review" in self._kind.features
            words = gettext("%(items)s to review") if reviews else gettext("%(items)s to vote on")
            words = words % {"items": gettext(self._kind.presentation.item_plural)}
            yield Fact(words.capitalize(), None, self._link("vote"))
        elif (moment := self._counts.more_by.get(self._own)) and not self.is_paused:
            words = gettext("By %(at)s there will be more.")
            yield Fact(words % {"at": date_format(localtime(moment), "DATETIME_FORMAT")})

    def _of_leads(self) -> Iterator[Fact]:
        """What is on a lead's desk."""
        to_check, doubtful = self._counts.desk.get(self._project.pk, (0, 0))
        yield from _fact_if_any(to_check, gettext("to check"), self._link("desk") + "?check=1")
        words = ngettext("item to look at", "items to look at", doubtful)
        yield from _fact_if_any(doubtful, words, self._link("desk"))
        paused = self._counts.paused.get(self._project.pk, 0)
        words = ngettext("paused person to decide on", "paused people to decide on", paused)
        yield from _fact_if_any(paused, words, self._link("quality"))

    def _of_groups(self) -> Iterator[Fact]:
        """What is decided by a group, or looked at again."""
        if not self._open:
            return
        counts, project = self._counts, self._project.pk
        group_url = page_url("group", self._project.slug, counts.sessions.get(project, 0))
        n = counts.proposals.get(project, 0)
        yield from _fact_if_any(n, ngettext("proposal to decide", "proposals to decide", n), group_url + "?open=1")
        n = counts.to_review.get(project, 0) if self.membership.is_reviewer else 0
        yield from _fact_if_any(n, gettext("%(items)s to review") % {"items": self._items(n)}, group_url)
        n = counts.to_look.get(self._own, 0)
        words = gettext("%(items)s for a second look") % {"items": self._items(n)}
        yield from _fact_if_any(n, words, self._link("second_look"))

    def _to_begin(self) -> Iterator[Fact]:
        """Concepts that leads look at, or that came back to writers; then, with nothing open, a new prompt."""
        led, n = self.membership.is_lead, self._counts.concepts.get(self._project.pk, 0) if self._open else 0
        words = gettext("%(sources)s proposed") if led else gettext("%(sources)s of yours returned")
        state = Concept.State.PROPOSED if led else Concept.State.RETURNED
        address = f"{self._link('concepts')}?{urlencode({'state': state})}"
        yield from _fact_if_any(n, words % {"sources": self._sources(n)}, address)
        if self._writes and not self._to_write and self._project.pk in self._counts.topics:
            yield Fact(gettext("Begin a prompt on a topic"), None, self._link("topics"))

    @property
    def _to_write(self) -> int:
        return self._of_row("to_write") if self._writes else 0

    @property
    def votes_waiting(self) -> bool:
        """Whether something waits for their vote: in the targets that they work for, where there are targets."""
        here = {target for who, target in self._counts.waiting if who == self._own}
        if self._has_targets:
            here &= {each.target.pk for each in self.targets if each.is_member}
        return self.membership.is_validator and self._open and bool(here) and not self.is_paused

    def _changed(self) -> tuple[str, ...]:
        """The roles of theirs whose newest guidelines they have not read."""
        role, membership, row = GuidelineVersion.Role, self.membership, self._row
        wanted = {role.WRITING: membership.is_writer, role.VALIDATION: membership.is_validator}
        newest = self._counts.newest.get(self._project.pk, {}) if row is not None else {}
        return tuple(
            name
            for name, n in newest.items()
            if row is not None and wanted.get(role(name)) and row.read_guidelines.get(name, 0) < n
        )

    def _of_row(self, name: str) -> int:
        return getattr(self._row, name, 0) or 0

    def _link(self, name: str) -> str:
        return page_url(name, self._project.slug)

    def _sources(self, n: int) -> str:
        return gettext(self._kind.source.name if n == 1 else self._kind.source.plural)

    def _items(self, n: int) -> str:
        return gettext(self._kind.presentation.item_name if n == 1 else self._kind.presentation.item_plural)


def _fact_if_any(n: int, words: str, url: str = "") -> list[Fact]:
    """A fact where there are any."""
    return [Fact(words, n, url)] if n else []


@dataclass(frozen=True)
class _Counts:
    """What the database says for all places at once: by their key, or by that of their project."""

    rows: Mapping[int, Annotator]
    votes: Mapping[int, int]
    waiting: Collection[tuple[int, int]]
    more_by: Mapping[int, datetime]
    desk: Mapping[int, tuple[int, int]]
    paused: Mapping[int, int]
    newest: Mapping[int, dict[str, int]]
    concepts: Mapping[int, int]
    topics: Collection[int]
    proposals: Mapping[int, int]
    to_review: Mapping[int, int]
    to_look: Mapping[int, int]
    corrections: Mapping[int, int]
    targets: Mapping[int, list[TargetWork]]
    sessions: Mapping[int, int]


def work_of_projects(user: access.Viewer) -> list[ProjectWork]:
    """Everything that the home page shows; the number of statements does not grow with projects."""
    places = access.memberships(user)
    mine = [membership.annotator.pk for membership in places if membership.annotator]
    led = [membership.project.pk for membership in places if membership.is_lead]
    translating = _annotators(places, lambda membership: access.has_targets(membership.project))
    proposals = group.count_proposals_to_decide(led, mine)
    to_review = group.count_prompts_to_review(
        [membership.project.pk for membership in places if membership.is_reviewer]
    )
    voters = _annotators(places, lambda membership: membership.is_validator)
    waiting = annotators_with_work(voters)
    counts = _Counts(
        rows=_work_rows(mine),
        votes=_votes_today(mine),
        waiting=waiting,
        more_by=more_by(set(voters) - {who for who, _ in waiting}),
        desk=desk_counts(places) if led else {},
        paused=paused_counts([place.project.pk for place in places if quality_open_to(place)]),
        newest=_newest(places),
        concepts=_concepts(led, mine),
        topics=prompts.projects_with_topics([membership.project for membership in places if membership.is_writer]),
        proposals=proposals,
        to_review=to_review,
        to_look=prompts.looks_left(_annotators(places, _has_second_look)),
        corrections=count_corrections_to_judge(_annotators(places, _can_be_corrected)),
        targets=works_of(translating) if translating else {},
        sessions=group.latest_review_sessions({*proposals, *to_review}),
    )
    return [ProjectWork(membership, counts) for membership in places]


def _annotators(places: Iterable[Membership], of: Callable[[Membership], bool]) -> list[int]:
    """The viewer's own rows in those of the projects."""
    return [membership.annotator.pk for membership in places if membership.annotator and of(membership)]


def _work_rows(mine: list[int]) -> dict[int, Annotator]:
    """Own places with what waits there and what was written today."""
    today = TruncDate(Now())
    found = Annotator.objects.filter(pk__in=mine).annotate(
        to_write=Count("allocations", filter=Q(allocations__state=Allocation.State.OPEN), distinct=True),
        written=Count(
            "allocations",
            filter=Q(allocations__state=Allocation.State.SUBMITTED, allocations__submitted_at__date=today),
            distinct=True,
        ),
    )
    return {row.pk: row for row in found}


def _votes_today(mine: list[int]) -> dict[int, int]:
    cast = Vote.objects.filter(annotator__in=mine, cast_at__date=TruncDate(Now()), withdrawn_at=None)
    return dict(cast.values("annotator").annotate(n=Count("pk")).values_list("annotator", "n"))


def _newest(places: Iterable[Membership]) -> dict[int, dict[str, int]]:
    """By project and role: the number of the newest guidelines."""
    newest: dict[int, dict[str, int]] = {}
    versions = GuidelineVersion.objects.filter(project__in=[membership.project.pk for membership in places])
    for project_id, role, n in versions.values_list("project", "role", "n"):
        newest.setdefault(project_id, {})[role] = max(n, newest.get(project_id, {}).get(role, 0))
    return newest


def _can_be_corrected(membership: Membership) -> bool:
    """Whether reviewers may correct what somebody wrote."""
    return membership.is_writer and reviewing.FEATURE in membership.project.kind_spec.features


def _has_second_look(membership: Membership) -> bool:
    return membership.is_writer and prompts.SECOND_LOOK in membership.project.kind_spec.features


def _concepts(led: list[int], mine: list[int]) -> dict[int, int]:
    """By project: concepts of others that wait for its lead, or the viewer's own that were returned."""
    state = Concept.State
    proposed = Q(project__in=led, state=state.PROPOSED) & ~Q(proposed_by__in=mine)
    returned = Q(proposed_by__in=mine, state=state.RETURNED) & ~Q(project__in=led)
    rows = Concept.objects.filter(proposed | returned).values("project").annotate(n=Count("pk"))
    return dict(rows.values_list("project", "n"))


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    return request.user


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """The first page after logging in."""
    found = work_of_projects(request.user)
    # The page that everybody opens: the daily e-mail needs to know when their day is.
    zone_keep(user=_person(request), zone=unquote(request.COOKIES.get(ZONE_COOKIE, "")))
    new = count_unread(_person(request))
    unread_keep(request, new)
    context = {
        "works": found,
        "returned": items_returned_to([work.writes_as for work in found if work.writes_as]),
        "unread": new,
        "next": next((work for work in found if work.next_url or work.takeable_targets), None),
        "keys_off": not getattr(request.user, "single_keys", True),
    }
    return render(request, "validation/overview/home.html", context)
