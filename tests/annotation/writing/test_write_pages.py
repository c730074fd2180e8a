"""The pages where people write: what is typed is always kept, the server checks, and what is wrong says so."""

import re
from typing import Any

import pytest
from django.test import Client

from annotation.content.models.item import Hypothesis, Item, Revision
from annotation.content.models.source import Allocation, Draft
from annotation.core.messages import PROBLEMS, UNKNOWN_PROBLEM, problem_words
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.writing.actions.allocation import allocations_assign
from tests import factory
from tests.conventions.sources import ROOT

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return factory.project(settings={"tags": "optional"})


@pytest.fixture
def writer(project: Project) -> Annotator:
    made = factory.member(project, "writer")
    factory.premises(project, 2, start=90)
    allocations_assign(target=project.targets.get(), writers=[made], size=2)
    return made


@pytest.fixture
def allocation(writer: Annotator) -> Allocation:
    return writer.allocations.order_by("position")[0]


@pytest.fixture
def browser(client: Client, writer: Annotator) -> Client:
    assert writer.user is not None
    client.force_login(writer.user)
    return client


def at(allocation: Allocation, *rest: str) -> str:
    return "/".join([f"/p/{allocation.project.slug}/write", allocation.token, *rest]) + "/"


def whole(**other: str) -> dict[str, str]:
    return {**{f"text_{slot}": text for slot, text in factory.SET.items()}, **other}


def save(browser: Client, allocation: Allocation, slot: str, text: str, version: int = 0, **more: Any) -> Any:
    return browser.post(at(allocation, "save", slot), {f"text_{slot}": text, "version": version, **more})


# --- saved as one types -------------------------------------------------------------------


def test_saving_answers_with_version_and_lines(browser: Client, allocation: Allocation) -> None:
    answer = save(browser, allocation, "e1", "Ada mangga. Penjual itu datang dari desa sebelah", one_e1="on").json()
    assert (answer["version"], answer["written"]) == (1, 1)
    assert [line["check"] for line in answer["lines"]["e1"]] == ["end_mark"]
    again = save(browser, allocation, "e2", "Ada mangga. Penjual itu datang dari desa sebelah.", one_e2="on").json()
    assert [line["words"] for line in again["lines"]["e2"]] == ["This repeats another text of the set (Entailment 1)."]
    assert Draft.objects.get(slot="e1").content["one_sentence"] is True


def test_a_newer_text_is_shown_and_not_overwritten(browser: Client, allocation: Allocation) -> None:
    save(browser, allocation, "e1", "Pertama.")
    answer = save(browser, allocation, "e1", "Kedua.")
    assert answer.status_code == 409
    assert (answer.json()["version"], answer.json()["other"]["text"]) == (1, "Pertama.")
    assert Draft.objects.get().content["text"] == "Pertama."
    assert save(browser, allocation, "e1", "Kedua.", 1).json()["version"] == 2


@pytest.mark.parametrize(
    ("slot", "text", "status", "code"),
    [("e1", "a\0b", 422, "text_not_storable"), ("e9", "Ada.", 422, "slot_unknown")],
)
def test_what_cannot_be_saved_says_why(
    browser: Client, allocation: Allocation, slot: str, text: str, status: int, code: str
) -> None:
    answer = save(browser, allocation, slot, text)
    assert (answer.status_code, answer.json()["problem"]) == (status, code)
    assert answer.json()["words"] == PROBLEMS[code]


def test_a_closed_project_takes_no_text(browser: Client, allocation: Allocation) -> None:
    Project.objects.filter(pk=allocation.project_id).update(closed_at="2020-01-01T00:00:00Z")
    assert save(browser, allocation, "e1", "Ada.").status_code == 409
    page = browser.post(at(allocation, "submit"), whole())
    assert page.status_code == 409
    assert factory.SET["c2"] in page.content.decode()
    assert "Somebody" not in browser.get(f"/p/{allocation.project.slug}/write/").content.decode()
    assert not Draft.objects.exists()


def test_a_slip_of_the_pen_is_told(browser: Client, allocation: Allocation, project: Project) -> None:
    factory.written_pairs(project, factory.member(project, "writer"), 7)
    lines = save(browser, allocation, "n1", "Pembeli itu membawa manggaa dari kebun.").json()["lines"]["n1"]
    assert "“manggaa” is one letter away from “mangga”" in lines[0]["words"]
    assert lines[0]["level"] == "warn"


# --- submitted ----------------------------------------------------------------------------


def test_a_set_sent_twice_is_one_set(browser: Client, allocation: Allocation) -> None:
    for _ in range(2):
        answer = browser.post(at(allocation, "submit"), whole())
        assert (answer.status_code, answer["Location"]) == (302, f"/p/{allocation.project.slug}/write/")
    assert Item.objects.count() == 6
    other = browser.post(at(allocation, "submit"), whole(text_e1="Teks lain yang diketik."))
    assert other.status_code == 409
    assert "Teks lain yang diketik." in other.content.decode()
    assert Item.objects.count() == 6


def test_a_page_that_is_behind_shows_both_texts(browser: Client, allocation: Allocation) -> None:
    save(browser, allocation, "e1", "Dari tab lain.")
    page = browser.post(at(allocation, "submit"), whole())
    text = page.content.decode()
    assert page.status_code == 409
    assert "Dari tab lain." in text
    assert factory.SET["e1"] in text
    assert not Item.objects.exists()
    versions = {f"version_{slot}": "1" for slot in factory.SET}
    browser.post(at(allocation, "submit"), whole(take_e1="on", **versions))
    assert Hypothesis.objects.get(item__slot="e1").text == "Dari tab lain."


