"""What a device keeps, and waits for its person to confirm something, holds up nothing of other projects."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.person import person_mark
from tests import factory
from tests.wait import wait_until
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
NOISE = ("Failed to load", "status of 4", "Status Error")
PUT = """(entries) => new Promise((done) => {
  const asked = indexedDB.open("mufakat", 1);
  asked.onsuccess = () => {
    const transaction = asked.result.transaction("answers", "readwrite");
    for (const entry of entries) transaction.objectStore("answers").add(entry);
    transaction.oncomplete = () => { asked.result.close(); document.dispatchEvent(new Event("outbox:send")); done(); };
  };
})"""


def waiting(project: Project) -> None:
    factory.written_pairs(project, factory.member(project, "writer"), 1)
    while decide_due():
        pass


def claimed(person: Annotator) -> Assignment:
    """A card that the person holds."""
    assignment = assignment_claim(annotator=person, target=person.project.targets.get(), spacing=0)
    assert assignment is not None
    return assignment


def test_what_waits_for_its_person_holds_up_nothing_else(page_of: Callable[..., Page]) -> None:
    project, other = factory.project(), factory.project()
    waiting(project)
    waiting(other)
    first = factory.member(project, "validator")
    assert first.user is not None
    second = factory.member(other, "validator", account=first.user)
    passed, voted = claimed(first), claimed(second)
    project.settings = {**project.settings, "years": 3}
    project.save()
    page = page_of(first.user, allow=NOISE)
    page.goto("/")
    sent = [
        {"id": "1" * 32, "url": f"/p/{project.slug}/vote/{passed.token}/pass/", "fields": [["reason", "cannot-read"]]},
        {"id": "2" * 32, "url": f"/p/{other.slug}/vote/{voted.token}/", "fields": [["label", "e"]]},
    ]
    page.evaluate(PUT, [{**one, "token": "x", "person": person_mark(first.user)} for one in sent])
    wait_until(lambda: Vote.objects.filter(annotator=second).exists(), what="the vote of the other project", page=page)
    expect(page.locator("#unsent .note")).to_have_count(1)
    expect(page.locator("#unsent .note")).to_contain_text("first confirm what its project asks for")
    page.locator("#unsent .note a").click()
    page.get_by_label("This is true of me").check()
    page.get_by_role("button", name="Confirm and begin").click()
    state = Assignment.objects.filter(pk=passed.pk, state=Assignment.State.SKIPPED)
    wait_until(state.exists, what="the pass", page=page)
    expect(page.locator("#unsent")).to_be_empty()
