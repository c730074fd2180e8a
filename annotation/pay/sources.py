"""Paid actions as statements over the work done: one source for each action, named in `earnings` of the apps.

A source's rows are actions that stand, by the people of `who`: what was taken back is not among them. They have the
columns of ROW. `part` is whatever number the source's units need. A key names an action for ever: nothing that was
taken back is done again under the same one.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.module_loading import import_string

from annotation.core import declared
from annotation.pay import rules
from validation.consensus.stages import RESUBMITTED

ACTION_COLUMNS = ("key", "annotator_id", "target_id", "item_id", "part", "at")


@dataclass(frozen=True)
class Source:
    """The actions of one sort: a SELECT of ROW from `who w`, and what they count, by unit, as expressions over `d`."""

    action: str
    rows: str
    units: Mapping[str, str]


ONE_ITEM: Mapping[str, str] = {rules.ITEM: "1"}
# A translation's sentences are those of its source unit.
_SENTENCES = """COALESCE((SELECT u.sentences FROM annotation_translation t JOIN annotation_sourceunit u
      ON u.id = t.unit_id WHERE t.item_id = r.item_id), r.sentences_n)"""
_FROM_REVISION = "FROM annotation_revision r WHERE r.item_id = d.item_id AND r.n = d.part"
# Of an action on one item, whose revision is `part`.
ITEM_UNITS: Mapping[str, str] = {
    rules.SENTENCE: f"(SELECT {_SENTENCES} {_FROM_REVISION})",
    rules.FIELD: f"(SELECT r.fields_n {_FROM_REVISION})",
    **ONE_ITEM,
}
_FROM_FIRST_REVISION = """FROM annotation_item i JOIN annotation_revision r ON r.item_id = i.id AND r.n = 1
      WHERE i.allocation_id = d.part"""

SETS = Source(
    rules.WRITE,
    """SELECT 'set:' || a.id, a.writer_id, MIN(i.target_id), CASE WHEN COUNT(*) = 1 THEN MIN(i.id) END, a.id,
    a.submitted_at
  FROM who w JOIN annotation_allocation a ON a.writer_id = w.id JOIN annotation_item i ON i.allocation_id = a.id
  WHERE a.state = 'submitted' AND a.submitted_at IS NOT NULL GROUP BY a.id""",
    {
        rules.SENTENCE: f"(SELECT SUM({_SENTENCES}) {_FROM_FIRST_REVISION})",
        rules.FIELD: f"(SELECT SUM(r.fields_n) {_FROM_FIRST_REVISION})",
        rules.ITEM: "(SELECT COUNT(*) FROM annotation_item i WHERE i.allocation_id = d.part)",
        rules.SET: "1",
    },
)
CORRECTIONS = Source(
    rules.CORRECT,
    f"""SELECT 'correct:' || r.id, r.by_id, i.target_id, i.id, r.n, r.at
  FROM who w JOIN annotation_revision r ON r.by_id = w.id JOIN annotation_item i ON i.id = r.item_id
  WHERE r.event IN {RESUBMITTED} AND i.author_id = w.id""",  # noqa: S608
    ITEM_UNITS,
)


def all_sources() -> list[Source]:
    """Every source that the apps declare."""
    return [import_string(path) for path in declared.entries("earnings").values()]
