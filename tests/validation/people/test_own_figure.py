"""One's own agreement with gold: late, rounded, and in steps that tell nothing about one item."""

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
    assert own_agreement(agreed, 20) == figure


def test_a_project_may_say_another_number() -> None:
    assert own_agreement([True, False, True], 3) == 67
    assert own_agreement([], 0) is None
    assert own_agreement([False], 0) == 0
