"""Prompts: their ids, the topics that they are begun on, and variations."""

from functools import partial
from typing import Any

import pytest
from django.test import Client

from annotation.content.actions.items import new_key
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.messages import PROBLEMS
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.actions import prompt_new, variation_new
from annotation.elicitation.models import Lineage
from annotation.writing.actions.revising import item_revise
from annotation.writing.actions.writing import set_submit, source_skip
from tests import factory
from tests.prompts import (
    RESPONSES,
    a_prompt,
    a_prompt_project,
    a_prompt_share,
    a_topic,
    a_variation,
    typed_prompt,
)
from tests.race import run_at_once
from validation.voting.actions.steps import exclude

pytestmark = pytest.mark.django_db
SITUATION = "Saya sedang berpuasa."


@pytest.fixture
def project() -> Project:
    return a_prompt_project()


@pytest.fixture
def writer(project: Project) -> Annotator:
    return factory.member(project, "writer")


@pytest.fixture
def browser(client: Client, writer: Annotator) -> Client:
    assert writer.user is not None
    client.force_login(writer.user)
    return client


def at(allocation: Allocation, *rest: str) -> str:
    return "/".join([f"/p/{allocation.project.slug}/write", allocation.token, *rest]) + "/"


def form(n: int = 1, version: int = 0, **typed: Any) -> dict[str, Any]:
    """The form of a prompt as a browser sends it."""
    content = typed_prompt(n, **typed)
    more = {f"more_p_{name}": text for name, text in content.more.items()}
    return {"text_p": content.text, "version_p": version, **more}


# --- ids ----------------------------------------------------------------------------------


def test_a_prompt_gets_its_id_when_it_is_handed_in(project: Project, writer: Annotator) -> None:
    same: Any = {"context": "Hujan turun di pasar."}
    first = a_prompt(project, writer, **same)
    second = a_prompt(project, writer, user="", **same)
    other = a_prompt(project, writer, personal=SITUATION)
    assert [item.key for item in (first, second, other)] == ["0101000100", "0100000200", "0201000301"]
    assert first.family == second.family != other.family
    assert first.author_label == "R2"


def test_a_variation_has_the_numbers_of_its_origin_and_its_lineage(project: Project, writer: Annotator) -> None:
    origin = a_prompt(project, writer)
    varied = a_variation(project, writer, origin, SITUATION)
    again = a_variation(project, writer, varied, "Saya sedang hamil tua.")
    assert [varied.key, again.key] == [origin.key[:-2] + "01", origin.key[:-2] + "02"]
    assert varied.family == origin.family
    assert set(Lineage.objects.values_list("item", "origin", "how")) == {
        (varied.pk, origin.pk, "variation"),
        (again.pk, varied.pk, "variation"),
    }


def test_a_number_never_means_something_else(project: Project, writer: Annotator) -> None:
    """Neither when its prompt is excluded nor when the text that it was given for is reworded."""
    lead = factory.member(project, "lead")
    first = a_prompt(project, writer)
    exclude(lead=lead, item_id=first.pk, version=1, words="Bukan dari sini.")
    assert a_prompt(project, writer).key == "0201000200"
    third = a_prompt(project, writer, context="Hujan turun di pasar.")
    reworded = typed_prompt(3, context="Hujan deras turun di pasar.")
    item_revise(writer=writer, item_id=third.pk, version=1, content=reworded)
    for wording in ("Hujan turun di pasar.", "Hujan deras turun di pasar."):
        assert a_prompt(project, writer, context=wording).key[:2] == third.key[:2]


def test_the_same_prompt_twice_is_refused(project: Project, writer: Annotator) -> None:
    a_prompt(project, writer, n=1)
    with pytest.raises(Conflict) as refusal:
        a_prompt(project, writer, n=1)
    assert refusal.value.code == "prompt_id_taken"
    assert refusal.value.code in PROBLEMS
    assert project.items.count() == 1


