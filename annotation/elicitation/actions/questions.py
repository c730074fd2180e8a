"""What groups are asked before anybody writes: questions that a lead keeps, answers of writers (Kalahi Appendix A).

Nothing is deleted: a question is retired, and what a text said before stands in the project's events.
"""

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from annotation.content.models.source import Concept
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.elicitation.models.session import ElicitationAnswer, ElicitationQuestion, Session
from annotation.elicitation.rules.questions import (
    ELICITATION,
    LONGEST_ANSWER,
    LONGEST_QUESTION,
    one_text,
)
from annotation.jobs.database import locked
from annotation.presets.elicitation import KINDS, QUESTIONS
from annotation.text.normalise import storable


def elicitation_seed(*, project: Project, by: User | None) -> int:
    """Give a project the house's questions in its language; those that it has are left alone. How many are new."""
    with transaction.atomic():
        fresh = _open_project(project)
        there = set(ElicitationQuestion.objects.filter(project=fresh).values_list("text", flat=True))
        new = [one for one in QUESTIONS if one.text(fresh.language) not in there]
        start = _next_position(fresh)
        ElicitationQuestion.objects.bulk_create(
            ElicitationQuestion(project=fresh, sort=one.kind, text=one.text(fresh.language), position=place)
            for place, one in enumerate(new, start)
        )
        if new:
            _log(fresh, by, "elicitation_seeded", n=len(new))
    return len(new)


def elicitation_add(*, project: Project, by: User, sort: str, text: str) -> ElicitationQuestion:
    """A lead adds a question behind the others."""
    said = _question_text(sort, text)
    with transaction.atomic():
        fresh = _open_project(project)
        made = ElicitationQuestion.objects.create(
            project=fresh, sort=sort, text=said, position=_next_position(fresh)
        )
        _log(fresh, by, "elicitation_added", question=made.position, text=said)
    return made


def elicitation_change(
    *, project: Project, question_id: int, by: User, version: int, sort: str, text: str
) -> ElicitationQuestion:
    """A lead changes a question: its next version; answers stay with it, the words before are kept."""
    said = _question_text(sort, text)
    with transaction.atomic():
        question = _fresh_question(project, question_id, version)
        _log(project, by, "elicitation_changed", question=question.position, text=said, before=question.text)
        question.sort, question.text = sort, said
        return _next_version(question)


def elicitation_retire(
    *, project: Project, question_id: int, by: User, version: int, retired: bool
) -> ElicitationQuestion:
    """A lead takes a question out, or asks it again; its answers stay at hand either way."""
    with transaction.atomic():
        question = _fresh_question(project, question_id, version)
        _log(
            project,
            by,
            "elicitation_retired" if retired else "elicitation_asked_again",
            question=question.position,
        )
        question.retired_at = Now() if retired else None
        return _next_version(question)


def elicitation_answer(
    *, annotator: Annotator, question_id: int, text: str, topic: str = "", session_id: int | None = None
) -> ElicitationAnswer:
    """A writer or a lead answers a question, for themselves or for the group of a session; `topic` by its text."""
    said = _answer_text(annotator, text)
    with transaction.atomic():
        project = _open_project(annotator.project)
        question = ElicitationQuestion.objects.filter(
            pk=question_id, project=project, retired_at=None
        ).first()
        if question is None:
            raise NotFound
        return ElicitationAnswer.objects.create(
            project=project,
            question=question,
            by=annotator,
            text=said,
            topic=_topic(project, topic),
            session=_session(project, session_id),
        )


def elicitation_answer_change(
    *, annotator: Annotator, answer_id: int, text: str, topic: str = ""
) -> ElicitationAnswer:
    """Whoever gave an answer changes it; its session stays, and what it said before is kept."""
    said = _answer_text(annotator, text)
    with transaction.atomic():
        project = _open_project(annotator.project)
        answer = locked(ElicitationAnswer.objects.filter(pk=answer_id, project=project, by=annotator)).first()
        if answer is None:
            raise NotFound
        if said != answer.text:
            _log(project, annotator.user, "elicitation_answer_changed", answer=answer.pk, before=answer.text)
        answer.text, answer.topic = said, _topic(project, topic)
        answer.save(update_fields=["text", "topic"])
    return answer


def _open_project(project: Project) -> Project:
    if ELICITATION not in project.kind_spec.features:
        raise NotFound
    fresh = locked(Project.objects.filter(pk=project.pk)).get()
    if fresh.closed_at is not None:
        raise Conflict(code="closed_elicitation")
    return fresh


def _next_position(project: Project) -> int:
    last = ElicitationQuestion.objects.filter(project=project).aggregate(last=Max("position"))["last"]
    return (last or 0) + 1


def _question_text(sort: str, text: str) -> str:
    said = one_text(text)
    if sort not in KINDS:
        raise Invalid(field="sort", code="elicitation_sort_unknown")
    if not said:
        raise Invalid(field="text", code="elicitation_question_missing")
    if storable(said) or len(said) > LONGEST_QUESTION:
        raise Invalid(field="text", code="text_not_storable")
    return said


def _answer_text(annotator: Annotator, text: str) -> str:
    if not (annotator.is_writer or annotator.is_lead) or annotator.left_at is not None:
        raise Forbidden
    said = one_text(text)
    if not said:
        raise Invalid(field="text", code="elicitation_answer_missing")
    if storable(said) or len(said) > LONGEST_ANSWER:
        raise Invalid(field="text", code="text_not_storable")
    return said


def _fresh_question(project: Project, question_id: int, version: int) -> ElicitationQuestion:
    _open_project(project)
    question = locked(ElicitationQuestion.objects.filter(pk=question_id, project=project)).first()
    if question is None:
        raise NotFound
    if question.version != version:
        raise Conflict(code="elicitation_stale")
    return question


def _next_version(question: ElicitationQuestion) -> ElicitationQuestion:
    question.version += 1
    question.save(update_fields=["sort", "text", "retired_at", "version"])
    return question


def _topic(project: Project, text: str) -> Concept | None:
    """An approved topic by its text, whatever its case; Invalid where there is none."""
    wanted = text.strip()
    if not wanted:
        return None
    if storable(wanted):
        raise Invalid(field="topic", code="elicitation_topic_unknown")
    approved = Concept.objects.filter(project=project, state=Concept.State.APPROVED)
    found = approved.filter(text__iexact=wanted).order_by("pk").first()
    if found is None:
        raise Invalid(field="topic", code="elicitation_topic_unknown")
    return found


def _session(project: Project, session_id: int | None) -> Session | None:
    if session_id is None:
        return None
    of_purpose = Session.objects.filter(project=project, purpose=Session.Purpose.ELICITATION)
    found = of_purpose.filter(pk=session_id).first()
    if found is None:
        raise Invalid(field="session", code="elicitation_session_unknown")
    return found


def _log(project: Project, by: User | None, verb: str, **data: str | int) -> None:
    Event.objects.create(project=project, actor=by, verb=verb, data=data)
