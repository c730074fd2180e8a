"""Answering questions: options shuffled for each person, marks with their reasons, stored by keys that are for good."""

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
from django.utils.timezone import now

from annotation.content.models.item import Item
from annotation.core.messages import PROBLEMS
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import set_submit
from tests import factory
from tests.answers import token_in
from tests.questions import CHOICES, a_question, a_question_project, a_share, typed_question
from tests.shared_worlds import SharedWorlds
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Proposal
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
MOST_STATEMENTS = 12
ROW = re.compile(r'value="(\w)"\s+required.*?<bdi class="choice__name"[^>]*>(.*?)</bdi>', re.DOTALL)
KEY_OF = {text: key for key, text in CHOICES.items()}


@pytest.fixture
def project(standing: SharedWorlds) -> Project:
    return standing(three_questions)


def three_questions() -> Project:
    made = a_question_project(settings={"spacing": 0})
    writer = factory.member(made, "writer")
    for n in range(3):
        a_question(made, writer, answer="C", distractor="ADE"[n])
    while decide_due():
        pass
    return made


@pytest.fixture
def validator(project: Project) -> Annotator:
    return factory.member(project, "validator")


@pytest.fixture
def browser(client: Client, validator: Annotator) -> Client:
    return signed_in(validator, client)


def signed_in(person: Annotator, client: Client | None = None) -> Client:
    made = client or Client()
    assert person.user is not None
    made.force_login(person.user)
    return made


def room(project: Project, *rest: str) -> str:
    return "/".join([f"/p/{project.slug}/vote", *rest]) + "/"


def on_screen(markup: str) -> dict[str, str]:
    """The option's key behind each letter, as the texts on the screen say."""
    return {letter: KEY_OF[html.unescape(text)] for letter, text in ROW.findall(markup)}


def letters(markup: str) -> dict[str, str]:
    """The letter of each option's key on the screen."""
    return {key: letter for letter, key in on_screen(markup).items()}


def card(browser: Client, project: Project) -> Any:
    return browser.get(room(project)).context["card"]


def send(browser: Client, project: Project, token: str, **fields: Any) -> Any:
    return browser.post(room(project, token), fields, headers=HTMX)


def test_a_vote_stores_the_option_and_not_its_place(browser: Client, project: Project) -> None:
    here = card(browser, project)
    shown = on_screen(here.choices)
    assert list(shown) == list("ABCDE")
    assert sorted(shown.values()) == list("ABCDE")
    answer = send(
        browser,
        project,
        here.token,
        label="B",
        unsure="on",
        mark_question="on",
        mark_option=["D", "A"],
        comment="(B) dan (D) sama, E tidak.",
    )
    assert answer.status_code == 200
    vote = Vote.objects.get()
    assert vote.label == shown["B"]
    assert (vote.unsure, vote.ambiguous) == (True, True)
    assert vote.comment == f"({shown['B']}) dan ({shown['D']}) sama, E tidak."
    assert vote.answers == {
        "question": "ambiguous",
        "options": "".join(sorted([shown["A"], shown["D"]])),
        "order": "".join(shown.values()),
    }


def test_nothing_marked_leaves_the_order_alone(browser: Client, project: Project) -> None:
    here = card(browser, project)
    send(browser, project, here.token, label="E")
    vote = Vote.objects.get()
    assert vote.answers == {"order": "".join(on_screen(here.choices).values())}
    assert not vote.ambiguous


def test_every_person_has_an_order_that_stays(project: Project) -> None:
    people = [factory.member(project, "validator") for _ in range(5)]
    orders: dict[str, set[str]] = {}
    for person in people:
        browser = signed_in(person)
        for _ in range(3):
            first, again = card(browser, project), card(browser, project)
            assert first.choices == again.choices
            item = Assignment.objects.get(token=first.token).item.key
            orders.setdefault(item, set()).add("".join(on_screen(first.choices).values()))
            send(browser, project, first.token, label="A")
    assert all(len(found) > 1 for found in orders.values()), orders
    assert Vote.objects.count() == 15


