"""The tables of releases."""

from .baseline import Baseline, BaselineAnswer, BaselineItem, BaselinePlace, BaselineSource
from .evaluation import Evaluation, EvaluationRow
from .prompt import TaskPrompt
from .release import Release, ReleaseRow, ReleaseSource

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
