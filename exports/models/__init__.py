"""The tables of releases."""

from .release import Release, ReleaseRow, ReleaseSource

__all__ = ["Release", "ReleaseRow", "ReleaseSource"]
