"""Answering a human baseline: one item a screen, nothing about anybody; the answer to an answer is the next item."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_POST

from annotation.core import access as members
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from annotation.kinds import Kind, Label
from annotation.kinds.base import text_at
from exports.baselines import access
from exports.baselines.answering import LOOK, answer_give
from exports.baselines.models import Baseline, BaselineItem
from validation.voting.rules.option_order import labels_shown
from validation.voting.views.card_page import CardPage, by_script
from validation.voting.views.cards import Choice

Texts = list[tuple[str, str, bool]]
PAGE = CardPage(
    room="answer",
    name=_("Answer"),
    page="exports/baselines/answer.html",
    card="exports/baselines/partials/answer_card.html",
    send="answer_send",
)


@dataclass(frozen=True)
class ShownExample:
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


def _texts(kind: Kind, content: Any) -> Texts:
    return [
        (text.name, text_at(content, text.key), text.shared) for text in kind.texts_in(content) if text.shown
    ]


def _card(annotator: Annotator, asked: BaselineItem, chosen: str = "") -> AnswerCard:
    facts = access.card_facts(asked, annotator)
    labels = labels_shown(facts.kind, facts.content, facts.order)
    return AnswerCard(
        token=asked.token,
        shown=LOOK.mark(annotator, asked.token),
        texts=_texts(facts.kind, facts.content),
        question=facts.kind.question,
        language=asked.item.target.language,
        own=facts.kind.own_options,
        choices=[
            Choice(f"label-{n}", label, label.letter.lower(), label.key == chosen)
            for n, label in enumerate(labels, start=1)
        ],
        task=asked.baseline.task,
        examples=_examples(asked.baseline, facts.kind),
        begins=access.begins(annotator, asked.baseline),
    )


def _examples(baseline: Baseline, kind: Kind) -> list[ShownExample]:
    return [
        ShownExample(
            _texts(kind, each.content),
            list(kind.ballot(each.content)) if kind.own_options else [],
            kind.label_in(each.content, each.gold),
        )
        for each in access.examples(baseline)
    ]


def _next(membership: Membership, annotator: Annotator) -> AnswerCard | None:
    if membership.project.closed_at is not None:
        return None
    asked = access.next_item(annotator)
    return _card(annotator, asked) if asked else None


@login_required
@require_GET
def answer(request: HttpRequest, slug: str) -> HttpResponse:
    """What this person is asked next."""
    membership, annotator = members.member(request.user, slug, "baseline")
    return PAGE.show(request, membership, _next(membership, annotator))


@login_required
@require_POST
def answer_send(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Store one answer and show the next item."""
    membership, annotator = members.member(request.user, slug, "baseline")
    label, mark = request.POST.get("label", ""), request.POST.get("shown", "")
    try:
        answer_give(annotator=annotator, token=token, label=label, mark=mark)
    except Invalid as refusal:
        card = _card(annotator, access.item_of(annotator, token))
        return PAGE.show(request, membership, card, status=422, problem=refusal.code)
    except Conflict as refusal:
        return PAGE.show(request, membership, _next(membership, annotator), status=409, problem=refusal.code)
    if not by_script(request):
        return redirect("answer", slug=slug)
    return PAGE.show(request, membership, _next(membership, annotator))
