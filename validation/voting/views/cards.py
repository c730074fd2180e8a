"""A validator's view of an item, and what they had typed about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.http import QueryDict
from django.template.loader import render_to_string

from annotation.answers import type_of
from annotation.content.models.item import Item, Revision
from annotation.core.errors import Invalid
from annotation.core.models.project import Project
from annotation.kinds import Kind, Label
from annotation.kinds.rendered_texts import MEDIA_WIDGETS, list_pairs
from annotation.kinds.texts import OPTION_PREFIX, option_field, text_at
from annotation.text.line_breaks import plain_breaks
from annotation.ui.choice_keys import choice_keys
from validation.consensus import translation_review as reviewing
from validation.voting.actions.ballots import (
    ERROR_FIELD,
    Ballot,
    asks_reason_for_marks,
    earlier_texts,
    with_new_proposals_only,
)
from validation.voting.actions.verdicts import questions_of
from validation.voting.carried_votes import carry_votes
from validation.voting.check_findings import ShownFinding
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote
from validation.voting.queries import ReviewerExtras, SeenItem, option_order_for, seen_item_of
from validation.voting.rules.card_questions import (
    CardQuestion,
    posted_answers,
    questions_on_card,
    suggested_answers,
)
from validation.voting.rules.option_order import (
    MARKED,
    OPTIONS,
    PERSONAL,
    QUESTION,
    Order,
    labels_shown,
)

PROPOSE_PREFIX, MARK_PREFIX = "propose_", "mark_"
# The text that a reviewer read, posted beside the field that corrects it.
SHOWN_PREFIX = "shown_"
# What a form answers questions with, all values of each field, and of which question the answer is refused.
POSTED_FIELD, PROBLEM_FIELD = "posted", "answer_problem"
MARK_OPTION, MARK_QUESTION = MARK_PREFIX + "option", MARK_PREFIX + "question"


@dataclass(frozen=True)
class ShownText:
    """One text of the card, and what stands in the field for its correction.

    Where it is reviewed: the text that it says in another language, and what checks found in it. A `given` one is the
    option that is judged. `widget`: how it is drawn where it is no plain text; `alt` says what an image shows.
    `is_list`: a dialogue or a table row.
    """

    key: str
    name: str
    text: str
    shared: bool
    proposal: str
    beside: str = ""
    check_findings: tuple[ShownFinding, ...] = ()
    given: bool = False
    widget: str = ""
    alt: str = ""
    is_list: bool = False

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The turns of a dialogue, or the columns of a table row."""
        return list_pairs(self.text)


@dataclass(frozen=True)
class Choice:
    """One label to choose, and the keys that do."""

    id: str
    label: Label
    keys: tuple[str, ...]
    checked: bool
    marked: bool = False


@dataclass(frozen=True)
class Card:
    """What a validator sees of an item: its texts and the labels to choose from, and nothing about anybody.

    `corrections` are the texts that can be corrected, where it `allows_corrections`: those, and the item's own options
    by their letters here. `asks_why`: what is marked as ambiguous needs a reason. `personal` are the options to
    choose among for oneself. `review`: the item is reviewed, beside what it was made from. `options` are the item's
    own where one of them is judged. `questions` stand in place of `choices` where more is asked than a label.
    """

    token: str
    texts: list[ShownText]
    corrections: list[ShownText]
    choices: str
    question: str
    language: str
    ambiguity_marks: tuple[str, ...] = ()
    hidden_marks: tuple[str, ...] = ()
    asks_why: bool = False
    letters: tuple[str, ...] = ()
    personal: tuple[Label, ...] = ()
    review: ReviewerExtras | None = None
    options: tuple[ShownText, ...] = ()
    questions: tuple[CardQuestion, ...] = ()
    version: str = ""
    allows_corrections: bool = True
    typed: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class KeptBallot:
    """A ballot that could not be counted, shown again beside the next card."""

    label: Label | None
    comment: str
    proposals: list[tuple[str, str]]
    language: str
    unsure: bool = False
    ambiguous: bool = False
    marked: tuple[Label, ...] = ()
    personal: Label | None = None
    error: str = ""
    answers: tuple[tuple[str, str], ...] = ()


