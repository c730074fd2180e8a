"""A validator's answer to one item: as on the screen, as stored, and its validation."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from annotation.answers import FIELD_PREFIX, AnswerProblem, Posted, Question, ShownItem, label_of, type_of
from annotation.content.models.item import Revision
from annotation.core.errors import Invalid
from annotation.kinds import Kind, text_at
from annotation.kinds.texts import option_field
from annotation.text.line_breaks import plain_breaks
from annotation.text.normalise import storage_problem
from validation.consensus import translation_review as reviewing
from validation.voting.models.vote import Vote
from validation.voting.rules.option_order import MARKED, OPTIONS, ORDER, PERSONAL, QUESTION, Order

LONGEST_TEXT = 10_000
# Why a reviewer sends something back: the code of one of the project's error types.
ERROR_FIELD = "error"


@dataclass(frozen=True)
class Ballot:
    """What a validator says about one item. `proposals`: text field to its proposed correction.

    `answers` may say that the question is ambiguous, which options are, what the person would choose themselves, and
    for which error a reviewer sends it back. `may_repeat_shown_texts`: proposals may be the texts as they were shown,
    which are no proposals (`with_new_proposals_only`): a form without scripts sends every field. `posted_form`: the
    fields of a form that answer questions (`with_canonical_answers`). `sent`: what a script answers them with, in the
    names of the card (`AnswerType.of_card`). `client_id`: what the browser calls this answer, however often it sends
    it. `version`: what its card showed.
    """

    label: str
    unsure: bool = False
    ambiguous: bool = False
    comment: str = ""
    answers: Mapping[str, Any] = field(default_factory=dict)
    proposals: Mapping[str, str] = field(default_factory=dict)
    may_repeat_shown_texts: bool = field(default=False, compare=False)
    posted_form: Posted = field(default_factory=dict, compare=False)
    sent: Mapping[str, Any] | None = field(default=None, compare=False)
    client_id: UUID | None = field(default=None, compare=False)
    version: str = field(default="", compare=False)


def ballot_of_vote(vote: Vote) -> Ballot:
    """The ballot that a stored vote came from."""
    return Ballot(
        label=vote.label,
        unsure=bool(vote.unsure),
        ambiguous=bool(vote.ambiguous),
        comment=vote.comment,
        answers=dict(vote.answers),
        proposals=dict(vote.proposals.values_list("field", "text")),
    )


def with_option_keys(ballot: Ballot, order: Order) -> Ballot:
    """A ballot that names options by the letters on a screen, with the options' keys instead."""
    marked = ballot.answers.get(OPTIONS, "")
    keys = {OPTIONS: "".join(order.key(letter) or "?" for letter in marked)} if marked else {}
    if own := ballot.answers.get(PERSONAL, ""):
        keys[PERSONAL] = order.key(own) or "?"
    return replace(
        ballot,
        label=order.key(ballot.label),
        comment=order.with_stored_keys(ballot.comment),
        answers={**ballot.answers, **keys},
        proposals={order.stored_field_name(name): text for name, text in ballot.proposals.items()},
    )


def with_new_proposals_only(ballot: Ballot, contents: Iterable[Mapping[str, Any]]) -> Ballot:
    """The ballot with those of its proposals that differ from what the item says or said under the same name."""
    proposals = dict(ballot.proposals)
    for content in contents:
        for name, text in tuple(proposals.items()):
            if plain_breaks(text) == plain_breaks(text_at(content, name)):
                del proposals[name]
    return replace(ballot, proposals=proposals)


def earlier_texts(item: int) -> Iterable[Mapping[str, Any]]:
    """Every content that the item has or had: any of them may have been on a card that is sent now."""
    return Revision.objects.filter(item=item).values_list("content", flat=True)


def ballot_to_store(ballot: Ballot, kind: Kind, order: Order) -> Ballot:
    """The ballot as its vote keeps it: the marks that the kind has, in one spelling, and the order that was shown."""
    marks = (QUESTION, OPTIONS, ORDER, PERSONAL)
    answers = {name: answer for name, answer in ballot.answers.items() if name not in marks}
    if QUESTION in kind.question.ambiguity_marks and ballot.answers.get(QUESTION):
        answers[QUESTION] = MARKED
    if OPTIONS in kind.question.ambiguity_marks and ballot.answers.get(OPTIONS):
        answers[OPTIONS] = "".join(sorted(set(ballot.answers[OPTIONS])))
    marked = QUESTION in answers or OPTIONS in answers
    if PERSONAL in kind.question.ambiguity_marks and ballot.answers.get(PERSONAL, ballot.label) != ballot.label:
        answers[PERSONAL] = ballot.answers[PERSONAL]
    if kind.presentation.is_shuffled:
        answers[ORDER] = order.as_text
    if ballot.label != reviewing.RETURN or reviewing.FEATURE not in kind.features:
        answers.pop(ERROR_FIELD, None)
    return replace(ballot, answers=answers, ambiguous=ballot.ambiguous or marked)


