"""One's own agreement with the gold of the others: late, rounded, and in steps that tell nothing about one item."""

from dataclasses import replace

import pytest

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from tests.review import WRONG, cast_votes, world
from validation.consensus import design
from validation.consensus.audit import TWO_AGREE
from validation.consensus.protocol import PRESETS
from validation.insights.rules.agreement import own_agreement
from validation.people.own_gold import agreement_with_others
from validation.voting.models.vote import Vote


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


@pytest.mark.django_db
def test_items_that_stand_for_none_do_not_count_to_the_first_twenty(monkeypatch: pytest.MonkeyPatch) -> None:
    at = world(1, protocol=replace(PRESETS["two-agree-audit"], panel=0.0), settings={"spacing": 0})
    first, second, third = at.items[:3]
    for item in (first, second):
        cast_votes(at, item, WRONG[item.author_label] + item.author_label * 2)
    cast_votes(at, third, third.author_label)
    Item.objects.filter(pk=third.pk).update(
        route=TWO_AGREE, stage="settled", gold_from="votes", gold=third.author_label
    )
    Vote.objects.update(cast_at="2026-01-01T00:00:00Z")
    voter = Annotator.objects.get(pk=at.validators[0].pk)
    assert agreement_with_others(voter, 2) is None  # no audit stands for the third
    monkeypatch.setattr(design, "FEWEST_AUDITS", 0)
    assert agreement_with_others(voter, 2) is not None
    assert agreement_with_others(voter, 3) is None
