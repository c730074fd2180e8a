"""My work: per project what is returned to me, what I can write, what I can vote on, what I did today."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Now, TruncDate
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET

from annotation.content.models.source import Allocation, Concept
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion
from annotation.elicitation.queries import prompts
from annotation.translation.queries.targets import TargetWork, works_of
from annotation.ui.navigation import asked, link
from validation.consensus import translation_review as reviewing
from validation.group_review import queries as group
from validation.review.queries.desk import corrected_counts, desk_counts
from validation.studies.models import Rating, RatingRun
from validation.studies.queries import comparisons as comparing
from validation.studies.queries import diagnostic
from validation.voting import sql
from validation.voting.models.vote import Vote


@dataclass(frozen=True)
class Fact:
    """One line of a project on the home page; `url` is empty where there is no page behind it."""

    words: str
    count: int | None = None
    url: str = ""


@dataclass(frozen=True)
class Work:
    """One project on the home page. Counts are of one's own things only, so they tell nothing about others."""

    membership: Membership
    returned: int
    corrected: int
    to_write: int
    written_today: int
    votes_waiting: bool
    votes_today: int
    to_check: int
    doubtful: int
    concepts: int
    topics: bool
    to_rate: int
    to_compare: int
    to_review: int
    proposals: int
    group_session: int
    to_look: int
    to_tag: int
    to_answer: bool
    new_guidelines: tuple[str, ...]
    never_read: bool = False
    targets: tuple[TargetWork, ...] = ()

    @property
    def takes(self) -> list[TargetWork]:
        """The targets in which they have nothing in hand and there is more."""
        return [each for each in self.targets if each.takes] if self._translates else []

    @property
    def done_with(self) -> list[TargetWork]:
        """The targets in which there is nothing for them now."""
        rest = [each for each in self.targets if each.here and not each.open and not each.more]
        return rest if self._translates else []

    @property
    def _translates(self) -> bool:
        return self.membership.is_writer and self.membership.project.closed_at is None

    @property
    def no_target(self) -> bool:
        """Whether they cannot be given anything, because nobody has said for which target they work."""
        membership = self.membership
        given = membership.is_writer or membership.is_validator
        return (
            given and access.has_targets(membership.project) and not any(each.here for each in self.targets)
        )

    def _to_write(self) -> Iterator[Fact]:
        """What they have in hand, by target where there are targets."""
        slug, kind = self.membership.project.slug, self.membership.project.kind_spec
        if not access.has_targets(self.membership.project):
            name = gettext(kind.source_name if self.to_write == 1 else kind.source_plural)
            yield Fact(
                gettext("%(sources)s to write for") % {"sources": name}, self.to_write, link("write", slug)
            )
            return
        for each in self.targets:
            if each.open:
                words = ngettext("text to translate: %(target)s", "texts to translate: %(target)s", each.open)
                address = f"{link('write', slug)}?{urlencode({'target': each.target.key})}"
                yield Fact(words % {"target": each.target.title}, each.open, address)

    def _facts(self) -> Iterator[Fact]:
        yield from self._of_writers()
        yield from self._to_judge()
        yield from self._beside()
        yield from self._of_leads()
        yield from self._of_reviewers()
        if self.concepts:
            yield self._concepts_fact()
        if self._begins:
            yield Fact(
                gettext("Begin a prompt on a topic"), None, link("topics", self.membership.project.slug)
            )

    def _of_writers(self) -> Iterator[Fact]:
        """What they wrote and what they have to write."""
        slug = self.membership.project.slug
        if self.returned:
            words = ngettext("returned to you to mend", "returned to you to mend", self.returned)
            yield Fact(words, self.returned, link("returned", slug))
        if self.corrected:
            words = ngettext(
                "correction by a reviewer to look at", "corrections by reviewers to look at", self.corrected
            )
            yield Fact(words, self.corrected, link("corrected", slug))
        if self.to_write:
            yield from self._to_write()

    def _to_judge(self) -> Iterator[Fact]:
        """What others wrote, or a model did, and they are asked about."""
        slug, kind = self.membership.project.slug, self.membership.project.kind_spec
        if self.votes_waiting:
            reviews = "review" in kind.features
            words = gettext("%(items)s to review") if reviews else gettext("%(items)s to vote on")
            words = words % {"items": gettext(kind.item_plural)}
            yield Fact(words.capitalize(), None, link("vote", slug))
        if self.to_rate:
            words = ngettext("model output to rate", "model outputs to rate", self.to_rate)
            yield Fact(words, self.to_rate, link("rate", slug))
        if self.to_compare:
            words = ngettext("pair of questions to compare", "pairs of questions to compare", self.to_compare)
            yield Fact(words, self.to_compare, link("compare", slug))

    def _of_leads(self) -> Iterator[Fact]:
        """What is on a lead's desk."""
        slug = self.membership.project.slug
        if self.to_check:
            yield Fact(gettext("to check"), self.to_check, link("desk", slug) + "?check=1")
        if self.doubtful:
            words = ngettext("item to look at", "items to look at", self.doubtful)
            yield Fact(words, self.doubtful, link("desk", slug))

    def _of_reviewers(self) -> Iterator[Fact]:
        """What is decided by a group, or looked at once more."""
        slug, kind = self.membership.project.slug, self.membership.project.kind_spec
        if self.proposals:
            words = ngettext("proposal to decide", "proposals to decide", self.proposals)
            yield Fact(words, self.proposals, link("group", slug, self.group_session) + "?open=1")
        if self.to_review:
            name = gettext(kind.item_name if self.to_review == 1 else kind.item_plural)
            words = gettext("%(items)s to review") % {"items": name}
            yield Fact(words, self.to_review, link("group", slug, self.group_session))
        if self.to_look:
            name = gettext(kind.item_name if self.to_look == 1 else kind.item_plural)
            words = gettext("%(items)s for a second look") % {"items": name}
            yield Fact(words, self.to_look, link("second_look", slug))

    def _beside(self) -> Iterator[Fact]:
        """What is asked beside a project's own work: its diagnostic set, a human baseline."""
        slug, kind = self.membership.project.slug, self.membership.project.kind_spec
        if self.to_answer:
            words = gettext("%(items)s to answer") % {"items": gettext(kind.item_plural)}
            yield Fact(words.capitalize(), None, link("answer", slug))
        if self.to_tag:
            words = ngettext(
                "item of a diagnostic set to go through",
                "items of a diagnostic set to go through",
                self.to_tag,
            )
            yield Fact(words, self.to_tag, link("tags", slug))

    @property
    def _begins(self) -> bool:
        """Whether they begin as much as they like, once nothing that they began is open."""
        membership = self.membership
        open_here = membership.project.closed_at is None and not self.to_write
        return membership.is_writer and open_here and self.topics

    def _concepts_fact(self) -> Fact:
        """What leads have to look at, and what came back to writers, before anybody writes for it."""
        kind, n = self.membership.project.kind_spec, self.concepts
        name = gettext(kind.source_name if n == 1 else kind.source_plural)
        led = self.membership.is_lead
        words = gettext("%(sources)s proposed") if led else gettext("%(sources)s of yours returned")
        state = Concept.State.PROPOSED if led else Concept.State.RETURNED
        address = f"{link('concepts', self.membership.project.slug)}?{urlencode({'state': state})}"
        return Fact(words % {"sources": name}, n, address)

    @property
    def facts(self) -> list[Fact]:
        """What waits, in the order in which it is to be done, then what was done today."""
        done = []
        if self.written_today:
            words = ngettext("set submitted today", "sets submitted today", self.written_today)
            address = link("write_done", self.membership.project.slug) if self.membership.is_writer else ""
            done.append(Fact(words, self.written_today, address))
        if self.votes_today:
            words = ngettext("vote cast today", "votes cast today", self.votes_today)
            done.append(Fact(words, self.votes_today))
        return [*self._facts(), *done]

    @property
    def next_url(self) -> str:
        """Where "Continue" leads: returned work before new work (domain.md §8)."""
        return next((fact.url for fact in self._facts() if fact.url), "")


