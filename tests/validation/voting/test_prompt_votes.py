"""Validating cultural prompts: best and irrelevant responses under letters, one's own choice apart, no roles told."""

import gzip
import html
import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.actions.members import Roles
from annotation.core.errors import Invalid
from annotation.core.messages import PROBLEMS
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.elicitation.actions import no_part_sign
from annotation.projects.actions.invitations import invitation_create
from tests import factory
from tests.page_text import page_text
from tests.prompts import RESPONSES, a_prompt, a_prompt_project
from tests.shared_worlds import SharedWorlds
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.verdicts import decision_of, standing_votes
from validation.voting.actions.votes import vote_cast
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Flag, Proposal
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
MOST_STATEMENTS = 12
ROW = re.compile(r'value="(\w)"\s+required.*?<bdi class="choice__name"[^>]*>(.*?)</bdi>', re.DOTALL)
KEY_OF = {text: key for key, text in RESPONSES.items()}
# A key of a response tells what it is.
KEY = re.compile(r"\b[RI][1-5]\b")
SHOWN = ["I1", "I2", "I3", "R2"]


@pytest.fixture
def project(standing: SharedWorlds) -> Project:
    return standing(three_prompts)


def three_prompts() -> Project:
    made = a_prompt_project(settings={"spacing": 0})
    writer = factory.member(made, "writer")
    for n in range(3):
        a_prompt(made, writer, n=n)
    settle()
    return made


def settle() -> None:
    while decide_due():
        pass


@pytest.fixture
def validator(project: Project) -> Annotator:
    return signed(factory.member(project, "validator"))


@pytest.fixture
def browser(client: Client, validator: Annotator) -> Client:
    return signed_in(validator, client)


def signed(person: Annotator) -> Annotator:
    """This person has signed that they took no part."""
    no_part_sign(annotator=person)
    person.refresh_from_db()
    return person


def signed_in(person: Annotator, client: Client | None = None) -> Client:
    made = client or Client()
    assert person.user is not None
    made.force_login(person.user)
    return made


def room(project: Project, *rest: str) -> str:
    return "/".join([f"/p/{project.slug}/vote", *rest]) + "/"


def on_screen(markup: str) -> dict[str, str]:
    """The response's key behind each letter, as the texts on the screen say."""
    return {letter: KEY_OF[html.unescape(text)] for letter, text in ROW.findall(markup)}


def letter_of(card: Any, key: str) -> str:
    return {key: letter for letter, key in on_screen(card.choices).items()}[key]


def card(browser: Client, project: Project) -> Any:
    return browser.get(room(project)).context["card"]


def send(browser: Client, project: Project, token: str, **fields: Any) -> Any:
    return browser.post(room(project, token), fields, headers=HTMX)


def test_the_card_has_the_whole_prompt_and_what_is_chosen_among(browser: Client, project: Project) -> None:
    page = browser.get(room(project))
    here = page.context["card"]
    (text,) = here.texts
    parts = Assignment.objects.get(token=here.token).item.revisions.get().content
    assert text.text.split("\n") == [parts["user"], parts["context"], parts["instruction"]]
    shown = on_screen(here.choices)
    assert list(shown) == list("ABCD")
    assert sorted(shown.values()) == SHOWN
    text = page_text(page.content.decode())
    for key in ("R1", "R3"):
        assert html.escape(RESPONSES[key]) not in text
    for secret in ("best", "relevant", "irrelevant", parts["concept"], parts["category"]):
        assert secret not in text, secret
    assert not KEY.search(text)
    assert "What would an average member of the culture do?" in text
    assert "mark_option" not in text
    assert "mark_question" not in text


def test_a_vote_keeps_keys_and_the_order_shown(browser: Client, project: Project) -> None:
    here = card(browser, project)
    shown = on_screen(here.choices)
    answer = send(browser, project, here.token, label="B", personal="C", unsure="on", comment="(B), (D) dan (F)")
    assert answer.status_code == 200
    vote = Vote.objects.get()
    assert (vote.label, vote.unsure, vote.ambiguous) == (shown["B"], True, False)
    assert vote.answers == {"personal": shown["C"], "order": " ".join(shown.values())}
    assert vote.comment == f"({shown['B']}), ({shown['D']}) dan (F)"


@pytest.mark.parametrize("personal", ["", "A"])
def test_the_same_choice_is_no_disagreement(browser: Client, project: Project, personal: str) -> None:
    here = card(browser, project)
    assert send(browser, project, here.token, label="A", personal=personal).status_code == 200
    assert set(Vote.objects.get().answers) == {"order"}


def test_ambiguous_needs_no_reason_here(browser: Client, project: Project) -> None:
    here = card(browser, project)
    assert send(browser, project, here.token, label="A", ambiguous="on").status_code == 200
    assert Vote.objects.get().ambiguous


