"""The pages where people vote: one card a screen, the answer to a vote is the next, nothing typed is lost."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import translation
from django.utils.timezone import now
from django.utils.translation import gettext

from annotation.core.messages import PROBLEMS
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from tests import factory
from tests.answers import token_in
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Proposal
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def project() -> Project:
    made = factory.project()
    factory.written_pairs(made, factory.member(made, "writer"), 2)
    while decide_due():
        pass
    return made


@pytest.fixture
def validator(project: Project) -> Annotator:
    return factory.member(project, "validator")


@pytest.fixture
def browser(client: Client, validator: Annotator) -> Client:
    assert validator.user is not None
    client.force_login(validator.user)
    return client


def room(project: Project, *rest: str) -> str:
    return "/".join([f"/p/{project.slug}/vote", *rest]) + "/"


def assignment_of(browser: Client, project: Project) -> Assignment:
    token = browser.get(room(project)).context["card"].token
    return Assignment.objects.get(token=token)


def shown(assignment: Assignment) -> dict[str, str]:
    content: dict[str, str] = assignment.item.revisions.get(n=1).content
    return content


def test_the_answer_is_the_next_card(browser: Client, project: Project) -> None:
    assignment = assignment_of(browser, project)
    answer = browser.post(room(project, assignment.token), {"label": "e"}, headers=HTMX)
    assert answer.status_code == 200
    assert answer.content.decode().strip().startswith('<section id="card"')
    assert token_in(answer) not in ("", assignment.token)
    plain = browser.post(room(project, token_in(answer)), {"label": "e"})
    assert (plain.status_code, plain["Location"]) == (302, room(project))


def test_only_a_changed_text_is_a_proposal(browser: Client, project: Project) -> None:
    assignment = assignment_of(browser, project)
    texts = shown(assignment)
    ballot = {
        "label": "n",
        "propose_premise": texts["premise"].replace(" ", "\r\n ", 1).replace("\r\n ", " "),
        "propose_hypothesis": texts["hypothesis"].rstrip(".") + "!",
    }
    browser.post(room(project, assignment.token), ballot)
    proposal = Proposal.objects.get()
    assert (proposal.field, proposal.text) == ("hypothesis", texts["hypothesis"].rstrip(".") + "!")


def test_line_breaks_of_forms_are_no_change(browser: Client, project: Project) -> None:
    assignment = assignment_of(browser, project)
    revision = assignment.item.revisions.get(n=1)
    revision.content = {**revision.content, "premise": "Baris satu.\nBaris dua."}
    revision.save()
    browser.post(room(project, assignment.token), {"label": "n", "propose_premise": "Baris satu.\r\nBaris dua."})
    assert Vote.objects.count() == 1
    assert not Proposal.objects.exists()


def test_a_ballot_without_a_label_comes_back_as_it_was(browser: Client, project: Project) -> None:
    assignment = assignment_of(browser, project)
    fields = {"unsure": "on", "comment": "belum yakin", "propose_premise": "Usul saya."}
    page = browser.post(room(project, assignment.token), fields)
    card = page.context["card"]
    assert (page.status_code, card.token) == (422, assignment.token)
    assert (card.typed["unsure"], card.typed["ambiguous"], card.typed["comment"]) == (
        True,
        False,
        "belum yakin",
    )
    assert [text.proposal for text in card.texts if text.key == "premise"] == ["Usul saya."]
    assert PROBLEMS["label_unknown"] in page.content.decode()


def test_sent_again_is_answered_and_another_ballot_is_refused(browser: Client, project: Project) -> None:
    assignment = assignment_of(browser, project)
    for _ in range(2):
        assert browser.post(room(project, assignment.token), {"label": "e"}, headers=HTMX).status_code == 200
    other = browser.post(room(project, assignment.token), {"label": "c", "comment": "ganti"}, headers=HTMX)
    assert other.status_code == 409
    assert PROBLEMS["vote_differs"] in other.content.decode()
    kept = other.context["kept"]
    assert (kept.label.key, kept.comment) == ("c", "ganti")
    assert other.context["card"].token != assignment.token
    assert Vote.objects.get().label == "e"


def test_taken_back_it_stands_as_it_was_said(browser: Client, project: Project) -> None:
    assignment = assignment_of(browser, project)
    fields = {"label": "c", "ambiguous": "on", "comment": "dua arti", "propose_premise": "Usul saya."}
    browser.post(room(project, assignment.token), fields, headers=HTMX)
    for card in (
        browser.post(room(project, "back"), headers=HTMX).context["card"],
        browser.get(room(project)).context["card"],
    ):
        assert 'value="c"' in card.choices
        assert card.choices.count("checked") == 1
        assert (card.typed["ambiguous"], card.typed["comment"]) == (True, "dua arti")
        assert [text.proposal for text in card.texts if text.key == "premise"] == ["Usul saya."]


def test_nothing_to_take_back_keeps_what_is_typed(browser: Client, project: Project) -> None:
    assignment = assignment_of(browser, project)
    page = browser.post(
        room(project, "back"), {"assignment": assignment.token, "comment": "sedang diketik"}, headers=HTMX
    )
    assert page.status_code == 409
    assert PROBLEMS["nothing_to_take_back"] in page.content.decode()
    assert page.context["card"].typed["comment"] == "sedang diketik"


def test_passing_gives_the_next_card(browser: Client, project: Project) -> None:
    assignment = assignment_of(browser, project)
    fields = {"reason": "other", "words": "terlalu panjang"}
    following = browser.post(room(project, assignment.token, "pass"), fields, headers=HTMX)
    assert following.context["card"].token != assignment.token
    assignment.refresh_from_db()
    assert (assignment.state, assignment.reason) == ("skipped", "other: terlalu panjang")


def test_a_assignment_is_kept_while_somebody_types(browser: Client, project: Project) -> None:
    assignment = assignment_of(browser, project)
    Assignment.objects.filter(pk=assignment.pk).update(until=now() + timedelta(seconds=60))
    assert browser.post(room(project, assignment.token, "stay")).status_code == 204
    assert Assignment.objects.get(pk=assignment.pk).until > now() + timedelta(seconds=600)  # type: ignore[operator]
    Assignment.objects.filter(pk=assignment.pk).update(until=now() - timedelta(seconds=60))
    assert browser.post(room(project, assignment.token, "stay")).status_code == 409
    assert browser.post(room(project, "not-a-token", "stay")).status_code == 404
    # Sent while the vote was on its way, it comes after it: nothing is wrong.
    Assignment.objects.filter(pk=assignment.pk).update(state="done")
    assert browser.post(room(project, assignment.token, "stay")).status_code == 204


def test_a_closed_project_offers_nothing(browser: Client, project: Project) -> None:
    assignment = assignment_of(browser, project)
    Project.objects.filter(pk=project.pk).update(closed_at=now())
    refused: Any = browser.post(room(project, assignment.token), {"label": "e", "comment": "terlambat"}, headers=HTMX)
    assert refused.status_code == 409
    assert "terlambat" in refused.content.decode()
    assert "This project is closed" in browser.get(room(project)).content.decode()


def test_keys_can_be_off(browser: Client, project: Project, validator: Annotator) -> None:
    assert 'data-keys="off"' not in browser.get(room(project)).content.decode()
    assert validator.user is not None
    validator.user.single_keys = False
    validator.user.save()
    assert 'data-keys="off"' in browser.get(room(project)).content.decode()


@pytest.mark.parametrize("language", ["en", "id", "su"])
def test_labels_are_explained_on_the_card_in_the_language_of_their_names(
    browser: Client, project: Project, validator: Annotator, language: str
) -> None:
    """The texts are Indonesian; a choice is in the reader's language, its name and what it means."""
    User.objects.filter(memberships=validator).update(language=language)
    page = browser.get(room(project)).text
    with translation.override(language):
        for label in project.kind_spec.question.labels:
            name, meaning = gettext(label.name), gettext(label.help)
            assert f'<bdi class="choice__name">{name}<span class="choice__help">{meaning}</span></bdi>' in " ".join(
                page.split()
            ).replace('" >', '">')


def test_undo_is_offered_only_where_something_can_be_undone(browser: Client, project: Project) -> None:
    back = f'formaction="{room(project, "back")}"'
    assert back not in browser.get(room(project)).content.decode()
    assignment = assignment_of(browser, project)
    sent = browser.post(room(project, assignment.token), {"label": "e"}, headers=HTMX)
    assert back in sent.content.decode()
    assert back in browser.get(room(project)).content.decode()
    undone = browser.post(room(project, "back"), headers=HTMX)
    assert undone.status_code == 200
    assert back not in undone.content.decode()
    assert back not in browser.get(room(project)).content.decode()


def test_undo_is_not_offered_when_it_is_too_late(browser: Client, project: Project) -> None:
    browser.post(room(project, assignment_of(browser, project).token), {"label": "e"}, headers=HTMX)
    Vote.objects.update(cast_at=now() - timedelta(hours=1))
    assert f'formaction="{room(project, "back")}"' not in browser.get(room(project)).content.decode()