def with_canonical_answers(ballot: Ballot, asked: Sequence[Question], shown: ShownItem) -> Ballot:
    """The ballot with an answer to each question, in canonical form, and their key as its label.

    Read from a posted form where there is one, from what a script sent, else from `answers`. Raises Invalid, whose
    field is the question's.
    """
    answers = dict(ballot.answers)
    for question in asked:
        kind = type_of(question)
        try:
            if ballot.posted_form:
                answer = kind.parse_form(question, ballot.posted_form, shown)
            elif ballot.sent is not None:
                sent = kind.from_card_value(question, ballot.sent.get(question.key), shown)
                answer = kind.parse_value(question, sent, shown)
            else:
                answer = kind.parse_value(question, answers.get(question.key), shown)
        except AnswerProblem as found:
            raise Invalid(field=question.field, code=found.code, **found.params) from found
        answers.pop(question.key, None)
        if answer is not None:
            answers[question.key] = answer
    return replace(ballot, label=label_of(asked, answers), answers=answers, posted_form={}, sent=None)


def answers_by_criterion(posed: Sequence[Question], sent: Mapping[str, Any]) -> dict[str, Any]:
    """A script's answers by the keys under which votes keep them: criteria come as one answer, or each by itself.

    Raises Invalid for an answer to what is not asked.
    """
    found = dict(sent)
    for question in posed:
        if question.parts and question.key in found:
            parts = found.pop(question.key)
            if not isinstance(parts, Mapping):
                raise Invalid(field=question.field, code="answer_unknown", answer=str(parts)[:80])
            found |= parts
    leaves = {leaf.key for question in posed for leaf in question.leaf_questions()}
    if strange := sorted(found.keys() - leaves):
        raise Invalid(field=FIELD_PREFIX + strange[0], code="question_unknown")
    return found


def asks_reason_for_marks(kind: Kind) -> bool:
    """Whether the question and its options can be marked by themselves: then a mark is asked for its reason."""
    return QUESTION in kind.question.ambiguity_marks or OPTIONS in kind.question.ambiguity_marks


def check_ballot(
    ballot: Ballot,
    kind: Kind,
    content: Mapping[str, Any],
    errors: Collection[str] = (),
    *,
    labelled: bool = True,
) -> None:
    """Raise Invalid for a ballot that cannot be: of this item's own options and texts, a reason where one is due.

    `errors` are the codes of the project's error types; not `labelled`: its answers to questions are checked already.
    """
    labels = {label.key for label in kind.question.votable_labels(content)}
    named = {*ballot.answers.get(OPTIONS, "")}
    if labelled:
        named |= {ballot.label, ballot.answers.get(PERSONAL, ballot.label)}
    if not labels.issuperset(named):
        raise Invalid(field="label", code="label_unknown")
    shown = {text.key for text in kind.presentation.texts_in(content) if text.shown and not text.derived}
    shown |= {option_field(key) for key in labels} if kind.question.own_options else set()
    for name, text in ballot.proposals.items():
        if name not in shown or not text.strip():
            raise Invalid(field="proposals", code="proposal_unknown")
    for text in (ballot.comment, *ballot.proposals.values()):
        if len(text) > LONGEST_TEXT or storage_problem(text):
            raise Invalid(field="comment", code="text_not_storable")
    if asks_reason_for_marks(kind) and ballot.ambiguous and not ballot.comment.strip():
        raise Invalid(field="comment", code="reason_missing_marked")
    if reviewing.FEATURE in kind.features:
        _check_review(ballot, content, errors)


def _check_review(ballot: Ballot, content: Mapping[str, Any], errors: Collection[str]) -> None:
    """An approval stands alone, a correction changes something, what is sent back says why and changes nothing."""
    changed = [name for name, text in ballot.proposals.items() if text != text_at(content, name)]
    if ballot.label == reviewing.CORRECT and not changed:
        raise Invalid(field="proposals", code="correction_missing")
    if ballot.label == reviewing.APPROVE and changed:
        raise Invalid(field="proposals", code="approval_corrects")
    if ballot.label == reviewing.APPROVE and ballot.comment.strip():
        raise Invalid(field="comment", code="approval_says_more")
    if ballot.label != reviewing.RETURN:
        return
    if changed:
        raise Invalid(field="proposals", code="return_corrects")
    if not ballot.comment.strip():
        raise Invalid(field="comment", code="return_reason_missing")
    if ballot.answers.get(ERROR_FIELD, "") not in {"", *errors}:
        raise Invalid(field="error", code="error_type_missing")
