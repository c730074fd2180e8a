"""The assignment that follows the one on the screen: one a person and target, counted, given back unused."""

import pytest
from django.test import Client

from annotation.content.models.item import Item
from annotation.core.errors import NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory
from tests.race import run_at_once
from tests.validation.voting.test_races import opened
from validation.voting.actions.assignments import (
    assignment_claim,
    assignment_expire,
    assignment_show,
    assignments_expire,
)
from validation.voting.actions.cards_ahead import held_until, return_next_card, take_next_card
from validation.voting.models.assignment import NEXT_PLACE, Assignment
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PAST = "2020-01-01T00:00:00Z"


@pytest.fixture
def project() -> Project:
    project = factory.project()
    opened(project, 2)
    return project


@pytest.fixture
def person(project: Project) -> Annotator:
    return factory.member(project, "validator")


def claim(person: Annotator) -> Assignment:
    held = assignment_claim(annotator=person, target=person.project.targets.get(), spacing=0)
    assert held is not None
    return held


def take(person: Annotator, shown: Assignment) -> Assignment | None:
    return take_next_card(annotator=person, targets=list(person.project.targets.all()), shown=shown.token, spacing=0)


def taken_slots(project: Project) -> int:
    return sum(2 - free for free in Item.objects.filter(project=project).values_list("slots_free", flat=True))


def test_one_is_taken_and_counted_and_the_same_is_given_again(project: Project, person: Annotator) -> None:
    shown = claim(person)
    first, second = take(person, shown), take(person, shown)
    assert first is not None
    assert first == second
    assert (first.place, first.item_id != shown.item_id, taken_slots(project)) == (NEXT_PLACE, True, 2)


def test_only_after_what_is_on_the_screen_and_ones_own(project: Project, person: Annotator) -> None:
    shown = claim(person)
    following = take(person, shown)
    assert following is not None
    assert take(person, following) is None
    assert assignment_expire(assignment_id=shown.pk)
    assert take(person, shown) is None
    with pytest.raises(NotFound):
        take(factory.member(project, "validator"), shown)


def test_what_is_given_back_is_free_and_what_was_fetched_again_stays(project: Project, person: Annotator) -> None:
    shown = claim(person)
    first = take(person, shown)
    assert first is not None
    assert first.until is not None
    again = take(person, shown)
    assert again is not None
    assert again.until is not None
    assert not return_next_card(annotator=person, token=first.token, until=first.until.isoformat())
    other = factory.member(project, "validator")
    assert not return_next_card(annotator=other, token=first.token, until=again.until.isoformat())
    assert taken_slots(project) == 2
    assert return_next_card(annotator=person, token=first.token, until=again.until.isoformat())
    assert not return_next_card(annotator=person, token=first.token, until=again.until.isoformat())
    assert taken_slots(project) == 1


def test_what_came_to_the_screen_is_not_given_back(person: Annotator) -> None:
    following = take(person, claim(person))
    assert following is not None
    assert following.until is not None
    Assignment.objects.filter(annotator=person, place=0).update(state="done")
    assert assignment_show(annotator=person.pk, token=following.token)
    assert not return_next_card(annotator=person, token=following.token, until=following.until.isoformat())
    assert Assignment.objects.get(pk=following.pk).state == "open"


def test_a_second_one_does_not_come_to_the_screen(person: Annotator) -> None:
    shown = claim(person)
    following = take(person, shown)
    assert following is not None
    assert not assignment_show(annotator=person.pk, token=following.token)
    assert Assignment.objects.get(pk=following.pk).place == NEXT_PLACE


@pytest.mark.parametrize(
    "change",
    [
        {"stage": "settled", "slots_free": 0, "pending": 0},
        {"epoch": 2},
        {"revision_n": 2},
    ],
    ids=["decided", "another epoch", "corrected"],
)
def test_what_is_no_longer_as_it_was_fetched_is_not_shown(person: Annotator, change: dict[str, object]) -> None:
    shown = claim(person)
    following = take(person, shown)
    assert following is not None
    Assignment.objects.filter(pk=shown.pk).update(state="done")
    Item.objects.filter(pk=following.item_id).update(**change)
    assert not assignment_show(annotator=person.pk, token=following.token)


