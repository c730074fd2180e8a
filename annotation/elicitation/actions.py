"""What is done before prompts are voted on: sessions, questions to groups, prompts, signatures, the second pass.

Nothing is deleted: a question is retired, and what a text said before stands in the project's events (Kalahi §3).
"""

import secrets
from collections.abc import Collection
from datetime import date

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Concept, Draft
from annotation.content.queries import current_content
from annotation.core.database import locked
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound, clean_typed, first_or_not_found
from annotation.core.models.member import Annotator, Event, Invitation
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.elicitation.models import (
    ElicitationAnswer,
    ElicitationQuestion,
    Lineage,
    SecondLook,
    Session,
    Suggestion,
)
from annotation.elicitation.rules.sessions import (
    ELICITATION,
    LONGEST_ANSWER,
    LONGEST_QUESTION,
    TICKS,
    VARIATIONS,
    purposes,
)
from annotation.kinds import SlotIn
from annotation.presets.elicitation import KINDS, QUESTIONS
from annotation.text.normalise import storage_problem
from validation.consensus import stages

LONGEST_NAME = 120
LONGEST_WORDS = 2000


def session_create(*, lead: Annotator, purpose: str, name: str, held_on: date, participants: str = "") -> Session:
    """Make a session; who took part is told of the group as a whole, no personal data is needed.

    Raises Forbidden for who is no lead, Invalid where the name is missing or taken.
    """
    if not lead.is_lead or lead.left_at is not None:
        raise Forbidden(code="not_a_lead")
    if purpose not in purposes(lead.project.kind_spec.features):
        raise NotFound
    name = clean_typed(" ".join(name.split()), "name", LONGEST_NAME, missing="session_name_missing")
    group = clean_typed(participants, "participants", LONGEST_WORDS)
    with transaction.atomic():
        project = Project.lock(lead.project_id, closed="closed_group")
        if Session.objects.filter(project=project, purpose=purpose, name__iexact=name).exists():
            raise Invalid(field="name", code="session_name_taken")
        return Session.objects.create(
            project=project, purpose=purpose, name=name, held_on=held_on, participants=group, by=lead
        )


def elicitation_seed(*, project: Project, by: User | None) -> int:
    """Give a project the built-in questions in its language; those that it has are left alone. How many are new."""
    with transaction.atomic():
        fresh = _open_project(project)
        there = set(ElicitationQuestion.objects.filter(project=fresh).values_list("text", flat=True))
        new = [each for each in QUESTIONS if each.text(fresh.language) not in there]
        start = _next_position(fresh)
        ElicitationQuestion.objects.bulk_create(
            ElicitationQuestion(project=fresh, sort=each.kind, text=each.text(fresh.language), position=place)
            for place, each in enumerate(new, start)
        )
        if new:
            Event.record(fresh, by, "elicitation_seeded", n=len(new))
    return len(new)


def elicitation_add(*, project: Project, by: User, sort: str, text: str) -> ElicitationQuestion:
    """A lead adds a question behind the others."""
    wording = _question_text(sort, text)
    with transaction.atomic():
        fresh = _open_project(project)
        made = ElicitationQuestion.objects.create(
            project=fresh, sort=sort, text=wording, position=_next_position(fresh)
        )
        Event.record(fresh, by, "elicitation_added", question=made.position, text=wording)
    return made


def elicitation_change(
    *, project: Project, question_id: int, by: User, version: int, sort: str, text: str
) -> ElicitationQuestion:
    """A lead changes a question: its next version; answers stay with it, the words before are kept.

    What says the same as before makes no version.
    """
    wording = _question_text(sort, text)
    with transaction.atomic():
        question = _fresh_question(project, question_id, version)
        if (question.sort, question.text) == (sort, wording):
            return question
        Event.record(project, by, "elicitation_changed", question=question.position, text=wording, before=question.text)
        question.sort, question.text = sort, wording
        return _next_version(question)