def test_saving_without_a_script_keeps_the_page(browser: Client, allocation: Allocation) -> None:
    page = browser.post(at(allocation, "submit"), {"text_e1": "Ada mangga.", "save": "1"})
    assert page.status_code == 200
    assert "1 of 6 written" in page.content.decode()
    assert "Nothing written here yet." not in page.content.decode()


def test_only_known_tags_are_kept(browser: Client, allocation: Allocation) -> None:
    browser.post(at(allocation, "submit"), {**whole(), "tags_e1": ["NEG", "SHOUT", "NEG", "QUANT"]})
    assert Hypothesis.objects.get(item__slot="e1").tags == ["NEG", "QUANT"]
    following = browser.get(f"/p/{allocation.project.slug}/write/", follow=True)
    spread = {row.tag.code: row.count for row in following.context["spread"]}
    assert (len(spread), spread["NEG"], spread["QUANT"], spread["MORPH"]) == (15, 1, 1, 0)


def test_skipping_needs_a_reason_and_keeps_the_text(browser: Client, allocation: Allocation) -> None:
    page = browser.post(at(allocation, "skip"), {"text_e1": "Setengah jadi.", "reason": "because"})
    assert page.status_code == 422
    assert PROBLEMS["reason_missing"] in page.content.decode()
    assert "Setengah jadi." in page.content.decode()
    browser.post(at(allocation, "skip"), {"text_e1": "Setengah jadi.", "version_e1": "1", "reason": "broken"})
    allocation.refresh_from_db()
    assert (allocation.state, allocation.skip_reason) == ("skipped", "broken")


# --- revised ------------------------------------------------------------------------------


@pytest.fixture
def item(browser: Client, allocation: Allocation) -> Item:
    browser.post(at(allocation, "submit"), whole())
    return Item.objects.get(slot="n1")


def revise(browser: Client, item: Item, text: str, version: int) -> Any:
    address = f"/p/{item.project.slug}/write/item/{item.pk}/"
    return browser.post(address, {"text_n1": text, "version_n1": version})


def test_a_submitted_text_is_revised(browser: Client, item: Item) -> None:
    done = browser.get(f"/p/{item.project.slug}/write/done/").content.decode()
    assert f"/write/item/{item.pk}/" in done
    answer = revise(browser, item, "Pedagang itu menanam mangga sendiri.", 1)
    assert answer.status_code == 302
    assert list(Revision.objects.filter(item=item).order_by("n").values_list("event", flat=True)) == [
        "submit",
        "revise",
    ]
    assert Hypothesis.objects.get(item=item).text == "Pedagang itu menanam mangga sendiri."


@pytest.mark.parametrize(
    ("text", "version", "status", "words"),
    [
        ("", 1, 422, PROBLEMS["text_missing"]),
        (factory.SET["n2"], 1, 422, "This repeats another text of the set (Neutral 2)."),
        ("Versi yang diketik.", 7, 409, "The text as it is now:"),
    ],
)
def test_a_revision_that_is_refused_keeps_what_was_typed(
    browser: Client, item: Item, text: str, version: int, status: int, words: str
) -> None:
    page = revise(browser, item, text, version)
    assert page.status_code == status
    assert text in page.content.decode()
    assert words in page.content.decode()
    assert Hypothesis.objects.get(item=item).text == factory.SET["n1"]


def test_nothing_is_revised_once_voting_began(browser: Client, item: Item) -> None:
    Item.objects.filter(pk=item.pk).update(opened_at="2020-01-01T00:00:00Z")
    page = revise(browser, item, "Terlambat.", 1)
    assert page.status_code == 409
    assert PROBLEMS["validation_began"] in page.content.decode()
    assert "Terlambat." in page.content.decode()
    assert f"/write/item/{item.pk}/" not in browser.get(f"/p/{item.project.slug}/write/done/").content.decode()


# --- words --------------------------------------------------------------------------------


def test_every_code_of_writing_and_voting_has_its_words() -> None:
    sources = [
        ROOT / "annotation" / "writing" / "actions" / "writing.py",
        *(ROOT / "validation" / "voting" / "actions" / name for name in ("assignments.py", "votes.py")),
    ]
    # An assignment that was barred meanwhile is no answer to anything that somebody typed.
    codes = {code for path in sources for code in re.findall(r'code="(\w+)"', path.read_text())} - {"assignment_barred"}
    assert len(codes) > 10
    said_at_the_desk = {"vote_gone"}
    assert codes - said_at_the_desk <= set(PROBLEMS)
    assert problem_words("never_heard_of") == UNKNOWN_PROBLEM


@pytest.mark.parametrize("tags", ["optional", "required"])
def test_a_submitted_text_says_whether_its_tags_are_optional(browser: Client, item: Item, tags: str) -> None:
    item.project.settings = {**item.project.settings, "tags": tags}
    item.project.save()
    page = browser.get(f"/p/{item.project.slug}/write/item/{item.pk}/").content.decode()
    assert "Phenomena" in page
    assert ("(optional)" in page) == (tags == "optional")
