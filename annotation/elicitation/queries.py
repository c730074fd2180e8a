"""What the pages of sessions, elicitation, topics and the second pass read: always the same few statements."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery

from annotation.content import queries as content_queries
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Concept
from annotation.core import access
from annotation.core.access import Membership, Viewer
from annotation.core.errors import Forbidden, NotFound, first_or_not_found
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.models import ElicitationAnswer, ElicitationQuestion, SecondLook, Session
from annotation.elicitation.rules.sessions import (
    ELICITATION,
    REVIEW,
    TICK_COLUMNS,
    TICKS,
    VARIATIONS,
    Look,
    Standing,
    purposes,
    standing_among_writers,
)
from annotation.presets.elicitation import KINDS
from validation.consensus import stages


def open_to(membership: Membership) -> list[str]:
    """The purposes whose sessions somebody may see: writers the questions asked first, reviewers the reviews."""
    seen = {
        ELICITATION: membership.sees_all or membership.is_writer,
        REVIEW: membership.sees_all or membership.is_reviewer,
    }
    return [purpose for purpose in purposes(membership.project.kind_spec.features) if seen[purpose]]


def sessions_membership(user: Viewer, slug: str) -> Membership:
    """The viewer as somebody who sees sessions; NotFound where the kind has none."""
    membership = access.membership(user, slug)
    if not purposes(membership.project.kind_spec.features):
        raise NotFound
    if not open_to(membership):
        raise Forbidden
    return membership


def sessions_of(membership: Membership, purpose: str) -> QuerySet[Session]:
    """The sessions of a purpose, the latest first."""
    if purpose not in open_to(membership):
        raise Forbidden
    return Session.objects.filter(project=membership.project, purpose=purpose).order_by("-held_on", "-pk")


MOST_AT_HAND = 40


@dataclass(frozen=True)
class QuestionWithAnswers:
    """A question with the answers that the group gave."""

    question: ElicitationQuestion
    answers: list[ElicitationAnswer]

    @property
    def sort_name(self) -> str:
        return KINDS.get(self.question.sort, self.question.sort)


def has_elicitation(project: Project) -> bool:
    """Whether groups are asked first here."""
    return ELICITATION in project.kind_spec.features


def elicitation_membership(user: Viewer, slug: str) -> Membership:
    """The viewer as writer, lead or administrator of a project with elicitation; who only judges sees none of it."""
    membership = access.membership(user, slug)
    if not has_elicitation(membership.project):
        raise NotFound
    if not (membership.sees_all or membership.is_writer):
        raise Forbidden
    return membership


def questions_of(membership: Membership) -> QuerySet[ElicitationQuestion]:
    """The questions in their order; those taken out are for leads, behind the others."""
    mine = ElicitationQuestion.objects.filter(project=membership.project)
    if not membership.sees_all:
        mine = mine.filter(retired_at=None)
    return mine.order_by(F("retired_at").asc(nulls_first=True), "position")


def with_answers(questions: Sequence[ElicitationQuestion]) -> list[QuestionWithAnswers]:
    """These questions with their answers, the oldest first."""
    answers = defaultdict(list)
    given = ElicitationAnswer.objects.filter(question__in=questions)
    for answer in given.select_related("session", "topic", "by").order_by("at", "pk"):
        answers[answer.question_id].append(answer)
    return [QuestionWithAnswers(question, answers[question.pk]) for question in questions]


def elicitation_sessions(project: Project) -> QuerySet[Session]:
    """The sessions whose groups are asked, the latest first."""
    held = Session.objects.filter(project=project, purpose=Session.Purpose.ELICITATION)
    return held.order_by("-held_on", "-pk")


def session_of(membership: Membership, session_id: int) -> Session:
    """One session whose group is asked."""
    return first_or_not_found(elicitation_sessions(membership.project).filter(pk=session_id))


def answering_member(membership: Membership) -> Annotator | None:
    """The place under which somebody answers already: writers and leads."""
    return membership.annotator if membership.is_writer or membership.is_lead else None


def topic_names(project: Project) -> list[str]:
    """The approved topics, for a field that offers them."""
    approved = Concept.objects.filter(project=project, state=Concept.State.APPROVED)
    return list(approved.order_by("text").values_list("text", flat=True))


def answers_at_hand(project: Project, concept: Concept | None) -> list[ElicitationAnswer]:
    """What the group answered, for somebody who writes: what is under the topic first, then the latest of the others.

    Nothing is asked of the database where the kind has no elicitation.
    """
    if not has_elicitation(project):
        return []
    given = ElicitationAnswer.objects.filter(project=project).select_related("question", "topic", "session")
    own = given.filter(topic=concept) if concept else given.none()
    others = given.exclude(topic=concept) if concept else given
    return [*own.order_by("question__position", "pk"), *others.order_by("-at", "-pk")[:MOST_AT_HAND]]


SECOND_LOOK = "second_look"


@dataclass(frozen=True)
class OwnPrompt:
    """A prompt that this writer handed in: its id, its text, whether it is left out by now, and what it varies."""

    item: Item
    text: str
    varies: str

    @property
    def excluded(self) -> bool:
        return self.item.stage == stages.EXCLUDED


@dataclass(frozen=True)
class Topic:
    """An approved topic: this writer's prompts on it, what they have begun, and how many there are of everybody."""

    concept: Concept
    own: list[OwnPrompt]
    begun: list[Allocation]
    total: int


