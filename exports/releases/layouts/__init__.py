"""The layouts of a release's files, by the shape of its items: one file for each layout."""

from exports.releases.layouts.aligned import Aligned
from exports.releases.layouts.base import Layout, LayoutContext, ShuffledLines, Sinks
from exports.releases.layouts.splits import BySplit
from exports.releases.rules.settings import ALIGNED, BY_SPLIT, layout_of

__all__ = ["Layout", "LayoutContext", "ShuffledLines", "Sinks", "layout_for"]

_LAYOUTS: dict[str, type[Layout]] = {BY_SPLIT: BySplit, ALIGNED: Aligned}


def layout_for(frame: LayoutContext) -> Layout:
    """The layout for a release of this kind."""
    return _LAYOUTS[layout_of(frame.kind.shape)](frame)
