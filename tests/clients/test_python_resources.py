"""The parts of a project in the Python client, against the running server."""

from collections.abc import Callable
from pathlib import Path

import pytest
from mufakat_client import ApiError, Client, NotFound, Stale

from annotation.api.tokens import token_create
from tests import factory, review, translations
from tests.annotation.media.files import image
from validation.review.actions.flags import flag_raise

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_writer_corrects_what_came_back_and_asks(asking: Callable[..., Client]) -> None:
    at = review.world(slug="one")
    item = review.give_back(at, review.votes(at, at.item(), "ee"))
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


def test_people_sources_pay_media_and_what_releases_tell(
    asking: Callable[..., Client], tmp_path: Path
) -> None:
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
