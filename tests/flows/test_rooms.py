"""The rooms where people write and vote: nothing that axe finds, nothing too wide, nothing too heavy."""

import gzip
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.writing.actions.allocation import allocations_assign
from tests import factory
from tests.flows.looks import assert_for_everybody, open_all
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast
from validation.voting.models.assignment import Assignment

pytestmark = pytest.mark.django_db(transaction=True)
FIRST_LOAD, ANSWER = 100_000, 4_000
HTMX = {"HX-Request": "true"}


@pytest.fixture
def project() -> Project:
    return factory.project(settings={"tags": "optional"})


class World:
    """A project in which every page has something to show."""

    def __init__(self, project: Project) -> None:
        self.project, self.slug = project, project.slug
        self.writer = factory.member(project, "writer")
        self.items = factory.written_pairs(project, self.writer, 3)
        factory.premises(project, 2, start=50)
        allocations_assign(target=project.targets.get(), writers=[self.writer], size=2)
        while decide_due():
            pass
        self.people = [factory.member(project, "validator") for _ in range(3)]
        self.lead = factory.member(project, "lead")
        for person in self.people[:2]:
            for label in "enc":
                self.vote(person, label)
        while decide_due():
            pass

    def vote(self, person: Annotator, label: str) -> None:
        assignment = assignment_claim(annotator=person, target=self.project.targets.get(), spacing=0)
        assert assignment is not None
        assert person.user_id is not None
        vote_cast(user_id=person.user_id, slug=self.slug, token=assignment.token, ballot=Ballot(label))

    def pages(self) -> list[tuple[User | None, str]]:
        base, own = f"/p/{self.slug}/", self.items[0].pk
        writer, validator, lead = self.writer.user, self.people[2].user, self.lead.user
        return [
            *((user, path) for user in (writer, validator, lead) for path in ("/", base)),
            (factory.user(), "/"),
            (writer, f"{base}write/"),
            (writer, f"{base}write/done/"),
            (writer, f"{base}write/item/{own}/"),
            (factory.member(self.project, "writer").user, f"{base}write/"),
            (validator, f"{base}vote/"),
            (factory.member(factory.project(), "validator").user, "/"),
        ]


@pytest.fixture
def world(project: Project) -> World:
    return World(project)


def test_axe_finds_nothing(world: World, page_of: Callable[..., Page]) -> None:
    for user, path in world.pages():
        page = page_of(user)
        page.goto(path)
        open_all(page)
        assert_for_everybody(page, path)
        page.context.close()


def weights(page: Page, path: str) -> dict[str, int]:
    """What a first visit brings, compressed as a proxy does it; fonts are compressed already."""
    answers: list[Any] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(path, wait_until="networkidle")
    return {answer.url: len(gzip.compress(answer.body(), 6)) for answer in answers if answer.status == 200}


def test_first_loads_are_light(world: World, page_of: Callable[..., Page]) -> None:
    for user, path in world.pages():
        page = page_of(user)
        found = weights(page, path)
        assert len(found) > 5
        assert sum(found.values()) < FIRST_LOAD, (path, found)
        page.context.close()


def test_the_answer_to_a_vote_is_light(world: World, client: Client) -> None:
    """With a paragraph of 200 words as premise, which is the longest that there is."""
    paragraph = " ".join(f"kata{number}" for number in range(200))
    person = world.people[2]
    assert person.user is not None
    client.force_login(person.user)
    assignment = assignment_claim(annotator=person, target=world.project.targets.get(), spacing=0)
    assert assignment is not None
    for item in world.items:
        revision = item.revisions.get(n=item.revision_n)
        revision.content = {**revision.content, "premise": paragraph}
        revision.save()
    answer = client.post(f"/p/{world.slug}/vote/{assignment.token}/", {"label": "e"}, headers=HTMX)
    assert answer.status_code == 200
    assert "kata199" in answer.content.decode()
    assert Assignment.objects.get(annotator=person, state="open").token in answer.content.decode()
    assert "<html" not in answer.content.decode()
    assert len(gzip.compress(answer.content, 6)) < ANSWER


def test_the_project_page_counts_what_was_saved(project: Project, client: Client) -> None:
    """Two items by round 1: 2 × 3 annotations against 2 × 5, and 2 × 2 against 2 × 4 without the authors'."""
    writer, lead = factory.member(project, "writer"), factory.member(project, "lead")
    items = [item for item in factory.written_pairs(project, writer) if item.author_label == "e"]
    type(items[0]).objects.filter(project=project).exclude(pk__in=[i.pk for i in items]).update(sampled=False)
    decide_due()
    target = project.targets.get()
    for person in [factory.member(project, "validator") for _ in range(2)]:
        for _ in items:
            assignment = assignment_claim(annotator=person, target=target, spacing=0)
            assert assignment is not None
            assert person.user_id is not None
            vote_cast(user_id=person.user_id, slug=project.slug, token=assignment.token, ballot=Ballot("e"))
    decide_due()
    assert lead.user is not None
    client.force_login(lead.user)
    page = client.get(f"/p/{project.slug}/")
    rows = [(row.used, row.fixed_5, row.saved, row.percent) for row in page.context["savings"]]
    assert rows == [(6, 10, 4, Decimal("40.0")), (4, 8, 4, Decimal("50.0"))]
    assert [(bar.name, bar.count) for bar in page.context["stages"]] == [
        ("written, not in validation", 4),
        ("settled", 2),
    ]


def test_each_bar_of_the_funnel_opens_its_items(world: World, client: Client) -> None:
    assert world.lead.user is not None
    client.force_login(world.lead.user)
    bars = client.get(f"/p/{world.slug}/").context["stages"]
    assert len(bars) > 1
    for bar in bars:
        assert client.get(bar.url).context["page"].paginator.count == bar.count, bar.name