def _choice(number: int, label: Label, chosen: str, marked: Sequence[str]) -> Choice:
    return Choice(f"label-{number}", label, choice_keys(label, number), label.key == chosen, label.key in marked)


def _choices(kind: Kind, labels: Sequence[Label], prior: Mapping[str, Any], language: str) -> str:
    """The labels to choose from as markup; the options of an item each with its mark."""
    chosen, marked = str(prior.get("label", "")), prior.get(MARK_OPTION, ())
    choices = [_choice(number, label, chosen, marked) for number, label in enumerate(labels, start=1)]
    context = {"choices": choices, "language": language, "marks": OPTIONS in kind.question.ambiguity_marks}
    name = "options" if kind.question.own_options else "choices"
    return render_to_string(f"validation/voting/partials/{name}.html", context)


def _texts(
    kind: Kind,
    content: Mapping[str, Any],
    order: Order,
    prior: Mapping[str, Any],
    found: Sequence[ShownFinding] = (),
) -> tuple[list[ShownText], list[ShownText]]:
    """The texts to read, and with them the options that can be corrected."""

    judged = option_field(kind.question.judged_option(content))

    def shown(key: str, name: str, text: str, shared: bool) -> ShownText:
        beside, here = (
            kind.presentation.source_text(content, key),
            tuple(one for one in found if one.field == key),
        )
        typed = str(prior.get(PROPOSE_PREFIX + key) or text)
        widget, alt = kind.presentation.widgets.get(key, ""), text_at(content, f"{key}_alt")
        is_list = isinstance(content.get(key), list)
        return ShownText(key, name, text, shared, typed, beside, here, key == judged, widget, alt, is_list)

    seen = [text for text in kind.presentation.texts_in(content) if text.shown]
    texts = [shown(text.key, text.name, text_at(content, text.key), text.shared) for text in seen]
    # A text that follows from others is corrected through them.
    own = [text for text, field in zip(texts, seen, strict=True) if not field.derived]
    if kind.presentation.widgets:
        own = [text for text in own if text.widget not in MEDIA_WIDGETS]
    if kind.presentation.is_shuffled and not kind.question.own_options:
        return _named_by_place(kind, order, texts, own)
    if not kind.question.own_options:
        return texts, own
    options = [
        shown(option_field(letter), letter, text_at(content, option_field(key)), False)
        for letter, key in zip(order.letters, order.keys, strict=True)
    ]
    return texts, own + options


def _named_by_place(
    kind: Kind, order: Order, texts: list[ShownText], own: list[ShownText]
) -> tuple[list[ShownText], list[ShownText]]:
    """The two texts of each preference in the order shown, each called by its place: nothing says which is which.

    Nor can they be corrected here, since a correction would have to name the text.
    """
    for pair in kind.question.compared_texts if order.keys != kind.question.shuffled_sides else ():
        two = [text for text in texts if text.key in pair]
        if len(two) == len(pair):
            names = iter([replace(two[1 - n], key=two[n].key, name=two[n].name) for n in range(len(two))])
            texts = [next(names) if text.key in pair else text for text in texts]
    placed = {key for pair in kind.question.compared_texts for key in pair}
    return texts, [text for text in own if text.key not in placed]


def card_of(
    assignment: Assignment,
    project: Project,
    typed: Mapping[str, Any] | None = None,
    *,
    vote: Vote | None = None,
) -> Card:
    """The card of an assignment, with what was typed into it or the vote that was taken back; one statement."""
    seen = seen_item_of(assignment, project)
    prior = typed_from_vote(vote, seen.order) if vote else dict(typed or {})
    if vote and seen.card_questions:
        prior[POSTED_FIELD] = {
            name: values
            for question in seen.leaf_questions
            for name, values in type_of(question)
            .form_data(question, vote.answers.get(question.key), seen.card_view)
            .items()
        }
    return build_card(seen, prior)


