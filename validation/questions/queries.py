"""Who sees which questions. Annotators: their own and published ones. Leads: those of their project."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from annotation.content import queries as content_queries
from annotation.content.models.item import Revision
from annotation.core.access import Membership
from annotation.core.errors import Invalid, first_or_not_found
from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion
from annotation.kinds.texts import text_at
from annotation.text.normalise import one_line
from validation.questions.models import Question
from validation.voting.models.assignment import Assignment

LONGEST_SECTION = 200


@dataclass(frozen=True)
class QuestionSubject:
    """What a question is about: the text of an item, a section of guidelines, or (empty) the project."""

    revision: Revision | None = None
    role: str = ""
    section: str = ""


def visible_threads(membership: Membership) -> QuerySet[Question]:
    """The threads that somebody may read.

    A lead reads none about what they wrote, and where leads vote none about what they may still be asked.
    """
    rows = Question.objects.filter(project=membership.project)
    own = Q(by=membership.annotator) if membership.annotator else Q(pk=None)
    if not membership.sees_all:
        return rows.filter(own)
    items = content_queries.project_items(membership)
    if membership.annotator is not None:
        items = items.exclude(author=membership.annotator)
    return rows.filter(own | Q(revision=None) | Q(revision__item__in=items))


def threads(membership: Membership) -> QuerySet[Question]:
    """The same, the latest first, with what a list shows: `answers` counts the leads' replies."""
    counted = visible_threads(membership).annotate(answers=Count("replies", filter=Q(replies__by_asker=False)))
    return counted.select_related("by", "project", "revision__item__target").order_by("-pk")


def thread(membership: Membership, question_id: int) -> Question:
    """One thread. Raises NotFound for one that is not theirs to read."""
    return first_or_not_found(threads(membership).filter(pk=question_id))


def published(membership: Membership) -> QuerySet[Question]:
    """Questions with published answers, latest first, without who asked."""
    rows = Question.objects.filter(project=membership.project, published_at__isnull=False)
    return rows.only("published_question", "published_answer", "published_at").order_by("-published_at")


def texts_of(question: Question) -> list[tuple[str, str]]:
    """The texts of the item as whoever asked saw them, by name: nothing of its author, its labels or its votes."""
    if question.revision is None:
        return []
    content = question.revision.content
    named = question.project.kind_spec.presentation.texts_in(content)
    return [(text.name, text_at(content, text.key)) for text in named if text.shown]


def subject_of(annotator: Annotator, sent: Mapping[str, Any]) -> QuestionSubject:
    """What the address or the form names: `assignment`, `item`, or `role` with `section`.

    Raises NotFound for what is not theirs, Invalid for a section that cannot be.
    """
    if token := str(sent.get("assignment") or ""):
        own = Assignment.objects.filter(annotator=annotator, token=token)
        held = first_or_not_found(own.exclude(state=Assignment.State.BARRED))
        return QuestionSubject(_revision_on_card(held))
    if number := str(sent.get("item") or ""):
        pk = int(number) if number.isascii() and number.isdigit() and len(number) < 19 else 0
        item = content_queries.own_item(annotator, pk)
        return QuestionSubject(first_or_not_found(Revision.objects.filter(item=item, n=item.revision_n)))
    role, section = str(sent.get("role") or ""), str(sent.get("section") or "").strip()
    if (role and role not in GuidelineVersion.Role.values) or (section and not role):
        raise Invalid(field="section", code="guideline_section_unknown")
    if section and (not one_line(section) or len(section) > LONGEST_SECTION):
        raise Invalid(field="section", code="guideline_section_unknown")
    return QuestionSubject(None, role, section)


def _revision_on_card(held: Assignment) -> Revision:
    """The text on a card. A gold question is a copy that leads do not see: theirs is the item that it was copied from.
    As many statements for either."""
    revision = first_or_not_found(Revision.objects.filter(item=held.item_id, n=held.revision_n))
    sources = Revision.objects.filter(item__asked_as_gold__item=held.item_id).order_by("-n")
    return next((each for each in sources if each.content == revision.content), revision)


def sections_of(version: GuidelineVersion | None) -> list[str]:
    """The headings of guidelines, in their order."""
    lines = version.text.splitlines() if version else []
    found = [line.lstrip("#").strip()[:LONGEST_SECTION] for line in lines if line.startswith("#")]
    return [heading for heading in dict.fromkeys(found) if heading]


def question_data_of(annotator: Annotator) -> list[dict[str, Any]]:
    """What somebody asked, with all that was answered, for their own data."""
    rows = Question.objects.filter(by=annotator).prefetch_related("replies").order_by("pk")
    return [
        {
            "at": row.at,
            "about": row.section or row.role or ("item" if row.revision_id else "project"),
            "text": row.text,
            "replies": [{"at": each.at, "mine": each.by_asker, "text": each.text} for each in row.replies.all()],
            "published_at": row.published_at,
        }
        for row in rows
    ]
