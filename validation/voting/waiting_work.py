"""For whom something waits: by the same conditions as the statements of the vote path take and assign it."""

from collections.abc import Collection

from annotation import kinds
from annotation.core.database import fetch_rows
from validation.voting.contributors import took_part_sql
from validation.voting.sql import OPEN_TO_CONDITION, SCREEN_PLACES_SQL

_WAITING = """SELECT a.id, l.id FROM annotation_annotator a JOIN annotation_target l ON l.project_id = a.project_id
  JOIN annotation_project p ON p.id = a.project_id
WHERE a.id IN ({people}) AND a.paused_at IS NULL
  AND (NOT l.members_only OR EXISTS (SELECT 1 FROM annotation_targetmember t
    WHERE t.target_id = l.id AND t.annotator_id = a.id)) AND (
  EXISTS (SELECT 1 FROM annotation_item i WHERE i.target_id = l.id AND i.slots_free > 0 AND i.priority > 0
    AND {open_to} AND {apart})
  OR EXISTS (SELECT 1 FROM validation_assignment o JOIN annotation_item i ON i.id = o.item_id
    WHERE o.target_id = l.id AND o.annotator_id = a.id AND o.state = 'open' AND o.place IN ({screen})
      AND o.epoch = i.epoch AND i.stage = 'voting' AND {apart}))"""


def annotators_with_work(annotators: Collection[int]) -> set[tuple[int, int]]:
    """Who would be given an item now in which target, held or new: pairs of annotator and target; one statement.

    By the same conditions as `take_slot` and `sit`, so that nobody is promised what the queue does not have for them.
    """
    if not annotators:
        return set()
    apart = [kind.slug for kind in kinds.all_kinds() if kind.excludes_family_contributors]
    listed = ", ".join(["%s"] * len(apart)) or "''"
    part = took_part_sql("a.project_id", "i.family", "a.id")
    statement = _WAITING.format(
        people=", ".join(["%s"] * len(annotators)),
        open_to=OPEN_TO_CONDITION.format(who="a.id"),
        screen=SCREEN_PLACES_SQL,
        apart=f"(p.kind NOT IN ({listed}) OR NOT ({part}))",
    )
    return {(int(who), int(target)) for who, target in fetch_rows(statement, [*annotators, *apart, *apart])}