def works(user: access.Viewer) -> list[Work]:
    """Everything that the home page shows; the number of statements does not grow with projects."""
    places = access.memberships(user)
    mine = [membership.annotator.pk for membership in places if membership.annotator]
    led = [membership.project.pk for membership in places if membership.is_lead]
    translating = _annotators(places, lambda membership: access.has_targets(membership.project))
    found = _Found(
        rows=_counted(mine),
        votes=_votes_today(mine),
        waiting=sql.waiting(_annotators(places, lambda membership: membership.is_validator)),
        desk=desk_counts(places) if led else {},
        newest=_newest(places),
        concepts=_concepts(led, mine),
        topics=prompts.with_topics([membership.project for membership in places if membership.is_writer]),
        proposals=group.to_decide(led, mine),
        to_review=group.to_review([membership.project.pk for membership in places if membership.is_reviewer]),
        to_look=prompts.looks_left(_annotators(places, _looks)),
        to_tag=diagnostic.rows_left(_annotators(places, _tags)),
        corrections=corrected_counts(_annotators(places, _is_corrected)),
        targets=works_of(translating) if translating else {},
    )
    sessions = group.latest_reviews({*found.proposals, *found.to_review})
    return [_work(membership, found, sessions.get(membership.project.pk, 0)) for membership in places]


@dataclass(frozen=True)
class _Found:
    """What the database says for all places at once: by their key, or by that of their project."""

    rows: Mapping[int, Annotator]
    votes: Mapping[int, int]
    waiting: Collection[tuple[int, int]]
    desk: Mapping[int, tuple[int, int]]
    newest: Mapping[int, dict[str, int]]
    concepts: Mapping[int, int]
    topics: Collection[int]
    proposals: Mapping[int, int]
    to_review: Mapping[int, int]
    to_look: Mapping[int, int]
    to_tag: Mapping[int, int]
    corrections: Mapping[int, int]
    targets: Mapping[int, list[TargetWork]]


def _annotators(places: Iterable[Membership], of: Callable[[Membership], bool]) -> list[int]:
    """The viewer's own rows in those of the projects."""
    return [membership.annotator.pk for membership in places if membership.annotator and of(membership)]


