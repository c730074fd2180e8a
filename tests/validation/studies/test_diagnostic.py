"""Diagnostic sets: drawn, given to experts who did not write the items, gone through, counted, shown (IndoNLI §5)."""

from collections import Counter
from typing import Any

import pytest
from django.test import Client

from annotation.content.models.item import Item
from annotation.core.errors import Conflict, Invalid, NotFound, Refusal
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from tests import factory
from tests.baselines import a_gold_project, a_set, an_outsider
from tests.questions import a_question_project
from validation.studies.actions.diagnostic import (
    LOOK,
    diagnostic_confirm,
    diagnostic_create,
    diagnostic_deal,
)
from validation.studies.models import DiagnosticAnswer, DiagnosticRow
from validation.studies.queries import diagnostic as fetch
from validation.voting.models.assignment import Assignment

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return a_gold_project("gold")


def experts(project: Project) -> list[Annotator]:
    return list(Annotator.objects.filter(project=project, is_writer=True).order_by("pseudonym"))


def boss() -> User:
    return factory.user(administrator=True)


def test_it_is_drawn_by_label_and_given_to_another_than_the_author(project: Project) -> None:
    made = a_set(project, experts(project), size=12)
    rows = made.rows.select_related("item", "expert")
    assert Counter(row.gold for row in rows) == {"e": 4, "n": 4, "c": 4}
    assert all(row.expert is not None and row.expert_id != row.item.author_id for row in rows)
    assert sorted(Counter(row.expert_id for row in rows).values())[0] >= 4
    assert a_set(project, experts(project)).n == 2
    assert Event.objects.filter(project=project, verb="diagnostic_created").count() == 2


def test_an_expert_sees_gold_so_they_are_never_asked_to_vote(project: Project) -> None:
    both = factory.member(project, "validator", "writer")
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
    a_set(project, [both])
    assert set(Assignment.objects.filter(annotator=both).values_list("state", flat=True)) == {
        Assignment.State.BARRED
    }
    assert Assignment.objects.filter(annotator=both).count() == Item.objects.filter(project=project).count()


def test_what_the_only_expert_wrote_waits_for_another(project: Project) -> None:
    one, other = experts(project)
    made = a_set(project, [one])
    open_rows = made.rows.filter(expert=None)
    assert open_rows.count() == 12
    assert set(open_rows.values_list("item__author", flat=True)) == {one.pk}
    done = made.rows.filter(expert=one).order_by("position")[0]
    diagnostic_confirm(expert=one, token=done.token, tags=["NUM"])
    assert diagnostic_deal(project=project, n=1, experts=[other.pk, one.pk], by=boss()) == 0
    assert DiagnosticRow.objects.get(pk=done.pk).expert == one
    assert not made.rows.filter(expert=None).exists()
    assert not [row for row in made.rows.select_related("item") if row.expert_id == row.item.author_id]


def test_tags_are_confirmed_changed_and_changed_again(project: Project) -> None:
    expert = experts(project)[0]
    a_set(project, [expert])
    row = fetch.next_row(expert)
    assert row is not None
    mark = LOOK.mark(expert, row.token)
    first = diagnostic_confirm(expert=expert, token=row.token, tags=["neg", "SEMLEX"], mark=mark)
    assert set(first.tags) == {"LEXSEM", "NEG"}
    assert diagnostic_confirm(expert=expert, token=row.token, tags=["NEG", "LEXSEM"]).pk == first.pk
    diagnostic_confirm(expert=expert, token=row.token, tags=["CS"], mark="forged")
    told = DiagnosticAnswer.objects.filter(row=row).order_by("pk").values_list("tags", "standing")
    assert [(set(tags), standing) for tags, standing in told] == [({"LEXSEM", "NEG"}, False), ({"CS"}, True)]
    last = fetch.last_row(expert)
    assert last is not None
    assert last.pk == row.pk
    following = fetch.next_row(expert)
    assert following is not None
    assert following.pk != row.pk


@pytest.mark.parametrize(
    ("tags", "code"), [([], "diagnostic_tags_missing"), (["NUM", "NOUN"], "diagnostic_tags_unknown")]
)
def test_tags_that_cannot_be(project: Project, tags: list[str], code: str) -> None:
    expert = experts(project)[0]
    a_set(project, [expert])
    row = fetch.next_row(expert)
    assert row is not None
    with pytest.raises(Invalid) as refusal:
        diagnostic_confirm(expert=expert, token=row.token, tags=tags)
    assert refusal.value.code == code


def test_another_experts_items_and_closed_projects_stay_as_they_are(project: Project) -> None:
    one, other = experts(project)
    made = a_set(project, [one, other])
    theirs = made.rows.filter(expert=other)[0]
    with pytest.raises(Conflict) as refusal:
        diagnostic_confirm(expert=one, token=theirs.token, tags=["NUM"])
    assert refusal.value.code == "diagnostic_not_yours"
    with pytest.raises(NotFound):
        diagnostic_confirm(
            expert=factory.member(factory.project(), "writer"), token=theirs.token, tags=["NUM"]
        )
    Project.objects.filter(pk=project.pk).update(closed_at="2026-01-01T00:00Z")
    with pytest.raises(Conflict):
        diagnostic_confirm(expert=Annotator.objects.get(pk=other.pk), token=theirs.token, tags=["NUM"])
    with pytest.raises(Conflict):
        diagnostic_deal(project=project, n=1, experts=[one.pk], by=boss())


