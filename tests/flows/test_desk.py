"""The lists of the review desk over HTTP: their order, their filters, who may look, and what they cost."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from tests import factory
from tests.flows.desk import act, browser_of, get, make_doubtful, page
from tests.review import World, cast_votes, give_back, resubmit, world
from tests.shared_worlds import SharedWorlds
from validation.voting.models.review import Flag

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(standing: SharedWorlds) -> World:
    return standing(world)


# --- lists ------------------------------------------------------------------------------


def test_the_most_doubtful_stand_first(at: World) -> None:
    unsure = make_doubtful(at, "e", unsure=True)
    ambiguous = make_doubtful(at, "n", ambiguous=True)
    none = cast_votes(at, at.item("c"), "neen")
    text = get(at, at.lead, "desk")
    places = [text.index(reverse("item", args=[at.project.slug, i.pk])) for i in (none, ambiguous, unsure)]
    assert places == sorted(places)
    assert text.count("<tr>") == 1 + 3
    whole = get(at, at.lead, "items")
    assert whole.count("<tr>") == 1 + 6


def test_what_is_returned_waits_for_its_writer_and_comes_back_to_its_lead(at: World) -> None:
    item = give_back(at, make_doubtful(at, "e", unsure=True))
    link = reverse("item", args=[at.project.slug, item.pk])
    assert link not in get(at, at.lead, "desk")
    assert link in get(at, at.lead, "desk", stage="returned")
    resubmit(at, item)
    assert link in get(at, at.lead, "desk")
    assert "1 item was corrected" in get(at, at.lead, "desk")
    assert link not in get(at, at.other_lead, "desk")
    assert link in get(at, at.other_lead, "items")
    # after two days to any lead
    with connection.cursor() as cursor:
        cursor.execute("UPDATE annotation_revision SET at = at - interval '3 days'")
    assert link in get(at, at.other_lead, "desk")


def test_the_lead_who_left_holds_nothing_back(at: World) -> None:
    item = resubmit(at, give_back(at, make_doubtful(at, "e")))
    Annotator.objects.filter(pk=at.lead.pk).update(left_at="2026-01-01T00:00Z")
    assert reverse("item", args=[at.project.slug, item.pk]) in get(at, at.other_lead, "desk")


def sorted_by_doubt() -> tuple[World, dict[str, Item]]:
    """Where voters were unsure, where they found it ambiguous, and where they came to nothing."""
    at = world()
    items = {"e": make_doubtful(at, "e", unsure=True), "n": make_doubtful(at, "n", ambiguous=True)}
    return at, {**items, "c": cast_votes(at, at.item("c"), "neen")}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"flag": "unsure"}, "e"),
        ({"flag": "nobody_left"}, ""),
        ({"stage": "settled"}, "en"),
        ({"stage": "no_consensus"}, "c"),
        ({"round": "3"}, "c"),
        ({"label": "n"}, "n"),
        ({"gold": "e"}, "e"),
        ({"gold": "-"}, "c"),
        ({"q": "dijual di pasar."}, "e"),
        ({"q": "PEDAGANG"}, "enc"),
        ({"q": "%"}, ""),
        ({"q": "' OR 1=1 --"}, ""),
        ({"target": "main"}, "enc"),
        ({"target": "other"}, ""),
        ({"person": "nobody"}, ""),
        ({"invented": "x", "ordering": "gold"}, "enc"),
    ],
)
def test_filters(standing: SharedWorlds, query: dict[str, str], found: str) -> None:
    at, items = standing(sorted_by_doubt)
    text = browser_of(at.lead).get(page(at, "desk"), query).content.decode()
    links = {label: reverse("item", args=[at.project.slug, item.pk]) for label, item in items.items()}
    assert {label for label, link in links.items() if link in text} == set(found)


def test_the_filter_for_a_person_finds_writers_and_voters(at: World) -> None:
    item = make_doubtful(at, "e")
    for person in (at.writer, at.validators[0]):
        assert str(item.hypothesis.text) in get(at, at.lead, "items", person=person.pseudonym)
    assert get(at, at.lead, "items", person=at.validators[0].pseudonym).count("<tr>") == 2


@pytest.mark.parametrize(
    "query",
    [
        {"flag": "x"},
        {"stage": "deleted"},
        {"round": "1e9"},
        {"round": "-1"},
        {"label": "entails"},
        {"gold": "*"},
        {"page": "0"},
        {"page": "9" * 12},
        {"q": "a\0b"},
        {"q": "a" * 201},
        {"votes__label": "e"},
        {"author__user__password__regex": "^m"},
    ],
)
def test_values_that_cannot_be_are_refused(standing: SharedWorlds, query: dict[str, str]) -> None:
    at = standing(world, opened=False)
    for name in ("desk", "items"):
        assert browser_of(at.lead).get(page(at, name), query).status_code == 400


def small_and_large() -> tuple[World, World]:
    """A dozen doubtful items, and some five hundred."""
    at, many = world(sets=2), world(sets=85)
    assert len(many.items) > 500
    Item.objects.update(doubt=8)
    Flag.objects.bulk_create(Flag(project=many.project, item=item, code="unsure", version=2) for item in many.items)
    return at, many


@pytest.mark.parametrize("name", ["desk", "items", "item"])
def test_statements_do_not_grow(standing: SharedWorlds, name: str) -> None:
    counts = []
    for one in standing(small_and_large):
        browser = browser_of(one.lead)
        path = page(one, name, one.items[0].pk) if name == "item" else page(one, name)
        browser.get(path)
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert browser.get(path).status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 24, counts


def test_pages_of_a_list_keep_the_filters() -> None:
    at = world(sets=5)
    Item.objects.filter(project=at.project).update(doubt=8)
    text = get(at, at.lead, "desk", q="pasar")
    assert "?q=pasar&amp;page=2" in text
    assert get(at, at.lead, "desk", q="pasar", page=2).count("<tr>") == 1 + 5


# --- who ----------------------------------------------------------------------------------


def test_who_may_look_and_who_may_act(at: World) -> None:
    item = make_doubtful(at, "e")
    administrator = factory.user(administrator=True)
    reader = Client()
    reader.force_login(administrator)
    for path in (page(at, "desk"), page(at, "items"), page(at, "item", item.pk)):
        assert reader.get(path).status_code == 200
        for person in (at.writer, at.validators[0]):
            assert browser_of(person).get(path).status_code == 403
    stranger = factory.member(factory.project(), "lead")
    assert browser_of(stranger).get(page(at, "item", item.pk)).status_code == 404
    assert act(at, item, "invented").status_code == 404


def test_an_administrator_decides_as_a_lead_does_under_a_pseudonym(at: World) -> None:
    item = make_doubtful(at, "e", unsure=True)
    boss = factory.user(administrator=True)
    browser = Client()
    browser.force_login(boss)
    path = page(at, "item_act", item.pk, "exclude")
    assert b'name="version"' in browser.get(page(at, "item", item.pk)).content
    assert not Annotator.objects.filter(user=boss).exists()  # whoever only looks has no place
    assert browser.post(page(at, "item_act", item.pk, "invented"), {}).status_code == 404
    assert not Annotator.objects.filter(user=boss).exists()
    sent = browser.post(path, {"version": item.version, "words": "Off topic."})
    assert sent.status_code == 302
    item.refresh_from_db()
    place = Annotator.objects.get(user=boss, project=at.project)
    assert (item.stage, item.reviews.get().by) == ("excluded", place)
    assert (place.is_lead, place.has_led, place.is_validator) == (True, True, False)
    assert browser.post(path, {"version": item.version - 1, "words": "Again."}).status_code == 409
    assert Annotator.objects.filter(user=boss).count() == 1
    at.sound()


def test_an_administrator_who_writes_does_not_decide_on_their_own(at: World) -> None:
    item = make_doubtful(at, "e", unsure=True)
    boss = at.writer.user
    assert boss is not None
    boss.is_administrator = True
    boss.save()
    sent = browser_of(at.writer).post(page(at, "item_act", item.pk, "approve"), {"version": item.version})
    assert sent.status_code == 403
    assert not Annotator.objects.get(pk=at.writer.pk).is_lead


def test_what_waits_for_another_lead_is_shown_to_administrators(at: World) -> None:
    item = resubmit(at, give_back(at, cast_votes(at, at.item("e"), "ee"), lead=at.other_lead))
    boss = factory.user(administrator=True)
    browser = Client()
    browser.force_login(boss)
    link = f"/items/{item.pk}/"
    assert link not in get(at, at.lead, "desk")
    assert link in browser.get(page(at, "desk")).content.decode()
    factory.member(at.project, "lead", account=boss)
    assert link in browser.get(page(at, "desk")).content.decode()


def test_a_lead_who_writes_does_not_meet_their_own(at: World) -> None:
    item = make_doubtful(at, "e", unsure=True)
    Annotator.objects.filter(pk=at.writer.pk).update(is_lead=True, has_led=True)
    for name in ("desk", "items"):
        assert get(at, at.writer, name).count("<tr>") == 0
    assert browser_of(at.writer).get(page(at, "item", item.pk)).status_code == 403
    sent = browser_of(at.writer).post(page(at, "item_act", item.pk, "approve"), {"version": item.version})
    assert sent.status_code == 403