def build_card(seen: SeenItem, prior: dict[str, Any]) -> Card:
    """The card of one item, with what was typed."""
    kind, content, order, review = seen.kind, seen.content, seen.order, seen.review
    if seen.card_questions and POSTED_FIELD not in prior:
        prior[POSTED_FIELD] = suggested_answers(seen.leaf_questions, seen.card_view)
    texts, corrections = _texts(kind, content, order, prior, seen.check_findings)
    prior["proposed"] = any(one.proposal != one.text for one in corrections) or bool(prior.get("text_error"))
    prior["asked"] = asks_reason_for_marks(kind) and any(
        prior.get(name) for name in ("unsure", MARK_QUESTION, MARK_OPTION)
    )
    prior["asked"] |= review is not None and (prior.get("label") == reviewing.RETURN or bool(prior.get(ERROR_FIELD)))
    labels = labels_shown(kind, content, order)
    return Card(
        token=seen.token,
        texts=[text for text in texts if not text.key.startswith(OPTION_PREFIX)],
        options=tuple(text for text in texts if text.key.startswith(OPTION_PREFIX)),
        corrections=corrections if seen.allows_corrections else [],
        choices="" if seen.card_questions else _choices(kind, labels, prior, seen.language),
        questions=questions_on_card(
            seen.card_questions,
            seen.card_view,
            prior.get(POSTED_FIELD, {}),
            prior.get(PROBLEM_FIELD, ("", "")),
        )
        if seen.card_questions
        else (),
        question=kind.question.text,
        language=seen.language,
        ambiguity_marks=kind.question.ambiguity_marks,
        hidden_marks=kind.question.hidden_marks,
        asks_why=asks_reason_for_marks(kind),
        personal=labels if PERSONAL in kind.question.ambiguity_marks else (),
        letters=order.letters if kind.question.own_options else (),
        review=review,
        version=seen.version,
        allows_corrections=seen.allows_corrections,
        typed=prior,
    )


def typed_fields(post: QueryDict) -> dict[str, Any]:
    """Everything that was typed into a card, to be shown in it again."""
    ticked = {name: name in post for name in ("unsure", "ambiguous", "text_error", MARK_QUESTION)}
    words = {name: plain_breaks(str(text)) for name, text in post.items()}
    return {
        **words,
        **ticked,
        MARK_OPTION: post.getlist(MARK_OPTION),
        POSTED_FIELD: posted_answers(post.lists()),
    }


def typed_from_vote(vote: Vote, order: Order) -> dict[str, Any]:
    """A vote that was taken back, as it stood in its card."""
    return {
        "label": order.letter(vote.label),
        "unsure": vote.unsure,
        "ambiguous": vote.ambiguous,
        MARK_QUESTION: vote.answers.get(QUESTION) == MARKED,
        MARK_OPTION: [order.letter(key) for key in vote.answers.get(OPTIONS, "")],
        PERSONAL: order.letter(vote.answers.get(PERSONAL, "")),
        "comment": order.with_shown_letters(vote.comment),
        ERROR_FIELD: vote.answers.get(ERROR_FIELD, ""),
        "text_error": bool(vote.answers.get("text_error")),
        **{
            PROPOSE_PREFIX + order.shown_field_name(name): text
            for name, text in vote.proposals.values_list("field", "text")
        },
    }


def vote_taken_back(assignment: Assignment) -> Vote | None:
    """What this person said at this assignment before they took it back; None where they had not voted."""
    own = Vote.objects.filter(item=assignment.item_id, annotator=assignment.annotator_id, epoch=assignment.epoch)
    vote = own.filter(withdrawn_why=Vote.Withdrawn.TAKEN_BACK).order_by("-n").first()
    if vote is not None and vote.revision_n != assignment.revision_n:
        item = Item.objects.select_related("project", "protocol").get(pk=vote.item_id)
        item.revision_n = assignment.revision_n
        carry_votes({item.pk: item}, [vote], questions_of)
    return vote