def test_a_revision_cannot_leave_its_id(project: Project, writer: Annotator) -> None:
    item = a_prompt(project, writer, n=1)
    changes: list[Any] = [{"user": ""}, {"personal": SITUATION}]
    for typed in changes:
        with pytest.raises(Invalid) as refusal:
            item_revise(writer=writer, item_id=item.pk, version=1, content=typed_prompt(1, **typed))
        assert refusal.value.code == "key_unlike"
        assert refusal.value.code in PROBLEMS


@pytest.mark.django_db(transaction=True)
def test_two_who_submit_at_once_get_two_numbers(project: Project, writer: Annotator) -> None:
    other = factory.member(project, "writer")
    allocations = [(who, a_prompt_share(a_topic(project), who)) for who in (writer, other, writer, other)]

    def submit(n: int) -> list[Item]:
        who, allocation = allocations[n]
        return set_submit(writer=who, token=allocation.token, slots={"p": typed_prompt(n)})

    made = run_at_once([partial(submit, n) for n in range(4)])
    keys = sorted(item.key for items in made for item in items)
    assert [key[:2] for key in keys] == ["01", "02", "03", "04"]
    assert sorted(key[4:8] for key in keys) == ["0001", "0002", "0003", "0004"]


def test_a_key_of_another_form_holds_no_number(project: Project, writer: Annotator) -> None:
    """A prompt that came from a file without ids keeps its key, and is in nobody's way."""
    odd = a_prompt(project, writer)
    Item.objects.filter(pk=odd.pk).update(key="p-1")
    odd.refresh_from_db()
    content = project.kind_spec.authoring.content_from_slot(odd.allocation.source.as_source, typed_prompt(2))  # type: ignore[union-attr]
    assert new_key(project, odd.target_id, content) == "0101000100"
    assert new_key(project, odd.target_id, content, origin=odd) == "0101000100"
    assert project.kind_spec.authoring.family_of_key("p-1") == ""
    assert project.kind_spec.authoring.key_fits_content("p-1", {})


# --- topics, new prompts, variations ------------------------------------------------------


def test_a_writer_begins_prompts_on_a_topic(project: Project, writer: Annotator, browser: Client) -> None:
    topic = a_topic(project, "kondangan")
    page = f"/p/{project.slug}/topics/"
    assert "kondangan" in browser.get(page).content.decode()
    begun = browser.post(f"{page}{topic.pk}/new/")
    allocation = Allocation.objects.get()
    assert begun["Location"] == at(allocation)
    assert browser.post(f"{page}{topic.pk}/new/")["Location"] == at(allocation)
    assert browser.post(at(allocation, "submit"), form(1)).status_code == 302
    second = browser.post(f"{page}{topic.pk}/new/")
    assert second["Location"] != begun["Location"]
    assert list(Allocation.objects.order_by("pk").values_list("number", flat=True)) == [1, 2]
    shown = browser.get(page).content.decode()
    assert "0101000100" not in shown  # its text tells which it is
    assert "Go on with prompt 2" in shown
    assert "1 prompt in all" in shown


def test_without_a_begun_prompt_writing_leads_to_the_topics(project: Project, browser: Client) -> None:
    assert browser.get(f"/p/{project.slug}/write/")["Location"] == f"/p/{project.slug}/topics/"


