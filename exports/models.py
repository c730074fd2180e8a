"""The tables of releases."""

from exports.lm_eval.models import (
    TaskPrompt,
)
from exports.predictions.models import (
    Leaderboard,
    Predictions,
)
from exports.public.models import (
    Erratum,
    Publication,
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
    "Erratum",
    "Leaderboard",
    "Predictions",
    "Publication",
    "Release",
    "ReleaseRow",
    "ReleaseSource",
    "ReleaseStatistics",
    "TaskPrompt",
]
