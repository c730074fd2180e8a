"""QC leads who vote, where a project lets them: blind as others are, and never on what they wrote or opened."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import IntegrityError, transaction

from annotation.content.models.item import Item
from annotation.core.actions.members import Roles, annotator_add, roles_change
from annotation.core.errors import Refusal
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.projects.actions.projects import project_settings_change
from tests import factory
from tests.every_answer_type import browser_of
from validation.review.actions.decisions import approve
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    made = factory.project(settings={"leads_vote": True, "spacing": 0})
    factory.written_pairs(made, factory.member(made, "writer"))
    while decide_due():
        pass
    return made


@pytest.fixture
def lead(project: Project) -> Annotator:
    return factory.member(project, "lead", "validator")


@contextmanager
def refused(code: str) -> Iterator[None]:
    with pytest.raises(Refusal) as caught:
        yield
    assert caught.value.code == code


def address(project: Project, item: Item) -> str:
    return f"/p/{project.slug}/items/{item.pk}/"


def test_only_where_the_project_says_so(project: Project) -> None:
    other = factory.project()
    with refused("roles_exclude"):
        factory.member(other, "lead", "validator")
    led = factory.member(other, "lead")
    assert led.user is not None
    with refused("roles_exclude"):
        annotator_add(project=other, user=led.user, validator=True)
    boss = factory.user(administrator=True)
    changed = roles_change(project=project, annotator_id=factory.member(project, "lead").pk, by=boss,
                           roles=Roles(lead=True, validator=True))  # fmt: skip
    assert (changed.is_lead, changed.is_validator, changed.votes_leading) == (True, True, True)
    with pytest.raises(IntegrityError), transaction.atomic():
        Annotator.objects.filter(pk=changed.pk).update(votes_leading=False)
    with refused("leads_still_vote"):
        project_settings_change(project=project, by=boss, changes={"leads_vote": False})
    roles_change(project=project, annotator_id=changed.pk, by=boss, roles=Roles(lead=True))
    project_settings_change(project=project, by=boss, changes={"leads_vote": False})


def test_a_lead_votes_and_sees_an_item_only_after_that(project: Project, lead: Annotator) -> None:
    web = browser_of(lead)
    token = web.get(f"/p/{project.slug}/vote/").context["card"].token
    item = Assignment.objects.get(token=token).item
    others = Item.objects.filter(project=project).exclude(pk=item.pk)
    for waiting in (item, *others):
        assert web.get(address(project, waiting)).status_code == 404
        assert waiting.key not in web.get(f"/p/{project.slug}/items/").text
    assert web.post(f"/p/{project.slug}/vote/{token}/", {"label": "e"}).status_code == 302
    assert Vote.objects.get().annotator == lead
    assert web.get(address(project, item)).status_code == 200
    # What they opened they can neither take back nor be asked about again.
    assert Assignment.objects.get(item=item, annotator=lead).state == Assignment.State.BARRED
    assert web.post(f"/p/{project.slug}/vote/back/").status_code == 409


def test_nobody_is_asked_about_what_they_wrote_or_reviewed(project: Project, lead: Annotator) -> None:
    own, reviewed, *_ = Item.objects.filter(project=project).order_by("shuffle")
    Item.objects.filter(pk=own.pk).update(author=lead)
    approve(lead=lead, item_id=reviewed.pk, version=reviewed.version)
    web, met = browser_of(lead), set()
    while (card := web.get(f"/p/{project.slug}/vote/").context["card"]) is not None:
        met.add(Assignment.objects.get(token=card.token).item_id)
        web.post(f"/p/{project.slug}/vote/{card.token}/", {"label": "n"})
    assert met == set(Item.objects.filter(project=project).values_list("pk", flat=True)) - {
        own.pk,
        reviewed.pk,
    }


def test_a_lead_without_the_role_sees_everything_and_is_not_barred(project: Project) -> None:
    lead = factory.member(project, "lead")
    web, item = browser_of(lead), Item.objects.filter(project=project).first()
    assert item is not None
    assert web.get(address(project, item)).status_code == 200
    assert not Assignment.objects.filter(annotator=lead).exists()
