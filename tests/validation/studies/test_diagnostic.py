"""Diagnostic sets: drawn, gone through by experts who wrote none of it, counted, told to releases (IndoNLI §5)."""

import re
import threading
from collections import Counter
from typing import Any

import pytest
from django.db import connections, transaction
from django.test import Client
from django.utils import translation
from django.utils.translation import gettext

from annotation.content.models.item import Item
from annotation.core.actions.members import annotator_add
from annotation.core.database import seconds_from_now
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from tests import factory, review
from tests.baselines import a_gold_project, a_set, confirm_tags, member_in_study
from tests.live_objects import counting_class
from tests.questions import a_question_project
from tests.race import waiting_for_locks
from tests.wait import wait_until
from validation.studies.actions.studies import study_create
from validation.studies.models import Study, StudyRow
from validation.studies.queries import diagnostic as fetch
from validation.studies.types import diagnostic
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db
BARRED = Assignment.State.BARRED


@pytest.fixture
def project() -> Project:
    return a_gold_project("gold")


def experts(project: Project) -> list[Annotator]:
    return list(Annotator.objects.filter(project=project, is_writer=True).order_by("pseudonym"))


def barred(person: Annotator) -> set[int]:
    return set(Assignment.objects.filter(annotator=person, state=BARRED).values_list("item", flat=True))


def of(study: Study, name: str) -> set[int]:
    return set(study.rows.values_list(name, flat=True))


def test_it_is_drawn_by_label_and_asked_of_one_expert_each(project: Project) -> None:
    made = a_set(project, experts(project), size=12)
    assert Counter(row.data["gold"] for row in made.rows.all()) == {"e": 4, "n": 4, "c": 4}
    there = Item.objects.filter(project=made.project, slots_free=1, author=None)
    assert there.count() == made.rows.count() == 12
    assert a_set(project, experts(project)).n == 2
    assert Event.objects.filter(project=project, verb="study_created").count() == 2
    other = a_gold_project("other", seed=project.seed)
    assert [row.item.key for row in a_set(other, [], size=12).rows.order_by("position")] == [
        row.item.key for row in made.rows.order_by("position")
    ]


def test_nobody_goes_through_what_they_wrote(project: Project) -> None:
    one, other = experts(project)
    made = a_set(project, [one])
    own = {row.item_id for row in made.rows.filter(of_item__author=one)}
    assert len(own) == 12
    assert barred(member_in_study(made, one)) == own
    annotator_add(project=made.project, user=other.user, validator=True)  # type: ignore[arg-type]
    assert barred(member_in_study(made, other)) == of(made, "item_id") - own


def test_who_sees_gold_is_never_asked_to_vote_there(project: Project) -> None:
    both, later = factory.member(project, "validator", "writer"), factory.member(project, "validator")
    item = Item.objects.filter(project=project).order_by("key")[0]
    Assignment.objects.create(
        project=project,
        target=item.target,
        item=item,
        annotator=both,
        author=item.author,
        state=Assignment.State.DONE,
        token="t",
    )
    made = a_set(project, [both])
    assert barred(both) == of(made, "of_item_id")
    assert barred(later) == set()
    annotator_add(project=made.project, user=later.user, validator=True)  # type: ignore[arg-type]
    assert barred(later) == of(made, "of_item_id")
    # Whoever comes to the project of the items only after they went through them.
    stranger = factory.user()
    annotator_add(project=made.project, user=stranger, validator=True)
    assert barred(annotator_add(project=project, user=stranger, validator=True)) == of(made, "of_item_id")