def _counted(mine: list[int]) -> dict[int, Annotator]:
    """Own places with what waits there and what was written today."""
    today = TruncDate(Now())
    dealt = Rating.objects.filter(annotator=OuterRef("pk"), answered_at=None, run__state=RatingRun.State.OPEN)
    to_rate = dealt.values("annotator").annotate(n=Count("pk"))
    found = Annotator.objects.filter(pk__in=mine).annotate(
        returned=Count("items", filter=Q(items__stage="returned"), distinct=True),
        to_write=Count("allocations", filter=Q(allocations__state=Allocation.State.OPEN), distinct=True),
        written=Count(
            "allocations",
            filter=Q(allocations__state=Allocation.State.SUBMITTED, allocations__submitted_at__date=today),
            distinct=True,
        ),
        to_rate=Subquery(to_rate.values("n")),
        to_compare=comparing.waiting(),
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


def _is_corrected(membership: Membership) -> bool:
    """Whether reviewers may correct what somebody wrote."""
    return membership.is_writer and reviewing.FEATURE in membership.project.kind_spec.features


def _looks(membership: Membership) -> bool:
    return membership.is_writer and prompts.SECOND_LOOK in membership.project.kind_spec.features


def _tags(membership: Membership) -> bool:
    return diagnostic.tagged(membership.project)


def _compares(membership: Membership) -> bool:
    """Whether somebody's role lets them compare; who wrote instructions has nothing waiting."""
    return membership.is_validator and membership.annotator is not None and not membership.annotator.has_led


def _concepts(led: list[int], mine: list[int]) -> dict[int, int]:
    """By project: concepts of others that wait for its lead, or the viewer's own that were returned."""
    state = Concept.State
    proposed = Q(project__in=led, state=state.PROPOSED) & ~Q(proposed_by__in=mine)
    returned = Q(proposed_by__in=mine, state=state.RETURNED) & ~Q(project__in=led)
    rows = Concept.objects.filter(proposed | returned).values("project").annotate(n=Count("pk"))
    return dict(rows.values_list("project", "n"))


def _changed(membership: Membership, row: Annotator, newest: dict[str, int]) -> tuple[str, ...]:
    """The roles of theirs whose newest guidelines they have not read."""
    wanted = {
        GuidelineVersion.Role.WRITING: membership.is_writer,
        GuidelineVersion.Role.VALIDATION: membership.is_validator,
    }
    return tuple(
        role
        for role, n in newest.items()
        if wanted.get(GuidelineVersion.Role(role)) and row.read_guidelines.get(role, 0) < n
    )


def _work(membership: Membership, found: _Found, group_session: int) -> Work:
    project, own = membership.project.pk, membership.annotator.pk if membership.annotator else 0
    row = found.rows.get(own)
    changed = _changed(membership, row, found.newest.get(project, {})) if row is not None else ()
    never_read = row is not None and not any(row.read_guidelines.get(role) for role in changed)
    open_here = membership.project.closed_at is None
    writes = membership.is_writer and open_here
    to_check, doubtful = found.desk.get(project, (0, 0))
    targets = tuple(found.targets.get(own, ()))
    return Work(
        membership=membership,
        returned=getattr(row, "returned", 0) if writes else 0,
        corrected=found.corrections.get(own, 0) if open_here else 0,
        to_write=getattr(row, "to_write", 0) if writes else 0,
        written_today=getattr(row, "written", 0),
        votes_waiting=membership.is_validator and open_here and _waits(membership, found.waiting, targets),
        votes_today=found.votes.get(own, 0),
        to_check=to_check,
        doubtful=doubtful,
        to_rate=(getattr(row, "to_rate", 0) or 0) if membership.is_rater and open_here else 0,
        to_compare=getattr(row, "to_compare", 0) if _compares(membership) and open_here else 0,
        concepts=found.concepts.get(project, 0) if open_here else 0,
        topics=project in found.topics,
        to_review=found.to_review.get(project, 0) if open_here and membership.is_reviewer else 0,
        proposals=found.proposals.get(project, 0) if open_here else 0,
        group_session=group_session,
        to_look=found.to_look.get(own, 0) if open_here else 0,
        to_tag=found.to_tag.get(own, 0) if open_here else 0,
        to_answer=membership.is_baseline and asked("answers")(membership),
        new_guidelines=changed,
        never_read=never_read,
        targets=targets,
    )


def _waits(
    membership: Membership, waiting: Collection[tuple[int, int]], targets: Iterable[TargetWork]
) -> bool:
    """Whether something waits for their vote: in the targets that they work for, where there are targets."""
    here = {target for who, target in waiting if membership.annotator and who == membership.annotator.pk}
    if access.has_targets(membership.project):
        here &= {each.target.pk for each in targets if each.here}
    return bool(here)


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """The first page after logging in."""
    found = works(request.user)
    upcoming = next((work for work in found if work.next_url or work.takes), None)
    keys_off = not getattr(request.user, "single_keys", True)
    return render(
        request, "validation/overview/home.html", {"works": found, "next": upcoming, "keys_off": keys_off}
    )
