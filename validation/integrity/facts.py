"""The facts of items, read a chunk at a time: a fixed number of statements, however many items there are."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F

from annotation.content.models.item import Item, Revision
from annotation.core.access import contents
from annotation.jobs.database import now
from validation.integrity.rules import Event, Facts, VoteFact
from validation.review.models.review import Flag, Review
from validation.voting.actions.verdicts import is_reviewed, protocol_of
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Verdict, Vote


@dataclass
class _Rows:
    """What belongs to one item."""

    events: list[Event] = field(default_factory=list)
    votes: list[VoteFact] = field(default_factory=list)
    revisions: int = 0
    content: dict[str, Any] = field(default_factory=dict)
    assignments: list[int] = field(default_factory=list)
    open_flags: list[str] = field(default_factory=list)
    flag_versions: list[int] = field(default_factory=list)


def facts_of(items: Sequence[Item]) -> dict[int, Facts]:
    """Each item's facts by id; the items come with project and protocol."""
    rows: dict[int, _Rows] = defaultdict(_Rows)
    ids = [item.pk for item in items]
    _read_events(ids, rows)
    _read_votes(ids, rows)
    for item_id, code, version, closed_version, closed in Flag.objects.filter(item__in=ids).values_list(
        "item_id", "code", "version", "closed_version", "closed_at"
    ):
        if closed is None:
            rows[item_id].open_flags.append(code)
        rows[item_id].flag_versions.append(max(version, closed_version or 0))
    open_assignments = Assignment.objects.filter(item__in=ids, state=Assignment.State.OPEN)
    for item_id, epoch in open_assignments.values_list("item_id", "epoch"):
        rows[item_id].assignments.append(epoch)
    texts = contents(items)
    moment = now()
    return {
        item.pk: _facts(
            item, rows[item.pk], texts.get(item.pk), item.due_at is not None and item.due_at <= moment
        )
        for item in items
    }


def _read_events(ids: Iterable[int], rows: dict[int, _Rows]) -> None:
    revisions = Revision.objects.filter(item__in=ids)
    for item_id, n, version, event in revisions.values_list("item_id", "n", "version", "event"):
        rows[item_id].events.append(Event(version, event))
        rows[item_id].revisions = max(rows[item_id].revisions, n)
    last = revisions.filter(n=F("item__revision_n")).values_list("item_id", "content")
    for item_id, content in last:
        rows[item_id].content = content
    for table in (Verdict, Review):
        found = table._default_manager.filter(item__in=ids)
        for item_id, version, event, label in found.values_list("item_id", "version", "event", "label"):
            rows[item_id].events.append(Event(version, event, label))


_VOTE = (
    "n",
    "epoch",
    "annotator_id",
    "annotator__pseudonym",
    "label",
    "round",
    "answers",
    "withdrawn_version",
    "withdrawn_why",
)


def _read_votes(ids: Iterable[int], rows: dict[int, _Rows]) -> None:
    """The columns of VoteFact in its order: whole votes would take longer than all that is compared."""
    found = (
        Vote.objects.filter(item__in=ids).order_by("n").values_list("item_id", *_VOTE, "ambiguous", "surplus")
    )
    for item_id, *columns, ambiguous, surplus in found:
        rows[item_id].votes.append(VoteFact._make([*columns, bool(ambiguous), surplus]))


def _facts(item: Item, rows: _Rows, present: Mapping[str, Any] | None, due: bool) -> Facts:
    return Facts(
        version=item.version,
        stage=item.stage,
        epoch=item.epoch,
        round=item.round,
        pending=item.pending,
        slots_free=item.slots_free,
        votes_n=item.votes_n,
        revision_n=item.revision_n,
        gold=item.gold,
        gold_from=item.gold_from,
        doubt=item.doubt,
        returns=item.returns,
        due=due,
        author=item.author_id,
        author_label=item.author_label,
        protocol=protocol_of(item),
        labels=item.project.kind_spec.label_keys,
        events=rows.events,
        revisions=rows.revisions,
        votes=rows.votes,
        assignments=sum(epoch == item.epoch for epoch in rows.assignments),
        assignments_elsewhere=sum(epoch != item.epoch for epoch in rows.assignments),
        flags=rows.open_flags,
        flags_beyond=sum(version > item.version for version in rows.flag_versions),
        content_kept=_is_kept(rows.content, present),
        reviewed=is_reviewed(item),
    )


def _is_kept(content: Mapping[str, Any], present: Mapping[str, Any] | None) -> bool:
    """Whether the present text is that of the last revision; that there are no tags need not be said."""
    return present is not None and {"tags": [], **present} == {"tags": [], **content}
