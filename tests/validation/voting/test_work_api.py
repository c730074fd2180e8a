"""A validator's and a writer's work over the API: the same actions, as few statements, and nothing of others."""

from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from tests import factory
from tests.api import Script, assert_refused, script
from tests.questions import a_question, a_question_project
from tests.review import decide, world
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


def test_from_card_to_card() -> None:
    at = world(2)
    asking, path = script(at.validators[0].user, "annotate"), f"projects/{at.project.slug}"
    card = asking.post(f"{path}/work:next").json()["card"]
    assert asking.post(f"{path}/work:next").json()["card"] == card
    assert [choice["key"] for choice in card["choices"]] == ["e", "n", "c"]
    assert {text["key"] for text in card["texts"]} == {"premise", "hypothesis"}
    assert_refused(asking.post(f"{path}/assignments/{card['token']}/vote", {"label": "x"}), 400, "label_unknown")
    sent = {"label": "n", "unsure": True, "comment": "Ragu.", "corrections": {"hypothesis": "Lain."}}
    following = asking.post(f"{path}/assignments/{card['token']}/vote", sent).json()["card"]
    assert following["token"] != card["token"]
    vote = Vote.objects.get()
    assert (vote.label, vote.unsure, vote.comment) == ("n", True, "Ragu.")
    assert vote.proposals.get().text == "Lain."
    assert asking.post(f"{path}/assignments/{card['token']}/vote", sent).status_code == 200
    assert Vote.objects.count() == 1
    assert_refused(asking.post(f"{path}/assignments/{card['token']}/vote", {"label": "e"}), 409, "vote_differs")
    undone = asking.post(f"{path}/work:undo").json()["card"]
    assert (undone["texts"], undone["typed"]) == (
        card["texts"],
        {"label": "n", "unsure": True, "comment": "Ragu."},
    )
    skip = {"reason": "not-my-field", "words": "Tidak tahu."}
    skipped = asking.post(f"{path}/assignments/{undone['token']}:skip", skip).json()["card"]
    assert skipped["texts"] != undone["texts"]
    assert_refused(asking.post(f"{path}/work:undo"), 409, "nothing_to_take_back")
    assert_refused(script(at.validators[0].user, "read").post(f"{path}/work:next"), 403, "scope_missing")
    stranger = script(at.validators[1].user)
    assert_refused(stranger.post(f"{path}/assignments/{skipped['token']}/vote", {"label": "e"}), 404, "not_found")


def test_nothing_waits() -> None:
    project = factory.project("one")
    asking = script(factory.member(project, "validator").user)
    assert asking.post("projects/one/work:next").json() == {"card": None, "owes": None, "more_by": None}


def test_options_are_answered_by_the_letters_shown() -> None:
    project = a_question_project(settings={"spacing": 0})
    item = a_question(project, factory.member(project, "writer"), answer="C")
    decide()
    validators = [factory.member(project, "validator") for _ in range(2)]
    path = f"projects/{project.slug}"
    cards = [script(person.user).post(f"{path}/work:next").json()["card"] for person in validators]
    assert cards[0].keys() == cards[1].keys()
    names = [{choice["name"] for choice in card["choices"]} for card in cards]
    assert names[0] == names[1]
    assert "C" not in str(item.key)
    text = next(option.text for option in item.options.all() if option.key == "C")
    letter = next(choice["key"] for choice in cards[0]["choices"] if choice["name"] == text)
    sent = {"label": letter, "options_ambiguous": [letter], "comment": "Dua arti."}
    asking = script(validators[0].user)
    assert asking.post(f"{path}/assignments/{cards[0]['token']}/vote", sent).status_code == 200
    assert Vote.objects.get().label == "C"


def _counted(send: Any) -> int:
    with CaptureQueriesContext(connection) as told:
        assert send().status_code == 200
    return len(told.captured_queries)


def test_a_vote_costs_no_more_statements_than_on_the_page() -> None:
    at = world(6)
    path, slug = f"projects/{at.project.slug}", at.project.slug
    api, person = script(at.validators[0].user), at.validators[1].user
    assert person is not None
    browser = Client()
    browser.force_login(person)
    token = api.post(f"{path}/work:next").json()["card"]["token"]
    card = browser.get(reverse("vote", args=[slug])).context["card"]
    by_script = {"HX-Request": "true"}
    for _ in range(3):
        page = reverse("vote_send", args=[slug, card.token])
        on_page = _counted(lambda: browser.post(page, {"label": "e"}, headers=by_script))  # noqa: B023
        card = browser.get(reverse("vote", args=[slug])).context["card"]
        answers: list[Any] = []

        def send() -> Any:
            answers.append(api.post(f"{path}/assignments/{token}/vote", {"label": "e"}))  # noqa: B023
            return answers[-1]  # noqa: B023

        over_api = _counted(send)
        token = answers[-1].json()["card"]["token"]
        assert over_api <= on_page


def writer_of(count: int) -> tuple[Script, str]:
    project = factory.project("one")
    writer = factory.member(project, "writer")
    factory.premises(project, count)
    from annotation.writing.actions.allocation import allocations_assign

    allocations_assign(target=project.targets.get(), writers=[writer], size=count)
    return script(writer.user, "annotate"), "projects/one/allocations"


def test_a_set_from_draft_to_submission() -> None:
    asking, path = writer_of(2)
    first, second = asking.pages(path)
    assert first["slots"] == list(factory.SET)
    draft = {"slot": "e1", "content": {"text": "Ada mangga."}}
    made = asking.post(f"{path}/{first['token']}/drafts", draft).json()
    assert made["version"] == 1
    assert_refused(
        asking.post(f"{path}/{first['token']}/drafts", {**draft, "content": {"text": "Lain."}}),
        409,
        "draft_newer",
    )
    assert asking.pages(path)[0]["drafts"] == [made]
    slots = {key: {"text": text} for key, text in factory.SET.items()}
    wrong = asking.post(f"{path}/{first['token']}/sets:submit", {"slots": {**slots, "e1": {"text": ""}}})
    assert_refused(wrong, 400, "checks_block")
    assert wrong.json()["field"] == "slots.e1"
    assert_refused(
        asking.post(f"{path}/{first['token']}/sets:submit", {"slots": {"x": {"text": "a"}}}),
        400,
        "slot_unknown",
    )
    for _ in range(2):
        assert asking.post(f"{path}/{first['token']}/sets:submit", {"slots": slots}).json() == {"items": 6}
    assert Item.objects.count() == 6
    assert_refused(asking.post(f"{path}/{second['token']}:skip", {"reason": "none"}), 400, "reason_missing")
    assert asking.post(f"{path}/{second['token']}:skip", {"reason": "broken"}).status_code == 200
    assert asking.pages(path) == []
    assert Allocation.objects.get(token=second["token"]).state == "skipped"


@pytest.mark.parametrize("count", [1, 40])
def test_as_many_statements_for_one_allocation_as_for_many(count: int) -> None:
    asking, path = writer_of(count)
    asking.get(path)
    assert _counted(lambda: asking.get(path, {"limit": 1000})) <= 5