@pytest.mark.parametrize(
    "fields",
    [
        {"label": "E"},
        {"label": "R1"},
        {"label": "A", "personal": "E"},
        {"label": "A", "personal": "R2"},
        {"label": "A", "propose_question": "Apa?"},
        {"label": "A", "propose_instruction": "Apa?"},
        {"label": "A", "propose_option-R1": "lain"},
        {"label": "A", "propose_option-E": "lain"},
    ],
)
def test_what_is_not_shown_can_be_neither_chosen_nor_corrected(browser: Client, project: Project, fields: Any) -> None:
    token = card(browser, project).token
    assert send(browser, project, token, **fields).status_code == 422
    assert not Vote.objects.exists()


def test_a_relevant_response_that_is_not_shown_takes_no_vote(
    validator: Annotator, browser: Client, project: Project
) -> None:
    token = card(browser, project).token
    assert validator.user_id is not None
    for ballot in (Ballot("R1"), Ballot("R2", answers={"personal": "R3"})):
        with pytest.raises(Invalid):
            vote_cast(user_id=validator.user_id, slug=project.slug, token=token, ballot=ballot)


def test_only_responses_that_are_shown_can_be_corrected(browser: Client, project: Project) -> None:
    here = card(browser, project)
    assert [one.key for one in here.corrections] == [f"option-{letter}" for letter in "ABCD"]
    send(browser, project, here.token, label="A", **{"propose_option-C": "yang benar"})
    assert Proposal.objects.get().field == f"option-{on_screen(here.choices)['C']}"


def test_orders_differ_between_people_and_stay(project: Project) -> None:
    orders: dict[str, set[str]] = {}
    for _ in range(3):
        browser = signed_in(signed(factory.member(project, "validator")))
        for _ in range(3):
            first, again = card(browser, project), card(browser, project)
            assert first.choices == again.choices
            item = Assignment.objects.get(token=first.token).item.key
            orders.setdefault(item, set()).add(" ".join(on_screen(first.choices).values()))
            send(browser, project, first.token, label="A")
    assert all(len(found) > 1 for found in orders.values()), orders


def test_taken_back_and_refused_it_stands_as_it_was_said(browser: Client, project: Project) -> None:
    here = card(browser, project)
    send(browser, project, here.token, label="B", personal="D", comment="(D) lebih saya")
    back = browser.post(room(project, "back"), headers=HTMX).context["card"]
    assert back.typed["personal"] == "D"
    assert back.typed["comment"] == "(D) lebih saya"
    assert re.findall(r'value="(\w)"[^>]*?\bchecked', back.choices) == ["B"]
    send(browser, project, back.token, label="A")
    kept = send(browser, project, back.token, label="C", personal="B").context["kept"]
    assert (kept.label.letter, kept.personal.letter) == ("C", "B")


def test_my_record_tells_no_key(browser: Client, project: Project) -> None:
    here = card(browser, project)
    fields = {"label": "D", "personal": "B", "comment": "(A)", "propose_option-C": "usul", "ambiguous": "on"}
    send(browser, project, here.token, **fields)
    page = browser.get(reverse("my_record"))
    (own,) = page.context["votes"]
    assert [one.label.letter for one in own.options if one.chosen] == ["D"]
    assert (own.personal.letter, own.ambiguous_whole) == ("B", True)
    assert not KEY.search(page_text(page.content.decode()))
    data = browser.get(reverse("my_data")).content.decode()
    assert not KEY.search(page_text(data))
    (place,) = json.loads(data)["projects"]
    (vote,) = place["votes"]
    assert (vote["label"], vote["answers"], vote["comment"]) == ("D", {"personal": "B"}, "(A)")
    assert vote["options"] == {letter: RESPONSES[key] for letter, key in on_screen(here.choices).items()}
    assert [one["field"] for one in place["proposals"]] == ["option-C"]


def choose(project: Project, item: Item, *keys: str) -> None:
    """So many new validators, who choose these responses of one prompt."""
    Item.objects.filter(project=project).exclude(pk=item.pk).update(slots_free=0, pending=0)
    for key in keys:
        person = signed(factory.member(project, "validator"))
        assignment = assignment_claim(annotator=person, target=project.targets.get(), spacing=0)
        assert assignment is not None
        assert assignment.item_id == item.pk
        assert person.user_id is not None
        vote_cast(user_id=person.user_id, slug=project.slug, token=assignment.token, ballot=Ballot(key))
    settle()
    item.refresh_from_db()