def test_the_page_tells_neither_role_nor_order_nor_concept(browser: Client, project: Project) -> None:
    concept = "konsep-rahasia"
    for item in Item.objects.filter(project=project):
        item.revisions.update(
            content={**item.revisions.get().content, "concept": concept, "category": "kategori-rahasia"}
        )
    pages = [browser.get(room(project)).content.decode()]
    here = card(browser, project)
    assignment = Assignment.objects.get(token=here.token)
    refused = browser.post(room(project, here.token), {"comment": "x"})
    pages += [refused.content.decode(), here.choices]
    for page in pages:
        for secret in (concept, "kategori-rahasia", "distractor", "answer_creator", assignment.item.key):
            assert secret not in page, secret
    other = Item.objects.filter(project=project).exclude(pk=assignment.item_id)[0]
    assert other.key not in pages[0]
    # Whatever the writer's order is, the page is the same but for the texts.
    rows = re.sub(r"(?s)<bdi.*?</bdi>", "", here.choices)
    send(browser, project, here.token, label="A")
    assert re.sub(r"(?s)<bdi.*?</bdi>", "", card(browser, project).choices) == rows


def test_texts_of_options_are_never_translated(browser: Client, project: Project) -> None:
    here = card(browser, project)
    revision = Assignment.objects.get(token=here.token).item.revisions.get()
    texts = ["Send", "", "<b>Neutral</b>", "Comment", "%(n)s {{ x }}"]
    options = [{"key": key, "text": text, "role": ""} for key, text in zip("ABCDE", texts, strict=True)]
    revision.content = {**revision.content, "options": options}
    revision.save()
    page = browser.get(room(project), headers={"Accept-Language": "id"}).content.decode()
    names = re.findall(r'(?s)<bdi class="choice__name"[^>]*lang="id" dir="auto"[^>]*>(.*?)</bdi>', page)
    assert sorted(html.unescape(name) for name in names) == sorted(texts)


@pytest.mark.parametrize("marked", [{"mark_question": "on"}, {"mark_option": ["B", "E"]}])
def test_a_mark_without_a_reason_is_asked_for_one(browser: Client, project: Project, marked: Any) -> None:
    here = card(browser, project)
    fields = {"label": "D", "unsure": "on", "propose_option-B": "usul saya", **marked}
    answer = send(browser, project, here.token, **fields)
    assert answer.status_code == 422
    assert not Vote.objects.exists()
    text = answer.content.decode()
    assert html.escape(PROBLEMS["reason_missing_marked"]) in text
    assert re.search(r"<details[^>]*data-reason[^>]*open", text)
    again = answer.context["card"]
    assert again.token == here.token
    assert on_screen(again.choices) == on_screen(here.choices)
    ticked = re.findall(r'value="(\w)"[^>]*?\bchecked', again.choices)
    assert ticked == sorted(["D", *marked.get("mark_option", [])])
    assert (again.typed["unsure"], again.typed["mark_question"]) == (True, "mark_question" in marked)
    assert {one.key: one.proposal for one in again.corrections}["option-B"] == "usul saya"
    assert send(browser, project, here.token, **fields, comment="  karena  ").status_code == 200
    assert Vote.objects.get().comment == "karena"


def test_unsure_alone_is_stored_without_a_reason(browser: Client, project: Project) -> None:
    assert send(browser, project, card(browser, project).token, label="A", unsure="on").status_code == 200
    assert Vote.objects.get().unsure


@pytest.mark.parametrize(
    "fields",
    [
        {"label": "F"},
        {"label": ""},
        {"label": "a"},
        {"label": "AB"},
        {"label": "A", "mark_option": ["Z"], "comment": "x"},
        {"label": "A", "mark_option": ["A", ""], "comment": "x", "unknown": "1", "propose_option-Z": "x"},
        {"label": "A", "propose_concept": "x"},
        {"label": "A", "propose_option-": "x"},
        {"label": "A", "propose_answer": "x"},
    ],
)
def test_what_this_item_has_not_is_refused(browser: Client, project: Project, fields: Any) -> None:
    token = card(browser, project).token
    answer = send(browser, project, token, **fields)
    assert answer.status_code == 422
    assert answer.context["card"].token == token
    assert not Vote.objects.exists()


