"""A09 for machine-written questions: who answers meets neither what a machine wrote first nor what was said of it."""

import re

import pytest
from django.urls import reverse

from tests import factory
from tests.conventions.named_objects import Things
from tests.conventions.test_canary import crawl, visited
from tests.conventions.world import World
from tests.unchecked_questions import a_checked_project, a_machine_item, assess, check
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.decide import decide_due

pytestmark = pytest.mark.django_db
# The types of errors are in the page of nobody who answers: their codes are words that no other page has.
CANARY = re.compile(r"canary-[a-z-]+|invalid-options|verdict-(?:question|options)")


@pytest.fixture
def checked() -> World:
    """Questions that a lead checked and corrected, one of them in the hands of a validator; a writer who looks on."""
    project = a_checked_project(settings={"spacing": 0}, share=1.0)
    lead = factory.member(project, "lead")
    for _ in range(2):
        item = a_machine_item(project, question="Apa fungsi canary-raw-question?", model="canary-model")
        texts = {
            "question": "Apa fungsi tikar itu?",
            "option-C": "wisata kota tua",
            "concept": item.qa.wording,
        }
        sent = check(question="typo", options="invalid-options", notes="canary-verdict", texts=texts)
        assess(lead, item, sent)
    a_machine_item(project, question="Apa fungsi canary-unchecked?")
    while decide_due():
        pass
    validator, writer = factory.member(project, "validator"), factory.member(project, "writer")
    mine = assignment_claim(annotator=validator, target=project.targets.get(), spacing=0)
    assert mine is not None
    assert validator.user is not None
    assert writer.user is not None
    assert lead.user is not None
    things = Things(slug=project.slug, assignment=mine.token, item=str(mine.item_id), slot="q")
    people = {"validator": validator.user, "writer": writer.user, "lead": lead.user}
    return World(people=people, own=things, others=things, foreign=things)


@pytest.mark.parametrize("role", ["validator", "writer"])
def test_neither_verdicts_nor_raw_texts_are_anywhere(checked: World, role: str) -> None:
    client = checked.client(role)
    for _ in range(2 if role == "validator" else 1):
        pages = crawl(checked, client, CANARY)
        assert {url: marks for url, marks in pages.items() if marks} == {}
        if role == "validator":
            page = client.get(reverse("vote", args=[checked.own.slug]))
            assert "Apa fungsi tikar itu?" in page.content.decode()
            token = page.context["card"].token
            sent = client.post(reverse("vote_send", args=[checked.own.slug, token]), {"label": "A"})
            assert sent.status_code == 302


def test_the_crawl_finds_them_where_a_lead_sees_them(checked: World) -> None:
    """It ends where all were seen."""
    unseen = {"canary-raw-question", "canary-verdict", "canary-model", "invalid-options"}
    for _, marks in visited(checked, checked.client("lead"), CANARY):
        unseen -= marks
        if not unseen:
            break
    assert unseen == set()
