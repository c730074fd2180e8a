"""The parts of a project in the Python client, against the running server."""

from collections.abc import Callable
from pathlib import Path

import pytest
from mufakat_client import ApiError, Client, NotFound, Stale

from annotation.api.tokens import token_create
from tests import factory, machine, prompts, questions, review, translations
from tests.annotation.media.files import image
from validation.voting.actions.flags import flag_raise

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_writer_corrects_what_came_back_and_asks(asking: Callable[..., Client]) -> None:
    at = review.world(slug="one")
    item = review.give_back(at, review.cast_votes(at, at.item(), "ee"))
    assert at.writer.user is not None
    token = token_create(user=at.writer.user, name="w", scopes=("read", "annotate")).text
    client = asking(token=token)
    one = client.project("one")
    assert client.notices()["new"] >= 1
    [row] = one.my_items.returned()
    read = one.my_items.read(row["key"])
    asked = one.questions.ask("Is the verb wrong?", item=row["key"])
    assert one.questions.reply(asked["id"], "Or the tense?")["replies"][0]["by_asker"]
    with pytest.raises(Stale):
        one.my_items.resubmit(row["key"], version=read["version"] - 1, as_it_is=True)
    text = {"text": "Mangga dijual di pasar pada pagi hari.", "one_sentence": True}
    done = one.my_items.resubmit(row["key"], text, version=read["version"])
    assert (done["can"], list(one.my_items.returned())) == ([], [])
    item.refresh_from_db()
    assert item.stage == "corrected"


def test_a_lead_acts_on_many_items_and_takes_it_back(asking: Callable[..., Client]) -> None:
    at = review.world(slug="one")
    for item in at.items:
        item.refresh_from_db()
        flag_raise(item=item, code="too_fast", detail={})
    one = asking().project("one")
    preview = one.acts.preview("close", flag="too_fast", flagged="too_fast")
    act = one.acts.do("close", preview["items"], flag="too_fast", words="Read again.")
    assert (act["state"], act["done"]) == ("done", 6)
    assert one.acts.undo(act["id"])["done"] == 6
    assert one.acts.read(act["id"])["undoable"] == 0


def test_people_sources_pay_media_and_what_releases_tell(asking: Callable[..., Client], tmp_path: Path) -> None:
    project = factory.project("one")
    factory.premises(project, 10)
    writer = factory.member(project, "writer")
    one = asking().project("one")
    assert one.sources.allocate(4, to=writer.pseudonym) == 4
    [member] = [row for row in one.members.list() if row["pseudonym"] == writer.pseudonym]
    assert one.members.roles(member["id"], ["writer", "validator"])["roles"] == ["writer", "validator"]
    heir = factory.member(project, "writer")
    assert one.members.hand_over(member["id"], heir.pk)["given"] == 4
    rate = one.pay.set_rate("vote", "vote", "0.3000", "USD")
    assert [row["amount"] for row in one.pay.rates()] == [rate["amount"]]
    assert one.pay.totals(by="action")["totals"] == []
    assert one.pay.approve("2026-01-31") == {"approved": False, "people": 0}
    about = one.about.change(version=one.about.read()["version"], licence="CC-BY-4.0")
    assert (about["licence"], about["version"]) == ("CC-BY-4.0", 1)
    file = tmp_path / "mango.png"
    file.write_bytes(image())
    assert one.media.send(file)["name"] == one.media.send(file)["name"]
    assert len(list(one.media.list())) == 1


def test_a_study_is_drawn_and_read(asking: Callable[..., Client]) -> None:
    factory.project("one")
    one = asking().project("one")
    assert list(one.studies.list()) == []
    with pytest.raises(ApiError) as refusal:
        one.studies.draw("rating", "one-rated", outputs="")
    assert refusal.value.code
    with pytest.raises(NotFound):
        one.studies.read("rating", 1)


def test_targets_are_added_changed_and_ended(asking: Callable[..., Client]) -> None:
    translations.a_translation_project(slug="two")
    two = asking().project("two")
    made = two.targets.create("iba", name="Iban")
    changed = two.targets.change(made["key"], version=made["version"], description="Sehari-hari.")
    assert (changed["name"], changed["description"]) == ("Iban", "Sehari-hari.")
    with pytest.raises(Stale):
        two.targets.change(made["key"], version=made["version"], name="Ibanik")
    assert two.targets.end(made["key"])["ended_at"]
    assert two.targets.end(made["key"], False)["ended_at"] is None


def test_concepts_and_what_groups_say(asking: Callable[..., Client]) -> None:
    questions.a_question_project(slug="soal")
    concepts = asking().project("soal").concepts
    assert concepts.add("culture", ["tikar pandan"]) == {"added": 1, "there": 0}
    with pytest.raises(ApiError) as near:
        concepts.add("culture", ["tikar pandam"])
    assert near.value.code == "concept_near"
    [row] = concepts.list(category="culture")
    with pytest.raises(Stale):
        concepts.change(row["id"], version=row["version"] + 1, text="tikar")
    assert concepts.change(row["id"], version=row["version"], parallel="mat")["parallel"] == "mat"
    prompts.a_prompt_project("kalahi")
    kalahi = asking().project("kalahi")
    assert kalahi.group_questions.seed() > 0
    asked = kalahi.group_questions.add("likes", "Apa?")
    held = kalahi.sessions.create("elicitation", "Balai", "2026-03-02")
    assert kalahi.group_questions.answer(asked["id"], "Kopi.", session=held["id"])["text"] == "Kopi."
    retired = kalahi.group_questions.retire(asked["id"], version=asked["version"])
    assert retired["answers"][0]["session"] == held["id"]


def test_a_source_set_and_a_run(asking: Callable[..., Client], tmp_path: Path) -> None:
    translations.a_translation_project(slug="two")
    two = asking().project("two")
    file = tmp_path / "rows.jsonl"
    file.write_text('{"id": "a", "text": "Pasar itu ramai."}\n')
    taken = two.source_sets.send(file, "berita", "sentence")
    started = two.source_sets.start(taken["id"])
    two.jobs.wait(started["job"]["id"])
    [unit] = two.source_sets.units("berita")
    done = two.source_sets.clean(
        unit["id"], "removed", unit["rows"][0]["id"], revision=unit["revision"], reason="obvious"
    )
    two.source_sets.undo(unit["id"], done["steps"][0]["id"], revision=done["revision"])
    assert two.source_sets.freeze("berita")["frozen_at"]
    project = machine.a_machine_project("mesin")
    machine.materials(project, 1)
    mesin = asking().project("mesin")
    assert mesin.runs.limit("1", "USD", 5)["budget"] == "1.00000000"
    endpoint = machine.an_endpoint()
    chats = {row["step"]: endpoint.pk for row in mesin.runs.machine()["steps"] if row["asked"] == "chat"}
    assert mesin.runs.estimate(chats, 1)["steps"]
    run = mesin.runs.begin("One", chats, 1)
    assert mesin.runs.act(run["n"], "cancel")["state"] == "cancelled"
    assert list(mesin.rows("audits")) == []
    seen = mesin.runs.machine()["budget_set_at"]
    again = mesin.do("machine:limit", budget="2", currency="USD", per_minute=5, seen=seen)
    assert again["budget"] == "2.00000000"
