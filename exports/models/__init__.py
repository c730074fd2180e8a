"""The tables of releases."""

from .evaluation import Evaluation, EvaluationRow
from .prompt import TaskPrompt
from .release import Release, ReleaseRow, ReleaseSource

__all__ = ["Evaluation", "EvaluationRow", "Release", "ReleaseRow", "ReleaseSource", "TaskPrompt"]
