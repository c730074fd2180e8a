"""Sessions, group questions, topics and the second pass over the API."""

import pytest

from annotation.content.models.source import Allocation
from annotation.elicitation.models import SecondLook
from tests.api import assert_refused, script
from tests.group import World, build
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(standing: SharedWorlds) -> World:
    return standing(build)


def here(at: World, what: str) -> str:
    return f"projects/{at.project.slug}/{what}"


def test_questions_are_asked_and_answered(at: World) -> None:
    lead, writer = script(at.lead.user), script(at.writer.user)
    assert lead.post(here(at, "group-questions:seed")).json()["added"] > 3
    assert lead.post(here(at, "group-questions:seed")).json() == {"added": 0}
    made = lead.post(here(at, "group-questions"), {"kind": "likes", "text": "Apa yang disukai?"})
    assert made.status_code == 201
    one = here(at, f"group-questions/{made.json()['id']}")
    held = {"purpose": "elicitation", "name": "Balai", "held_on": "2026-03-02"}
    session = lead.post(here(at, "sessions"), held).json()["id"]
    sent = {"text": "Kopi.", "session": session}
    answer = writer.post(f"{one}:answer", sent).json()
    assert (answer["by"], answer["session"]) == (at.writer.pseudonym, session)
    assert_refused(writer.post(f"{one}:answer", {"text": "Teh.", "topic": "?"}), 400, "elicitation_topic_unknown")
    changed = here(at, f"group-answers/{answer['id']}:change")
    assert writer.post(changed, {"text": "Teh."}).json()["text"] == "Teh."
    assert_refused(lead.post(changed, {"text": "Susu."}), 404, "not_found")
    assert_refused(lead.post(f"{one}:retire", {"version": 2}), 409, "elicitation_stale")
    assert lead.post(f"{one}:retire", {"version": 1}).json()["answers"][0]["text"] == "Teh."
    texts = [row["text"] for row in writer.pages(here(at, "group-questions"))]
    assert "Apa yang disukai?" not in texts
    assert "Apa yang disukai?" in [row["text"] for row in lead.pages(here(at, "group-questions"))]


def test_who_sees_which_sessions(at: World) -> None:
    names = [row["purpose"] for row in script(at.reviewer.user).pages(here(at, "sessions"))]
    assert set(names) == {"review"}
    assert script(at.writer.user).pages(here(at, "sessions")) == []


def test_a_prompt_and_a_variation_are_begun(at: World) -> None:
    writer = script(at.writer.user)
    [topic, *_] = [row for row in writer.pages(here(at, "topics")) if row["own"]]
    begun = writer.post(here(at, f"topics/{topic['id']}:begin")).json()["token"]
    assert writer.post(here(at, f"topics/{topic['id']}:begin")).json()["token"] == begun
    varied = writer.post(here(at, f"my-items/{at.item.key}:vary")).json()["token"]
    assert Allocation.objects.get(token=varied).origin == at.item
    tokens = [row["token"] for row in writer.pages(here(at, "allocations"))]
    assert {begun, varied} <= set(tokens)
    assert_refused(writer.post(here(at, "my-items/nowhere:vary")), 404, "not_found")


def test_the_second_pass(at: World) -> None:
    writer, lead = script(at.writer.user), script(at.lead.user)
    rows = writer.pages(here(at, "second-look"))
    one = next(row for row in rows if row["key"] == at.item.key)
    assert one["text"]
    assert {row["role"] for row in one["responses"]} >= {"best", "irrelevant"}
    save = here(at, f"second-look/{at.item.key}:save")
    ticks = ["authentic", "natural", "spelling", "grammar"]
    assert_refused(writer.post(save, {"revision": one["revision"], "ticks": ticks[:3]}), 400, "look_words_missing")
    assert_refused(writer.post(save, {"revision": one["revision"] + 1, "ticks": ticks}), 409, "stale")
    done = writer.post(save, {"revision": one["revision"], "ticks": ticks})
    assert done.json() == {"key": at.item.key, "left": len(rows) - 1}
    assert SecondLook.objects.get().annotator == at.writer
    [row] = [row for row in lead.pages(here(at, "second-look:standing")) if row["key"] == at.item.key]
    assert (row["done"], row["waiting"], set(row["missing"].values())) == (True, 0, {0})
    assert_refused(writer.get(here(at, "second-look:standing")), 403, "forbidden")


def test_a_group_proposes_and_a_lead_decides(at: World) -> None:
    reviewer, second, lead = (script(who.user) for who in (at.reviewer, at.second, at.lead))
    held = here(at, f"sessions/{at.session.pk}")
    prompts = reviewer.pages(f"{held}/prompts")
    assert at.item.key in [row["key"] for row in prompts]
    sent = {"item": at.item.key, "form": "reword", "texts": {"instruction": "Apa yang kamu lakukan?"}}
    made = reviewer.post(f"{held}/suggestions", sent)
    assert made.status_code == 201, made.content
    one = f"{held}/suggestions/{made.json()['id']}"
    assert second.post(f"{one}:remark", {"text": "Ya."}).json()["remarks"][0]["by"] == at.second.pseudonym
    assert_refused(second.post(f"{one}:take-back"), 403, "forbidden")
    assert_refused(second.post(f"{one}:accept", {"revision": 1}), 403, "forbidden")
    assert_refused(lead.post(f"{one}:accept", {"revision": 9}), 409, "suggestion_stale")
    done = lead.post(f"{one}:accept", {"revision": made.json()["revision"], "meaning": "same", "words": "Ok."})
    assert done.json()["state"] == "accepted"
    at.item.refresh_from_db()
    assert at.item.revision_n == made.json()["revision"] + 1
    again = reviewer.post(f"{held}/suggestions", {**sent, "texts": {"instruction": "Bagaimana?"}}).json()["id"]
    assert_refused(lead.post(f"{held}/suggestions/{again}:decline", {"words": ""}), 400, "field_blank")
    lead.post(f"{held}/suggestions/{again}:decline", {"words": "No."})
    states = {row["id"]: row["state"] for row in reviewer.pages(f"{held}/suggestions")}
    assert states == {made.json()["id"]: "accepted", again: "declined"}
    assert_refused(script(at.writer.user).get(f"{held}/prompts"), 403, "forbidden")
