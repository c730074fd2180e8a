"""Checks of machine-written items as a source of pay (annotation/pay/sources.py)."""

from annotation.pay import rules
from annotation.pay.sources import ONE_ITEM, Source
from validation.review.rules.assessments import QUESTION

# The first check of an item: every check says something of the question.
ASSESSMENTS = Source(
    rules.ASSESS,
    f"""SELECT 'assess:' || i.id, x.by_id, i.target_id, i.id, 1, x.at
  FROM who w JOIN validation_assessment x ON x.project_id = w.project_id AND x.by_id = w.id
    JOIN annotation_item i ON i.id = x.item_id
  WHERE x.part = '{QUESTION}' AND x.n = 1""",  # noqa: S608
    ONE_ITEM,
)