def test_an_item_whose_options_are_gone_takes_no_answer(browser: Client, project: Project) -> None:
    token = card(browser, project).token
    revision = Assignment.objects.get(token=token).item.revisions.get()
    revision.content = {"question": "Apa?", "concept": "x"}
    revision.save()
    assert send(browser, project, token, label="A").status_code == 422


def test_sent_again_is_answered_and_another_ballot_keeps_what_was_typed(browser: Client, project: Project) -> None:
    here = card(browser, project)
    shown = on_screen(here.choices)
    fields = {"label": "C", "mark_option": ["B", "A"], "comment": "(A) sama dengan (B)"}
    for _ in range(2):
        assert send(browser, project, here.token, **fields).status_code == 200
    other = {**fields, "label": "D", "mark_question": "on", "propose_option-E": "lain sekali"}
    refused = send(browser, project, here.token, **other)
    assert refused.status_code == 409
    kept = refused.context["kept"]
    assert (kept.label.letter, kept.label.name) == ("D", CHOICES[shown["D"]])
    assert [label.letter for label in kept.marked] == ["A", "B"]
    assert (kept.comment, kept.ambiguous) == ("(A) sama dengan (B)", True)
    assert kept.proposals == [("E", "lain sekali")]
    assert CHOICES[shown["D"]] in refused.content.decode().split("</details>")[0]
    assert Vote.objects.get().label == shown["C"]


def test_a_late_answer_keeps_its_marks(browser: Client, project: Project) -> None:
    here = card(browser, project)
    Item.objects.filter(assignments__token=here.token).update(stage="excluded", slots_free=0, pending=0)
    Assignment.objects.filter(token=here.token).update(state=Assignment.State.EXPIRED)
    refused = send(browser, project, here.token, label="A", unsure="on", mark_option=["E"], comment="(E) kabur")
    assert refused.status_code == 409
    kept = refused.context["kept"]
    assert kept.unsure
    assert [label.letter for label in kept.marked] == ["E"]
    assert kept.label.name == CHOICES[on_screen(here.choices)["A"]]


def test_taken_back_it_stands_as_it_was_said(browser: Client, project: Project) -> None:
    here = card(browser, project)
    fields = {
        "label": "B",
        "mark_question": "on",
        "mark_option": ["C"],
        "comment": "(C) dan (A)",
        "propose_option-C": "usul",
    }
    send(browser, project, here.token, **fields)
    back = browser.post(room(project, "back"), headers=HTMX).context["card"]
    for again in (back, card(browser, project)):
        assert on_screen(again.choices) == on_screen(here.choices)
        assert re.findall(r'value="(\w)"[^>]*?\bchecked', again.choices) == ["B", "C"]
        assert (again.typed["mark_question"], again.typed["comment"]) == (True, "(C) dan (A)")
        assert {one.key: one.proposal for one in again.corrections}["option-C"] == "usul"
    assert send(browser, project, back.token, **{**fields, "label": "A"}).status_code == 200
    assert Vote.objects.get(withdrawn_at=None).label == on_screen(here.choices)["A"]


def test_corrections_go_to_the_option_that_was_shown(browser: Client, project: Project) -> None:
    here = card(browser, project)
    shown = on_screen(here.choices)
    unchanged = {f"propose_{one.key}": one.text for one in here.corrections}
    assert set(unchanged) == {"propose_question", *(f"propose_option-{letter}" for letter in "ABCDE")}
    fields = {**unchanged, "propose_option-D": "pilihan yang benar", "propose_question": "Apa gunanya?"}
    send(browser, project, here.token, label="A", **fields)
    assert set(Proposal.objects.values_list("field", "text")) == {
        (f"option-{shown['D']}", "pilihan yang benar"),
        ("question", "Apa gunanya?"),
    }