def ballot_from_post(post: QueryDict) -> Ballot:
    """The ballot of a posted card, options by the letters shown."""
    proposals = {
        name.removeprefix(PROPOSE_PREFIX): str(text)
        for name, text in post.items()
        if name.startswith(PROPOSE_PREFIX) and str(text).strip()
    }
    marks = {
        "text_error": "yes" if "text_error" in post else "",
        QUESTION: "ambiguous" if MARK_QUESTION in post else "",
        OPTIONS: "".join(post.getlist(MARK_OPTION)),
        PERSONAL: post.get(PERSONAL, ""),
        ERROR_FIELD: post.get(ERROR_FIELD, ""),
    }
    # What a reviewer's card showed is posted beside the outcome of it.
    beside = {name for name in proposals if SHOWN_PREFIX + name in post}
    same = {name for name in beside if plain_breaks(proposals[name]) == plain_breaks(str(post[SHOWN_PREFIX + name]))}
    return Ballot(
        label=post.get("label", ""),
        unsure="unsure" in post,
        ambiguous="ambiguous" in post,
        comment=plain_breaks(post.get("comment", "")).strip(),
        answers={name: value for name, value in marks.items() if value},
        proposals={name: text for name, text in proposals.items() if name not in same},
        may_repeat_shown_texts=not beside,
        posted_form=posted_answers(post.lists()),
        client_id=client_id_of(post),
        version=post.get("version", ""),
    )


def client_id_of(post: QueryDict) -> UUID | None:
    """What the browser calls this answer; None where a form without scripts sends it."""
    text = post.get("client_id", "")
    try:
        return UUID(text) if text else None
    except ValueError as error:
        raise Invalid(field="client_id", code="client_id_invalid") from error


def kept_ballot_of(post: QueryDict, project: Project, ballot: Ballot, assignment: Assignment) -> KeptBallot:
    """What somebody typed at an item that is no longer theirs, options as they were shown."""
    kind = project.kind_spec
    content, item = Revision.objects.values_list("content", "item__key").get(
        item=assignment.item_id, n=assignment.revision_n
    )
    order = option_order_for(kind, content, project, item, assignment)
    labels = labels_shown(kind, content, order)
    proposals = ballot.proposals
    if proposals and ballot.may_repeat_shown_texts:
        stored = {name: order.stored_field_name(name) for name in proposals}
        new = with_new_proposals_only(
            replace(ballot, proposals={stored[name]: text for name, text in proposals.items()}),
            earlier_texts(assignment.item_id),
        )
        proposals = {name: text for name, text in proposals.items() if stored[name] in new.proposals}
    names = {text.key: text.name for text in kind.presentation.texts_in(content)}
    names |= {option_field(label.key): label.letter for label in labels if label.is_item_option}
    marked = ballot.answers.get(OPTIONS, "")
    return KeptBallot(
        label=next((label for label in labels if label.key == ballot.label), None),
        comment=ballot.comment,
        proposals=[(names.get(name, name), text) for name, text in proposals.items()],
        language=assignment.target.language,
        unsure=ballot.unsure,
        ambiguous=ballot.ambiguous or bool(ballot.answers.get(QUESTION)),
        marked=tuple(label for label in labels if label.is_item_option and label.key in marked),
        personal=next((label for label in labels if label.key == ballot.answers.get(PERSONAL)), None),
        error=dict(project.error_types).get(ballot.answers.get(ERROR_FIELD, ""), ""),
        answers=tuple(
            (question.text, ", ".join(value for value in values if value.strip()))
            for question in kind.question.leaf_questions(assignment.item.protocol.rules.get("criteria", ()))
            for name, values in ballot.posted_form.items()
            if name in (question.field, f"{question.field}-text") and any(map(str.strip, values))
        )
        if ballot.posted_form
        else (),
    )
