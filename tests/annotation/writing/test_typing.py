"""How texts are typed: what is read, what is unknown, what leads see; nothing is kept without consent."""

import json

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.typing import choice_of, typing_choose
from annotation.writing.models import TypingChoice, TypingRecord
from annotation.writing.rules.typing import Typing, in_one_insertion, read, sum_typing
from annotation.writing.typing_queries import texts_in_one_insertion, writers
from tests import factory

GOOD = {
    "typed": 40,
    "pasted": 5,
    "inserted": 0,
    "longest": 5,
    "edits": 3,
    "pauses_short": 2,
    "pauses_middle": 0,
    "pauses_long": 1,
}
UNKNOWN = [
    "",
    "no JSON",
    "[]",
    "null",
    json.dumps(GOOD | {"typed": -1}),
    json.dumps(GOOD | {"typed": 1.5}),
    json.dumps(GOOD | {"typed": True}),
    json.dumps(GOOD | {"typed": 1_000_001}),
    json.dumps(GOOD | {"keys": "abc"}),
    json.dumps({name: n for name, n in GOOD.items() if name != "edits"}),
    json.dumps(dict.fromkeys(GOOD, 0)),
    json.dumps(GOOD) + " " * 2000,
]


@pytest.mark.parametrize("sent", UNKNOWN)
def test_what_the_script_did_not_send_is_unknown(sent: str) -> None:
    assert read(sent) is None


def test_what_the_script_sent_is_read() -> None:
    assert read(json.dumps(GOOD)) == Typing(**GOOD)


@pytest.mark.parametrize(
    ("longest", "length", "shown"),
    [(80, 100, True), (79, 100, False), (39, 39, False), (40, 40, True), (0, 100, False), (500, 60, True)],
)
def test_what_arrived_in_one_insertion(longest: int, length: int, shown: bool) -> None:
    assert in_one_insertion(Typing(**(GOOD | {"longest": longest})), length) is shown
    assert not in_one_insertion(None, length)


def test_sums_count_what_is_unknown_as_unknown() -> None:
    found = sum_typing([(Typing(**GOOD), 45, True), (None, 30, None), (None, 20, False)])
    assert (found.texts, found.measured, found.attested, found.not_attested) == (3, 1, 1, 1)
    assert found.share(found.pasted) == pytest.approx(5 / 45)
    assert sum_typing([]).share(0) is None


@pytest.mark.django_db
class TestRecording:
    def world(self, typing: str = "sums") -> tuple[Project, Annotator, Allocation, Client]:
        project = factory.project(settings={"typing": typing})
        writer = factory.member(project, "writer")
        factory.premises(project, 1)
        allocations_assign(target=project.targets.get(), writers=[writer], size=1)
        client = Client()
        assert writer.user is not None
        client.force_login(writer.user)
        return project, writer, Allocation.objects.get(writer=writer), client

    def submit(self, project: Project, allocation: Allocation, client: Client, **more: str) -> None:
        texts = {f"text_{slot}": text for slot, text in factory.SET.items()}
        url = reverse("write_submit", args=[project.slug, allocation.token])
        assert client.post(url, {**texts, "submit": "1", **more}).status_code == 302

    def test_of_whoever_agreed_the_sums_are_kept(self) -> None:
        project, writer, allocation, client = self.world()
        client.post(reverse("write_typing", args=[project.slug]), {"agreed": "yes"})
        page = client.get(reverse("write_set", args=[project.slug, allocation.token])).text
        assert "js/typing" in page
        assert 'name="typing_e1"' in page
        self.submit(project, allocation, client, typing_e1=json.dumps(GOOD), attest="asked", attested="on")
        records = TypingRecord.objects.filter(project=project)
        assert records.count() == 6
        assert set(records.values_list("attested", flat=True)) == {True}
        first = records.get(item__slot="e1")
        assert (first.typing, first.length) == (Typing(**GOOD), len(factory.SET["e1"]))
        # Without what the script sends it is not known, and never 0.
        assert set(records.exclude(item__slot="e1").values_list("typed", flat=True)) == {None}
        assert [(each.pseudonym, each.sums.measured) for each in writers(project)] == [(writer.pseudonym, 1)]

    @pytest.mark.parametrize("answer", ["no", None])
    def test_without_consent_nothing_is_kept_but_the_attestation(self, answer: str | None) -> None:
        project, _, allocation, client = self.world()
        if answer:
            client.post(reverse("write_typing", args=[project.slug]), {"agreed": answer})
        page = client.get(reverse("write_set", args=[project.slug, allocation.token])).text
        assert "js/typing" not in page
        assert "typing_e1" not in page
        self.submit(project, allocation, client, typing_e1=json.dumps(GOOD), attest="asked")
        assert set(TypingRecord.objects.values_list("typed", "attested")) == {(None, False)}

    def test_where_nobody_asks_nothing_is_shown_or_kept(self) -> None:
        project, writer, allocation, client = self.world("off")
        page = client.get(reverse("write_set", args=[project.slug, allocation.token])).text
        assert "How you type" not in page
        assert "attested" not in page
        assert client.post(reverse("write_typing", args=[project.slug]), {"agreed": "yes"}).status_code == 302
        assert choice_of(writer) is None
        self.submit(project, allocation, client, typing_e1=json.dumps(GOOD), attest="asked", attested="on")
        assert not TypingRecord.objects.exists()

    def test_an_answer_can_be_changed_and_is_stored_once(self) -> None:
        _, writer, _, _ = self.world()
        assert choice_of(writer) is None
        for agreed in (True, True, False):
            typing_choose(writer=writer, agreed=agreed)
        assert choice_of(writer) is False
        assert TypingChoice.objects.filter(annotator=writer).count() == 2

    def test_leads_see_what_arrived_at_once_and_nothing_else_happens(self) -> None:
        project, _, allocation, client = self.world()
        client.post(reverse("write_typing", args=[project.slug]), {"agreed": "yes"})
        pasted = GOOD | {"typed": 0, "pasted": 60, "longest": 60}
        self.submit(project, allocation, client, typing_n1=json.dumps(pasted))
        assert [record.item.slot for record in texts_in_one_insertion(project)] == ["n1"]
        lead, reader = factory.member(project, "lead"), Client()
        assert lead.user is not None
        reader.force_login(lead.user)
        page = reader.get(reverse("typing", args=[project.slug])).text
        item = Item.objects.get(project=project, slot="n1")
        assert item.key in page
        assert (item.stage, item.doubt) == ("written", 0)

    def test_all_counts_or_none(self) -> None:
        project, _, allocation, client = self.world()
        self.submit(project, allocation, client)
        with pytest.raises(IntegrityError, match="typing_all_counts_or_none"), transaction.atomic():
            TypingRecord.objects.update(typed=1)
