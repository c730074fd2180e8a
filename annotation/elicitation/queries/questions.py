"""What the page of elicitation and the writing page read: questions with the group's answers."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F, QuerySet

from annotation.content.models.source import Concept
from annotation.core import access
from annotation.core.access import Membership, Viewer
from annotation.core.errors import Forbidden, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.models.session import ElicitationAnswer, ElicitationQuestion, Session
from annotation.elicitation.rules.questions import ELICITATION
from annotation.presets.elicitation import KINDS

MOST_AT_HAND = 40


@dataclass(frozen=True)
class Asked:
    """A question with the answers that the group gave."""

    question: ElicitationQuestion
    answers: list[ElicitationAnswer]

    @property
    def sort_name(self) -> str:
        return KINDS.get(self.question.sort, self.question.sort)


def has_elicitation(project: Project) -> bool:
    """Whether groups are asked first here."""
    return ELICITATION in project.kind_spec.features


def elicitation_place(user: Viewer, slug: str) -> Membership:
    """The viewer as writer, lead or administrator of a project with elicitation; who only judges sees none of it."""
    found = access.membership(user, slug)
    if not has_elicitation(found.project):
        raise NotFound
    if not (found.sees_all or found.is_writer):
        raise Forbidden
    return found


def questions_of(membership: Membership) -> QuerySet[ElicitationQuestion]:
    """The questions in their order; those taken out are for leads, behind the others."""
    mine = ElicitationQuestion.objects.filter(project=membership.project)
    if not membership.sees_all:
        mine = mine.filter(retired_at=None)
    return mine.order_by(F("retired_at").asc(nulls_first=True), "position")


def asked(questions: Sequence[ElicitationQuestion]) -> list[Asked]:
    """These questions with their answers, the oldest first."""
    found = defaultdict(list)
    given = ElicitationAnswer.objects.filter(question__in=questions)
    for answer in given.select_related("session", "topic", "by").order_by("at", "pk"):
        found[answer.question_id].append(answer)
    return [Asked(question, found[question.pk]) for question in questions]


def sessions_of(project: Project) -> QuerySet[Session]:
    """The sessions whose groups are asked, the latest first."""
    held = Session.objects.filter(project=project, purpose=Session.Purpose.ELICITATION)
    return held.order_by("-held_on", "-pk")


def session_of(membership: Membership, session_id: int) -> Session:
    """One session whose group is asked."""
    found = sessions_of(membership.project).filter(pk=session_id).first()
    if found is None:
        raise NotFound
    return found


def answerer(membership: Membership) -> Annotator | None:
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
