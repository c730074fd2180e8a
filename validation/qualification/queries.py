"""Quiz and training round: a person's own view, the leads' view of attempts, and totals for releases."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext

from annotation.answers import FIELD_PREFIX, AnswerProblem, Posted, Question, ShownItem, type_of
from annotation.core.access import Membership
from annotation.core.errors import first_or_not_found
from annotation.core.models.member import QUALIFIED_COLUMNS, Annotator, Event
from annotation.core.models.project import Project
from annotation.kinds import Kind, Label
from annotation.kinds.texts import text_at
from validation.qualification import rules
from validation.qualification.models import QuizAttempt, QuizItem, Role
from validation.quality.queries import contents_of, right_words, voters
from validation.quality.rules.accepted import acceptable_choices, accepted_in_words, judgeable_questions
from validation.quality.rules.intervals import interval
from validation.voting.rules import card_questions
from validation.voting.rules.option_order import Order, labels_shown, order_shown


@dataclass(frozen=True)
class RightAnswer:
    """What is right of one question, once it was answered: what they chose, what is right, what else may be chosen."""

    question: str
    chosen: list[str]
    right: list[str]
    also: list[str]


@dataclass(frozen=True)
class AskedItem:
    """One item as a person sees it: its texts by name, the labels or questions, and what they chose.

    `right` and `told` say what is right once they answered; None and empty before.
    """

    id: int
    language: str
    texts: list[tuple[str, str]]
    labels: tuple[Label, ...] = ()
    questions: tuple[card_questions.CardQuestion, ...] = ()
    chosen: str = ""
    right: bool | None = None
    told: tuple[RightAnswer, ...] = ()
    explanation: str = ""
    problem: bool = False

    @property
    def field(self) -> str:
        """The name of its field; those of questions begin with it."""
        return f"{FIELD_PREFIX}{self.id}"


@dataclass(frozen=True)
class _Card:
    """One item of an attempt: its row, its texts, the order of options on this person's screen, its questions."""

    row: QuizItem
    content: Mapping[str, Any]
    order: Order
    questions: tuple[Question, ...]
    shown: ShownItem


def _cards(attempt: QuizAttempt, only: Collection[int] | None = None) -> dict[int, _Card]:
    """The items of an attempt in their order, `only` some; two statements."""
    annotator, kind = attempt.annotator, attempt.annotator.project.kind_spec
    wanted = [pk for pk in attempt.items if only is None or pk in only]
    rows = QuizItem.objects.select_related("item__target", "item__protocol").in_bulk(wanted)
    contents = contents_of([row.item for row in rows.values()])
    found = {}
    for pk in wanted:
        row, secret = rows[pk], annotator.project.secret
        content, key = contents[row.item_id], row.item.key
        order = order_shown(kind, content, drawn_with=secret, item=key, annotator=annotator.pseudonym)
        questions = judgeable_questions(
            kind.question.leaf_questions(tuple(row.item.protocol.rules.get("criteria", ())))
        )
        # All items stand in one form: each calls its questions by its own number.
        named = tuple(replace(question, key=f"{pk}-{question.key}") for question in questions)
        found[pk] = _Card(row, content, order, named, kind.card_view(content, order.keys))
    return found


def items_asked(
    attempt: QuizAttempt,
    *,
    told: Collection[int] = (),
    posted: Posted | None = None,
    only: Collection[int] | None = None,
    problem: str = "",
) -> list[AskedItem]:
    """The items of an attempt as its person sees them, `only` some; `told`: those whose answer is told.

    `posted`: what was chosen on the page. Two statements.
    """
    kind, posted = attempt.annotator.project.kind_spec, posted or {}
    return [
        _asked_item(kind, card, attempt.answers.get(str(pk), ""), posted, told=pk in told, problem=problem)
        for pk, card in _cards(attempt, only).items()
    ]


