"""Attempts at the quiz as a source of pay (annotation/pay/sources.py)."""

from annotation.pay import rules
from annotation.pay.sources import Source
from validation.qualification.models import Role


def _attempts(action: str, role: Role) -> Source:
    """Attempts at the quiz of a role, paid whatever their outcome; the training round is not."""
    return Source(
        action,
        f"""SELECT 'quiz:' || a.id, a.annotator_id, (SELECT MIN(t.id) FROM annotation_target t
      WHERE t.project_id = w.project_id), CAST(NULL AS bigint), a.id, a.done_at
  FROM who w JOIN validation_quizattempt a ON a.annotator_id = w.id
  WHERE NOT a.training AND a.role = '{role.value}' AND a.done_at IS NOT NULL""",  # noqa: S608 - a constant
        {
            rules.ITEM: "(SELECT a.asked FROM validation_quizattempt a WHERE a.id = d.part)",
            rules.SET: "1",
        },
    )


QUIZZES = _attempts(rules.QUIZ, Role.VALIDATOR)
WRITERS_QUIZZES = _attempts(rules.WRITER_QUIZ, Role.WRITER)
