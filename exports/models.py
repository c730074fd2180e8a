"""The tables of releases."""

from exports.baselines.models import (
    Baseline,
    BaselineAnswer,
    BaselineItem,
    BaselinePlace,
    BaselineSource,
)
from exports.evaluation.models import (
    Evaluation,
    EvaluationRow,
)
from exports.lm_eval.models import (
    TaskPrompt,
)
from exports.releases.models import (
    Release,
    ReleaseRow,
    ReleaseSource,
)

__all__ = [
    "Baseline",
    "BaselineAnswer",
    "BaselineItem",
    "BaselinePlace",
    "BaselineSource",
    "Evaluation",
    "EvaluationRow",
    "Release",
    "ReleaseRow",
    "ReleaseSource",
    "TaskPrompt",
]
