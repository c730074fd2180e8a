"""What comes next: the list on the project page, computed from the state, for every kind; and its links."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation import presets
from annotation.core import access
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.projects.actions.projects import project_close, project_create
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import set_submit
from exports.releases.models import Release
from tests import factory
from tests.prompts import a_prompt, a_prompt_project
from tests.review import assign, cast_vote, decide
from validation.overview.checklist import Step, open_steps
from validation.review.actions.decisions import approve

pytestmark = pytest.mark.django_db


def made(preset: str) -> Project:
    return project_create(slug=f"new-{preset}", name=preset, preset=preset, seed="s")


def of(project: Project, user: User) -> list[Step]:
    return open_steps(access.membership(user, project.slug))


def names(steps: list[Step], *, done: bool) -> list[str]:
    return [step.name for step in steps if step.done is done]


BEGINS = {
    "indonli-lay": ["Bring in premises", "Invite people", "Give out premises", "Writers hand in pairs"],
    "idcsqa": ["Bring in concepts", "Invite people", "Give out concepts", "Writers hand in questions"],
    "kalahi": ["Bring in topics", "Ask a group about its life", "Invite people", "Writers hand in prompts"],
    "loraxbench": [
        "Bring in source sets, clean them and freeze them",
        "Add targets",
        "Invite people",
        "Give out texts",
    ],
    "mcsqa": ["Take in what questions are made from", "Set a budget", "Invite people", "Begin a run"],
    "llm-gen": ["Take in what questions are made from", "Set a budget", "Begin a run"],
}


@pytest.mark.parametrize("preset", presets.all_presets(), ids=lambda preset: preset.slug)
def test_a_new_project_of_every_kind_says_what_comes_next(preset: presets.Preset) -> None:
    project, boss = made(preset.slug), factory.user(administrator=True)
    found = of(project, boss)
    assert [step.name for step in found][: len(BEGINS.get(preset.slug, []))] == BEGINS.get(preset.slug, [])
    assert names(found, done=True) == []
    assert found[-1].name == "Freeze a release"
    lead = factory.member(project, "lead")
    for person in (boss, lead.user):
        assert person is not None
        client = Client()
        client.force_login(person)
        page = client.get(f"/p/{project.slug}/").text
        assert "What comes next" in page
        for step in of(project, person):
            assert not step.url or client.get(step.url.partition("#")[0]).status_code == 200, step
            assert f'href="{step.url}"' in page or not step.url
    # Every step leads somewhere for whoever sets the project up.
    assert [step.name for step in found if not step.url] == []


def test_annotators_are_shown_no_list() -> None:
    project = factory.project()
    writer = factory.member(project, "writer")
    assert writer.user is not None
    client = Client()
    client.force_login(writer.user)
    assert "What comes next" not in client.get(f"/p/{project.slug}/").text


def test_steps_are_done_by_what_people_do() -> None:
    project, boss = factory.project(), factory.user(administrator=True)

    def done() -> list[str]:
        return names(of(project, boss), done=True)

    assert done() == []
    factory.premises(project, 1)
    assert done() == ["Bring in premises"]
    writer = factory.member(project, "writer")
    validators = [factory.member(project, "validator") for _ in range(4)]
    assert done() == ["Bring in premises", "Invite people"]
    allocations_assign(target=project.targets.get(), writers=[writer], size=1)
    assert done()[2:] == ["Give out premises"]
    allocation = writer.allocations.get()
    items = set_submit(writer=writer, token=allocation.token, slots=factory.full_set(project))
    assert done()[3:] == ["Writers hand in pairs"]
    decide()
    for item in items:
        for person in validators[:2]:
            cast_vote(assign(item, person), item.author_label)
        decide()
    assert done()[4:] == ["Validators vote"]
    lead = factory.member(project, "lead")
    for item in project.items.order_by("pk"):  # all votes came faster than anybody reads
        approve(lead=lead, item_id=item.pk, version=item.version)
    assert done()[4:] == ["Validators vote", "Decide what is doubtful"]
    Release.objects.create(project=project, n=1, state=Release.State.READY)
    # All is done: there is nothing to show.
    assert of(project, boss) == []


def test_doubts_and_checks_are_counted_as_the_desk_has_them() -> None:
    project, boss = a_prompt_project(settings={"check_first": True}), factory.user(administrator=True)
    a_prompt(project, factory.member(project, "writer"))
    by_name = {step.name: step for step in of(project, boss)}
    assert by_name["Check what was handed in"].status_text == "1 to check"
    assert by_name["Decide what is doubtful"].done
    assert by_name["Writers go through all a second time"].status_text == "1 prompt that nobody has gone through"
    assert not by_name["Hold a group review"].done


def test_a_closed_project_asks_for_nothing_more_but_decisions_and_a_release() -> None:
    project, boss = factory.project(), factory.user(administrator=True)
    project_close(project=project, version=project.version, closed=True, by=boss)
    assert [step.name for step in of(project, boss)] == ["Decide what is doubtful", "Freeze a release"]


def test_the_list_costs_the_same_however_much_there_is() -> None:
    project, boss = factory.project(), factory.user(administrator=True)
    writer = factory.member(project, "writer")

    def cost() -> int:
        with CaptureQueriesContext(connection) as found:
            of(project, boss)
        return len(found)

    factory.written_pairs(project, writer, 1)
    few = cost()
    factory.written_pairs(project, writer, 6)
    assert cost() == few