def has_topics(project: Project) -> bool:
    """Whether writers begin as many items on a topic as they like."""
    return VARIATIONS in project.kind_spec.features


def projects_with_topics(projects: Collection[Project]) -> set[int]:
    """Those of the projects (by their keys) in which a writer can begin a prompt: a topic is approved."""
    wanted = [project.pk for project in projects if has_topics(project)]
    if not wanted:
        return set()
    approved = Concept.objects.filter(project__in=wanted, state=Concept.State.APPROVED)
    return set(approved.values_list("project", flat=True).distinct())


def topics_membership(user: Viewer, slug: str) -> tuple[Membership, Annotator]:
    """The viewer as a writer of a project with topics."""
    membership = access.membership(user, slug)
    if not has_topics(membership.project):
        raise NotFound
    return access.writer_at_work(user, slug)


def topics_of(writer: Annotator, concepts: Sequence[Concept]) -> list[Topic]:
    """These topics with what this writer has on each."""
    ids = [concept.pk for concept in concepts]
    items = list(
        Item.objects.filter(author=writer, qa__concept__in=ids)
        .select_related("project", "qa", "allocation__origin")
        .order_by("key")
    )
    texts = content_queries.contents(items)
    own = defaultdict(list)
    for item in items:
        origin = item.allocation.origin if item.allocation else None
        text, _ = writer.project.kind_spec.presentation.headline(texts[item.pk])
        own[item.qa.concept_id].append(OwnPrompt(item, text, origin.key if origin else ""))
    begun = defaultdict(list)
    mine = Allocation.objects.filter(writer=writer, concept__in=ids, state=Allocation.State.OPEN)
    for allocation in mine.select_related("origin").order_by("position"):
        begun[allocation.concept_id].append(allocation)
    counts = Item.objects.filter(qa__concept__in=ids).exclude(stage=stages.EXCLUDED)
    total = Counter(dict(counts.values_list("qa__concept").annotate(n=Count("pk")).order_by()))
    return [Topic(each, own[each.pk], begun[each.pk], total[each.pk]) for each in concepts]


# --- the second pass --------------------------------------------------------------------


def second_look_place(user: Viewer, slug: str) -> Membership:
    """The viewer's place in a project that has a second pass."""
    membership = access.membership(user, slug)
    if SECOND_LOOK not in membership.project.kind_spec.features:
        raise NotFound
    return membership


def has_second_look_begun(project: Project) -> bool:
    """Whether a group has reviewed prompts: before that writers see their own only."""
    return Session.objects.filter(project=project, purpose=Session.Purpose.REVIEW).exists()


