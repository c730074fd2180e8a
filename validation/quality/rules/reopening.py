"""The effect of setting votes aside on items: by their present state, and their decision without the votes."""

from collections import Counter
from collections.abc import Iterable

from validation.consensus import stages
from validation.consensus.engine import OPEN

STAYS, REOPENS, OTHER_GOLD, WAITS, BY_LEAD = "stays", "reopens", "other_gold", "waits", "by_lead"
OUTCOMES = (REOPENS, OTHER_GOLD, STAYS, WAITS, BY_LEAD)


def outcome_of(stage: str, gold: str, state: str, label: str) -> str:
    """What happens to one item: its stage and gold label now, the decision's state and label without the votes."""
    if stage in (stages.VOTING, stages.WRITTEN):
        return WAITS
    if stage not in (stages.SETTLED, stages.NO_CONSENSUS):
        return BY_LEAD
    if state == OPEN:
        return REOPENS
    return STAYS if label == gold else OTHER_GOLD


def count_outcomes(outcomes: Iterable[str]) -> list[tuple[str, int]]:
    """How many items have each outcome, in the order in which they are shown."""
    found = Counter(outcomes)
    return [(each, found[each]) for each in OUTCOMES if found[each]]
