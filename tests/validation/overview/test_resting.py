"""What rests before voting: everybody who waits for it reads until when, a lead lets it go, a changed setting holds."""

import html
from datetime import datetime, timedelta
from functools import partial

import pytest
from django.core.cache import cache
from django.test import Client

from annotation.content.actions.resting import rests_correct
from annotation.content.models.item import Item
from annotation.core import access
from annotation.core.database import now
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.projects.actions.projects import project_settings_change
from exports.demo.story import user_of
from tests.api import script
from tests.pay import browser_of
from tests.race import run_at_once
from tests.review import World, decide, world
from validation.overview.checklist import open_steps
from validation.overview.views.project import open_resting
from validation.voting.actions.decide import decide_due
from validation.voting.waiting_work import more_by

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


def resting_world(minutes: int = 15) -> World:
    return world(opened=True, settings={"offer_minutes": minutes})


def page(client: Client, address: str) -> str:
    return html.unescape(client.get(address).content.decode())


def steps(at: World) -> dict[str, bool]:
    return {step.name: step.done for step in open_steps(led(at))}


def led(at: World) -> access.Membership:
    return access.membership(user_of(at.lead), at.project.slug)


def set_minutes(project: Project, minutes: int) -> None:
    project_settings_change(project=project, by=None, changes={"offer_minutes": minutes})


def test_who_waits_reads_by_when_there_is_more_and_nothing_else() -> None:
    at = resting_world()
    validator = at.validators[0]
    moment = more_by([validator.pk])[validator.pk]
    assert timedelta(minutes=14) < moment - now() <= timedelta(minutes=20)
    assert moment == moment.replace(minute=moment.minute // 5 * 5, second=0, microsecond=0)
    for address in ("/", f"/p/{at.project.slug}/vote/"):
        assert "there will be more" in page(browser_of(validator), address)
    answer = script(validator.user).post(f"projects/{at.project.slug}/work:next").json()
    assert (answer["card"], datetime.fromisoformat(answer["more_by"])) == (None, moment)
    # Who wrote what rests is promised nothing, and who is paused neither.
    both = at.writer
    Annotator.objects.filter(pk=both.pk).update(is_validator=True)
    Annotator.objects.filter(pk=at.validators[1].pk).update(paused_at=now())
    assert more_by([both.pk, at.validators[1].pk]) == {}
    assert "there will be more" not in page(browser_of(both), "/")


def test_a_lead_reads_what_rests_and_opens_it() -> None:
    at = resting_world()
    client = browser_of(at.lead)
    shown = page(client, f"/p/{at.project.slug}/")
    assert "at the latest 6 pairs rest before voting." in shown
    assert "6 not open yet, 0 open, 0 through" in shown
    assert (steps(at)["Validators vote"], steps(at)["Decide what is doubtful"]) == (False, False)
    assert client.post(f"/p/{at.project.slug}/open/").status_code == 302
    assert "rest before voting" not in page(client, f"/p/{at.project.slug}/")
    # Due, and opened by the worker at its next look: until then nothing is ticked either.
    assert not steps(at)["Decide what is doubtful"]
    decide()
    assert set(Item.objects.values_list("stage", "due_at")) == {("voting", None)}
    assert Event.objects.get(verb="rests_ended").data == {"n": 6}
    again = script(at.lead.user).post(f"projects/{at.project.slug}/items:open")
    assert again.json() == {"opened": 0}


def test_a_changed_setting_holds_for_what_rests() -> None:
    at = resting_world()
    set_minutes(at.project, 60)
    assert {item.due_at - item.at for item in Item.objects.all() if item.due_at} == {timedelta(minutes=60)}
    set_minutes(at.project, 0)
    decide()
    assert set(Item.objects.values_list("stage", flat=True)) == {"voting"}
    # What is voted on never rests again.
    set_minutes(at.project, 60)
    assert not Item.objects.exclude(due_at=None).exists()


def test_a_set_on_its_way_while_the_setting_is_shortened_rests_no_longer() -> None:
    at = resting_world()
    Project.objects.update(settings={**at.project.settings, "offer_minutes": 0})
    decide()
    assert set(Item.objects.values_list("stage", flat=True)) == {"written"}
    assert (rests_correct(), rests_correct()) == (6, 0)
    decide()
    assert set(Item.objects.values_list("stage", flat=True)) == {"voting"}


@pytest.mark.django_db(transaction=True)
def test_opened_decided_and_changed_at_once_every_item_is_opened_once() -> None:
    at = world(5, opened=False, settings={"offer_minutes": 15})
    membership = led(at)
    Item.objects.filter(pk__in=[item.pk for item in at.items[:9]]).update(due_at=now())
    results = run_at_once(
        [
            decide_due,
            partial(open_resting, membership),
            partial(set_minutes, at.project, 30),
            decide_due,
        ]
    )
    assert [each for each in results if isinstance(each, Exception)] == []
    open_resting(membership)
    at.sound()
    assert set(Item.objects.values_list("stage", "due_at", "version")) == {("voting", None, 2)}
