"""The tables of releases."""

from exports.lm_eval.models import (
    TaskPrompt,
)
from exports.predictions.models import (
    Leaderboard,
    Predictions,
)
from exports.releases.models import (
    Release,
    ReleaseRow,
    ReleaseSource,
)
from exports.statistics.models import (
    ReleaseStatistics,
)

__all__ = [
    "Leaderboard",
    "Predictions",
    "Release",
    "ReleaseRow",
    "ReleaseSource",
    "ReleaseStatistics",
    "TaskPrompt",
]