def second_look_items(project: Project) -> QuerySet[Item]:
    """Every prompt that is not left out, in the order of ids."""
    return Item.objects.filter(project=project).exclude(stage=stages.EXCLUDED).order_by("key")


def items_left_to_look_at(writer: Annotator) -> QuerySet[Item]:
    """What this writer has not looked through as it stands now."""
    looked = SecondLook.objects.filter(item=OuterRef("pk"), annotator=writer, revision_n=OuterRef("revision_n"))
    return second_look_items(writer.project).exclude(Exists(looked))


def looks_left(writers: Collection[int]) -> dict[int, int]:
    """How many prompts each of these writers still has to look through, in projects that a group has reviewed."""
    if not writers:
        return {}
    reviewed = Session.objects.filter(project=OuterRef("project"), purpose=Session.Purpose.REVIEW)
    looked = SecondLook.objects.filter(
        item=OuterRef("pk"), annotator=OuterRef(OuterRef("pk")), revision_n=OuterRef("revision_n")
    )
    left = Item.objects.filter(~Exists(looked), project=OuterRef("project")).exclude(stage=stages.EXCLUDED)
    counts = left.order_by().values("project").annotate(n=Count("pk")).values("n")
    rows = Annotator.objects.filter(Exists(reviewed), pk__in=writers).annotate(left=Subquery(counts))
    return {pk: n or 0 for pk, n in rows.values_list("pk", "left")}


def second_look_standing(item: Item) -> Standing | None:
    """How far the writers are with one item as it stands now; None where its kind has no second pass."""
    if SECOND_LOOK not in item.project.kind_spec.features:
        return None
    return _standings([item], _writers(item.project_id))[0]


def count_not_looked_at(project: Project) -> int:
    """How many prompts nobody has looked through as they stand now."""
    looked = SecondLook.objects.filter(item=OuterRef("pk"), revision_n=OuterRef("revision_n"))
    return second_look_items(project).filter(~Exists(looked)).count()


def second_look_item(writer: Annotator, item_id: int) -> Item:
    """One prompt to look through; NotFound before the group review, as if it were not there."""
    item = second_look_items(writer.project).filter(pk=item_id).select_related("project").first()
    if item is None or not has_second_look_begun(writer.project):
        raise NotFound
    return item


@dataclass(frozen=True)
class SecondLookRow:
    """One prompt of the leads' table, and how it stands."""

    item: Item
    standing: Standing

    @property
    def missing(self) -> list[tuple[str, int]]:
        """How many did not give each tick, by the word for it."""
        return [(TICK_COLUMNS[tick], n) for tick, n in self.standing.missing.items()]


def second_look_rows(membership: Membership) -> list[SecondLookRow]:
    """The prompts that not every writer has ticked as they stand now, for leads."""
    if not membership.sees_all:
        raise Forbidden
    items = list(second_look_items(membership.project).select_related("project"))
    return [row for row in rows_with_standing(membership.project, items) if not row.standing.is_done]


def rows_with_standing(project: Project, items: Sequence[Item]) -> list[SecondLookRow]:
    """These prompts with how far the writers are with each; two statements."""
    found = _standings(items, _writers(project.pk))
    return [SecondLookRow(item, each) for item, each in zip(items, found, strict=True)]


def _writers(project: int) -> set[str]:
    there = Annotator.objects.filter(project=project, is_writer=True, left_at=None, user__isnull=False)
    return set(there.values_list("pseudonym", flat=True))


def _standings(items: Sequence[Item], writers: Collection[str]) -> list[Standing]:
    present = {item.pk: item.revision_n for item in items}
    looks = defaultdict(list)
    for look in SecondLook.objects.filter(item__in=present).select_related("annotator"):
        if look.revision_n == present[look.item_id]:
            given = frozenset(tick for tick in TICKS if getattr(look, tick))
            looks[look.item_id].append(Look(look.annotator.pseudonym, given, look.words))
    return [standing_among_writers(looks[item.pk], writers) for item in items]
