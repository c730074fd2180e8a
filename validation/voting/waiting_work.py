"""For whom something waits: by the same conditions as the statements of the vote path take and assign it."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils.dateparse import parse_datetime

from annotation import kinds
from annotation.core.database import fetch_rows
from validation.voting.contributors import took_part_sql
from validation.voting.sql import OPEN_TO_CONDITION, SCREEN_PLACES_SQL, now_sql

# When something will be there is said to the next five minutes: nobody needs to know when it was handed in.
_SAID_TO = timedelta(minutes=5)
_PLACES = """FROM annotation_annotator a JOIN annotation_target l ON l.project_id = a.project_id
  JOIN annotation_project p ON p.id = a.project_id{items}
WHERE a.id IN ({people}) AND a.paused_at IS NULL
  AND (NOT l.members_only OR EXISTS (SELECT 1 FROM annotation_targetmember t
    WHERE t.target_id = l.id AND t.annotator_id = a.id))"""
_WAITING = """SELECT a.id, l.id {places} AND (
  EXISTS (SELECT 1 FROM annotation_item i WHERE i.target_id = l.id AND i.slots_free > 0 AND i.priority > 0
    AND {open_to} AND {apart})
  OR EXISTS (SELECT 1 FROM validation_assignment o JOIN annotation_item i ON i.id = o.item_id
    WHERE o.target_id = l.id AND o.annotator_id = a.id AND o.state = 'open' AND o.place IN ({screen})
      AND o.epoch = i.epoch AND i.stage = 'voting' AND {apart}))"""
_RESTING = """SELECT a.id, MIN(i.due_at) {places} AND p.closed_at IS NULL AND a.is_validator
  AND i.stage = 'written' AND i.sampled AND i.round = 0 AND i.due_at > {now} AND {open_to} AND {apart} GROUP BY a.id"""


def annotators_with_work(annotators: Collection[int]) -> set[tuple[int, int]]:
    """Who would be given an item now in which target, held or new: pairs of annotator and target; one statement.

    By the same conditions as `take_slot` and `sit`, so that nobody is promised what the queue does not have for them.
    """
    return {(int(who), int(target)) for who, target in _rows(_WAITING, annotators)}


def more_by(annotators: Collection[int]) -> dict[int, datetime]:
    """By when there will be something more for whom, of what rests before voting now; one statement.

    It tells nothing of others: nobody has voted on what rests, and the moment is rounded up.
    """
    return {int(who): _rounded_up(moment) for who, moment in _rows(_RESTING, annotators)}


def _rounded_up(moment: datetime | str) -> datetime:
    """The next five minutes after a moment as a database gives it: SQLite as a text, in UTC."""
    read = parse_datetime(moment) if isinstance(moment, str) else moment
    assert read is not None  # noqa: S101 - SQLite's own format
    read = read.replace(tzinfo=UTC) if read.tzinfo is None else read
    return read + -(read - datetime.min.replace(tzinfo=UTC)) % _SAID_TO


def _rows(statement: str, annotators: Collection[int]) -> list[tuple[Any, ...]]:
    """The rows of a statement for these annotators, with what an item must be for somebody to be given it."""
    if not annotators:
        return []
    apart = [kind.slug for kind in kinds.all_kinds() if kind.excludes_family_contributors]
    listed = ", ".join(["%s"] * len(apart)) or "''"
    part = took_part_sql("a.project_id", "i.family", "a.id")
    items = " JOIN annotation_item i ON i.target_id = l.id" if statement is _RESTING else ""
    filled = statement.format(
        places=_PLACES.format(people=", ".join(["%s"] * len(annotators)), items=items),
        open_to=OPEN_TO_CONDITION.format(who="a.id"),
        screen=SCREEN_PLACES_SQL,
        now=now_sql(),
        apart=f"(p.kind NOT IN ({listed}) OR NOT ({part}))",
    )
    return fetch_rows(filled, [*annotators, *apart * statement.count("{apart}")])
