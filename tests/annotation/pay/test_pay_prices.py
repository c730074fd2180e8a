"""The rate of an action is that of its moment, a target's own before the project's."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from annotation.content.models.source import Allocation
from annotation.pay.models import Rate
from annotation.pay.rules import ITEM
from tests.pay import a_rate, entries
from tests.translations import (
    a_source_set,
    a_translation,
    a_translation_project,
    member,
    pair_rows,
    target_of,
)

pytestmark = pytest.mark.django_db

MORNING = datetime(2026, 5, 1, 8, tzinfo=UTC)
# Action, target, amount: one an hour.
RATES = [
    ("write", "", "1"),
    ("write", "su", "2"),
    ("write", "", "3"),
    ("vote", "", "4"),
    ("write", "su", "5"),
    ("write", "jv-krama", "6"),
    ("write", "jv-krama", "0"),
    ("write", "", "8"),
]


@pytest.mark.parametrize(
    ("target", "hours", "expected"),
    [
        ("su", -0.1, None),
        ("su", 0, "1"),
        ("su", 0.9, "1"),
        ("su", 1, "2"),
        ("su", 2.5, "2"),
        ("su", 9, "5"),
        ("jv-ngoko", 1.5, "1"),
        ("jv-ngoko", 2, "3"),
        ("jv-ngoko", 9, "8"),
        ("jv-krama", 4.5, "3"),
        ("jv-krama", 5.5, "6"),
        ("jv-krama", 6, None),
        ("jv-krama", 9, None),
    ],
)
def test_the_rate_of_a_moment(target: str, hours: float, expected: str | None) -> None:
    project = a_translation_project()
    for n, (action, own, amount) in enumerate(RATES):
        made = a_rate(project, action, amount, unit=ITEM, target=target_of(project, own) if own else None)
        Rate.objects.filter(pk=made.pk).update(at=MORNING + timedelta(hours=n))
    unit = a_source_set(project, pair_rows(2)).units.get()
    a_translation(unit, target_of(project, target), member(project, "writer"))
    Allocation.objects.filter(project=project).update(submitted_at=MORNING + timedelta(hours=hours))
    assert [each.amount for each in entries(project)] == ([Decimal(expected)] if expected else [])
