"""The quiz and the training round: items chosen by leads, attempts begun and handed in, people let in without one."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid, clean_typed, first_or_not_found
from annotation.core.models.member import QUALIFIED_COLUMNS, Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from validation.qualification import rules
from validation.qualification.models import QuizAttempt, QuizItem, Role
from validation.quality.actions.gold import checked_accepted, given_out, refuse_unaskable, unanimous_items
from validation.quality.models import GoldQuestion
from validation.voting.actions.exclusions import bar_people
from validation.voting.models.assignment import Assignment

LONGEST = 2000


def quiz_item_add(
    *,
    project: Project,
    item_id: int,
    accepted: Any,
    by: User,
    explanation: str = "",
    role: str = Role.VALIDATOR,
    training: bool = False,
) -> QuizItem:
    """Ask this item in the quiz of a role, or in its training round, with these accepted answers.

    Raises Invalid for answers that it does not have, Conflict for what is voted on, asked already, a gold question, or
    in files that everybody may have.
    """
    if not project.kind_spec.can_ask_gold:
        raise Conflict(code="gold_not_here")
    explanation = clean_typed(explanation, "explanation", LONGEST)
    with transaction.atomic():
        # A release of the project that is being published now is waited for.
        there = Item.objects.filter(pk=item_id, project=locked(Project.objects.filter(pk=project.pk)).get())
        item = first_or_not_found(locked(there).select_related("project", "protocol"))
        right = checked_accepted(item, accepted)
        if QuizItem.objects.filter(item=item).exists():
            raise Conflict(field="key", code="quiz_already")
        if GoldQuestion.objects.filter(of_item=item).exists():
            raise Conflict(field="key", code="quiz_is_gold")
        refuse_unaskable(item)
        return QuizItem.objects.create(
            project=project,
            item=item,
            accepted=right,
            explanation=explanation,
            role=role,
            training=training,
            by=by,
        )


def quiz_items_draw(*, project: Project, count: int, training: bool, by: User, role: str = Role.VALIDATOR) -> int:
    """Take up to so many items on which at least three people agree whole into a quiz or a training round."""
    added = 0
    for item_id, accepted in unanimous_items(project):
        if added >= count:
            break
        try:
            quiz_item_add(project=project, item_id=item_id, accepted=accepted, by=by, role=role, training=training)
        except Conflict:
            continue
        added += 1
    return added


def quiz_bank(project: Project, *, role: str = Role.VALIDATOR, training: bool = False) -> QuerySet[QuizItem]:
    """The items that can be asked, in the order in which they were added."""
    there = QuizItem.objects.filter(project=project, role=role, training=training, retired_at=None)
    return there.order_by("pk")


def _without_known_items(annotator: Annotator, there: QuerySet[QuizItem]) -> QuerySet[QuizItem]:
    """Without what this person wrote or was asked about, and without what others wrote for a concept of theirs."""
    asked = Assignment.objects.filter(annotator=annotator).exclude(state=Assignment.State.BARRED)
    concepts = Allocation.objects.filter(writer=annotator, concept__isnull=False)
    theirs = Item.objects.filter(
        Q(author=annotator) | Q(pk__in=asked.values("item")) | Q(allocation__concept__in=concepts.values("concept"))
    )
    return there.exclude(item__in=theirs)


def attempt_begin(*, annotator: Annotator, role: str = Role.VALIDATOR, training: bool = False) -> QuizAttempt:
    """The attempt that is open, or a new one. Whoever is shown an item is never asked to vote on it.

    Raises Conflict where items are too few, all attempts were made, or the person needs no quiz (attempts are paid).
    """
    project, quiz = annotator.project, annotator.project.rules.quiz(role)
    with transaction.atomic():
        person = locked(Annotator.objects.filter(pk=annotator.pk)).select_related("project").get()
        mine = QuizAttempt.objects.filter(annotator=annotator, role=role, training=training)
        made = list(mine.order_by("n"))
        if made and (made[-1].done_at is None or training or made[-1].passed):
            return made[-1]
        if not (training or person.owes_quiz(role)):
            raise Conflict(code="quiz_not_owed")
        if len(made) >= quiz.attempts:
            raise Conflict(code="quiz_attempts_over")
        there = _without_known_items(annotator, quiz_bank(project, role=role, training=training))
        keys = {str(pk): item for pk, item in there.values_list("pk", "item")}
        # Before the first attempt: whoever fails it is to find as many other questions as they have attempts.
        if not (training or made or rules.is_ready(len(keys), quiz)):
            raise Conflict(code="quiz_not_ready")
        count = len(keys) if training else quiz.questions
        used = {str(pk) for attempt in made for pk in attempt.items}
        chosen = rules.draw_items(list(keys), used, count=count, secret=project.secret, person=annotator.pseudonym)
        if not chosen or len(chosen) < count:
            raise Conflict(code="quiz_not_ready")
        bar_people((item, annotator.pk) for item in Item.objects.filter(pk__in=[keys[pk] for pk in chosen]))
        return QuizAttempt.objects.create(
            annotator=annotator,
            role=role,
            n=len(made) + 1,
            training=training,
            items=[int(pk) for pk in chosen],
            asked=len(chosen),
            needed=0 if training else min(quiz.right, len(chosen)),
        )


def attempt_hand_in(*, attempt: QuizAttempt, answers: Mapping[int, rules.ItemAnswer]) -> QuizAttempt:
    """Mark an attempt: all its items answered (`queries.answers_from_page`). Handed in again it stays as it is.

    Raises Invalid with the field of the first item that has no answer.
    """
    with transaction.atomic():
        fresh = locked(QuizAttempt.objects.filter(pk=attempt.pk)).select_related("annotator__project").get()
        if fresh.done_at is not None:
            return fresh
        for pk in fresh.items:
            _check_answered(fresh, pk, answers.get(pk))
        asked = QuizItem.objects.in_bulk(fresh.items)
        fresh.answers = {str(pk): answers[pk] for pk in fresh.items}
        fresh.right = rules.count_right(fresh.answers, {str(pk): row.accepted for pk, row in asked.items()})
        fresh.done_at = Now()
        fresh.save(update_fields=["answers", "right", "done_at"])
        fresh.refresh_from_db()
        if fresh.passed:
            _qualify(fresh.annotator_id, fresh.role)
    return fresh


def _qualify(annotator_id: int, role: str) -> int:
    """From now on they may do the work of the role; 0 where they may already."""
    field = QUALIFIED_COLUMNS[role]
    return Annotator.objects.filter(pk=annotator_id, **{field: None}).update(**{field: Now()})


def _check_answered(attempt: QuizAttempt, item: int, answer: rules.ItemAnswer | None) -> None:
    keys = attempt.annotator.project.kind_spec.question.label_keys
    if not answer or (isinstance(answer, str) and answer not in keys):
        raise Invalid(field=f"answer-{item}", code="quiz_answer_missing")


def training_answer(*, attempt: QuizAttempt, item: int, answer: rules.ItemAnswer | None) -> None:
    """Answer one item of the training round; the first answer stays. Raises Invalid without an answer to it."""
    with transaction.atomic():
        fresh = locked(QuizAttempt.objects.filter(pk=attempt.pk, training=True)).get()
        if item not in fresh.items:
            raise Invalid(field="item", code="choice_unknown")
        _check_answered(attempt, item, answer)
        if str(item) in fresh.answers:
            return
        fresh.answers[str(item)] = answer
        fresh.right += rules.count_right({"": answer or ""}, {"": QuizItem.objects.get(pk=item).accepted})
        if len(fresh.answers) == fresh.asked:
            fresh.done_at = Now()
        fresh.save(update_fields=["answers", "right", "done_at"])


def quiz_item_retire(*, row: QuizItem, by: User | None) -> None:
    """Ask it in no further attempt; open ones keep it."""
    if QuizItem.objects.filter(pk=row.pk, retired_at=None).update(retired_at=Now()):
        Event.record(row.project_id, by, "quiz_item_retired", item=row.item_id)


def quiz_watch() -> None:
    """Take out what everybody may have read; run by the sweep."""
    rows = list(QuizItem.objects.filter(retired_at=None, project__closed_at=None))
    public = given_out([row.item_id for row in rows])
    for row in rows:
        if row.item_id in public:
            quiz_item_retire(row=row, by=None)


def qualification_waive(*, annotator: Annotator, by: User, reason: str, role: str = Role.VALIDATOR) -> None:
    """Let somebody vote, or write, without the quiz, with a reason. Conflict where they may already."""
    reason = clean_typed(reason, "reason", LONGEST, missing="reason_missing")
    with transaction.atomic():
        if not _qualify(annotator.pk, role):
            raise Conflict(code="quiz_passed")
        said = {"annotator": annotator.pseudonym, "role": role, "reason": reason}
        Event.record(annotator.project_id, by, "quiz_waived", **said)