def test_an_assignment_that_an_expert_holds_there_ends() -> None:
    at = review.world()
    item = review.cast_votes(at, at.item(), "ee")
    made, (other, voter) = a_set(at.project, []), at.validators[3:5]
    for person in (voter, other):
        Assignment.objects.create(
            project=at.project,
            target=item.target,
            item=item,
            annotator=person,
            author=item.author,
            state=Assignment.State.OPEN,
            token=f"open-{person.pk}",
            until=seconds_from_now(1800),
        )
    annotator_add(project=made.project, user=voter.user, validator=True)  # type: ignore[arg-type]
    states = {assignment.annotator_id: assignment for assignment in Assignment.objects.filter(item=item)}
    assert (states[voter.pk].state, states[other.pk].state) == (BARRED, Assignment.State.OPEN)
    Item.objects.filter(pk=item.pk).update(stage="voting", gold="", gold_from="", pending=2, slots_free=1)
    with pytest.raises(Conflict):
        review.cast_vote(states[voter.pk], "n")
    assert review.cast_vote(states[other.pk], "n").label == "n"


@pytest.mark.django_db(transaction=True)
def test_nobody_is_given_an_item_there_while_they_join() -> None:
    at = review.world()
    item = review.cast_votes(at, at.item(), "ee")
    made, voter = a_set(at.project, []), at.validators[4]

    def join() -> None:
        try:
            annotator_add(project=made.project, user=voter.user, validator=True)  # type: ignore[arg-type]
        finally:
            connections.close_all()

    joining = threading.Thread(target=join)
    with transaction.atomic():
        Item.objects.select_for_update().get(pk=item.pk)
        joining.start()
        wait_until(lambda: waiting_for_locks() or not joining.is_alive(), what="somebody who joins and waits")
        Item.objects.filter(pk=item.pk).update(stage="voting", gold="", gold_from="", epoch=2, pending=2, slots_free=2)
        item.refresh_from_db()
        assignment = review.assign(item, voter)
    joining.join(60)
    assignment.refresh_from_db()
    assert assignment.state == BARRED


def test_the_author_s_tags_are_ticked_and_the_expert_s_count(project: Project, client: Client) -> None:
    one = experts(project)[0]
    made = a_set(project, [one])
    client.force_login(one.user)  # type: ignore[arg-type]
    address = f"/p/{made.project.slug}/vote/"
    page = client.get(address).content.decode()
    token = re.findall(r'data-token="([^"]+)"', page)[0]
    row = made.rows.select_related("of_item").get(item__assignments__token=token)
    ticked = re.findall(r'value="(\w+)"[^>]* checked', page)
    assert ticked == [tag.lower() for tag in row.data["tags"]]
    with translation.override(project.language):
        assert gettext({"e": "Entailment", "n": "Neutral", "c": "Contradiction"}[row.data["gold"]]) in page
    assert row.of_item is not None
    assert row.of_item.key not in page
    assert client.post(f"{address}{token}/", {}).status_code == 422
    assert client.post(f"{address}{token}/", {"answer-phenomena": ["noun"]}).status_code == 422
    assert client.post(f"{address}{token}/", {"answer-phenomena": ["num", "lexsem"]}).status_code == 302
    assert Vote.objects.get(project=made.project).answers["phenomena"] == ["lexsem", "num"]
    review.decide()
    (line,) = [line for line in fetch.set_lines(made) if line.row.expert is not None]
    assert (line.row.key, line.row.expert) == (row.of_item.key, ("LEXSEM", "NUM"))
    assert line.expert == member_in_study(made, one).pseudonym


def test_what_cannot_be_drawn(project: Project) -> None:
    expert, boss = experts(project)[0], factory.user(administrator=True)
    stranger = factory.member(factory.project(), "writer")
    with pytest.raises(Invalid) as refusal:
        study_create(
            kind=diagnostic.TYPE,
            project=project,
            slug="x",
            by=boss,
            sent={"size": 5},
            members=[expert.pk, stranger.pk],
        )
    assert refusal.value.code == "study_member_wrong"
    empty = factory.project()
    with pytest.raises(Invalid) as refusal:
        a_set(empty, [factory.member(empty, "writer")])
    assert refusal.value.code == "diagnostic_nothing"
    assert not Study.objects.exists()