def test_what_cannot_be_drawn(project: Project) -> None:
    expert, outsider = experts(project)[0], an_outsider(project)
    for wanted, code in (
        ({"size": 0, "experts": [expert.pk]}, "diagnostic_size"),
        ({"size": 5, "experts": []}, "diagnostic_experts"),
        ({"size": 5, "experts": [outsider.pk]}, "diagnostic_expert_unknown"),
        ({"size": 5, "experts": [expert.pk, 10**9]}, "diagnostic_expert_unknown"),
    ):
        with pytest.raises(Refusal) as refusal:
            diagnostic_create(project=project, by=boss(), **wanted)  # type: ignore[arg-type]
        assert refusal.value.code == code
    empty = factory.project()
    with pytest.raises(Invalid) as refusal:
        a_set(empty, [factory.member(empty, "writer")])
    assert refusal.value.code == "diagnostic_nothing"
    with pytest.raises(NotFound):
        diagnostic_deal(project=project, n=9, experts=[expert.pk], by=boss())


def test_a_release_is_told_what_was_gone_through_and_still_means_the_same(project: Project) -> None:
    one = experts(project)[0]
    assert fetch.told(project) == {}
    made = a_set(project, [one])
    assert fetch.told(project) == {}
    rows = list(made.rows.filter(expert=one).select_related("item").order_by("position")[:4])
    for row in rows:
        diagnostic_confirm(expert=one, token=row.token, tags=["NUM"])
    Item.objects.filter(pk=rows[0].item_id).update(epoch=2)
    Item.objects.filter(pk=rows[1].item_id).update(gold="x")
    Item.objects.filter(pk=rows[2].item_id).update(stage="excluded")
    assert fetch.told(project) == {"diagnostic": {"n": 1, "tags": {rows[3].item.key: ["NUM"]}}}


# --- pages --------------------------------------------------------------------------------


def test_the_pages_of_leads(project: Project, client: Client) -> None:
    one, other = experts(project)
    lead = factory.member(project, "lead")
    client.force_login(lead.user)  # type: ignore[arg-type]
    address = f"/p/{project.slug}/diagnostic/"
    assert b"New diagnostic set" in client.get(address).content
    assert client.post(address, {"size": "x"}).status_code == 422
    page = client.post(address, {"size": "6", "expert": [one.pk]}, follow=True).content.decode()
    assert "Diagnostic set 1" in page
    dealt = client.post(f"{address}1/experts/", {"expert": [other.pk]}, follow=True).content.decode()
    assert "nobody’s" in dealt
    assert client.post(f"{address}1/experts/", {}).status_code == 422
    client.post(f"{address}1/experts/", {"expert": [one.pk, other.pk]})
    row = DiagnosticRow.objects.filter(expert=one)[0]
    diagnostic_confirm(expert=one, token=row.token, tags=["IDIOM"])
    page = client.get(f"{address}1/").content.decode()
    assert "<ins>IDIOM</ins>" in page
    assert "1 item gone through; changed from the author’s: 1." in page
    table = client.get(f"{address}1/counts.csv").content.decode("utf-8-sig").splitlines()
    assert table[:2] == ["tag,items,e,n,c", f"IDIOM,1,{','.join(str(int(row.gold == x)) for x in 'enc')}"]
    lines = client.get(f"{address}1/rows.csv").content.decode("utf-8-sig").splitlines()
    assert len(lines) == 7
    assert sum(line.endswith(",1") for line in lines) == 1
    assert client.get(f"{address}2/").status_code == 404
    assert b"Diagnostic set 1" in client.get(address).content


def test_an_expert_goes_through_their_items(project: Project, client: Client) -> None:
    one, other = experts(project)
    client.force_login(one.user)  # type: ignore[arg-type]
    address = f"/p/{project.slug}/tags/"
    assert client.get(address).status_code == 403
    made = a_set(project, [one, other], size=6)
    mine = made.rows.filter(expert=one).order_by("position")
    assert f"{mine.count()}</span> item" in client.get("/").content.decode()
    page = client.get(address).content.decode()
    assert mine[0].token in page
    assert "Back to the last one" not in page
    send = f"{address}{mine[0].token}/"
    assert client.post(send, {}).status_code == 422
    page = client.post(send, {"tag": ["NUM", "CS"]}, follow=True).content.decode()
    assert mine[1].token in page
    assert send in page
    again = client.get(send).content.decode()
    assert again.count(" checked") == 2
    assert client.get(f"{address}{made.rows.filter(expert=other)[0].token}/").status_code == 404
    taken = made.rows.filter(expert=other)[0].token
    assert client.post(f"{address}{taken}/", {"tag": "NUM"}).status_code == 409
    for row in mine[1:]:
        last = client.post(f"{address}{row.token}/", {"tag": "NUM"}, headers={"HX-Request": "true"})
    assert "Nothing for you now" in last.content.decode()
    assert "<html" not in last.content.decode()


def test_kinds_without_tags_have_no_such_rooms(client: Client) -> None:
    questions = a_question_project()
    lead = factory.member(questions, "lead")
    client.force_login(lead.user)  # type: ignore[arg-type]
    assert client.get(f"/p/{questions.slug}/diagnostic/").status_code == 404
    assert client.get(f"/p/{questions.slug}/tags/").status_code == 404
    assert b"Diagnostic set" not in client.get(f"/p/{questions.slug}/").content


def test_pages_cost_the_same_for_few_items_and_many(client: Client, django_assert_num_queries: Any) -> None:
    project = a_gold_project("cost", sets=4)
    people = experts(project)
    for size in (2, 48):
        a_set(project, people, size=size)
    client.force_login(factory.member(project, "lead").user)  # type: ignore[arg-type]
    for n in (1, 2):
        with django_assert_num_queries(8):
            client.get(f"/p/{project.slug}/diagnostic/{n}/")