def _asked_item(
    kind: Kind, card: _Card, answered: rules.ItemAnswer, posted: Posted, *, told: bool, problem: str
) -> AskedItem:
    pk, row = card.row.pk, card.row
    labels = () if card.questions else labels_shown(kind, card.content, card.order)
    stored = answered if isinstance(answered, str) else ""
    letter = card.order.letter(stored) if kind.question.own_options else stored
    return AskedItem(
        id=pk,
        language=row.item.target.language,
        texts=[
            (text.name, text_at(card.content, text.key))
            for text in kind.presentation.texts_in(card.content)
            if text.shown
        ],
        labels=labels,
        questions=card_questions.questions_on_card(card.questions, card.shown, posted),
        chosen=(posted.get(f"{FIELD_PREFIX}{pk}") or (letter,))[-1],
        right=rules.is_right(answered, row.accepted) if told else None,
        told=tuple(_right_answers(kind, card, answered)) if told else (),
        explanation=row.explanation if told else "",
        problem=problem == f"{FIELD_PREFIX}{pk}",
    )


def _right_answers(kind: Kind, card: _Card, answered: rules.ItemAnswer) -> Iterator[RightAnswer]:
    """What is right of each question that is judged by."""
    if isinstance(answered, str):
        names = {
            label.key: label.name if label.is_item_option else gettext(label.name)
            for label in kind.question.item_labels(card.content)
        }
        right = [names.get(key, key) for key in card.row.accepted]
        yield RightAnswer("", [names[answered]] if answered in names else [], right, [])
        return
    prefix = f"{card.row.pk}-"
    questions = [replace(each, key=each.key.removeprefix(prefix)) for each in card.questions]
    said = accepted_in_words(card.row.accepted, questions, card.shown)
    known = [question for question in questions if question.key in card.row.accepted]
    for question, (text, right, also) in zip(known, said, strict=True):
        names = dict(acceptable_choices(question, card.shown))
        answer = answered.get(question.key)
        keys: list[str] = answer if isinstance(answer, list) else [answer] if answer else []
        chosen = [gettext(names.get(key, key)) for key in keys]
        yield RightAnswer(gettext(text), chosen, [gettext(each) for each in right], [gettext(each) for each in also])


def answers_from_page(attempt: QuizAttempt, posted: Posted) -> dict[int, rules.ItemAnswer]:
    """What was chosen on the page as it is stored: options by their keys, not by the letters shown; answers by
    question. An item without an answer to each of its questions is not there."""
    found: dict[int, rules.ItemAnswer] = {}
    own = attempt.annotator.project.kind_spec.question.own_options
    for pk, card in _cards(attempt).items():
        if not card.questions:
            chosen = (posted.get(f"{FIELD_PREFIX}{pk}") or ("",))[-1]
            found[pk] = card.order.key(chosen) if own else chosen
            continue
        try:
            found[pk] = {
                question.key.removeprefix(f"{pk}-"): type_of(question).parse_form(question, posted, card.shown)
                for question in card.questions
            }
        except AnswerProblem:
            continue
    return found


def answers_from_script(attempt: QuizAttempt, sent: Mapping[int, Any]) -> dict[int, rules.ItemAnswer]:
    """The same of what a script sends: by item the key of a label as it is shown, or answers by question."""
    found: dict[int, rules.ItemAnswer] = {}
    own = attempt.annotator.project.kind_spec.question.own_options
    for pk, card in _cards(attempt).items():
        given = sent.get(pk)
        if not card.questions:
            chosen = given if isinstance(given, str) else ""
            found[pk] = card.order.key(chosen) if own else chosen
            continue
        answers = given if isinstance(given, Mapping) else {}
        try:
            found[pk] = {
                each.key: type_of(each).parse_value(
                    each, type_of(each).from_card_value(each, answers.get(each.key), card.shown), card.shown
                )
                for each in _with_own_keys(pk, card.questions)
            }
        except AnswerProblem:
            continue
    return found


def questions_of(attempt: QuizAttempt) -> dict[int, list[tuple[Question, Sequence[Label]]]]:
    """By item the questions that it asks, each with what can be chosen; none where a label is asked for."""
    return {
        pk: [(each, type_of(each).choices(each, card.shown)) for each in _with_own_keys(pk, card.questions)]
        for pk, card in _cards(attempt).items()
    }


def _with_own_keys(item: int, questions: Iterable[Question]) -> list[Question]:
    return [replace(each, key=each.key.removeprefix(f"{item}-")) for each in questions]


