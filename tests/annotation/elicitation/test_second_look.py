"""The second pass: after the group review every writer goes through all prompts with four ticks."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.messages import PROBLEMS
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.actions import second_look_save, variation_new
from annotation.elicitation.models import SecondLook, Session
from annotation.elicitation.rules.sessions import TICKS
from annotation.writing.actions.revising import item_revise
from tests import factory
from tests.prompts import a_prompt, a_prompt_project, typed_prompt
from validation.review.actions.corrections import correct
from validation.review.actions.decisions import approve
from validation.voting.actions.steps import exclude

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return a_prompt_project()


@pytest.fixture
def writer(project: Project) -> Annotator:
    return factory.member(project, "writer")


@pytest.fixture
def lead(project: Project) -> Annotator:
    return factory.member(project, "lead")


@pytest.fixture
def items(project: Project, writer: Annotator) -> list[Item]:
    other = factory.member(project, "writer")
    return [a_prompt(project, who) for who in (writer, other, other)]


def reviewed(project: Project) -> Session:
    return Session.objects.create(project=project, purpose=Session.Purpose.REVIEW, name="Bandung", held_on="2026-05-02")


def signed_in(person: Annotator) -> Client:
    client = Client()
    assert person.user is not None
    client.force_login(person.user)
    return client


def looked(writer: Annotator, item: Item, *missing: str, words: str = "", revision: int = 1) -> SecondLook:
    ticks = [tick for tick in TICKS if tick not in missing]
    return second_look_save(writer=writer, item_id=item.pk, revision_n=revision, ticks=ticks, words=words)


def page(person: Annotator, path: str = "") -> str:
    return signed_in(person).get(f"/p/{person.project.slug}/second-look/{path}").content.decode()


def test_it_begins_after_the_group_review(project: Project, writer: Annotator, items: list[Item]) -> None:
    """Before that nobody sees what others wrote, not even by its address."""
    assert "begins after the group review" in page(writer)
    address = f"/p/{project.slug}/second-look/{items[1].pk}/"
    assert signed_in(writer).post(address, {"revision": 1, "tick": list(TICKS)}).status_code == 404
    reviewed(project)
    shown = page(writer)
    assert "0 of 3 prompts looked through" in shown
    assert typed_prompt(1).text in shown


def test_one_prompt_after_the_other(project: Project, writer: Annotator, items: list[Item]) -> None:
    reviewed(project)
    web = signed_in(writer)
    for n, item in enumerate(items, 1):
        shown = web.get(f"/p/{project.slug}/second-look/").content.decode()
        assert reverse("second_look_save", args=[project.slug, item.pk]) in shown
        assert f"{n - 1} of 3" in shown
        sent = web.post(
            f"/p/{project.slug}/second-look/{item.pk}/", {"revision": "1", "tick": [*TICKS, "no-such-tick"]}
        )
        assert sent["Location"] == f"/p/{project.slug}/second-look/"
    assert "looked through every prompt" in page(writer)
    assert SecondLook.objects.filter(annotator=writer, **dict.fromkeys(TICKS, True)).count() == 3


def test_a_tick_that_is_missing_wants_words(project: Project, writer: Annotator, items: list[Item]) -> None:
    reviewed(project)
    address = f"/p/{project.slug}/second-look/{items[1].pk}/"
    web, ticks = signed_in(writer), [tick for tick in TICKS if tick != "natural"]
    refused = web.post(address, {"revision": "1", "tick": ticks, "words": " "})
    assert refused.status_code == 422
    assert PROBLEMS["look_words_missing"] in refused.content.decode()
    assert refused.content.decode().count("checked") == 3
    assert web.post(address, {"revision": "1", "tick": ticks, "words": "Kaku."}).status_code == 302
    look = SecondLook.objects.get()
    assert (look.natural, look.grammar, look.words) == (False, True, "Kaku.")


def test_looking_twice_is_one_row(writer: Annotator, items: list[Item]) -> None:
    looked(writer, items[1], "spelling", words="Salah eja.")
    looked(writer, items[1])
    look = SecondLook.objects.get()
    assert (look.spelling, look.words) == (True, "")


def test_a_text_that_changed_is_looked_at_again(project: Project, writer: Annotator, items: list[Item]) -> None:
    reviewed(project)
    mine = items[0]
    looked(writer, mine)
    changed = typed_prompt(1, context="Saya baru pindah ke gang ini.")
    item_revise(writer=writer, item_id=mine.pk, version=1, content=changed)
    assert "0 of 3" in page(writer)
    stale = signed_in(writer).post(f"/p/{project.slug}/second-look/{mine.pk}/", {"revision": "1", "tick": list(TICKS)})
    assert stale.status_code == 409
    assert "Saya baru pindah" in stale.content.decode()
    looked(writer, mine, revision=2)
    assert list(SecondLook.objects.order_by("revision_n").values_list("revision_n", flat=True)) == [1, 2]


@pytest.mark.parametrize(
    ("given", "error", "code"),
    [
        ({"words": "x" * 2001}, Invalid, "text_not_storable"),
        ({"words": "a\x00b"}, Invalid, "text_not_storable"),
        ({"ticks": ()}, Invalid, "look_words_missing"),
        ({"revision_n": 7}, Conflict, "stale"),
        ({"item_id": 0}, NotFound, "not_found"),
    ],
)
def test_what_is_refused(
    writer: Annotator, items: list[Item], given: dict[str, Any], error: type[Exception], code: str
) -> None:
    arguments = {"item_id": items[0].pk, "revision_n": 1, "ticks": tuple(TICKS), **given}
    with pytest.raises(error) as refusal:
        second_look_save(writer=writer, **arguments)
    assert getattr(refusal.value, "code", "") == code
    assert not SecondLook.objects.exists()


def test_what_is_left_out_or_elsewhere_is_not_looked_at(
    project: Project, writer: Annotator, lead: Annotator, items: list[Item]
) -> None:
    reviewed(project)
    exclude(lead=lead, item_id=items[0].pk, version=1, words="Bukan dari sini.")
    elsewhere = a_prompt_project()
    foreign = a_prompt(elsewhere, factory.member(elsewhere, "writer"))
    assert "0 of 2" in page(writer)
    for item in (items[0], foreign):
        with pytest.raises(NotFound):
            looked(writer, item)


def test_a_closed_project_takes_no_ticks(project: Project, writer: Annotator, items: list[Item]) -> None:
    Project.objects.filter(pk=project.pk).update(closed_at="2026-01-01T00:00Z")
    writer.refresh_from_db()
    with pytest.raises(Conflict):
        looked(writer, items[0])


def test_leads_see_what_is_missing(project: Project, writer: Annotator, lead: Annotator, items: list[Item]) -> None:
    reviewed(project)
    second = items[1].author
    assert second is not None
    for who in (writer, second):
        looked(who, items[0])
    looked(writer, items[1], "natural", "grammar", words="Kaku sekali.")
    shown = page(lead, "table/")
    assert "2 of 3 prompts are not" in page(lead)
    assert "2 of 3 prompts are not ticked by every writer" in shown
    assert items[0].key not in shown
    assert "Kaku sekali." in shown
    assert f">{second.pseudonym}</td>" in shown
    assert f"{writer.pseudonym}, {second.pseudonym}" in shown
    Annotator.objects.filter(pk=second.pk).update(left_at="2026-01-01T00:00Z")
    assert "2 of 3" in page(lead, "table/")
    looked(writer, items[2])
    assert "1 of 3" in page(lead, "table/")


def test_who_may_see_it(project: Project, writer: Annotator, items: list[Item]) -> None:
    reviewed(project)
    validator = factory.member(project, "validator")
    assert signed_in(validator).get(f"/p/{project.slug}/second-look/").status_code == 403
    assert signed_in(writer).get(f"/p/{project.slug}/second-look/table/").status_code == 403
    sent = signed_in(validator).post(f"/p/{project.slug}/second-look/{items[0].pk}/", {"revision": "1"})
    assert sent.status_code == 403


def test_statements_do_not_grow_with_prompts(
    project: Project, writer: Annotator, lead: Annotator, items: list[Item]
) -> None:
    reviewed(project)

    def counted() -> list[int]:
        found = []
        for person, path in ((writer, ""), (lead, "table/")):
            web, address = signed_in(person), f"/p/{project.slug}/second-look/{path}"
            web.get(address)
            with CaptureQueriesContext(connection) as statements:
                assert web.get(address).status_code == 200
            found.append(len(statements))
        return found

    looked(writer, items[1], "natural", words="Kaku.")
    few = counted()
    for _ in range(8):
        looked(writer, a_prompt(project, writer), "natural", words="Kaku.")
    assert counted() == few
    assert max(few) < 20, few


def test_the_home_page_says_how_many_are_left(
    project: Project, writer: Annotator, lead: Annotator, items: list[Item]
) -> None:
    def home(person: Annotator) -> str:
        return " ".join(signed_in(person).get("/").content.decode().split())

    assert "for a second look" not in home(writer)
    assert "Begin a prompt on a topic" in home(writer)
    reviewed(project)
    looked(writer, items[0])
    assert '<span class="num">2</span> prompts for a second look' in home(writer)
    assert "second look" not in home(lead)
    variation_new(writer=writer, item_id=items[0].pk)
    assert "Begin a prompt on a topic" not in home(writer)
    for item in items[1:]:
        looked(writer, item)
    assert "for a second look" not in home(writer)


# --- before a lead approves -----------------------------------------------------------------


@pytest.fixture
def checked() -> tuple[Annotator, list[Item]]:
    """The lead of a project that checks first and holds group reviews, and a prompt of each of two writers."""
    project = a_prompt_project(settings={"check_first": True})
    writers = [factory.member(project, "writer"), factory.member(project, "writer")]
    reviewed(project)
    return factory.member(project, "lead"), [a_prompt(project, who) for who in writers]


def test_what_nobody_has_looked_through_is_not_approved_unnoticed(
    checked: tuple[Annotator, list[Item]],
) -> None:
    lead, (item, _) = checked
    slug = lead.project.slug
    client, page = signed_in(lead), f"/p/{slug}/items/{item.pk}/"
    shown = client.get(page).content.decode()
    assert "second look: 0 of 2 writers" in shown
    assert 'name="unseen"' in shown
    refused = client.post(f"{page}approve/", {"version": item.version})
    assert refused.status_code == 422
    assert PROBLEMS["second_look_missing"] in refused.content.decode()
    item.refresh_from_db()
    assert item.stage == "submitted"
    assert client.post(f"{page}approve/", {"version": item.version, "unseen": "on"}).status_code == 302
    item.refresh_from_db()
    assert item.stage == "written"


def test_one_writer_who_looked_at_the_present_text_is_enough(checked: tuple[Annotator, list[Item]]) -> None:
    lead, (item, other) = checked
    writer = other.author
    assert writer is not None
    looked(writer, item)
    page = f"/p/{lead.project.slug}/items/{item.pk}/"
    shown = signed_in(lead).get(page).content.decode()
    assert "second look: 1 of 2 writers" in shown
    assert 'name="unseen"' not in shown
    # The text changes: what was looked at is not what stands there.
    given = {"field": "instruction", "text": "Apa kata Anda kepada tamu itu?", "meaning": "same", "words": ""}
    item = correct(lead=lead, item_id=item.pk, version=item.version, **given)
    with pytest.raises(Invalid) as refused:
        approve(lead=lead, item_id=item.pk, version=item.version)
    assert (refused.value.field, refused.value.code) == ("unseen", "second_look_missing")
    looked(writer, item, revision=item.revision_n)
    assert approve(lead=lead, item_id=item.pk, version=item.version).stage == "written"


def test_kinds_without_a_second_pass_are_approved_as_before() -> None:
    at = factory.project(settings={"check_first": True})
    (item, *_) = factory.written_pairs(at, factory.member(at, "writer"))
    lead = factory.member(at, "lead")
    assert approve(lead=lead, item_id=item.pk, version=item.version).stage == "written"
