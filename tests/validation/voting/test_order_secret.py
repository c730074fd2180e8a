"""The order of options on a card follows from the project's secret, not from the seed that releases print."""

import re

import pytest
from django.test import Client

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory
from tests.questions import CHOICES
from tests.shared_worlds import SharedWorlds
from tests.validation.voting.test_question_votes import (
    HTMX,
    card,
    on_screen,
    room,
    send,
    signed_in,
    three_questions,
)
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Proposal
from validation.voting.models.vote import Vote
from validation.voting.rules.option_order import order_shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(standing: SharedWorlds) -> Project:
    return standing(three_questions)


@pytest.fixture
def validator(project: Project) -> Annotator:
    return factory.member(project, "validator")


@pytest.fixture
def browser(client: Client, validator: Annotator) -> Client:
    return signed_in(validator, client)


SECRET = "5e" * 32


def drawn(assignment: Assignment, drawn_with: str) -> str:
    """The keys in the order that a stranger computes who knows item, pseudonym and this."""
    content = assignment.item.revisions.get().content
    who = assignment.annotator.pseudonym
    kind = assignment.project.kind_spec
    return "".join(order_shown(kind, content, drawn_with=drawn_with, item=assignment.item.key, annotator=who).keys)


@pytest.mark.parametrize("by_secret", [True, False])
def test_the_order_is_drawn_with_the_secret(
    browser: Client, project: Project, validator: Annotator, by_secret: bool
) -> None:
    """Releases print the seed: whoever has one cannot tell from it which letter is whose. What was on a screen when
    projects had no secret yet is read as it was shown there."""
    assert len(Project.objects.get(pk=project.pk).secret) == 64
    Project.objects.filter(pk=project.pk).update(secret=SECRET)
    card(browser, project)
    if not by_secret:
        Assignment.objects.update(by_secret=False)
    here = card(browser, project)
    assignment = Assignment.objects.get(token=here.token)
    shown = on_screen(here.choices)
    assert drawn(assignment, SECRET) != drawn(assignment, project.seed)
    assert "".join(shown.values()) == drawn(assignment, SECRET if by_secret else project.seed)
    fields = {"label": "D", "comment": "(A)", "propose_option-C": "Pilihan lain"}
    assert send(browser, project, here.token, **fields).status_code == 200
    vote = Vote.objects.get()
    assert (vote.label, vote.comment, vote.answers["order"]) == (
        shown["D"],
        f"({shown['A']})",
        "".join(shown.values()),
    )
    assert Proposal.objects.get().field == f"option-{shown['C']}"
    again = browser.post(room(project, "back"), headers=HTMX).context["card"]
    assert on_screen(again.choices) == shown
    assert re.search(r'value="D"[^>]*checked', again.choices)
    # What is not proposed anew is no proposal: the texts are found under the letters shown.
    texts = {f"propose_option-{letter}": CHOICES[key] for letter, key in shown.items()}
    assert send(browser, project, again.token, label="D", **texts).status_code == 200
    assert not Proposal.objects.filter(state="open").exists()
