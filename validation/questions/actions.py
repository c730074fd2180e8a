"""Asking, replying, and publishing an answer to all."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import translation
from django.utils.translation import gettext

from annotation.core.database import locked
from annotation.core.errors import Conflict, Forbidden, Invalid, clean_typed
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import GuidelineVersion, Project
from annotation.core.models.user import User
from annotation.core.rules.languages import interface_language
from annotation.projects.actions.projects import guideline_publish, with_note
from annotation.text import markdown
from validation.questions.models import Question, Reply
from validation.questions.queries import QuestionSubject

LONGEST = 4000


def question_ask(*, annotator: Annotator, about: QuestionSubject, text: str) -> Question:
    """Ask the leads. The same question sent twice in a row is one: a second press of the button asks nothing new."""
    question_text = clean_typed(text, "text", LONGEST, missing="question_missing")
    with transaction.atomic():
        # One after another: the second of two equal ones sees the first.
        locked(Annotator.objects.filter(pk=annotator.pk)).get()
        last = Question.objects.filter(by=annotator).order_by("-pk").first()
        asked = Question(
            project_id=annotator.project_id,
            by=annotator,
            revision=about.revision,
            role=about.role,
            section=about.section,
            text=question_text,
        )
        if last is not None and _same(last, asked) and not last.replies.exists():
            return last
        asked.save(force_insert=True)
    return asked


def _same(one: Question, other: Question) -> bool:
    names = ("revision_id", "role", "section", "text")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def question_reply(*, question: Question, by: User, text: str) -> Reply:
    """One more message, of a lead or of whoever asked."""
    answer_text = clean_typed(text, "text", LONGEST, missing="answer_missing")
    with transaction.atomic():
        fresh = locked(Question.objects.filter(pk=question.pk)).select_related("by").get()
        last = fresh.replies.order_by("-pk").first()
        if last is not None and (last.by_id, last.text) == (by.pk, answer_text):
            return last
        return Reply.objects.create(question=fresh, by=by, by_asker=fresh.by.user_id == by.pk, text=answer_text)


def question_publish(
    *, question: Question, by: User, asked: str, answer: str, roles: Sequence[str]
) -> list[GuidelineVersion]:
    """Put a question and its answer into the guidelines of these roles, as new versions: changed for everybody.

    Raises Conflict where it was published before, Forbidden for whoever asked.
    """
    question_said = clean_typed(asked, "question", LONGEST, missing="question_missing")
    answer_said = clean_typed(answer, "answer", LONGEST, missing="answer_missing")
    wanted = [role for role in GuidelineVersion.Role.values if role in roles]
    if not wanted:
        raise Invalid(field="roles", code="guidelines_missing")
    with transaction.atomic():
        project = Project.lock(question.project_id)
        fresh = locked(Question.objects.filter(pk=question.pk)).select_related("by").get()
        if fresh.by.user_id == by.pk:
            raise Forbidden
        if fresh.published_at is not None:
            raise Conflict(code="question_published")
        entry = f"**{markdown.escape(question_said)}**\n\n{markdown.escape(answer_said)}"
        with translation.override(interface_language(project.language) or "en"):
            heading, note = gettext("Questions and answers"), gettext("A question was answered")
        made = [_add_to_guidelines(project, role, heading, entry, note, by) for role in wanted]
        fresh.published_question, fresh.published_answer = question_said, answer_said
        fresh.published_at = Now()
        fresh.save(update_fields=["published_question", "published_answer", "published_at"])
        Event.record(project, by, "question_published", question=fresh.pk, roles=wanted)
    return made


def _add_to_guidelines(project: Project, role: str, heading: str, entry: str, note: str, by: User) -> GuidelineVersion:
    newest = project.guidelines.filter(role=role).order_by("-n")[0]
    text = with_note(newest.text, heading, entry)
    return guideline_publish(project=project, role=role, text=text, note=note, by=by)


def questions_forget(user: User) -> None:
    """Take out what somebody asked in their own words; of what was published the lead's words stay."""
    Reply.objects.filter(question__by__user=user, by_asker=True).delete()
    own = Question.objects.filter(by__user=user)
    own.filter(published_at__isnull=False).update(text=F("published_question"))
    rest = own.filter(published_at=None)
    Reply.objects.filter(question__in=rest).delete()
    rest.delete()
