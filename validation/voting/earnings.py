"""Votes as a source of pay (annotation/pay/sources.py)."""

from annotation.pay import rules
from annotation.pay.sources import ITEM_UNITS, Source

# A voided vote was work, one taken back was not, an imported one is nobody's here. A vote that counts again is the one
# that was set aside.
VOTES = Source(
    rules.VOTE,
    """SELECT 'vote:' || v.id, v.annotator_id, CASE WHEN i.project_id = w.project_id THEN i.target_id ELSE
      (SELECT s.target_id FROM validation_assignment s WHERE s.item_id = v.item_id AND s.annotator_id = w.id) END,
    v.item_id, v.revision_n, v.cast_at
  FROM who w JOIN validation_vote v ON v.annotator_id = w.id JOIN annotation_item i ON i.id = v.item_id
  WHERE NOT v.imported AND v.withdrawn_why <> 'taken_back'
    AND NOT EXISTS (SELECT 1 FROM validation_setasidevote s WHERE s.restored_id = v.id)""",
    {**ITEM_UNITS, rules.ONE_VOTE: "1"},
)
