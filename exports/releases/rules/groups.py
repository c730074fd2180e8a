"""What keeps items of a release together in one split: a premise's text, or a concept's (domain.md §9, ruling 17).

By the shape of a kind's contents. A question without a concept stands for itself.
"""

from collections.abc import Mapping
from typing import Any

from exports.releases.rules.settings import SplitRules

# What pages and reasons call it, and the texts of the content that say it, the first that is there.
_TOGETHER: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "pair": ("premise", ("premise",)),
    "qa": ("concept", ("concept", "question")),
}


def together(shape: str) -> str:
    """What items of this shape share, by its name."""
    return _TOGETHER[shape][0]


def group_text(shape: str, content: Mapping[str, Any]) -> str:
    """The text that an item shares with those that stay with it."""
    return next((text for name in _TOGETHER[shape][1] if (text := str(content.get(name, "")))), "")


def dealt_by(rules: SplitRules, key: str, set_key: str) -> str:
    """By what an item is drawn where tenths are dealt: its set, where the rules keep it together, else itself."""
    return f"set:{set_key}" if rules.keep_sets and set_key else key
