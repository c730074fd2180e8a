"""The decision on items from their protocols and standing votes, by the pure engine."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

import orjson

from annotation.answers import Question
from annotation.content.models.item import Item, Revision
from validation.consensus import stages
from validation.consensus import translation_review as reviewing
from validation.consensus.engine import Decision, VoteIn, decide
from validation.consensus.protocol import Protocol
from validation.voting.carried_votes import carry_votes
from validation.voting.models.review import Review
from validation.voting.models.vote import Verdict, Vote


@lru_cache(maxsize=256)
def _read_protocol(raw: bytes) -> Protocol:
    return Protocol.from_stored(orjson.loads(raw))


def protocol_of(item: Item) -> Protocol:
    """The protocol that the item was opened under, read once per version."""
    return _read_protocol(orjson.dumps(item.protocol.rules, option=orjson.OPT_SORT_KEYS))


def questions_of(item: Item) -> tuple[Question, ...]:
    """The questions that voters answer about an item; none where they give a label and no more."""
    return item.project.kind_spec.question.leaf_questions(protocol_of(item).criteria)


def card_questions_of(item: Item) -> tuple[Question, ...]:
    """The same as they stand on a card: criteria as one question."""
    return item.project.kind_spec.question.card_questions(protocol_of(item).criteria)


def is_reviewed(item: Item) -> bool:
    """Whether voters review the item: they approve, correct or send back."""
    return reviewing.FEATURE in item.project.kind_spec.features


def decision_of(item: Item, votes: Sequence[Vote]) -> Decision:
    """The pure recomputation of an item from its epoch's standing votes, in their order."""
    ballots = [VoteIn(v.label, v.annotator.pseudonym, v.round, v.n, v.answers, bool(v.ambiguous)) for v in votes]
    labels = item.project.kind_spec.question.label_keys
    found = decide(protocol_of(item), item.author_label or None, ballots, labels, questions_of(item), item.route)
    return reviewing.approved_only(found) if is_reviewed(item) else found


def standing_votes(items: Iterable[Item]) -> dict[int, list[Vote]]:
    """Each item's standing votes of its present epoch, by number, as they stand in its present text; one statement,
    and another where places were marked in an earlier one."""
    known = {item.pk: item for item in items}
    votes: dict[int, list[Vote]] = defaultdict(list)
    rows = Vote.objects.select_related("annotator").filter(item__in=known, withdrawn_at=None).order_by("n")
    for vote in rows:
        if vote.epoch == known[vote.item_id].epoch:
            votes[vote.item_id].append(vote)
    carry_votes(known, (vote for given in votes.values() for vote in given), questions_of)
    return votes


_DECISIVE_EVENTS = {
    Verdict: (stages.EXCLUDE_AMBIGUOUS,),
    Review: (stages.EXCLUDE, *stages.RETURNS),
    Revision: (stages.CORRECT_NEW,),
}


def decided_by_votes(items: Iterable[Item]) -> set[int]:
    """Which of the items are excluded or returned by their voters' word and not by a lead's.

    No statement where none is.
    """
    there = {item.pk: item.stage for item in items if item.stage in (stages.EXCLUDED, stages.RETURNED)}
    events: dict[int, list[tuple[int, str]]] = defaultdict(list)
    if there:
        for table, sentence in _DECISIVE_EVENTS.items():
            rows = table._default_manager.filter(item__in=there, event__in=sentence)
            for item_id, version, event in rows.values_list("item_id", "version", "event"):
                events[item_id].append((version, event))
    asked = {stages.EXCLUDED: stages.is_excluded_by_votes, stages.RETURNED: stages.is_returned_by_votes}
    return {pk for pk, steps in events.items() if asked[there[pk]](event for _, event in sorted(steps))}
