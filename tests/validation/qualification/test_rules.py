"""Which items an attempt asks, and how it is marked; without a database."""

import pytest

from validation.qualification.rules import drawn, is_ready, right_of

BANK = [str(n) for n in range(25)]


def test_two_attempts_share_nothing_and_differ_from_person_to_person() -> None:
    first = drawn(BANK, (), count=10, secret="s", person="W01")
    second = drawn(BANK, first, count=10, secret="s", person="W01")
    assert len(first) == len(second) == 10
    assert not set(first) & set(second)
    assert first == drawn(BANK, (), count=10, secret="s", person="W01")
    assert first != drawn(BANK, (), count=10, secret="s", person="W02")
    assert len(drawn(BANK, [*first, *second], count=10, secret="s", person="W01")) == 5


@pytest.mark.parametrize(
    ("answers", "right"), [({}, 0), ({"1": "e"}, 1), ({"1": "n", "2": "c"}, 1), ({"1": "e", "2": "n"}, 2)]
)
def test_marking_takes_every_accepted_label(answers: dict[str, str], right: int) -> None:
    assert right_of(answers, {"1": ["e"], "2": ["n", "c"]}) == right


@pytest.mark.parametrize(("bank", "count", "ready"), [(20, 10, True), (19, 10, False), (0, 0, False)])
def test_ready(bank: int, count: int, ready: bool) -> None:
    assert is_ready(bank, count=count) is ready
