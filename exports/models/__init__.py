"""The tables of releases."""

from .release import Release, ReleaseRow

__all__ = ["Release", "ReleaseRow"]
