"""People's work over the API: pauses, gold questions, the quiz of a voter, audits, typing, votes of models."""

from typing import Any

import pytest

from annotation.content.models.item import Item
from annotation.generation.models import Endpoint
from annotation.writing.models import TypingRecord
from tests import factory, review
from tests.api import Script, assert_refused, script
from tests.endpoint_runs import an_endpoint
from tests.quality import cast_first_votes
from tests.quality import cast_vote as vote_on
from tests.validation.qualification.test_quiz import world as quiz_world
from tests.validation.voting.test_stopping import audited
from validation.model_votes.models import ModelVote
from validation.qualification.models import QuizItem

pytestmark = pytest.mark.django_db


def here(at: review.World, what: str) -> str:
    return f"projects/{at.project.slug}/{what}"


def test_a_pause_is_begun_and_decided() -> None:
    at = review.world(2)
    lead, person = script(at.lead.user), at.validators[0]
    one = here(at, f"members/{person.pk}")
    assert_refused(lead.post(f"{one}:decide-pause", {"decision": "go_on", "words": "Ok."}), 409, "pause_none")
    paused = lead.post(f"{one}:pause", {"reason": "odd"}).json()
    assert (paused["pseudonym"], paused["decision"]) == (person.pseudonym, "")
    work = script(person.user).post(here(at, "work:next")).json()
    assert work == {"card": None, "owes": "decision", "more_by": None}
    decided = lead.post(f"{one}:decide-pause", {"decision": "go_on", "words": "Ok."}).json()
    assert (decided["id"], decided["decision"]) == (paused["id"], "go_on")
    assert [row["id"] for row in lead.pages(here(at, "pauses"))] == [paused["id"]]
    assert script(person.user).post(here(at, "work:next")).json()["card"]


def test_gold_questions_are_added_drawn_and_retired() -> None:
    at = review.world(3)
    cast_first_votes(at)
    lead = script(at.lead.user)
    assert_refused(
        lead.post(here(at, "gold-questions:add"), {"item": "nowhere", "accepted": ["e"]}),
        409,
        "gold_item_missing",
    )
    item = Item.objects.filter(project=at.project, stage="settled").order_by("pk")[0]
    made = lead.post(here(at, "gold-questions:add"), {"item": item.key, "accepted": [item.gold]})
    assert (made.status_code, made.json()["item"]) == (201, item.key), made.content
    assert lead.post(here(at, "gold-questions:draw"), {"count": 1}).json() == {"added": 1}
    retired = lead.post(here(at, f"gold-questions/{made.json()['id']}:retire")).json()
    assert (retired["retired_why"], retired["retired_at"] is not None) == ("lead", True)


def right(asked: dict[str, Any]) -> str:
    return str(QuizItem.objects.get(pk=asked["id"]).accepted[0])


def passed(voter: Script, at: review.World) -> Any:
    [attempt] = voter.post(here(at, "quiz:begin")).json()["attempts"]
    assert {row["right"] for row in attempt["items"]} == {None}
    assert {row["explanation"] for row in attempt["items"]} == {""}
    first, *others = attempt["items"]
    few = {str(first["id"]): right(first)}
    answer = voter.post(here(at, "quiz:hand-in"), {"answers": few})
    assert_refused(answer, 400, "quiz_answer_missing")
    assert answer.json()["field"] == f"answers.{others[0]['id']}"
    all_right = {str(row["id"]): right(row) for row in attempt["items"]}
    return voter.post(here(at, "quiz:hand-in"), {"answers": all_right}).json()


