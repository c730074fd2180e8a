"""One's own agreement with the gold of the others: late, rounded, and in steps that tell nothing about one item."""

import pytest

from validation.insights.rules.agreement import own_agreement


@pytest.mark.parametrize(
    ("agreed", "figure"),
    [
        ([True] * 19, None),
        ([True] * 20, 100),
        ([True] * 15 + [False] * 5, 75),
        ([True] * 20 + [False] * 9, 100),
        ([True] * 20 + [False] * 10, 67),
    ],
)
def test_from_twenty_in_tens(agreed: list[bool], figure: int | None) -> None:
    assert own_agreement([(1, float(same)) for same in agreed], 20) == figure


def test_a_project_may_say_another_number() -> None:
    assert own_agreement([(1, 1), (1, 0), (1, 1)], 3) == 67
    assert own_agreement([], 0) is None
    assert own_agreement([(1, 0)], 0) == 0


def test_items_without_a_gold_of_the_others_count_for_nothing() -> None:
    assert own_agreement([(1, 1), (0, 0), (2.5, 0)], 3) == 29
    assert own_agreement([(0, 0)] * 3, 3) is None
