"""The contract of every answer type over the API: drawn on a card, read, refused, stored, given back, adjudicated."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation import answers, kinds
from annotation.answers import Question
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory
from tests.api import Script, assert_refused, script
from tests.every_answer_type import KIND, POSTED_ANSWERS, QUESTIONS, a_project, browser_of, registered
from tests.questions import CHOICES, a_question, a_question_project
from tests.review import decide
from validation.consensus.protocol import Protocol
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db
DEEP: Any = [[[[[["e"]]]]]]
# By question: an answer of a script, what votes keep, what can be no answer, and why.
TOLD: dict[str, tuple[Any, dict[str, Any], Any, str]] = {
    "relation": ("e", {"relation": "e"}, "x", "answer_unknown"),
    "toxicity": (4, {"toxicity": "4"}, "9", "answer_unknown"),
    "emotions": (["fear", "joy", "joy"], {"emotions": ["joy", "fear"]}, ["sad"], "answer_unknown"),
    "better": ("tie", {"better": "tie"}, "1", "answer_unknown"),
    "evidence": (
        [{"start": 0, "end": 3, "of": "hypothesis"}],
        {"evidence": [{"of": "hypothesis", "start": 0, "end": 3, "text": "", "label": ""}]},
        [{"start": 2, "end": 9999}],
        "span_outside",
    ),
    "why": (" Karena begitu. ", {"why": " Karena begitu. "}, "x" * 3000, "answer_too_long"),
    "quality": (
        {"fluent": "yes", "useful": 2},
        {"fluent": "yes", "useful": "2"},
        {"fluent": "yes", "useful": "0"},
        "answer_unknown",
    ),
}


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


@contextmanager
def asking_for(*questions: Question) -> Iterator[Project]:
    """A project whose votes answer these alone."""
    places = any(answers.type_of(leaf).shuffled_sides for each in questions for leaf in each.leaf_questions())
    with registered(
        replace(
            KIND,
            question=replace(KIND.question, questions=questions),
            presentation=replace(KIND.presentation, is_shuffled=places),
        )
    ):
        yield a_project()


def card_of(api: Script, project: Project) -> dict[str, Any]:
    return dict(api.post(f"projects/{project.slug}/work:next").json()["card"])


def send(api: Script, project: Project, token: str, **body: Any) -> Any:
    return api.post(f"projects/{project.slug}/assignments/{token}/vote", body)


def test_every_answer_type_is_told_of() -> None:
    assert {question.answer_type for question in QUESTIONS} == set(answers.types_by_slug())
    assert [question.key for question in QUESTIONS] == list(TOLD)


@pytest.mark.parametrize("question", QUESTIONS, ids=[question.answer_type for question in QUESTIONS])
def test_the_contract_of_an_answer_type(question: Question) -> None:
    good, kept, wrong, code = TOLD[question.key]
    with asking_for(question) as project:
        api = script(factory.member(project, "validator").user, "annotate")
        card = card_of(api, project)
        assert card["choices"] == []
        (drawn,) = card["questions"]
        assert (drawn["key"], drawn["text"], drawn["type"]) == (
            question.key,
            question.text,
            question.answer_type,
        )
        assert (drawn["optional"], drawn["tie"]) == (question.optional, question.tie)
        assert drawn["texts"] == list(question.texts)
        assert [part["key"] for part in drawn["parts"]] == [part.key for part in question.parts]
        token, field = card["token"], f"answers.{question.key}"
        answer = send(api, project, token, answers={question.key: wrong})
        assert_refused(answer, 400, code)
        assert answer.json()["field"] == (field if not question.parts else "answers.useful")
        assert "%(" not in answer.json()["detail"]
        if not question.optional:
            missing = send(api, project, token, answers={})
            assert_refused(missing, 400, "span_missing" if question.answer_type == "spans" else "question_unanswered")
        assert_refused(send(api, project, token, answers={question.key: good, "other": 1}), 400, "question_unknown")
        assert_refused(send(api, project, token, answers={question.key: good}, label="e"), 400, "label_not_asked")
        nested = send(api, project, token, answers={question.key: DEEP})
        assert_refused(nested, 400, "field_nested")
        assert nested.json()["field"] == field
        assert_refused(send(api, project, token, answers={question.key: {"a": {}}}), 400, _strange(question))
        assert not Vote.objects.exists()
        for _ in range(2):
            assert send(api, project, token, answers={question.key: good}).status_code == 200
        vote = Vote.objects.get()
        for span in kept.get("evidence", ()):
            span["text"] = next(text["text"] for text in card["texts"] if text["key"] == span["of"])[:3]
        assert {key: value for key, value in vote.answers.items() if key != "order"} == kept
        undone = api.post(f"projects/{project.slug}/work:undo").json()["card"]
        assert undone["typed"] == {"answers": kept}
        again = send(api, project, undone["token"], answers=undone["typed"]["answers"])
        assert again.status_code == 200
        _read_and_settled(project, question, vote.item.key, kept, wrong, code)


def _strange(question: Question) -> str:
    if question.parts:
        return "question_unknown"
    return "answer_unknown"


def _read_and_settled(
    project: Project, question: Question, key: str, kept: dict[str, Any], wrong: Any, code: str
) -> None:
    """A lead reads the votes, and settles the item by an answer of the type."""
    lead = script(factory.member(project, "lead").user)
    path = f"projects/{project.slug}/items/{key}"
    votes = lead.pages(f"{path}/votes")
    assert [{name: one["answers"].get(name) for name in kept} for one in votes] == [kept, kept]
    item = lead.get(path).json()
    assert item["gold_answers"] is None
    body = {"version": item["version"], "words": "Jelas."}
    answer = lead.post(f"{path}:adjudicate", {**body, "answers": {question.key: wrong}})
    assert_refused(answer, 400, code)
    assert answer.json()["field"].startswith("answers.")
    given = {question.key: kept} if question.parts else kept
    settled = lead.post(f"{path}:adjudicate", {**body, "answers": given})
    assert settled.status_code == 200, settled.content
    assert (settled.json()["gold_answers"], settled.json()["gold_from"]) == (kept, "lead")
    assert lead.pages(f"{path}/reviews")[-1]["answers"] == kept
    exported = b"".join(lead.get(f"projects/{project.slug}/items:export").streaming_content)
    assert exported.count(b'"gold_answers":{') == 1


def test_sides_are_named_as_they_stand_on_the_card() -> None:
    better = next(question for question in QUESTIONS if question.answer_type == "preference")
    firsts = set()
    with asking_for(better) as project:
        for _ in range(8):
            person = factory.member(project, "validator")
            api = script(person.user)
            card = card_of(api, project)
            assert [(each["key"], each["letter"]) for each in card["questions"][0]["labels"]] == [
                ("A", "A"),
                ("B", "B"),
                ("tie", "T"),
            ]
            content = Assignment.objects.get(token=card["token"]).item.revisions.get().content
            send(api, project, card["token"], answers={"better": "A"})
            stored = Vote.objects.get(annotator=person).answers["better"]
            assert card["texts"][0]["text"] == content[dict(zip("AB", better.texts, strict=True))[stored]]
            assert [text["key"] for text in card["texts"]] == ["premise", "hypothesis"]
            firsts.add(stored)
            assert api.post(f"projects/{project.slug}/work:undo").json()["card"]["typed"] == {
                "answers": {"better": "A"}
            }
    assert firsts == {"A", "B"}


def test_own_options_are_named_by_their_letters_on_the_card() -> None:
    rules = Protocol("c", (2,), 2, author="none", criteria=("likely", "odd one"))
    project = a_question_project(protocol=rules, settings={"spacing": 0})
    a_question(project, factory.member(project, "writer"), answer="C")
    decide()
    api = script(factory.member(project, "validator").user)
    card = card_of(api, project)
    (asked,) = card["questions"]
    labels = asked["parts"][0]["labels"]
    assert [label["key"] for label in labels] == list("ABCDE")
    key_of = {text: key for key, text in CHOICES.items()}
    assert_refused(
        send(api, project, card["token"], answers={"criteria": {"likely": "F", "odd one": "A"}}),
        400,
        "answer_unknown",
    )
    assert send(api, project, card["token"], answers={"likely": "B", "odd one": "D"}).status_code == 200
    vote = Vote.objects.get()
    assert (vote.answers["likely"], vote.answers["odd one"]) == (
        key_of[labels[1]["name"]],
        key_of[labels[3]["name"]],
    )
    undone = api.post(f"projects/{project.slug}/work:undo").json()["card"]
    assert undone["typed"]["answers"] == {"likely": "B", "odd one": "D"}


def test_a_label_is_no_question() -> None:
    project = factory.project("one")
    factory.written_pairs(project, factory.member(project, "writer"))
    decide()
    api = script(factory.member(project, "validator").user)
    token = card_of(api, project)["token"]
    assert_refused(send(api, project, token, answers={"relation": "e"}), 400, "question_unknown")
    assert_refused(send(api, project, token), 400, "label_unknown")
    assert send(api, project, token, label="e").status_code == 200


def _counted(send: Any) -> int:
    with CaptureQueriesContext(connection) as told:
        assert send().status_code == 200
    return len(told.captured_queries)


def test_answers_cost_no_more_statements_than_on_the_page() -> None:
    with asking_for(*QUESTIONS) as project:
        people = [factory.member(project, "validator") for _ in range(2)]
        api, web = script(people[0].user), browser_of(people[1])
        room = f"/p/{project.slug}/vote/"
        token, body = card_of(api, project)["token"], _bodies(people[0], project)
        card = web.get(room).context["card"]
        for _ in range(3):
            page = f"{room}{card.token}/"
            by_script = {"HX-Request": "true"}
            passage = Assignment.objects.get(token=card.token).item.revisions.get().content["hypothesis"]
            posted = {
                **POSTED_ANSWERS,
                "answer-evidence-text": [passage.split()[0], ""],
                "answer-evidence-start": ["0", ""],
            }
            on_page = _counted(lambda: web.post(page, posted, headers=by_script))  # noqa: B023
            card = web.get(room).context["card"]
            answered: list[Any] = []

            def over_api() -> Any:
                answered.append(send(api, project, token, answers=body))  # noqa: B023
                return answered[-1]  # noqa: B023

            assert _counted(over_api) <= on_page * 1.1
            token = answered[-1].json()["card"]["token"]


def _bodies(person: Annotator, project: Project) -> dict[str, Any]:
    assert kinds.get(project.kind).question.questions == QUESTIONS
    return {key: good for key, (good, *_) in TOLD.items()}
