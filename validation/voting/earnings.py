"""Votes as a source of pay (annotation/pay/sources.py)."""

from annotation.pay import rules
from annotation.pay.sources import OF_ITEM, Source

# A voided vote was work, one taken back was not, an imported one is nobody's here.
VOTES = Source(
    rules.VOTE,
    """SELECT 'vote:' || v.id, v.annotator_id, i.target_id, v.item_id, v.revision_n, v.cast_at
  FROM who w JOIN validation_vote v ON v.annotator_id = w.id JOIN annotation_item i ON i.id = v.item_id
  WHERE NOT v.imported AND v.withdrawn_why <> 'taken_back'""",
    {**OF_ITEM, rules.ONE_VOTE: "1"},
)