def test_time_ends_it_and_it_is_claimed_before_anything_else(project: Project, person: Annotator) -> None:
    shown = claim(person)
    following = take(person, shown)
    assert following is not None
    Assignment.objects.filter(pk=shown.pk).update(state="done")
    assert (claim(person).pk, claim(person).place) == (following.pk, 0)
    after = take(person, following)
    assert after is not None
    Assignment.objects.filter(pk=after.pk).update(until=PAST)
    assert assignments_expire() == 1
    assert not assignment_show(annotator=person.pk, token=after.token)


def test_two_pages_at_once_fetch_one(project: Project, person: Annotator) -> None:
    shown = claim(person)
    for _ in range(20):
        found = run_at_once([lambda: take(person, shown)] * 4)
        assert {each.pk for each in found if each is not None} == {found[0].pk}
        assert (taken_slots(project), Assignment.objects.filter(annotator=person, state="open").count()) == (
            2,
            2,
        )
        assert assignment_expire(assignment_id=found[0].pk)


def test_a_return_and_a_vote_at_once(project: Project, person: Annotator) -> None:
    """Whichever is first: the vote is stored, and the person holds one card that is theirs."""
    assert person.user is not None
    for n in range(8):
        shown = claim(person)
        following = take(person, shown)
        if following is None:
            break
        assert following.until is not None
        until = following.until.isoformat()
        client = Client()
        client.force_login(person.user)

        def send(client: Client = client, shown: Assignment = shown, after: Assignment = following) -> int:
            address = f"/p/{project.slug}/vote/{shown.token}/"
            return client.post(address, {"label": "e", "next": after.token}, headers={"HX-Request": "true"}).status_code

        def leave(after: Assignment = following, until: str = until) -> bool:
            return return_next_card(annotator=person, token=after.token, until=until)

        status, _ = run_at_once([send, leave])
        assert status in {200, 202, 204}
        assert Vote.objects.filter(annotator=person).count() == n + 1
        held = Assignment.objects.filter(annotator=person, state="open")
        assert held.filter(place=0).count() == 1
        assert taken_slots(project) == held.count() + n + 1


def test_the_answer_of_a_vote_says_whether_what_was_fetched_stands(project: Project, person: Annotator) -> None:
    assert person.user is not None
    shown = claim(person)
    following = take(person, shown)
    assert following is not None
    client = Client()
    client.force_login(person.user)
    address, headers = f"/p/{project.slug}/vote/{shown.token}/", {"HX-Request": "true"}
    sent = {"label": "e", "next": following.token}
    answer = client.post(address, sent, headers=headers)
    assert answer.status_code == 202
    after = Assignment.objects.get(annotator=person, state="open", place=NEXT_PLACE)
    assert after.token in answer.content.decode()
    assert answer["Assigned-Until"] == held_until(after.token)
    # Sent once more, it is the same vote and the same card.
    assert client.post(address, sent, headers=headers).status_code in {202, 204}
    assert Vote.objects.count() == 1
    assert Assignment.objects.get(annotator=person, state="open", place=0).pk == following.pk
    assert (taken_slots(project), Assignment.objects.filter(state="open").count()) == (3, 2)
    # What was given back is not shown: another card comes in the answer.
    assert assignment_expire(assignment_id=after.pk)
    address = f"/p/{project.slug}/vote/{following.token}/"
    answer = client.post(address, {"label": "e", "next": after.token}, headers=headers)
    assert answer.status_code == 200
    assert Assignment.objects.get(annotator=person, state="open").token in answer.content.decode()


def test_what_another_holds_or_took_along_is_not_brought_to_the_screen(project: Project, person: Annotator) -> None:
    other = factory.member(project, "validator")
    following = take(other, claim(other))
    assert following is not None
    assert not assignment_show(annotator=person.pk, token=following.token)
    Assignment.objects.filter(pk=following.pk).update(place=3)
    assert not assignment_show(annotator=other.pk, token=following.token)
