"""Items into their tables: standing, first revisions, votes and flags, a whole batch in a few statements.

What the shape of their kind stores beside goes in by whoever judged the rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.content.models.item import Item, PublishedSplit, Revision
from annotation.content.rules.counts import revision_counts
from annotation.core.database import now
from annotation.core.models.member import Annotator
from annotation.core.rules.draws import draw
from annotation.jobs.bulk import bulk_insert, reserve_ids
from validation.consensus import stages
from validation.imports.project_context import ProjectContext
from validation.imports.rules.people import UnreadMark
from validation.voting import wake
from validation.voting.models.review import Flag
from validation.voting.models.vote import Verdict, Vote
from validation.voting.rules.flags import doubt_of

_PLACE_COLUMNS = (
    "id",
    "project_id",
    "target_id",
    "author_id",
    "slot",
    "key",
    "origin",
    "protocol_id",
    "family",
)
_JUDGEMENT_COLUMNS = ("author_label", "sampled", "stage", "votes_n", "shuffle", "due_at", "words", "doubt")
_STANDING_COLUMNS = ("version", "round", "pending", "slots_free", "priority")
ITEM_COLUMNS = (*_PLACE_COLUMNS, *_JUDGEMENT_COLUMNS, *_STANDING_COLUMNS)
# How an item stands that is not asked for yet.
WAITING_STANDING = (1, 0, 0, 0, 0)
_AUTHOR_COLUMNS = ("author_label", "by_id")
_COUNT_COLUMNS = ("fields_n", "sentences_n")
REVISION_COLUMNS = (
    "project_id",
    "item_id",
    "n",
    "version",
    "epoch",
    "event",
    "meaning",
    "content",
    *_AUTHOR_COLUMNS,
    *_COUNT_COLUMNS,
)
VOTE_COLUMNS = (
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
VERDICT_COLUMNS = (
    "project_id",
    "item_id",
    "version",
    "epoch",
    "event",
    "round",
    "asked",
    "label",
    "hopeless",
)
FLAG_COLUMNS = ("project_id", "item_id", "code", "detail", "version")

Row = tuple[Any, ...]


@dataclass(slots=True)
class ItemIn:
    """An item to be stored: `votes` start with a name, then come the columns that the shape's votes have.

    `author` is a published name or empty, `source` what it was made from as its form knows it, `family` its primary key
    once that is known, `sampled` whether it is validated; `surplus` are places of votes beyond the decision (ruling 3),
    `flags` codes with their detail, `unread` the marks of its votes that cannot be read. `target` is the target's, in
    kinds that have some. `split` is the one that it was published in, or empty.
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
    unread: Sequence[UnreadMark] = ()
    family: int = 0
    target: int = 0
    slot: str = ""
    split: str = ""


def store_items(frame: ProjectContext, items: Sequence[ItemIn], votes: Sequence[str]) -> list[int]:
    """Insert items with their votes (`votes` names the columns behind the name); their primary keys.

    Those that are validated are opened at once where the project's kind allows it; the others are due, and the ordinary
    jobs open and decide them.
    """
    people, moment, opened = _annotators_by_name(frame, items), now(), frame.opening_event
    project, target, protocol, seed = frame.project_id, frame.target_id, frame.protocol_id, frame.seed
    origin = (Item.Origin.MACHINE if frame.machine else Item.Origin.IMPORTED).value
    rows, revisions, cast, verdicts, flags = list[Row](), list[Row](), list[Row](), list[Row](), list[Row]()
    ids = reserve_ids(Item, len(items))
    due = False
    at: datetime | None
    for pk, each in zip(ids, items, strict=True):
        # What has votes was checked elsewhere: it waits for no lead.
        event, stage, at, standing = stages.SUBMIT, stages.WRITTEN, None, WAITING_STANDING
        if frame.rules.check_first and not each.votes:
            event, stage = stages.HAND_IN, stages.SUBMITTED
        elif each.sampled and not each.votes and opened is not None:
            stage, (happened, standing) = stages.VOTING, opened
            verdicts.append((project, pk, standing[0], 1, *happened))
        elif each.sampled:
            at, due = moment, True
        by = people.get(each.author)
        weight = doubt_of([code for code, _ in each.flags]) if each.flags else 0
        placed = (pk, project, each.target or target, by, each.slot, each.key, origin, protocol, each.family)
        order = draw(seed, "queue", each.key)
        judged = (each.author_label, each.sampled, stage, len(each.votes), order, at, each.words, weight)
        rows.append((*placed, *judged, *standing))
        counted = revision_counts(frame.kind, each.content, frame.language)
        texts = (each.author_label, by, counted["fields_n"], counted["sentences_n"])
        revisions.append((project, pk, 1, 1, 1, event, "first", each.content, *texts))
        for place, (name, *vote) in enumerate(each.votes):
            number, beyond = frame.round_of(place), place in each.surplus
            cast.append((project, pk, people[name], place + 1, 1, number, 1, True, beyond, *vote))
        flags += [(project, pk, code, detail, 1) for code, detail in each.flags]
    bulk_insert(Item, ITEM_COLUMNS, rows)
    bulk_insert(Revision, REVISION_COLUMNS, revisions)
    splits = [(pk, each.split) for pk, each in zip(ids, items, strict=True) if each.split]
    bulk_insert(PublishedSplit, ("item_id", "split"), splits)
    bulk_insert(Vote, (*VOTE_COLUMNS, *votes), cast)
    bulk_insert(Verdict, VERDICT_COLUMNS, verdicts)
    bulk_insert(Flag, FLAG_COLUMNS, flags)
    if due:
        transaction.on_commit(wake.wake_worker)
    return ids


def _annotators_by_name(frame: ProjectContext, items: Sequence[ItemIn]) -> dict[str, int]:
    """Published names to imported annotators, made where there are none; the empty name is nobody."""
    names = {vote[0] for each in items for vote in each.votes}
    names |= {each.author for each in items if each.author}
    found: dict[str, int] = {}
    if not names:
        return found
    there = Annotator.objects.filter(project=frame.project_id, pseudonym__in=[*names, *map(_imported_pseudonym, names)])
    by_name = {place.pseudonym: place for place in there}
    for name in sorted(names):
        # A member of the project who happens to have that pseudonym is somebody else.
        own = name if name not in by_name or by_name[name].imported else _imported_pseudonym(name)
        place = by_name.get(own)
        if place is None:
            place = Annotator.objects.create(project_id=frame.project_id, pseudonym=own, imported=True)
        found[name] = place.pk
    return found


def _imported_pseudonym(name: str) -> str:
    return f"{name} (imported)"