def test_a_variation_starts_from_what_the_prompt_says_now(project: Project, writer: Annotator, browser: Client) -> None:
    origin = a_prompt(project, writer, n=1)
    item_revise(
        writer=writer,
        item_id=origin.pk,
        version=1,
        content=typed_prompt(1, context="Rumah tetangga sudah ramai."),
    )
    address = f"/p/{project.slug}/topics/vary/{origin.pk}/"
    started = browser.post(address)
    allocation = Allocation.objects.get(origin=origin)
    assert started["Location"] == at(allocation) == browser.post(address)["Location"]
    # The one that is begun, not the prompt that it starts from.
    tag = '<span class="tag">variation</span>'
    assert browser.get(f"/p/{project.slug}/topics/").content.decode().count(tag) == 1
    page = browser.get(at(allocation)).content.decode()
    assert "Rumah tetangga sudah ramai." in page
    assert RESPONSES["R2"] in page
    changed = form(1, version=1, context="Rumah tetangga sudah ramai.")
    refused = browser.post(at(allocation, "submit"), changed)
    assert refused.status_code == 422
    assert "variation has another one" in refused.content.decode()
    changed |= {
        "more_p_personal": SITUATION,
        "more_p_option-R1": "Salami dulu yang paling muda di sana.",
        "version_p": 2,
    }
    shown = browser.post(at(allocation, "submit"), {**changed, "save": "1"}).content.decode()
    assert "<del>tua</del>" in shown
    assert f"<ins>{SITUATION}</ins>" in shown
    assert browser.post(at(allocation, "submit"), {**changed, "version_p": 3}).status_code == 302
    assert Item.objects.get(allocation=allocation).key == f"{origin.key[:-2]}01"
    listed = browser.get(f"/p/{project.slug}/topics/").content.decode()
    assert tag in listed


def test_a_variation_keeps_its_own_situation_when_it_is_revised(project: Project, writer: Annotator) -> None:
    origin = a_prompt(project, writer, n=1, personal=SITUATION)
    varied = a_variation(project, writer, origin, "Saya baru sembuh.")
    with pytest.raises(Invalid) as refusal:
        item_revise(writer=writer, item_id=varied.pk, version=1, content=typed_prompt(1, personal=SITUATION))
    assert [each.check for each in refusal.value.details["findings"] if each.level == "block"] == ["variation_same"]


def test_nobody_varies_what_is_not_theirs_or_is_left_out(project: Project, writer: Annotator) -> None:
    lead = factory.member(project, "lead")
    others = a_prompt(project, factory.member(project, "writer"))
    own = a_prompt(project, writer)
    with pytest.raises(NotFound):
        variation_new(writer=writer, item_id=others.pk)
    exclude(lead=lead, item_id=own.pk, version=1, words="Bukan dari sini.")
    with pytest.raises(Conflict):
        variation_new(writer=writer, item_id=own.pk)
    assert not Allocation.objects.filter(origin__isnull=False).exists()


def test_a_topic_that_waits_and_a_kind_without_topics_are_not_there(client: Client) -> None:
    project = a_prompt_project()
    writer = factory.member(project, "writer")
    waiting = a_topic(project, state="proposed")
    with pytest.raises(NotFound):
        prompt_new(writer=writer, concept_id=waiting.pk)
    pairs = factory.project()
    person = factory.member(pairs, "writer")
    with pytest.raises(NotFound):
        prompt_new(writer=person, concept_id=a_topic(project).pk)
    assert person.user is not None
    client.force_login(person.user)
    for path in ("topics", "second-look"):
        assert client.get(f"/p/{pairs.slug}/{path}/").status_code == 404


def test_who_leaves_a_prompt_leaves_the_topic_open(project: Project, writer: Annotator) -> None:
    topic = a_topic(project)
    for _ in range(3):
        allocation = prompt_new(writer=writer, concept_id=topic.pk)
        source_skip(writer=writer, token=allocation.token, reason="other")
    topic.refresh_from_db()
    assert topic.skips == 0
    assert not Allocation.objects.exclude(state="skipped").exists()


def test_a_closed_project_begins_nothing(project: Project, writer: Annotator, browser: Client) -> None:
    topic = a_topic(project)
    Project.objects.filter(pk=project.pk).update(closed_at="2026-01-01T00:00Z")
    assert browser.post(f"/p/{project.slug}/topics/{topic.pk}/new/").status_code == 409
    assert not Allocation.objects.exists()
