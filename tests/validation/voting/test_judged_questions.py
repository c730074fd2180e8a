"""Questions of which one answer is judged: the card, keys, corrections, the desk, the record, and what comes of it."""

import pytest
from django.test import Client

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory
from tests.exports import machine as world
from tests.page_text import page_text
from validation.voting.actions.decide import decide_due
from validation.voting.models.review import Proposal
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    made = factory.project("nilai", preset="mcsqa")
    world.make_questions(made, 2, level="hard", set="s1")
    world.make_questions(made, 1, level="easy", set="s1")
    decide_due()
    return made


def browser(annotator: Annotator) -> Client:
    web = Client()
    assert annotator.user is not None
    web.force_login(annotator.user)
    return web


def test_the_card_shows_which_answer_was_given_and_nothing_else(project: Project) -> None:
    web = browser(factory.member(project, "validator"))
    answer = web.get("/p/nilai/vote/")
    card, page = answer.context["card"], answer.content.decode()
    assert [text.name for text in card.texts] == ["Question"]
    assert [(option.name, option.given) for option in card.options] == [(letter, letter == "A") for letter in "ABCDE"]
    assert page.count("judged__one--given") == page.count(">given answer<") == 1
    assert 'data-key="1 y"' in page
    assert 'data-key="2 n"' in page
    assignment_item = Item.objects.get(assignments__token=card.token)
    part = page_text(web.get("/p/nilai/vote/", headers={"HX-Request": "true"}).content.decode())
    assert 'id="card"' in part
    for word in (
        "hard",
        "easy",
        "s1",
        f'"{assignment_item.key}"',
        "machine",
        "model",
        "distractor",
        "oncept",
    ):
        assert word not in part, word


def test_both_yes_is_hard_and_anything_else_is_dropped(project: Project) -> None:
    first, second = (factory.member(project, "validator") for _ in range(2))
    for person, labels in ((first, "yn"), (second, "yy")):
        web = browser(person)
        words = {"y": "yes", "n": "no"}
        keys = dict(zip(sorted(Item.objects.filter(stage="voting").values_list("key", flat=True)), labels, strict=True))
        while (card := web.get("/p/nilai/vote/").context["card"]) is not None:
            key = Item.objects.get(assignments__token=card.token).key
            answer = web.post(f"/p/nilai/vote/{card.token}/", {"label": words[keys[key]]})
            assert answer.status_code == 302
    decide_due()
    found = Item.objects.order_by("key").values_list("stage", "gold", "votes_n")
    assert list(found) == [("settled", "yes", 2), ("no_consensus", "", 2), ("written", "", 0)]
    call = browser(first).get("/p/nilai/vote/").content.decode()
    assert "There is nothing" in call or "nothing" in call.lower()


def test_another_label_is_no_answer(project: Project) -> None:
    web = browser(factory.member(project, "validator"))
    token = web.get("/p/nilai/vote/").context["card"].token
    assert web.post(f"/p/nilai/vote/{token}/", {"label": "A"}).status_code == 422
    assert not Vote.objects.exists()


def test_question_and_choices_can_be_corrected_on_the_card(project: Project) -> None:
    web = browser(factory.member(project, "validator"))
    card = web.get("/p/nilai/vote/").context["card"]
    assert [text.key for text in card.corrections] == ["question", *(f"option-{key}" for key in "ABCDE")]
    typed = {f"propose_{text.key}": text.text for text in card.corrections}
    typed |= {"label": "yes", "propose_option-C": "duduk di serambi"}
    assert web.post(f"/p/nilai/vote/{card.token}/", typed).status_code == 302
    assert list(Proposal.objects.values_list("field", "text")) == [("option-C", "duduk di serambi")]
    refused = web.post(
        f"/p/nilai/vote/{web.get('/p/nilai/vote/').context['card'].token}/",
        {"label": "yes", "propose_concept": "x"},
    )
    assert refused.status_code == 422


def test_every_page_of_the_kind_opens(project: Project) -> None:
    """The desk with its item, conflicts, the project, people's records, settings: nothing names the kind."""
    voters = [factory.member(project, "validator") for _ in range(2)]
    lead = factory.member(project, "lead")
    for voter, label in zip(voters, ("yes", "no"), strict=True):
        world.answer_in_turn(voter, [label])
    decide_due()
    item = Item.objects.filter(stage="no_consensus").order_by("key")[0]
    web = browser(lead)
    for path in ("", "desk/", f"items/{item.pk}/", "conflicts/", "people/", "releases/new/", "guidelines/"):
        answer = web.get(f"/p/nilai/{path}", follow=True)
        assert answer.status_code == 200, path
    page = web.get(f"/p/nilai/items/{item.pk}/").content.decode()
    assert "Choices" in page
    assert "answer" in page
    for person in voters:
        answer = browser(person).get("/me/")
        assert answer.status_code == 200
        assert browser(person).get("/p/nilai/").status_code == 200


def test_a_lead_mends_a_choice_and_votes_start_again(project: Project) -> None:
    world.answer_in_turn(factory.member(project, "validator"), ["yes"])
    lead = factory.member(project, "lead")
    item = Item.objects.filter(stage="voting").order_by("key")[0]
    sent = {
        "version": item.version,
        "field": "option-A",
        "text": "bersantai",
        "meaning": "new",
        "words": "Lebih wajar.",
    }
    answer = browser(lead).post(f"/p/nilai/items/{item.pk}/correct/", sent)
    assert answer.status_code in (200, 302)
    item.refresh_from_db()
    assert item.epoch == 2
    assert item.options.get(key="A").text == "bersantai"
