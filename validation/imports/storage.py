"""Items into their tables: standing, first revisions, votes and flags, a whole batch in a few statements.

What the shape of their kind stores beside goes in by whoever judged the rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.content.models.item import Item, Revision
from annotation.content.rules.counts import counts
from annotation.core.database import now
from annotation.core.models.member import Annotator
from annotation.core.rules.draws import draw
from annotation.jobs.bulk import bulk_insert, reserve_ids
from validation.consensus import stages
from validation.imports.project_context import Frame
from validation.imports.rules.people import Unread
from validation.voting import wake
from validation.voting.models.review import Flag
from validation.voting.models.vote import Verdict, Vote
from validation.voting.rules.flags import doubt

_PLACED = ("id", "project_id", "target_id", "author_id", "slot", "key", "origin", "protocol_id", "family")
_JUDGED = ("author_label", "sampled", "stage", "votes_n", "shuffle", "due_at", "words", "doubt")
_STANDING = ("version", "round", "pending", "slots_free", "priority")
ITEM = (*_PLACED, *_JUDGED, *_STANDING)
# How an item stands that is not asked for yet.
WAITING = (1, 0, 0, 0, 0)
_WRITTEN = ("author_label", "by_id")
_COUNTED = ("fields_n", "sentences_n")
REVISION = (
    "project_id",
    "item_id",
    "n",
    "version",
    "epoch",
    "event",
    "meaning",
    "content",
    *_WRITTEN,
    *_COUNTED,
)
VOTE = ("project_id", "item_id", "annotator_id", "n", "epoch", "round", "revision_n", "imported", "surplus")
VERDICT = ("project_id", "item_id", "version", "epoch", "event", "round", "asked", "label", "hopeless")
FLAG = ("project_id", "item_id", "code", "detail", "version")

Row = tuple[Any, ...]


@dataclass(slots=True)
class ItemIn:
    """An item to be stored: `votes` start with a name, then come the columns that the shape's votes have.

    `author` is a published name or empty, `source` what it was made from as its form knows it, `family` its primary key
    once that is known, `sampled` whether it is validated; `surplus` are places of votes beyond the decision (ruling 3),
    `flags` codes with their detail, `unread` the marks of its votes that cannot be read. `target` is the target's, in
    kinds that have some.
    """

    key: str
    author: str
    author_label: str
    source: Any
    sampled: bool
    content: Mapping[str, Any]
    words: int
    votes: Sequence[tuple[Any, ...]]
    surplus: frozenset[int]
    flags: list[tuple[str, dict[str, Any]]]
    unread: Sequence[Unread] = ()
    family: int = 0
    target: int = 0
    slot: str = ""


def store_items(frame: Frame, items: Sequence[ItemIn], votes: Sequence[str]) -> list[int]:
    """Insert items with their votes (`votes` names the columns behind the name); their primary keys.

    Those that are validated are opened at once where the project's kind allows it; the others are due, and the ordinary
    jobs open and decide them.
    """
    people, moment, opened = _people(frame, items), now(), frame.opening_event
    project, target, protocol, seed = frame.project_id, frame.target_id, frame.protocol_id, frame.seed
    origin = (Item.Origin.MACHINE if frame.machine else Item.Origin.IMPORTED).value
    rows, revisions, cast, verdicts, flags = list[Row](), list[Row](), list[Row](), list[Row](), list[Row]()
    ids = reserve_ids(Item, len(items))
    due = False
    at: datetime | None
    for pk, each in zip(ids, items, strict=True):
        # What has votes was checked elsewhere: it waits for no lead.
        event, stage, at, standing = stages.SUBMIT, stages.WRITTEN, None, WAITING
        if frame.rules.check_first and not each.votes:
            event, stage = stages.HAND_IN, stages.SUBMITTED
        elif each.sampled and not each.votes and opened is not None:
            stage, (happened, standing) = stages.VOTING, opened
            verdicts.append((project, pk, standing[0], 1, *happened))
        elif each.sampled:
            at, due = moment, True
        by = people.get(each.author)
        weight = doubt([code for code, _ in each.flags]) if each.flags else 0
        placed = (pk, project, each.target or target, by, each.slot, each.key, origin, protocol, each.family)
        order = draw(seed, "queue", each.key)
        judged = (each.author_label, each.sampled, stage, len(each.votes), order, at, each.words, weight)
        rows.append((*placed, *judged, *standing))
        counted = counts(frame.kind, each.content, frame.language)
        texts = (each.author_label, by, counted["fields_n"], counted["sentences_n"])
        revisions.append((project, pk, 1, 1, 1, event, "first", each.content, *texts))
        for place, (name, *vote) in enumerate(each.votes):
            number, beyond = frame.round_of(place), place in each.surplus
            cast.append((project, pk, people[name], place + 1, 1, number, 1, True, beyond, *vote))
        flags += [(project, pk, code, detail, 1) for code, detail in each.flags]
    bulk_insert(Item, ITEM, rows)
    bulk_insert(Revision, REVISION, revisions)
    bulk_insert(Vote, (*VOTE, *votes), cast)
    bulk_insert(Verdict, VERDICT, verdicts)
    bulk_insert(Flag, FLAG, flags)
    if due:
        transaction.on_commit(wake.wake_worker)
    return ids


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
