"""Limits of cards on the vote path, on PostgreSQL: caps a day and a round, the last cards, pauses."""

import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.content.models.item import Item
from annotation.core.errors import Invalid
from annotation.core.models.member import Annotator
from annotation.projects.actions.projects import project_settings_change
from tests import review
from tests.quality import lead_of, user_of
from tests.validation.voting.test_walk import python_on_sqlite
from validation.quality.actions.gold import pause_begin, pause_decide
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.votes import vote_cast
from validation.voting.models.assignment import Assignment, Cursor
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


def world(**settings: Any) -> review.World:
    return review.world(settings={"spacing": 0, **settings})


def fresh(person: Annotator) -> Annotator:
    return Annotator.objects.select_related("project").get(pk=person.pk)


def claim(person: Annotator) -> Assignment | None:
    target = person.project.targets.select_related("project").get()
    return assignment_claim(annotator=fresh(person), target=target, spacing=0)


def works(person: Annotator, most: int = 99) -> int:
    """Vote until nothing is offered, by the fast way as long as that goes on; how many votes that were."""
    n, held = 0, claim(person)
    token = held.token if held else ""
    while token and n < most:
        cast = vote_cast(
            user_id=user_of(person).pk,
            slug=person.project.slug,
            token=token,
            ballot=Ballot(label="e"),
            go_on=True,
        )
        n += 1
        if cast.next_assignment is None:
            held = claim(person)
            token = held.token if held else ""
        else:
            token = cast.next_assignment.token
    return n


def test_a_cap_a_day() -> None:
    at = world(cards_per_day=2)
    assert [works(person) for person in at.validators[:3]] == [2, 2, 2]
    assert works(at.validators[0]) == 0


# At every hour one of these two is a day apart from UTC.
EDGES = ("Pacific/Kiritimati", "Etc/GMT+12")


@pytest.mark.parametrize("zone", EDGES)
def test_a_cap_a_day_holds_whatever_zone_a_browser_tells(client: Client, zone: str) -> None:
    """A cookie, which anybody can set, is for showing times alone."""
    at = world(cards_per_day=2)
    person = at.validators[0]
    client.force_login(user_of(person))
    client.cookies["zone"] = zone
    address = reverse("vote", args=[at.project.slug])
    for _ in range(3):
        page = client.get(address)
        if found := re.search(r'name="assignment" value="([^"]+)"', page.text):
            assert client.post(f"{address}{found[1]}/", {"label": "e"}).status_code in (200, 302)
    assert Vote.objects.filter(annotator=person).count() == 2
    assert b'name="assignment"' not in client.get(address).content


def dealt_to(person: Annotator) -> dict[str, Any]:
    """The cards that are kept as given to somebody."""
    return dict(Cursor.objects.get(annotator=person).dealt or {})


def days_counted() -> Iterator[tuple[str, str, int]]:
    """For projects at both edges: the day that is counted, the one there, and how many cards of two are dealt."""
    for zone, other in zip(EDGES, reversed(EDGES), strict=True):
        before = datetime.now(ZoneInfo(zone)).date().isoformat()
        at = world(cards_per_day=2, time_zone=zone)
        with timezone.override(ZoneInfo(other)):
            dealt = works(at.validators[0]) + works(at.validators[0])
        day = dealt_to(at.validators[0])["day"]
        # A day may begin meanwhile: then either one is right.
        yield day, day if day == before else datetime.now(ZoneInfo(zone)).date().isoformat(), dealt


ON_SQLITE = """
import django
django.setup()
import json
from tests.validation.quality.test_shares import days_counted
print(json.dumps(list(days_counted())))
"""


def test_days_are_those_of_the_projects_time_zone() -> None:
    for counted, there, dealt in days_counted():
        assert (counted, dealt) == (there, 2)


