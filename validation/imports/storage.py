"""Pairs into their tables: items, texts, first revisions, votes and flags, a whole batch in a few statements."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotation.bulk import bulk_insert, reserve_ids
from annotation.db import now
from annotation.models import Annotator, Hypothesis, Item, Revision
from validation import bell
from validation.models import Flag, Vote
from validation.rules import stages
from validation.rules.flags import doubt

from .frame import Frame
from .prepare import Pair, is_sampled, shuffle_of

ITEM = (
    "id",
    "project_id",
    "lane_id",
    "author_id",
    "slot",
    "key",
    "origin",
    "protocol_id",
    "family",
    "author_label",
    "sampled",
    "votes_n",
    "shuffle",
    "due_at",
    "words",
    "doubt",
)
HYPOTHESIS = ("item_id", "project_id", "premise_id", "text", "tags")
REVISION = (
    "project_id",
    "item_id",
    "n",
    "version",
    "epoch",
    "event",
    "meaning",
    "content",
    "author_label",
    "by_id",
)
VOTE = (
    "project_id",
    "item_id",
    "annotator_id",
    "n",
    "epoch",
    "round",
    "revision_n",
    "label",
    "imported",
    "surplus",
)
FLAG = ("project_id", "item_id", "code", "detail", "version")


@dataclass(slots=True)
class Placed:
    """A pair with the key that it gets, the key of its premise, and the flags that it starts with."""

    key: str
    pair: Pair
    premise: str
    flags: list[tuple[str, dict[str, Any]]]


def store_pairs(frame: Frame, pairs: Sequence[Placed], premises: Mapping[str, int]) -> None:
    """Insert pairs; those that are validated are due at once, and the ordinary jobs open and decide them."""
    people, moment = _people(frame, pairs), now()
    ids = reserve_ids(Item, len(pairs))
    placed = list(zip(ids, pairs, strict=True))
    bulk_insert(Item, ITEM, _items(frame, placed, premises, people, moment))
    project = frame.project_id
    bulk_insert(
        Hypothesis,
        HYPOTHESIS,
        (
            (pk, project, premises[each.premise], each.pair.row.hypothesis, list(each.pair.row.tags))
            for pk, each in placed
        ),
    )
    bulk_insert(Revision, REVISION, (_revision(frame, pk, each.pair, people) for pk, each in placed))
    bulk_insert(Vote, VOTE, _votes(frame, placed, people))
    bulk_insert(
        Flag, FLAG, ((project, pk, code, detail, 1) for pk, each in placed for code, detail in each.flags)
    )
    transaction.on_commit(bell.ring)


def _items(
    frame: Frame,
    placed: Sequence[tuple[int, Placed]],
    premises: Mapping[str, int],
    people: Mapping[str, int],
    moment: object,
) -> Iterator[tuple[Any, ...]]:
    for pk, each in placed:
        row = each.pair.row
        sampled = bool(row.votes) or is_sampled(frame, each.key, each.premise)
        yield (
            pk,
            frame.project_id,
            frame.lane_id,
            people.get(row.author),
            "",
            each.key,
            Item.Origin.IMPORTED.value,
            frame.protocol_id,
            premises[each.premise],
            row.author_label,
            sampled,
            len(row.votes),
            shuffle_of(frame, each.key),
            moment if sampled else None,
            each.pair.words,
            doubt([code for code, _ in each.flags]) if each.flags else 0,
        )


def _content(pair: Pair) -> dict[str, Any]:
    """A pair's content as revisions keep it."""
    content: dict[str, Any] = {"premise": pair.row.premise.text, "hypothesis": pair.row.hypothesis}
    if pair.row.tags:
        content["tags"] = list(pair.row.tags)
    return content


def _revision(frame: Frame, pk: int, pair: Pair, people: Mapping[str, int]) -> tuple[Any, ...]:
    label, by = pair.row.author_label, people.get(pair.row.author)
    return (frame.project_id, pk, 1, 1, 1, stages.SUBMIT, "first", _content(pair), label, by)


def _votes(
    frame: Frame, placed: Sequence[tuple[int, Placed]], people: Mapping[str, int]
) -> Iterator[tuple[Any, ...]]:
    for pk, each in placed:
        for place, (name, label) in enumerate(each.pair.row.votes):
            surplus = place in each.pair.surplus
            number = frame.round_of(place)
            yield (frame.project_id, pk, people[name], place + 1, 1, number, 1, label, True, surplus)


def _people(frame: Frame, pairs: Sequence[Placed]) -> dict[str, int]:
    """Published names to imported annotators, made where there are none; the empty name is nobody."""
    names = {name for each in pairs for name, _ in each.pair.row.votes}
    names |= {each.pair.row.author for each in pairs if each.pair.row.author}
    found: dict[str, int] = {}
    if not names:
        return found
    there = Annotator.objects.filter(project=frame.project_id, pseudonym__in=[*names, *map(_beside, names)])
    by_name = {place.pseudonym: place for place in there}
    for name in sorted(names):
        # A member of the project who happens to have that pseudonym is somebody else.
        own = name if name not in by_name or by_name[name].imported else _beside(name)
        place = by_name.get(own)
        if place is None:
            place = Annotator.objects.create(project_id=frame.project_id, pseudonym=own, imported=True)
        found[name] = place.pk
    return found


def _beside(name: str) -> str:
    return f"{name} (imported)"