def test_the_quiz_of_a_voter() -> None:
    at = quiz_world()
    voter = script(at.validators[0].user)
    assert voter.post(here(at, "work:next")).json() == {"card": None, "owes": "quiz", "more_by": None}
    assert voter.get(here(at, "quiz")).json() == {"attempts": [], "left": 2, "qualified": False}
    done = passed(voter, at)
    assert (done["qualified"], done["attempts"][0]["passed"], done["left"]) == (True, True, 1)
    assert {row["explanation"] for row in done["attempts"][0]["items"]} == {"because of this"}
    assert voter.post(here(at, "work:next")).json()["card"]
    begun = voter.post(here(at, "training:begin")).json()["attempts"][0]["items"][0]
    assert (begun["right"], begun["told"]) == (None, [])
    wrong = next(choice["key"] for choice in begun["choices"] if choice["key"] != right(begun))
    told = voter.post(here(at, "training:answer"), {"id": begun["id"], "label": wrong}).json()
    names = {choice["key"]: choice["name"] for choice in begun["choices"]}
    [said] = told["attempts"][0]["items"][0]["told"]
    assert (said["chosen"], said["right"]) == ([names[wrong]], [names[right(begun)]])


def test_leads_keep_the_quiz() -> None:
    at = quiz_world()
    lead, other = script(at.lead.user), at.validators[1]
    rows = lead.pages(here(at, "quiz-items"))
    assert sorted(row["use"] for row in rows) == ["quiz"] * 4 + ["training"]
    assert lead.post(here(at, f"quiz-items/{rows[0]['id']}:retire")).json()["retired_at"]
    waived = lead.post(here(at, f"members/{other.pk}:waive-quiz"), {"reason": "known"}).json()
    assert waived["qualified_at"]
    assert_refused(lead.post(here(at, f"members/{other.pk}:waive-quiz"), {"reason": "known"}), 409, "quiz_passed")
    assert_refused(script(other.user).get(here(at, "quiz-items")), 403, "forbidden")


def test_audits_typing_and_models_are_read() -> None:
    plain = review.world(1)
    assert script(plain.lead.user).pages(here(plain, "audits")) == []
    assert_refused(script(plain.lead.user).get(here(plain, "audits/1/steps")), 404, "not_found")
    at = audited()
    lead, boss = script(at.lead.user), script(factory.user("boss@example.org", administrator=True))
    for each in at.items[:3]:
        vote_on(each, at.validators[0], each.author_label)
    review.decide()
    [row] = lead.pages(here(at, "audits"))
    steps = lead.pages(here(at, f"audits/{row['protocol']}/steps"))
    assert (row["seen"], [step["n"] for step in steps]) == (len(steps), list(range(1, len(steps) + 1)))
    item = at.item()
    TypingRecord.objects.create(project=at.project, item=item, length=9)
    [sums] = lead.get(here(at, "typing")).json()["writers"]
    assert (sums["pseudonym"], sums["texts"]) == (at.writer.pseudonym, 1)
    endpoint: Endpoint = an_endpoint()
    ModelVote.objects.create(project=at.project, item=item, endpoint=endpoint, model="m", revision_n=1, label="e")
    [vote] = lead.pages(here(at, "model-votes"))
    assert (vote["item"], vote["label"], vote["endpoint"]) == (item.key, "e", endpoint.name)
    [model] = lead.get(here(at, "model-votes:compare")).json()["models"]
    assert (model["model"], model["labels"]) == ("m", 1)
    sent = {"endpoint": endpoint.pk, "count": 3}
    assert boss.post(here(at, "model-votes:ask"), sent).status_code == 202
    assert_refused(boss.post(here(at, "model-votes:ask"), sent), 409, "model_votes_running")
    assert_refused(lead.post(here(at, "model-votes:ask"), sent), 403, "forbidden")


def test_a_card_is_kept_longer_and_errors_are_noted() -> None:
    at = review.world(2)
    voter, lead = script(at.validators[0].user), script(at.lead.user)
    token = voter.post(here(at, "work:next")).json()["card"]["token"]
    assert voter.post(here(at, f"assignments/{token}:stay")).json()["until"]
    assert_refused(script(at.validators[1].user).post(here(at, f"assignments/{token}:stay")), 404, "not_found")
    types = lead.get(here(at, "error-counts")).json()["error_types"]
    sent = {"error_type": next(iter(types)), "words": "Look at the verb."}
    noted = lead.post(here(at, "guideline-versions:note"), sent).json()
    assert lead.post(here(at, "guideline-versions:note"), sent).json() == noted
    assert_refused(lead.post(here(at, "guideline-versions:note"), {**sent, "error_type": "none"}), 400, "error_unknown")