def test_days_are_those_of_the_projects_time_zone_on_sqlite(
    tmp_path: Path, migrated_sqlite: Path, process_env: dict[str, str]
) -> None:
    for counted, there, dealt in json.loads(python_on_sqlite(tmp_path, migrated_sqlite, process_env, "-c", ON_SQLITE)):
        assert (counted, dealt) == (there, 2)


def test_a_zone_set_meanwhile_begins_no_new_allowance() -> None:
    """What was given within the day of the new zone counts there, whatever day it was by the old one."""
    at = world(cards_per_day=3)
    person = at.validators[0]
    assert works(person, most=2) == 2
    for zone in EDGES:
        project_settings_change(project=at.project, by=None, changes={"time_zone": zone})
    Cursor.objects.filter(annotator=person).update(dealt={**dealt_to(person), "day": "another"})
    assert works(fresh(person)) == 1


@pytest.mark.parametrize("zone", ["Asia/Jakarta?", "localtime", "../etc/passwd", "WIB", "Asia/Bandung"])
def test_a_time_zone_is_one_that_there_is(zone: str) -> None:
    with pytest.raises(Invalid, match="Unknown time zone"):
        project_settings_change(project=world().project, by=None, changes={"time_zone": zone})


def test_two_quick_ones_leave_their_part_to_others() -> None:
    at = review.world(2, settings={"spacing": 0, "round_percent": 50})
    # Twelve items, two votes each in round one.
    assert [works(person) for person in at.validators[:4]] == [6, 6, 6, 6]
    rounds = Vote.objects.filter(project=at.project).values_list("round", flat=True)
    assert list(rounds) == [1] * 24


def test_the_last_cards_go_to_those_who_had_fewer() -> None:
    at = world(fair_dealing=True)
    quick, slow = at.validators[:2]
    # Twelve votes wait: alone one person may have all that they can have.
    assert works(quick, most=4) == 4
    # Somebody else begins: they are lifted to the same level first.
    held = claim(slow)
    assert held is not None
    assert works(slow, most=2) == 2
    assert works(quick) <= 2
    assert works(slow) >= 3


def test_without_limits_nothing_is_counted() -> None:
    at = world()
    assert works(at.validators[0]) == 6
    assert not hasattr(at.project.targets.get(), "dealing")


def test_limits_that_are_set_while_people_work() -> None:
    at = world()
    assert works(at.validators[0], most=3) == 3
    project_settings_change(project=at.project, by=None, changes={"cards_per_day": 4})
    at.project.refresh_from_db()
    person = fresh(at.validators[0])
    # One card is in hand already; it is the fourth.
    assert works(person) == 1


def test_who_is_paused_sends_what_they_hold_and_gets_nothing_new(client: Client) -> None:
    at = world()
    person = at.validators[0]
    held = claim(person)
    assert held is not None
    assert pause_begin(annotator_id=person.pk, by=lead_of(at), reason="looks odd")
    assert not pause_begin(annotator_id=person.pk, by=lead_of(at), reason="twice")
    sent = vote_cast(
        user_id=user_of(person).pk,
        slug=at.project.slug,
        token=held.token,
        ballot=Ballot(label="e"),
        go_on=True,
    )
    assert sent.next_assignment is None
    assert Vote.objects.filter(pk=sent.vote_id, withdrawn_at=None).exists()
    client.force_login(user_of(person))
    page = client.get(reverse("vote", args=[at.project.slug]))
    assert page.status_code == 200
    assert b'name="assignment"' not in page.content
    assert b"A QC lead is looking at your answers" in page.content
    home = client.get(reverse("home"))
    assert "Voting is paused for you." in home.text
    assert reverse("questions", args=[at.project.slug]) in home.text
    assert reverse("vote", args=[at.project.slug]) not in home.text.partition("<main")[2]
    pause_decide(annotator=person, decision="stay", words="not yet", by=lead_of(at))
    assert claim(person) is None
    pause_decide(annotator=person, decision="go_on", words="we talked", by=lead_of(at))
    assert claim(person) is not None
    assert Item.objects.filter(project=at.project, pending__lt=0).count() == 0
    at.sound()
