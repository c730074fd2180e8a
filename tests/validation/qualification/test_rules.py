"""Which items an attempt asks, and how it is marked; without a database."""

import pytest

from annotation.core.rules.fields import FieldError
from annotation.core.rules.settings import ProjectSettings, Quiz
from validation.qualification.rules import count_right, draw_items, is_ready

BANK = [str(n) for n in range(25)]


def test_two_attempts_share_nothing_and_differ_from_person_to_person() -> None:
    first = draw_items(BANK, (), count=10, secret="s", person="W01")
    second = draw_items(BANK, first, count=10, secret="s", person="W01")
    assert len(first) == len(second) == 10
    assert not set(first) & set(second)
    assert first == draw_items(BANK, (), count=10, secret="s", person="W01")
    assert first != draw_items(BANK, (), count=10, secret="s", person="W02")
    assert len(draw_items(BANK, [*first, *second], count=10, secret="s", person="W01")) == 5


@pytest.mark.parametrize(
    ("answers", "right"), [({}, 0), ({"1": "e"}, 1), ({"1": "n", "2": "c"}, 1), ({"1": "e", "2": "n"}, 2)]
)
def test_marking_takes_every_accepted_label(answers: dict[str, str], right: int) -> None:
    assert count_right(answers, {"1": ["e"], "2": ["n", "c"]}) == right


@pytest.mark.parametrize(
    ("bank", "count", "attempts", "ready"),
    [(20, 10, 2, True), (19, 10, 2, False), (10, 10, 1, True), (29, 10, 3, False), (0, 0, 2, False)],
)
def test_ready(bank: int, count: int, attempts: int, ready: bool) -> None:
    assert is_ready(bank, Quiz(count, count, attempts)) is ready


def test_each_role_has_a_quiz_of_its_own() -> None:
    rules = ProjectSettings.from_dict(
        {"quiz_questions": 10, "writer_quiz_questions": 5, "writer_quiz_right": 4, "writer_quiz_attempts": 1}
    )
    assert (rules.quiz("validator"), rules.quiz("writer")) == (Quiz(10, 8, 2), Quiz(5, 4, 1))
    assert ProjectSettings().quiz("writer") == Quiz(0, 8, 2)


@pytest.mark.parametrize("prefix", ["", "writer_"])
@pytest.mark.parametrize(("given", "field"), [({"questions": 5, "right": 6}, "right"), ({"attempts": 6}, "attempts")])
def test_a_quiz_that_nobody_could_pass_is_refused(prefix: str, given: dict[str, int], field: str) -> None:
    with pytest.raises(FieldError, match=f"{prefix}quiz_{field}"):
        ProjectSettings.from_dict({f"{prefix}quiz_{name}": value for name, value in given.items()})