def test_no_more_rows_are_held_than_are_drawn(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    held = counting_class(diagnostic.Candidate)
    monkeypatch.setattr(diagnostic, "Candidate", held)
    assert a_set(project, [], size=3).rows.count() == 3
    assert 3 <= held.most <= 3 + 2


def test_a_release_is_told_what_was_gone_through_and_still_means_the_same(project: Project) -> None:
    one = experts(project)[0]
    assert fetch.release_context(project) == {}
    made = a_set(project, [one])
    assert fetch.release_context(project) == {}
    rows = list(made.rows.exclude(of_item__author=one).select_related("of_item").order_by("position")[:4])
    for row in rows:
        confirm_tags(made, one, ["NUM"], row)
    changes: list[dict[str, Any]] = [{"epoch": 2}, {"gold": "x"}, {"stage": "excluded"}]
    for row, change in zip(rows, changes, strict=False):
        Item.objects.filter(studied=row).update(**change)
    assert rows[3].of_item is not None
    assert fetch.release_context(project) == {"diagnostic": {"n": 1, "tags": {rows[3].of_item.key: ["NUM"]}}}


# --- pages --------------------------------------------------------------------------------


def test_the_pages_of_leads(project: Project, client: Client) -> None:
    one = experts(project)[0]
    lead = factory.member(project, "lead")
    client.force_login(lead.user)  # type: ignore[arg-type]
    address = f"/p/{project.slug}/studies/"
    assert b"Diagnostic sets" in client.get(address).content
    new = f"{address}diagnostic/"
    assert client.post(new, {"size": "x"}).status_code == 422
    sent = {"size": "6", "members": [one.pk], "slug": "gold-d"}
    page = client.post(new, sent, follow=True).content.decode()
    assert "Diagnostic set 1" in page
    review.decide()
    made = Study.objects.get(project__slug="gold-d")
    row = made.rows.exclude(of_item__author=one)[0]
    confirm_tags(made, one, ["IDIOM"], row)
    page = client.get(f"{address}diagnostic/1/").content.decode()
    assert "<ins>IDIOM</ins>" in page
    assert "1 item gone through; changed from the author’s: 1." in page
    table = client.get(f"{address}diagnostic/1/counts.csv").content.decode("utf-8-sig").splitlines()
    assert table[:2] == [
        "tag,items,e,n,c",
        f"IDIOM,1,{','.join(str(int(row.data['gold'] == x)) for x in 'enc')}",
    ]
    lines = client.get(f"{address}diagnostic/1/rows.csv").content.decode("utf-8-sig").splitlines()
    assert lines[0] == "id,gold,author,author_tags,expert,expert_tags,done"
    assert len(lines) == 7
    assert sum(line.endswith(",IDIOM,1") for line in lines) == 1
    assert client.get(f"{address}diagnostic/2/").status_code == 404


def test_kinds_without_tags_have_no_such_studies(client: Client) -> None:
    questions = a_question_project()
    client.force_login(factory.member(questions, "lead").user)  # type: ignore[arg-type]
    assert client.get(f"/p/{questions.slug}/studies/diagnostic/").status_code == 404
    assert b"Diagnostic" not in client.get(f"/p/{questions.slug}/studies/").content


def test_pages_cost_the_same_for_few_items_and_many(client: Client, django_assert_num_queries: Any) -> None:
    project = a_gold_project("cost", sets=4)
    for size in (2, 48):
        a_set(project, experts(project), size=size)
    client.force_login(factory.member(project, "lead").user)  # type: ignore[arg-type]
    client.get(f"/p/{project.slug}/studies/diagnostic/1/")
    for n in (1, 2):
        with django_assert_num_queries(12):
            client.get(f"/p/{project.slug}/studies/diagnostic/{n}/")
    assert StudyRow.objects.count() == 50


def test_somebody_who_draws_as_a_lead_leads_it(project: Project) -> None:
    lead, boss = factory.member(project, "lead"), factory.user(administrator=True)
    assert isinstance(lead.user, User)
    made = a_set(project, experts(project), by=lead.user)
    assert member_in_study(made, lead).is_lead
    assert member_in_study(a_set(project, [lead], by=lead.user), lead).is_validator
    assert not Annotator.objects.filter(project=a_set(project, [], by=boss).project, user=boss).exists()
