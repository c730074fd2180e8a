"""Items into their tables: standing, first revisions, votes and flags, a whole batch in a few statements.

What the shape of their kind stores beside goes in by whoever judged the rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from annotation.content.models.item import Item, Revision
from annotation.core.models.member import Annotator
from annotation.jobs.bulk import bulk_insert, reserve_ids
from annotation.jobs.database import now
from validation.consensus import stages
from validation.imports.prepare import shuffle_of
from validation.imports.project_context import Frame
from validation.review.models.review import Flag
from validation.review.rules.flags import doubt
from validation.voting import wake
from validation.voting.models.vote import Vote

ITEM = (
    "id",
    "project_id",
    "target_id",
    "author_id",
    "slot",
    "key",
    "origin",
    "protocol_id",
    "family",
    "author_label",
    "sampled",
    "stage",
    "votes_n",
    "shuffle",
    "due_at",
    "words",
    "doubt",
)
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
    "imported",
    "surplus",
)
FLAG = ("project_id", "item_id", "code", "detail", "version")


@dataclass(slots=True)
class ItemIn:
    """An item to be stored: `votes` start with a name, then come the columns that the shape's votes have.

    `author` is a published name or empty, `family` the primary key of what it was made from, `sampled` whether it is
    validated; `surplus` are places of votes beyond the decision (ruling 3), `flags` codes with their detail. `target`
    is the target's, in kinds that have some.
    """

    key: str
    author: str
    author_label: str
    family: int
    sampled: bool
    content: Mapping[str, Any]
    words: int
    votes: Sequence[tuple[Any, ...]]
    surplus: frozenset[int]
    flags: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    target: int = 0
    slot: str = ""


def store_items(frame: Frame, items: Sequence[ItemIn], votes: Sequence[str]) -> list[int]:
    """Insert items with their votes (`votes` names the columns behind the name); their primary keys.

    Those that are validated are due at once, and the ordinary jobs open and decide them.
    """
    people, project = _people(frame, items), frame.project_id
    ids = reserve_ids(Item, len(items))
    placed = list(zip(ids, items, strict=True))
    bulk_insert(Item, ITEM, _items(frame, placed, people))
    bulk_insert(Revision, REVISION, (_revision(frame, pk, each, people) for pk, each in placed))
    bulk_insert(Vote, (*VOTE, *votes), _votes(frame, placed, people))
    bulk_insert(
        Flag, FLAG, ((project, pk, code, detail, 1) for pk, each in placed for code, detail in each.flags)
    )
    transaction.on_commit(wake.wake_worker)
    return ids


def _items(
    frame: Frame, placed: Sequence[tuple[int, ItemIn]], people: Mapping[str, int]
) -> Iterator[tuple[Any, ...]]:
    moment, check_first = now(), frame.check_first
    for pk, each in placed:
        # What has votes was checked elsewhere: it waits for no lead.
        waits = check_first and not each.votes
        yield (
            pk,
            frame.project_id,
            each.target or frame.target_id,
            people.get(each.author),
            each.slot,
            each.key,
            (Item.Origin.MACHINE if frame.machine else Item.Origin.IMPORTED).value,
            frame.protocol_id,
            each.family,
            each.author_label,
            each.sampled,
            stages.SUBMITTED if waits else stages.WRITTEN,
            len(each.votes),
            shuffle_of(frame, each.key),
            moment if each.sampled and not waits else None,
            each.words,
            doubt([code for code, _ in each.flags]) if each.flags else 0,
        )


def _revision(frame: Frame, pk: int, item: ItemIn, people: Mapping[str, int]) -> tuple[Any, ...]:
    event = stages.HAND_IN if frame.check_first and not item.votes else stages.SUBMIT
    by = people.get(item.author)
    return (frame.project_id, pk, 1, 1, 1, event, "first", item.content, item.author_label, by)


def _votes(
    frame: Frame, placed: Sequence[tuple[int, ItemIn]], people: Mapping[str, int]
) -> Iterator[tuple[Any, ...]]:
    project = frame.project_id
    for pk, each in placed:
        surplus = each.surplus
        for place, vote in enumerate(each.votes):
            number, name = frame.round_of(place), vote[0]
            yield (project, pk, people[name], place + 1, 1, number, 1, True, place in surplus, *vote[1:])


def _people(frame: Frame, items: Sequence[ItemIn]) -> dict[str, int]:
    """Published names to imported annotators, made where there are none; the empty name is nobody."""
    names = {vote[0] for each in items for vote in each.votes}
    names |= {each.author for each in items if each.author}
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
