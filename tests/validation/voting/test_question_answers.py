"""Votes that answer questions: what a card asks and stores, what it refuses, and how they become gold."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.kinds import nli
from tests import factory
from tests.every_answer_type import POSTED_ANSWERS, QUESTIONS, a_project, browser_of, registered
from validation.consensus.protocol import KALAHI_CRITERIA, Protocol
from validation.review.actions.decisions import adjudicate
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Review
from validation.voting.models.vote import Vote
from validation.voting.rules.option_order import order_shown

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
CRITERIA = Protocol("c", (2,), 2, author="none", criteria=("fluent", "is it polite?"))


@pytest.fixture
def project() -> Iterator[Project]:
    with registered():
        yield a_project()


def room(project: Project, token: str = "") -> str:
    return f"/p/{project.slug}/vote/" + (f"{token}/" if token else "")


def posted(item: Item, **changes: Any) -> dict[str, Any]:
    """Answers that fit the item: its second and third word as evidence."""
    words = item.revisions.get(n=1).content["hypothesis"].rstrip(".").split()[1:3]
    sent = {**POSTED_ANSWERS, "answer-evidence-text": [" ".join(words), ""]}
    return {name: value for name, value in {**sent, **changes}.items() if value is not None}


def test_criteria_of_a_protocol_are_asked_and_decided_each_by_itself(tmp_path: Path) -> None:
    project = a_project(CRITERIA, "nli")
    for given in (("e", "n"), ("e", "n")):
        person = factory.member(project, "validator")
        web = browser_of(person)
        token = web.get(room(project)).context["card"].token
        for _ in range(6):
            sent = {"answer-fluent": given[0], "answer-is it polite?": given[1]}
            answer = web.post(room(project, token), sent, headers=HTMX)
            assert answer.status_code == 200, answer.content
            found = re.search(r'name="assignment" value="([^"]+)"', answer.content.decode())
            token = found[1] if found else ""
        assert not token
    decide_due()
    for item in Item.objects.filter(project=project):
        assert (item.stage, item.gold_from) == ("settled", "votes")
        assert item.gold_answers == {"fluent": "e", "is it polite?": "n"}
        assert item.gold.startswith("=")
    out = tmp_path / "out"
    call_command("build_release", project.slug, out=str(out), rules=["indonli-expert"], no_licence=True)
    rows = [json.loads(line) for line in (out / "test.jsonl").read_text().splitlines()]
    assert [(row["fluent"], row["is it polite?"]) for row in rows] == [("e", "n")] * 6
    call_command("verify_release", str(out))


def test_the_card_asks_every_question_and_nothing_else(project: Project) -> None:
    web = browser_of(factory.member(project, "validator"))
    page = web.get(room(project)).content.decode()
    for question in QUESTIONS:
        assert question.text in page
    assert 'name="label"' not in page
    assert page.count('name="answer-toxicity"') == 5
    # A form says by place which of two texts is preferred.
    assert set(re.findall(r'name="answer-better"\s+value="(\w+)"', page)) == {"1", "2", "tie"}


def test_the_first_text_of_a_preference_is_the_one_that_stands_first(project: Project) -> None:
    """Each person has an order of their own; what they prefer is stored by the text, wherever it stood."""
    stood = set()
    for _ in range(12):
        person = factory.member(project, "validator")
        web = browser_of(person)
        card = web.get(room(project)).context["card"]
        assignment = Assignment.objects.get(token=card.token)
        content = assignment.item.revisions.get(n=1).content
        first = "A" if card.texts[0].text == content["premise"] else "B"
        assert web.post(room(project, card.token), posted(assignment.item)).status_code in (302, 409)
        vote = Vote.objects.get(annotator=person)
        assert vote.answers["better"] == vote.answers["order"][0] == first
        stood.add(first)
    assert stood == {"A", "B"}


def test_own_votes_show_each_question_with_its_answer(project: Project) -> None:
    person = factory.member(project, "validator")
    web = browser_of(person)
    token = web.get(room(project)).context["card"].token
    web.post(room(project, token), posted(Assignment.objects.get(token=token).item))
    Project.objects.update(closed_at=Now())
    Item.objects.update(gold_answers={"toxicity": "2"})
    page = web.get("/me/").content.decode()
    shown = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "Which emotions? Joy, Fear" in shown
    assert "Why? Karena begitu." in shown
    assert "Is it fluent? Yes" in shown
    assert "How toxic is it? 4" in shown
    assert "final answer: How toxic is it? 2" in shown
    assert "no label" not in shown


def test_answers_are_stored_in_canonical_form(project: Project) -> None:
    person = factory.member(project, "validator")
    web = browser_of(person)
    token = web.get(room(project)).context["card"].token
    item = Assignment.objects.get(token=token).item
    assert web.post(room(project, token), posted(item)).status_code == 302
    vote = Vote.objects.get()
    hypothesis = item.revisions.get(n=1).content["hypothesis"]
    (span,) = vote.answers["evidence"]
    assert hypothesis[span["start"] : span["end"]] == span["text"] == posted(item)["answer-evidence-text"][0]
    assert vote.answers["better"] == vote.answers["order"][0]
    assert {name: vote.answers[name] for name in ("relation", "toxicity", "emotions", "why", "fluent")} == {
        "relation": "e",
        "toxicity": "4",
        "emotions": ["joy", "fear"],
        "why": "Karena begitu.",
        "fluent": "yes",
    }
    assert vote.label.startswith("=")
    # The same answers again are the same vote; others are a conflict.
    assert web.post(room(project, token), posted(item)).status_code == 302
    assert Vote.objects.count() == 1
    other = web.post(room(project, token), posted(item, **{"answer-toxicity": "1"}))
    assert other.status_code == 409
    assert "Karena begitu." in other.content.decode()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"answer-relation": None}, "answer this question"),
        ({"answer-relation": "zzz"}, "is no answer to this question"),
        ({"answer-useful": None}, "answer this question"),
        ({"answer-evidence-text": ["tidak ada begitu", ""]}, "copy the passage exactly"),
        ({"answer-evidence-text": ["", ""]}, "Mark at least one passage"),
        ({"answer-why": "x" * 2001}, "has 2001 characters"),
    ],
)
def test_what_is_no_answer_is_refused_beside_its_question(project: Project, change: dict[str, Any], words: str) -> None:
    web = browser_of(factory.member(project, "validator"))
    token = web.get(room(project)).context["card"].token
    item = Assignment.objects.get(token=token).item
    refused = web.post(room(project, token), posted(item, **change), headers=HTMX)
    page = refused.content.decode()
    assert refused.status_code == 422
    assert re.search(rf'class="question__problem" role="alert">[^<]*{re.escape(words)}', page), page
    assert not Vote.objects.exists()
    # What was typed is kept.
    assert re.search(r'value="4"[^>]*checked', page)
    assert re.search(r'value="fear"[^>]*checked', page)


def test_a_vote_taken_back_stands_on_its_card_again(project: Project) -> None:
    web = browser_of(factory.member(project, "validator"))
    token = web.get(room(project)).context["card"].token
    item = Assignment.objects.get(token=token).item
    web.post(room(project, token), posted(item))
    page = web.post(room(project) + "back/", headers=HTMX).content.decode()
    assert re.search(r'name="answer-better"\s+value="1"[^>]*checked', page)
    assert re.search(r'value="fear"[^>]*checked', page)
    assert posted(item)["answer-evidence-text"][0] in page
    assert "Karena begitu." in page


def test_equal_votes_are_gold_and_the_integrity_check_agrees(project: Project) -> None:
    answers: dict[str, Any] = {}
    for _ in range(2):
        person = factory.member(project, "validator")
        web = browser_of(person)
        while (card := web.get(room(project)).context["card"]) is not None:
            assignment = Assignment.objects.get(token=card.token)
            text = assignment.item.revisions.get(n=1).content["hypothesis"]
            answers = {
                "relation": "n",
                "toxicity": 2,
                "emotions": [],
                "better": "tie",
                "evidence": [{"start": 0, "end": 4, "text": text[:4]}],
                "fluent": "no",
                "useful": "3",
            }
            assert person.user is not None
            ballot = Ballot("", answers=answers)
            vote_cast(user_id=person.user.pk, slug=project.slug, token=card.token, ballot=ballot)
    decide_due()
    for item in Item.objects.filter(project=project):
        text = item.revisions.get(n=1).content["hypothesis"]
        first = text[:4].strip()
        assert item.stage == "settled"
        assert item.gold_answers == answers | {
            "toxicity": "2",
            # Blanks at its ends are none of the passage.
            "evidence": [{"of": "hypothesis", "start": 0, "end": len(first), "text": first, "label": ""}],
            "why": None,
        }
    call_command("check_integrity", project.slug)
    Item.objects.filter(project=project).update(gold_answers={"relation": "e"})
    with pytest.raises(SystemExit):
        call_command("check_integrity", project.slug)


def test_a_lead_settles_an_item_by_answers_of_their_own(project: Project) -> None:
    lead = factory.member(project, "lead")
    item = Item.objects.filter(project=project).first()
    assert item is not None
    sent = {name: [each] if isinstance(each, str) else each for name, each in posted(item).items()}
    done = adjudicate(lead=lead, item_id=item.pk, version=item.version, posted=sent, words="Jelas.")
    assert done.stage == "adjudicated"
    assert done.gold_answers is not None
    assert done.gold_answers["better"] == "A"
    review = Review.objects.get(item=item)
    assert (review.label, review.answers) == (done.gold, done.gold_answers)
    call_command("check_integrity", project.slug)


def test_a_criterion_cannot_be_called_what_votes_call_something_else() -> None:
    with pytest.raises(ValueError, match="choose another name"):
        Protocol("c", (2,), 2, author="none", criteria=("order",))
    assert set(KALAHI_CRITERIA).isdisjoint({"order", "question", "options"})


def test_kinds_without_questions_ask_for_a_label_as_before() -> None:
    assert nli.KIND.question.card_questions() == nli.KIND.question.leaf_questions() == ()
    assert [each.key for each in nli.KIND.question.leaf_questions(("fluent",))] == ["fluent"]


def test_the_desk_shows_how_answers_differ_and_takes_the_lead_s_own(project: Project) -> None:
    lead = factory.member(project, "lead")
    item = Item.objects.filter(project=project).order_by("shuffle").first()
    assert item is not None
    for toxicity in ("1", "5"):
        web = browser_of(factory.member(project, "validator"))
        token = web.get(room(project)).context["card"].token
        assert Assignment.objects.get(token=token).item == item
        assert web.post(room(project, token), posted(item, **{"answer-toxicity": toxicity})).status_code == 302
    decide_due()
    item.refresh_from_db()
    assert (item.stage, item.gold_answers) == ("no_consensus", None)
    web = browser_of(lead)
    address = f"/p/{project.slug}/items/{item.pk}/"
    page = web.get(address).content.decode()
    toxicity = page.split("How toxic is it?")[1].split("</section>")[0]
    assert re.search(r">5</bdi>.*Differs in:.*1, 5", toxicity, re.S)
    assert "Mean distance of two answers: 4.00 (in points)" in toxicity
    assert 'name="answer-toxicity"' in page
    sent = {"version": item.version, "words": "Jelas.", **posted(item)}
    refused = web.post(f"{address}adjudicate/", {**sent, "answer-toxicity": "9"})
    assert refused.status_code == 422
    assert "“9” is no answer to this question" in refused.content.decode()
    assert web.post(f"{address}adjudicate/", sent).status_code == 302
    item.refresh_from_db()
    assert item.gold_answers is not None
    assert (item.stage, item.gold_answers["toxicity"]) == ("adjudicated", "4")
    assert "Gold:" in web.get(address).content.decode()


def test_a_release_holds_the_gold_answers_typed_and_is_verified(project: Project, tmp_path: Path) -> None:
    for _ in range(2):
        web = browser_of(factory.member(project, "validator"))
        while (card := web.get(room(project)).context["card"]) is not None:
            item = Assignment.objects.get(token=card.token).item
            # Each person sees the two texts in an order of their own; both prefer the same one.
            first = "1" if order_of(web, project) == "A" else "2"
            answer = web.post(room(project, card.token), posted(item, **{"answer-better": first}))
            assert answer.status_code == 302
    decide_due()
    lead, settled = factory.member(project, "lead"), Item.objects.filter(project=project).first()
    assert settled is not None
    assert settled.gold_answers is not None
    changed = {**settled.gold_answers, "toxicity": "1"}
    adjudicate(lead=lead, item_id=settled.pk, version=settled.version, answers=changed, words="Jelas.")
    out = tmp_path / "out"
    rules = {"rules": ["indonli-expert"], "no_licence": True, "allow_shared": True}
    call_command("build_release", project.slug, out=str(out), **rules)
    rows = [json.loads(line) for path in out.glob("t*.jsonl") for line in path.read_text().splitlines()]
    assert len(rows) == 6
    by_lead = [row for row in rows if row["toxicity"] == 1]
    assert [row["pair_id"] for row in rows if row["toxicity"] not in (1, 4)] == []
    assert len(by_lead) == 1
    for row in rows:
        (span,) = row["evidence"]
        assert row["hypothesis"][span["start"] : span["end"]] == span["text"]
        assert (row["emotions"], row["better"], row["fluent"]) == (["joy", "fear"], "A", "yes")
    call_command("verify_release", str(out))


def order_of(web: Any, project: Project) -> str:
    """Which of the two texts stands first on the card: as the vote that is not sent yet would store it."""
    card = web.get(room(project)).context["card"]
    assignment = Assignment.objects.select_related("annotator", "project", "item").get(token=card.token)
    content = assignment.item.revisions.get(n=1).content
    order = order_shown(
        assignment.project.kind_spec,
        content,
        drawn_with=assignment.drawn_with(assignment.project),
        item=assignment.item.key,
        annotator=assignment.annotator.pseudonym,
    )
    return order.keys[0]
