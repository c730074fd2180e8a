"""Comparisons of one model with others as they are stored: their p-values, also corrected for how many there are."""

from collections.abc import Iterable
from typing import Any

from validation.insights.rules.p_values import holm

P_VALUES = ("p", "p_holm")
# Results stored before had 0 where none of a thousand draws was on the other side.
_LEAST_STORED = 1 / 1001


def with_holm(compared: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The comparisons with Holm's correction over those of them that have a p-value."""
    listed = [told | {"p": told["p"] or (None if told["p"] is None else _LEAST_STORED)} for told in compared]
    tested = [place for place, told in enumerate(listed) if told["p"] is not None]
    corrected = dict(zip(tested, holm([listed[place]["p"] for place in tested]), strict=True))
    return [told | {"p_holm": corrected.get(place)} for place, told in enumerate(listed)]