def test_my_record_shows_the_question_as_it_was_seen(browser: Client, project: Project, validator: Annotator) -> None:
    here = card(browser, project)
    shown = on_screen(here.choices)
    send(browser, project, here.token, label="D", mark_option=["B"], comment="(B) aneh")
    (own,) = browser.get(reverse("my_record")).context["votes"]
    assert [(one.label.letter, one.label.name) for one in own.options] == [
        (letter, CHOICES[key]) for letter, key in shown.items()
    ]
    assert [one.label.letter for one in own.options if one.chosen] == ["D"]
    assert [one.label.letter for one in own.options if one.marked] == ["B"]
    assert (own.label.letter, own.label.name, own.comment) == ("D", CHOICES[shown["D"]], "(B) aneh")
    assert [name for name, _ in own.texts] == ["Question"]
    assert own.gold is None
    (vote,) = json.loads(browser.get(reverse("my_data")).content)["projects"][0]["votes"]
    assert (vote["label"], vote["comment"], vote["answers"]) == ("D", "(B) aneh", {"options": "B"})
    assert vote["options"] == {letter: CHOICES[key] for letter, key in shown.items()}


def test_gold_of_a_closed_project_is_called_as_it_was_shown(browser: Client, project: Project) -> None:
    here = card(browser, project)
    send(browser, project, here.token, label="A")
    Item.objects.filter(assignments__token=here.token).update(gold="C", gold_from="votes", stage="settled")
    Project.objects.update(closed_at=now())
    (own,) = browser.get(reverse("my_record")).context["votes"]
    assert own.gold.letter == letters(here.choices)["C"]


def test_its_writer_is_never_asked_and_the_concepts_other_writer_is(project: Project) -> None:
    """The other writer of a concept has not seen this one's answer (domain.md §2)."""
    author, other = (factory.member(project, "writer", "validator") for _ in range(2))
    Item.objects.filter(project=project).update(slots_free=0)
    first = a_question(project, author)
    concept = first.qa.concept
    a_question(project, other, concept=concept, question=f"Di mana {concept.text} disimpan?")
    while decide_due():
        pass
    assert Assignment.objects.get(token=card(signed_in(other), project).token).item == first
    assert Assignment.objects.get(token=card(signed_in(author), project).token).item.author_id == other.pk
    lead = factory.member(project, "lead")
    assert signed_in(lead).get(room(project)).status_code == 403


def test_what_another_wrote_about_ones_concept_waits_until_one_has_written_too(project: Project) -> None:
    author, other = (factory.member(project, "writer", "validator") for _ in range(2))
    Item.objects.filter(project=project).update(slots_free=0)
    first = a_question(project, author)
    allocation = a_share(first.qa.concept, other)
    while decide_due():
        pass
    assert card(signed_in(other), project) is None
    question = typed_question(allocation.source.text, question=f"Di mana {allocation.source.text} disimpan?")
    set_submit(writer=other, token=allocation.token, slots={"q": question})
    assert Assignment.objects.get(token=card(signed_in(other), project).token).item == first


def test_an_answer_takes_as_many_statements_as_a_pair(browser: Client, project: Project, validator: Annotator) -> None:
    first = card(browser, project)
    second = token_in(send(browser, project, first.token, label="A"))  # the first makes the cursor
    with CaptureQueriesContext(connection) as said:
        answer = send(browser, project, second, label="B", mark_option=["C"], comment="(C)")
    assert token_in(answer) not in ("", second)
    own = [query["sql"] for query in said if not re.match("BEGIN|COMMIT|SAVEPOINT|RELEASE", str(query["sql"]))]
    assert len(own) <= MOST_STATEMENTS, own
    assert len(gzip.compress(answer.content, 6)) < 4096


def test_who_was_shown_a_question_is_not_given_its_concept() -> None:
    made = a_question_project()
    a_question(made, factory.member(made, "writer"))
    while decide_due():
        pass
    both, target = factory.member(made, "writer", "validator"), made.targets.get()
    assert assignment_claim(annotator=both, target=target, spacing=0) is not None
    fresh = factory.member(made, "writer")
    assert allocations_assign(target=target, writers=[both, fresh]) == 1
    assert not both.allocations.exists()
    assert fresh.allocations.count() == 1
