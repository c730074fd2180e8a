"""Questions to the leads over the API: who reads which, threads, answers for everybody; what is new for oneself."""

from typing import Any

import pytest
from django.core.cache import cache

from annotation.core.database import now
from tests import factory, review
from tests.api import assert_refused, script
from validation.questions.models import Question

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


def path(at: review.World, more: str = "") -> str:
    return f"projects/{at.project.slug}/questions{more}"


def test_asked_about_a_card_answered_and_published() -> None:
    at = review.world()
    assignment = review.assign(at.item(), at.validators[0])
    asking, lead = script(at.validators[0].user), script(at.lead.user)
    body = {"text": "Is a shop a market?", "assignment": assignment.token}
    asked = asking.post(path(at), body)
    assert asked.status_code == 201
    row = asked.json()
    assert (row["about"], row["mine"], row["by"]) == ("item", True, at.validators[0].pseudonym)
    assert at.item().hypothesis.text in [text["text"] for text in row["texts"]]
    assert at.item().key not in asked.content.decode()
    assert at.writer.pseudonym not in asked.content.decode()
    [listed] = lead.pages(path(at))
    assert (listed["id"], listed["mine"], listed["answers"]) == (row["id"], False, 0)
    lead.post(path(at, f"/{row['id']}:reply"), {"text": "Yes, if food is sold."})
    thread = asking.get(path(at, f"/{row['id']}"))
    assert [(each["by_asker"], each["text"]) for each in thread.json()["replies"]] == [(False, "Yes, if food is sold.")]
    assert at.lead.pseudonym not in thread.content.decode()
    sent = {"question": "Is a shop a market?", "answer": "Yes.", "roles": ["validation"]}
    assert lead.post(path(at, f"/{row['id']}:publish"), sent).json()["published_at"]
    assert_refused(lead.post(path(at, f"/{row['id']}:publish"), sent), 409, "question_published")
    everybody = script(at.writer.user).pages(path(at, ":answered"))
    assert [(each["question"], each["answer"]) for each in everybody] == [("Is a shop a market?", "Yes.")]


def test_only_who_asked_and_leads_read_it() -> None:
    at = review.world()
    asked = script(at.validators[0].user).post(path(at), {"text": "Why?"}).json()
    for person in (at.validators[1], at.writer):
        assert script(person.user).pages(path(at)) == []
        for more, body in (("", None), (":reply", {"text": "a"})):
            asking, where = script(person.user), path(at, f"/{asked['id']}{more}")
            assert_refused(asking.get(where) if body is None else asking.post(where, body), 404, "not_found")
    assert_refused(script(at.writer.user, "read").post(path(at), {"text": "a"}), 403, "scope_missing")
    stranger = script(factory.member(factory.project(), "lead").user)
    assert_refused(stranger.get(path(at, f"/{asked['id']}")), 404, "not_found")


def test_a_writer_asks_about_their_item_and_nobody_elses() -> None:
    at = review.world()
    item = at.item()
    asked = script(at.writer.user).post(path(at), {"text": "Is it wrong?", "item": item.key})
    assert asked.json()["about"] == "item"
    other = script(factory.member(at.project, "writer").user)
    assert_refused(other.post(path(at), {"text": "Is it wrong?", "item": item.key}), 404, "not_found")


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({}, "field_required", "text"),
        ({"text": " "}, "field_blank", "text"),
        ({"text": "a", "section": "Nowhere"}, "guideline_section_unknown", "section"),
        ({"text": "a", "role": "validation", "section": "Nowhere"}, "guideline_section_unknown", "section"),
        ({"text": "a", "role": "validation", "item": "k"}, "question_about_one", "item"),
    ],
)
def test_what_is_no_question_is_refused(body: dict[str, Any], code: str, field: str) -> None:
    at = review.world()
    answer = script(at.writer.user).post(path(at), body)
    assert_refused(answer, 400, code)
    assert answer.json()["field"] == field
    assert not Question.objects.exists()


def test_a_section_of_the_guidelines_is_asked_about() -> None:
    at = review.world()
    heading = at.project.guidelines.filter(role="validation").order_by("-n")[0].text.splitlines()[0]
    body = {"text": "Always?", "role": "validation", "section": heading.lstrip("#").strip()}
    row = script(at.writer.user).post(path(at), body).json()
    assert (row["about"], row["section"]) == ("guidelines", body["section"])


def test_what_is_new_is_told_with_a_code_and_marked_as_read() -> None:
    at = review.world()
    review.give_back(at, review.cast_votes(at, at.item(), "ee"))
    asking = script(at.writer.user)
    told = asking.get("notices").json()
    assert told["new"] == len([each for each in told["notices"] if each["new"]]) >= 1
    [back] = [each for each in told["notices"] if each["code"] == "returned"]
    assert (back["project"], back["new"]) == (at.project.slug, True)
    assert back["page"].endswith(f"/p/{at.project.slug}/returned/")
    assert asking.post("notices:seen", {"until": now().isoformat()}).json()["new"] == 0
    assert_refused(asking.post("notices:seen", {"until": "yesterday"}), 400, "field_invalid")


def test_a_token_for_one_project_is_told_of_no_other() -> None:
    at, other = review.world(), factory.project()
    review.give_back(at, review.cast_votes(at, at.item(), "ee"))
    assert at.writer.user is not None
    factory.member(other, "writer", account=at.writer.user)
    limited = script(at.writer.user, projects=[other.slug])
    assert {each["project"] for each in limited.get("notices").json()["notices"]} <= {other.slug}
    assert_refused(limited.post("notices:seen", {"until": now().isoformat()}), 403, "notices_all_projects")
