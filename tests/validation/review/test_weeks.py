"""Weeks of returns are those of the project's time zone, in the table and behind its links, whoever reads it."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from django.utils.timezone import override

from annotation.core.access import Membership
from tests import review
from tests.review import give_back
from validation.review.queries import desk
from validation.review.rules.filters import Filters
from validation.voting.models.review import Review

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("reader", ["Etc/GMT+12", "Pacific/Kiritimati"])
def test_a_week_begins_when_the_projects_monday_does(reader: str) -> None:
    at = review.world(settings={"time_zone": "Asia/Jakarta"})
    item = give_back(at, at.item("e"))
    monday = datetime(2026, 11, 16, 0, 30, tzinfo=ZoneInfo("Asia/Jakarta"))
    Review.objects.filter(item=item).update(at=monday)
    membership = Membership(at.other_lead.user, at.project, at.other_lead)  # type: ignore[arg-type]
    with override(ZoneInfo(reader)):
        assert [each.week for each in desk.return_counts(membership)] == [date(2026, 11, 16)]
        for week, found in (("2026-11-16", [item.pk]), ("2026-11-09", [])):
            rows = desk.items_listed(membership, Filters(week=week, of="items"))
            assert [each.pk for each in rows] == found