@dataclass(frozen=True)
class PersonResult:
    """One person's attempts at the quiz of a role that are handed in, in their order, and their training round."""

    annotator: Annotator
    role: str
    attempts: list[QuizAttempt]
    training: QuizAttempt | None

    @property
    def may_since(self) -> datetime | None:
        """Since when they may do the work of the role, as far as a quiz goes."""
        since: datetime | None = getattr(self.annotator, QUALIFIED_COLUMNS[self.role])
        return since

    @property
    def owes(self) -> bool:
        """Whether they have to pass it before they do."""
        return self.annotator.owes_quiz(self.role)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The exact 90 % interval of the share of right answers over all attempts, in percent."""
        n = sum(each.asked for each in self.attempts)
        found = interval(sum(each.right for each in self.attempts), n)
        return (100 * found[0], 100 * found[1]) if found else None


def people_of(project: Project, role: str) -> QuerySet[Annotator]:
    """Whom the quiz of a role is for, and who took it: with an account, by pseudonym."""
    if role == Role.VALIDATOR:
        return voters(project)
    took = QuizAttempt.objects.filter(annotator__project=project, role=role).values("annotator")
    there = Annotator.objects.filter(project=project, user__isnull=False)
    return there.filter(Q(is_writer=True, left_at=None) | Q(pk__in=took)).order_by("pseudonym")


def person_of(membership: Membership, annotator_id: int, role: str) -> Annotator:
    """One of them; NotFound."""
    return first_or_not_found(people_of(membership.project, role).select_related("project").filter(pk=annotator_id))


def results(
    project: Project, people: Iterable[Annotator] | None = None, *, role: str = Role.VALIDATOR
) -> list[PersonResult]:
    """The outcome of the quiz of a role, by person; two statements."""
    people = list(people_of(project, role) if people is None else people)
    made: dict[int, list[QuizAttempt]] = {}
    for each in people:
        each.project = project
    rows = QuizAttempt.objects.filter(annotator__in=[each.pk for each in people], role=role).order_by("n")
    for row in rows:
        made.setdefault(row.annotator_id, []).append(row)
    return [
        PersonResult(
            each,
            role,
            [row for row in made.get(each.pk, ()) if not row.training and row.done_at],
            next((row for row in made.get(each.pk, ()) if row.training), None),
        )
        for each in people
    ]


def qualification_sums(project: Project, role: str = Role.VALIDATOR) -> dict[str, int]:
    """The quiz of a role in sums, for releases: attempts handed in, people who passed, people let in without; nobody
    by name."""
    made = QuizAttempt.objects.filter(annotator__project=project, role=role, training=False)
    rows = list(made.exclude(done_at=None))
    if not rows and not project.rules.quiz(role).questions:
        return dict.fromkeys(("attempts", "people", "passed", "asked", "right", "waived"), 0)
    return {
        "attempts": len(rows),
        "people": len({row.annotator_id for row in rows}),
        "passed": len({row.annotator_id for row in rows if row.passed}),
        "asked": sum(row.asked for row in rows),
        "right": sum(row.right for row in rows),
        "waived": Event.objects.filter(project=project, verb="quiz_waived", data__role=role).count(),
    }


def attempt_data_of(annotator: Annotator) -> list[dict[str, Any]]:
    """One's own attempts that are handed in and training rounds, for one's own data: what came of each."""
    made = QuizAttempt.objects.filter(annotator=annotator).exclude(done_at=None).order_by("pk")
    return [dict(each) for each in made.values(*("role", "training", "n", "asked", "needed", "right", "done_at"))]


def quiz_items(project: Project, role: str) -> list[QuizItem]:
    """The items of the quiz of a role and of its training round, each with what counts as right in words (`right`)."""
    found = QuizItem.objects.filter(project=project, role=role).order_by("training", "pk")
    rows = list(found.select_related("item__project", "item__protocol"))
    contents = contents_of([row.item for row in rows])
    for row in rows:
        row.right = right_words(row.item, row.accepted, contents[row.item_id])  # type: ignore[attr-defined]
    return rows