@pytest.mark.parametrize(
    ("keys", "stage", "gold", "hits"),
    [
        (["R2", "R2", "R2"], "settled", "R2", 3),
        (["R2", "I1", "R2"], "settled", "R2", 2),
        (["I1", "R2", "I1"], "no_consensus", "", 1),
        (["I1", "I1", "I1"], "no_consensus", "", 0),
    ],
)
def test_two_of_three_make_gold_and_below_it_is_flagged(
    project: Project, keys: list[str], stage: str, gold: str, hits: int
) -> None:
    item = Item.objects.filter(project=project).order_by("pk")[0]
    choose(project, item, *keys)
    assert (item.stage, item.gold) == (stage, gold)
    flags = Flag.objects.filter(item=item, closed_at=None).values_list("code", flat=True)
    assert ("no_consensus" in flags) == (not gold)
    assert decision_of(item, standing_votes([item])[item.pk]).hits == hits
    browser = signed_in(factory.member(project, "lead"))
    page = browser.get(reverse("item", args=[project.slug, item.pk]))
    assert f"{hits} of 3 chose the best response" in page.content.decode()


def test_an_answer_takes_as_many_statements_as_others_and_is_light(browser: Client, project: Project) -> None:
    first = card(browser, project)
    second = send(browser, project, first.token, label="A").context["card"]  # the first makes the cursor
    with CaptureQueriesContext(connection) as said:
        answer = send(browser, project, second.token, label="B", personal="C")
    assert answer.context["card"].token not in ("", second.token)
    own = [query["sql"] for query in said if not re.match("BEGIN|COMMIT|SAVEPOINT|RELEASE", str(query["sql"]))]
    assert len(own) <= MOST_STATEMENTS, own
    assert len(gzip.compress(answer.content, 6)) < 4096


# --- the signature ------------------------------------------------------------------------


def test_who_has_not_signed_sees_no_card(project: Project) -> None:
    person = factory.member(project, "validator")
    browser = signed_in(person)
    page = browser.get(room(project))
    assert "card" not in page.context
    assert not Assignment.objects.filter(annotator=person).exists()
    assert browser.post(room(project, "back"), headers=HTMX).context["card"] is None
    refused = browser.post(room(project, "sign"))
    assert refused.status_code == 422
    assert PROBLEMS["no_part_missing"] in refused.content.decode()
    for _ in range(2):
        assert browser.post(room(project, "sign"), {"no_part": "on"}).status_code == 302
        person.refresh_from_db()
        signed_at = person.no_part_at
        assert signed_at is not None
    assert person.project.events.filter(verb="no_part").count() == 1
    assert card(browser, project) is not None


def test_a_writer_is_not_asked_to_sign_what_is_not_so(project: Project) -> None:
    assert card(signed_in(factory.member(project, "writer", "validator")), project) is not None


def invited(project: Project, **roles: bool) -> tuple[str, User]:
    """An invitation's link for somebody new, and their account."""
    person, boss = factory.user(), factory.user(administrator=True)
    made = invitation_create(project=project, email=person.email, roles=Roles(**roles), by=boss)
    return reverse("invitation", args=[made.token]), person


def test_an_invitation_to_validate_is_accepted_with_the_signature(project: Project, client: Client) -> None:
    url, person = invited(project, validator=True)
    client.force_login(person)
    assert "I took no part in making or reviewing these prompts" in client.get(url).content.decode()
    refused = client.post(url)
    assert refused.status_code == 422
    assert PROBLEMS["no_part_missing"] in refused.content.decode()
    assert not person.memberships.exists()
    assert client.post(url, {"no_part": "on"}).status_code == 302
    assert person.memberships.get().no_part_at is not None
    assert card(client, project) is not None


def test_the_signature_goes_along_through_logging_in(project: Project, client: Client) -> None:
    url, person = invited(project, validator=True)
    assert client.post(url, {"login": "1"}).status_code == 422
    assert "invitation" not in client.session
    assert client.post(url, {"login": "1", "no_part": "on"}).status_code == 302
    client.post(reverse("account_login"), {"login": person.email, "password": factory.PASSWORD})
    assert person.memberships.get().no_part_at is not None


@pytest.mark.parametrize("roles", [{"writer": True}, {"reviewer": True}, {"writer": True, "validator": True}])
def test_who_writes_or_does_not_validate_signs_nothing(
    project: Project, client: Client, roles: dict[str, bool]
) -> None:
    url, person = invited(project, **roles)
    client.force_login(person)
    assert "no_part" not in client.get(url).content.decode()
    assert client.post(url).status_code == 302
    assert person.memberships.get().no_part_at is None


def test_elsewhere_nothing_is_signed(client: Client) -> None:
    other = factory.project()
    url, person = invited(other, validator=True)
    client.force_login(person)
    assert client.post(url).status_code == 302
    assert client.get(room(other)).context["card"] is None
