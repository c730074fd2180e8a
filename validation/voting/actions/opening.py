"""Validation begins: items that nobody has voted on are all asked for in the same way, so many are opened at once.

An import of fifty thousand pairs is annotatable some seconds later; one by one it took as long as the import itself.
"""

from collections import defaultdict
from datetime import datetime, timedelta

from django.db.models import F
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.content.rules.queue_order import priority
from annotation.core.database import locked, now
from annotation.core.models.project import Project, ProtocolVersion
from annotation.jobs.bulk import any_of, bulk_insert
from validation.consensus import stages
from validation.consensus.advance import Advance, ItemStanding, advance
from validation.consensus.engine import decide
from validation.consensus.protocol import Protocol
from validation.voting.actions.check_findings import FLAGS_REVIEWED, flag_findings
from validation.voting.actions.exclusions import bar_contributors, close_gold_copies
from validation.voting.models.vote import Verdict

AT_ONCE = 5000
_VERDICT = (
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
Row = tuple[int, int, int, int, int, datetime]


def open_due(*, limit: int = AT_ONCE) -> int:
    """Open up to `limit` due items without votes, in the caller's transaction; how many were opened."""
    due = Item.objects.filter(due_at__lte=Now(), stage=stages.WRITTEN, sampled=True, votes_n=0, round=0)
    columns = ("pk", "project_id", "protocol_id", "version", "epoch", "at")
    rows: list[Row] = list(locked(due.order_by("due_at"), skip=True).values_list(*columns)[:limit])
    if not rows:
        return 0
    moment, projects = now(), _projects(rows)
    reviewed = {project.pk for project in projects if FLAGS_REVIEWED in project.kind_spec.features}
    barring = {project.pk for project in projects if project.kind_spec.excludes_family_contributors}
    if due_there := [row[0] for row in rows if row[1] in barring]:
        bar_contributors(items=Item.objects.filter(pk__in=any_of(due_there)))
    close_gold_copies(row[0] for row in rows)
    aged = {project.pk: timedelta(days=project.rules.aged_days) for project in projects}
    alike: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in rows:
        alike[row[2], priority(1, moment - row[5] > aged[row[1]])].append(row)
    steps = {pk: _step(version) for pk, version in ProtocolVersion.objects.in_bulk({r[2] for r in rows}).items()}
    for (protocol, rank), together in alike.items():
        _open(together, steps[protocol], rank)
    if reviewed:
        # What somebody wrote here; finished files bring their own flags, by the ten thousand.
        here = Item.objects.filter(pk__in=any_of([row[0] for row in rows if row[1] in reviewed]))
        flag_findings(list(here.exclude(origin=Item.Origin.IMPORTED).values_list("pk", flat=True)))
    return len(rows)


def _projects(rows: list[Row]) -> list[Project]:
    return list(Project.objects.filter(pk__in={row[1] for row in rows}))


def _step(version: ProtocolVersion) -> Advance:
    """What the engine makes of an item without votes under this protocol: the first round is asked for."""
    decision = decide(Protocol.from_stored(version.rules), None, (), ())
    step = advance(ItemStanding(stages.WRITTEN, 0, "", 0), decision)
    assert step is not None  # noqa: S101 - a written item always takes a step
    return step


def _open(rows: list[Row], step: Advance, rank: int) -> None:
    (happened,) = step.events
    Item.objects.filter(pk__in=any_of([row[0] for row in rows])).update(
        stage=step.stage,
        round=step.round,
        pending=step.pending,
        slots_free=step.slots_free,
        priority=rank,
        version=F("version") + 1,
        due_at=None,
    )
    asked = (happened.event, happened.round, happened.requested_votes, happened.label, happened.hopeless)
    bulk_insert(
        Verdict,
        _VERDICT,
        ([project, pk, version + 1, epoch, *asked] for pk, project, _, version, epoch, _ in rows),
    )
