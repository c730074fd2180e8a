"""Attempts at the quiz as a source of pay (annotation/pay/sources.py)."""

from annotation.pay import rules
from annotation.pay.sources import Source

# Paid whatever its outcome; the training round is not.
QUIZZES = Source(
    rules.QUIZ,
    """SELECT 'quiz:' || a.id, a.annotator_id, (SELECT MIN(t.id) FROM annotation_target t
      WHERE t.project_id = w.project_id), CAST(NULL AS bigint), a.id, a.done_at
  FROM who w JOIN validation_quizattempt a ON a.annotator_id = w.id
  WHERE NOT a.training AND a.done_at IS NOT NULL""",
    {
        rules.ITEM: "(SELECT a.asked FROM validation_quizattempt a WHERE a.id = d.part)",
        rules.SET: "1",
    },
)
