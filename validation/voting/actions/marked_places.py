"""What a correction does to places that people marked in a text: votes keep them, gold answers follow the text."""

from collections.abc import Mapping
from typing import Any

from annotation.answers import PlaceLost, label_of
from annotation.content.models.item import Item, Revision
from annotation.content.queries import current_content
from validation.consensus.engine import GOLD
from validation.integrity.rules import LEAD
from validation.voting.actions.verdicts import decision_of, questions_of, standing_votes
from validation.voting.carried_votes import answers_now, contents_of
from validation.voting.models.review import Review
from validation.voting.models.vote import Vote


def has_places(item: Item) -> bool:
    """Whether its voters mark places in a text."""
    return item.project.kind_spec.asks_for_places


def keeps_places(item: Item, content: Mapping[str, Any]) -> bool:
    """Whether all that its standing votes, and a lead's gold answers, mark can be read in this content."""
    if not has_places(item):
        return True
    standing = Vote.objects.filter(item=item, epoch=item.epoch, withdrawn_at=None)
    given = list(standing.values_list("revision_n", "answers"))
    if item.gold_from == LEAD and item.gold_answers:
        given.append((item.revision_n, item.gold_answers))
    texts, kind, asked = contents_of({(item.pk, n) for n, _ in given}), item.project.kind_spec, questions_of(item)
    try:
        for n, answers in given:
            answers_now(kind, asked, answers, texts[item.pk, n], content)
    except PlaceLost:
        return False
    return True


def lead_gold(item: Item, given: Review) -> tuple[str, dict[str, Any] | None]:
    """The label and the answers by which a lead settled an item, as they stand in its present text.

    Raises PlaceLost.
    """
    if given.answers is None or not has_places(item):
        return given.label, given.answers
    seen = Revision.objects.filter(item=item, version__lte=given.version).order_by("n").last()
    assert seen is not None  # noqa: S101 - every item begins with a revision
    asked = questions_of(item)
    answers = answers_now(item.project.kind_spec, asked, given.answers, seen.content, current_content(item))
    return label_of(asked, answers), answers


def carry_gold(item: Item, before: Mapping[str, Any]) -> bool:
    """Let the gold answers of an item that was just corrected say where they stand now; `before` is what it said.

    False where the votes give none any more: the system has to decide.
    """
    if not item.gold or not has_places(item):
        return True
    asked = questions_of(item)
    if item.gold_from == LEAD:
        answers = answers_now(item.project.kind_spec, asked, item.gold_answers or {}, before, current_content(item))
        item.gold, item.gold_answers = label_of(asked, answers), answers
        return True
    decision = decision_of(item, standing_votes([item])[item.pk])
    if decision.state != GOLD:
        return False
    item.gold, item.gold_answers = decision.label or "", dict(decision.criteria)
    return True
