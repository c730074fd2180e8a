"""The tables of releases."""

from exports.lm_eval.models import (
    TaskPrompt,
)
from exports.releases.models import (
    Release,
    ReleaseRow,
    ReleaseSource,
)

__all__ = [
    "Release",
    "ReleaseRow",
    "ReleaseSource",
    "TaskPrompt",
]