def elicitation_retire(
    *, project: Project, question_id: int, by: User, version: int, retired: bool
) -> ElicitationQuestion:
    """A lead takes a question out, or asks it again; its answers stay at hand either way."""
    with transaction.atomic():
        question = _fresh_question(project, question_id, version)
        Event.record(
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
    wording = _answer_text(annotator, text)
    with transaction.atomic():
        project = _open_project(annotator.project)
        question = first_or_not_found(
            ElicitationQuestion.objects.filter(pk=question_id, project=project, retired_at=None)
        )
        return ElicitationAnswer.objects.create(
            project=project,
            question=question,
            by=annotator,
            text=wording,
            topic=_topic(project, topic),
            session=_session(project, session_id),
        )


def elicitation_answer_change(*, annotator: Annotator, answer_id: int, text: str, topic: str = "") -> ElicitationAnswer:
    """Whoever gave an answer changes it; its session stays, and what it said before is kept."""
    wording = _answer_text(annotator, text)
    with transaction.atomic():
        project = _open_project(annotator.project)
        answer = first_or_not_found(
            locked(ElicitationAnswer.objects.filter(pk=answer_id, project=project, by=annotator))
        )
        if wording != answer.text:
            Event.record(project, annotator.user, "elicitation_answer_changed", answer=answer.pk, before=answer.text)
        answer.text, answer.topic = wording, _topic(project, topic)
        answer.save(update_fields=["text", "topic"])
    return answer


def _open_project(project: Project) -> Project:
    if ELICITATION not in project.kind_spec.features:
        raise NotFound
    return Project.lock(project.pk, closed="closed_elicitation")


def _next_position(project: Project) -> int:
    last = ElicitationQuestion.objects.filter(project=project).aggregate(last=Max("position"))["last"]
    return (last or 0) + 1


def _question_text(sort: str, text: str) -> str:
    if sort not in KINDS:
        raise Invalid(field="sort", code="elicitation_sort_unknown")
    return clean_typed(text, "text", LONGEST_QUESTION, missing="elicitation_question_missing")


def _answer_text(annotator: Annotator, text: str) -> str:
    if not (annotator.is_writer or annotator.is_lead) or annotator.left_at is not None:
        raise Forbidden
    return clean_typed(text, "text", LONGEST_ANSWER, missing="elicitation_answer_missing")


def _fresh_question(project: Project, question_id: int, version: int) -> ElicitationQuestion:
    _open_project(project)
    question = first_or_not_found(locked(ElicitationQuestion.objects.filter(pk=question_id, project=project)))
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
    approved = Concept.objects.filter(project=project, state=Concept.State.APPROVED).order_by("pk")
    topic = None if storage_problem(wanted) else approved.filter(text__iexact=wanted).first()
    if topic is None:
        raise Invalid(field="topic", code="elicitation_topic_unknown")
    return topic


def _session(project: Project, session_id: int | None) -> Session | None:
    if session_id is None:
        return None
    held = Session.objects.filter(project=project, purpose=Session.Purpose.ELICITATION, pk=session_id)
    if not held:
        raise Invalid(field="session", code="elicitation_session_unknown")
    return held[0]


PERSONAL = "personal"


def prompt_new(*, writer: Annotator, concept_id: int) -> Allocation:
    """A new prompt on a topic: the next numbered allocation of this writer, or the one that they have not begun."""
    project = _lock_writable_project(writer)
    with transaction.atomic():
        topic = _locked_topic(project, concept_id)
        mine = Allocation.objects.filter(writer=writer, concept=topic)
        begun = mine.filter(state=Allocation.State.OPEN, origin=None, drafts=None).first()
        return begun or _allocation(writer, topic)


def variation_new(*, writer: Annotator, item_id: int) -> Allocation:
    """A variation of one's own prompt: an allocation whose draft holds what the prompt says, without its situation.

    One that this writer has open already comes back as it stands.
    """
    project = _lock_writable_project(writer)
    with transaction.atomic():
        origin = first_or_not_found(
            Item.objects.select_related("project").filter(pk=item_id, author=writer, project=project)
        )
        if origin.stage == stages.EXCLUDED:
            raise Conflict(code="origin_excluded")
        topic = _locked_topic(project, Concept.objects.values_list("pk", flat=True).get(questions__item=origin))
        open_one = Allocation.objects.filter(writer=writer, origin=origin, state=Allocation.State.OPEN).first()
        if open_one is not None:
            return open_one
        allocation = _allocation(writer, topic, origin)
        stands = project.kind_spec.authoring.slot_from_content(current_content(origin))
        content = SlotIn(stands.text, stands.one_sentence, more={**stands.more, PERSONAL: ""})
        Draft.objects.create(project=project, allocation=allocation, slot=origin.slot, content=content.to_dict())
        return allocation


def variations_note(allocation: Allocation, items: Collection[Item]) -> None:
    """In the caller's transaction: what an allocation with an origin gave is a variation of that."""
    if allocation.origin_id is None:
        return
    proposed = Suggestion.objects.filter(item=allocation.origin_id, data__allocation=allocation.pk).first()
    Lineage.objects.bulk_create(
        [
            Lineage(
                project_id=allocation.project_id,
                item=item,
                origin_id=allocation.origin_id,
                how=Lineage.How.VARIATION,
                suggestion=proposed,
            )
            for item in items
        ]
    )


def _lock_writable_project(writer: Annotator) -> Project:
    project = writer.project
    if VARIATIONS not in project.kind_spec.features:
        raise NotFound
    if project.closed_at is not None:
        raise Conflict(code="closed_writing")
    return project


def _locked_topic(project: Project, concept_id: int) -> Concept:
    """The approved topic, locked: whoever numbers its allocations waits here."""
    return first_or_not_found(
        locked(Concept.objects.filter(pk=concept_id, project=project, state=Concept.State.APPROVED))
    )


def _allocation(writer: Annotator, topic: Concept, origin: Item | None = None) -> Allocation:
    mine = Allocation.objects.filter(writer=writer)
    number = mine.filter(concept=topic).aggregate(most=Max("number"))["most"]
    position = mine.aggregate(last=Max("position"))["last"]
    return Allocation.objects.create(
        project_id=writer.project_id,
        concept=topic,
        writer=writer,
        origin=origin,
        number=(number or 0) + 1,
        token=secrets.token_urlsafe(18),
        position=(position or 0) + 1,
    )


def must_sign(place: Annotator | Invitation) -> bool:
    """Whether somebody with these roles has to sign.

    Who writes or reviews here as well cannot: it is known what they had a part in, and kept from them.
    """
    judges = place.is_validator and not (place.is_writer or place.is_reviewer)
    return place.project.kind_spec.excludes_family_contributors and judges


def owes_signature(annotator: Annotator) -> bool:
    """Whether this member may see nothing to judge before they have signed."""
    return annotator.no_part_at is None and must_sign(annotator)


def no_part_sign(*, annotator: Annotator) -> None:
    """Sign, once: the first time stays."""
    with transaction.atomic():
        if Annotator.objects.filter(pk=annotator.pk, no_part_at=None).update(no_part_at=Now()):
            Event.record(annotator.project_id, annotator.user, "no_part", annotator=annotator.pseudonym)


def second_look_save(
    *, writer: Annotator, item_id: int, revision_n: int, ticks: Collection[str], words: str = ""
) -> SecondLook:
    """One writer's ticks for the text that they saw; sending them again replaces them.

    Raises Invalid where a tick is missing without words, Conflict `stale` where the text has changed since.
    """
    given = {tick: tick in ticks for tick in TICKS}
    comment = clean_typed(words, "words", LONGEST_WORDS, missing="" if all(given.values()) else "look_words_missing")
    if writer.project.closed_at is not None:
        raise Conflict(code="closed_writing")
    with transaction.atomic():
        item = first_or_not_found(
            locked(Item.objects.filter(pk=item_id, project=writer.project_id).exclude(stage=stages.EXCLUDED))
        )
        if item.revision_n != revision_n:
            raise Conflict(code="stale")
        look, _ = SecondLook.objects.update_or_create(
            item=item,
            annotator=writer,
            revision_n=revision_n,
            defaults={"project_id": item.project_id, **given, "words": comment, "at": Now()},
        )
    return look
