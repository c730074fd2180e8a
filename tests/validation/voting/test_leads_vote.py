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
from exports.releases.models import Release, ReleaseRow
from tests import factory, review
from tests.every_answer_type import browser_of
from validation.people.actions import member_roles_change
from validation.review.actions.decisions import approve
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_void
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


def cast(project: Project, person: Annotator, label: str, item: Item | None = None) -> Vote:
    """A vote on this item, or on what the queue gives them."""
    target = project.targets.get()
    held = review.assign(item, person) if item else assignment_claim(annotator=person, target=target, spacing=0)
    assert held is not None
    made = review.cast_vote(held, label)
    decide_due()
    return made


def test_what_leads_could_look_at_is_not_asked_of_them_when_it_comes_back(project: Project, lead: Annotator) -> None:
    item = Item.objects.filter(project=project, author_label="e").order_by("pk")[0]
    votes = [cast(project, factory.member(project, "validator"), "e", item) for _ in range(2)]
    assert item.key in browser_of(lead).get(f"/p/{project.slug}/items/").text
    other = factory.member(project, "lead")
    item.refresh_from_db()
    vote_void(lead=other, item_id=item.pk, vote_n=votes[0].n, version=item.version, reason="Hasty.")
    item.refresh_from_db()
    assert (item.stage, item.slots_free) == ("voting", 1)
    assert Assignment.objects.get(item=item, annotator=lead).state == Assignment.State.BARRED
    # They may look on, since they are not asked; somebody who does not lead is.
    assert browser_of(lead).get(address(project, item)).status_code == 200
    assert cast(project, factory.member(project, "validator"), "e", item)


def test_a_lead_takes_a_vote_back_only_before_they_could_look(project: Project, lead: Annotator) -> None:
    web, listed = browser_of(lead), f"/p/{project.slug}/items/"
    first = cast(project, lead, "e").item
    # It may still be taken back: lists and figures do not have it, opening it ends that.
    assert first.key not in web.get(listed).text
    assert web.post(f"/p/{project.slug}/vote/back/").status_code == 302
    held = Assignment.objects.get(item=first, annotator=lead)
    review.cast_vote(held, first.author_label)
    cast(project, factory.member(project, "validator"), first.author_label, first)
    first.refresh_from_db()
    assert first.stage == "settled"
    assert first.key in web.get(listed).text
    assert web.post(f"/p/{project.slug}/vote/back/").status_code == 409


def test_who_led_before_they_vote_is_not_asked_about_votes_that_they_could_read(project: Project) -> None:
    lead, boss = factory.member(project, "lead"), factory.user(administrator=True)
    voted = cast(project, factory.member(project, "validator"), "e").item
    member_roles_change(project=project, annotator_id=lead.pk, roles=Roles(lead=True, validator=True), by=boss)
    assert list(Assignment.objects.filter(annotator=lead).values_list("item", "state")) == [(voted.pk, "barred")]


def test_releases_with_open_votes_are_closed_to_a_lead_who_votes(project: Project, lead: Annotator) -> None:
    cast(project, factory.member(project, "validator"), "e")
    release = Release.objects.create(project=project, n=1)
    item = Item.objects.get(votes__isnull=False)
    numbers = {"version": 1, "revision_n": 1, "votes_n": 1, "epoch": 1, "round": 1, "sampled": True}
    ReleaseRow.objects.create(release=release, item=item, order=1, key=item.key, stage="voting", **numbers)
    web, other = browser_of(lead), browser_of(factory.member(project, "lead"))
    page, number = f"/p/{project.slug}/releases/", f"/p/{project.slug}/releases/1/"
    assert [web.get(number).status_code, other.get(number).status_code] == [403, 200]
    assert [number in each.get(page).text for each in (web, other)] == [False, True]
