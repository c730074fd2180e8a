"""Answering a human baseline: one item a screen, nothing about anybody; the answer to an answer is the next item."""

from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_POST

from annotation.core import access as members
from annotation.core.models.member import Annotator
from annotation.kinds import Label
from exports.baselines import access
from exports.baselines.answering import LOOK, answer_give
from exports.baselines.models import BaselineItem
from validation.studies.views.pages import Texts, answered, texts_shown, upcoming
from validation.voting.rules.option_order import labels_shown
from validation.voting.views.card_page import CardPage
from validation.voting.views.cards import Choice

PAGE = CardPage(
    room="answer",
    name=_("Answer"),
    page="exports/baselines/answer.html",
    card="exports/baselines/partials/answer_card.html",
    send="answer_send",
)


class ShownExample(NamedTuple):
    """One example: the texts, its options where it has its own, and the right label."""

    texts: Texts
    options: list[Label]
    gold: Label | None


@dataclass(frozen=True)
class AnswerCard:
    """What somebody sees of an item. Nothing of it says what is right, what others said, or how many there are."""

    token: str
    shown: str
    texts: Texts
    question: str
    language: str
    own: bool
    choices: list[Choice]
    task: str
    examples: list[ShownExample]
    begins: bool


def _card(annotator: Annotator, asked: BaselineItem) -> AnswerCard:
    kind, content, order = access.card_facts(asked, annotator)
    examples = [
        ShownExample(
            texts_shown(kind, example),
            list(kind.ballot(example)) if kind.own_options else [],
            kind.label_in(example, gold),
        )
        for example, gold in access.examples(asked.baseline)
    ]
    return AnswerCard(
        token=asked.token,
        shown=LOOK.mark(annotator, asked.token),
        texts=texts_shown(kind, content),
        question=kind.question,
        language=asked.item.target.language,
        own=kind.own_options,
        choices=[
            Choice(f"label-{n}", label, label.letter.lower(), False)
            for n, label in enumerate(labels_shown(kind, content, order), start=1)
        ],
        task=asked.baseline.task,
        examples=examples,
        begins=access.begins(annotator, asked.baseline),
    )


def _next(annotator: Annotator) -> AnswerCard | None:
    asked = access.next_item(annotator)
    return _card(annotator, asked) if asked else None


@login_required
@require_GET
def answer(request: HttpRequest, slug: str) -> HttpResponse:
    """What this person is asked next."""
    membership, annotator = members.member(request.user, slug, "baseline")
    return PAGE.show(request, membership, upcoming(membership, lambda: _next(annotator)))


@login_required
@require_POST
def answer_send(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Store one answer and show the next item."""
    membership, annotator = members.member(request.user, slug, "baseline")
    label, mark = request.POST.get("label", ""), request.POST.get("shown", "")
    return answered(
        request,
        membership,
        PAGE,
        lambda: answer_give(annotator=annotator, token=token, label=label, mark=mark),
        lambda _: _card(annotator, access.item_of(annotator, token)),
        lambda: _next(annotator),
    )
