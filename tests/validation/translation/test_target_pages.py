"""Pages of targets and of the people who work for them."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.models.member import Event
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from tests import factory, translations
from tests.targets import HTMX, browser_of, url_of
from tests.translations import member, target_of
from validation.people.actions import annotator_remove, hand_over_allocations
from validation.translation.queries import targets_of
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import Assignment

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss() -> User:
    return factory.user("boss@example.org", administrator=True)


@pytest.fixture
def project(boss: User) -> Project:
    return translations.a_translation_project("t1", by=boss, settings={"take_size": 2})


@pytest.fixture
def units(project: Project) -> list[Any]:
    rows = translations.sentence_rows(6)
    return list(translations.a_source_set(project, rows, shape="sentence").units.order_by("position"))


# --- the list, and one target -------------------------------------------------------------


def test_each_number_leads_to_its_items(project: Project, units: list[Any], boss: User) -> None:
    target = target_of(project)
    writer = member(project, "writer", targets=("jv-ngoko",))
    stages = ("written", "voting", "corrected", "returned", "settled", "excluded")
    for unit, stage in zip(units[:5], stages, strict=False):
        item = translations.a_translation(unit, target, writer)
        Item.objects.filter(pk=item.pk).update(stage=stage, doubt=int(stage == "voting"), due_at=None)
    translations.a_share(units[5], target, writer)
    client = browser_of(boss)
    rows = {row.target.key: row for row in client.get(url_of("targets")).context["targets"]}
    row = rows["jv-ngoko"]
    assert (row.units, row.to_do, row.in_hand) == (6, 0, 1)
    counts = {part.name: part.count for part in row.parts}
    assert counts == {
        "handed in": 1,
        "in review": 2,
        "sent back": 1,
        "approved": 1,
        "left out": 0,
        "flagged": 1,
    }
    for part in row.parts:
        assert client.get(part.url).context["page"].paginator.count == part.count, part.name
    assert (rows["su"].to_do, rows["su"].in_hand) == (6, 0)
    assert client.get(url_of("items") + "?part=everything").status_code == 400


def test_a_removed_unit_is_in_no_number_of_what_is_to_do(project: Project, units: list[Any]) -> None:
    target, writer = target_of(project), member(project, "writer")
    translations.a_translation(units[0], target, writer)
    translations.a_share(units[1], target, writer)
    for unit in units[:3]:
        unit.removed = True
        unit.save()
    (row,) = [each for each in targets_of(factory.reader(project)) if each.target == target]
    assert (row.units, row.to_do, row.in_hand, row.counts["handed_in"]) == (3, 3, 0, 1)


def test_too_few_people_are_said(project: Project, units: list[Any], boss: User) -> None:
    member(project, "writer", "validator", targets=("jv-ngoko", "jv-krama"))
    member(project, "validator", targets=("jv-krama",))
    for _ in range(2):
        member(project, "writer", targets=("su",))
    short = {row.target.key: row.lacks_people for row in targets_of(factory.reader(project))}
    assert short == {"jv-ngoko": True, "jv-krama": False, "su": True}
    page = browser_of(boss).get(url_of("people"))
    assert [target.key for target in page.context["short"]] == ["jv-ngoko", "su"]


def test_many_lines_on_the_page(project: Project, boss: User) -> None:
    client = browser_of(boss)
    assert client.get(url_of("target_new")).context["form"].initial["lines"] == ""
    wrong = client.post(url_of("target_new"), {"lines": "mad\nelvish"})
    assert wrong.status_code == 422
    assert "elvish" in wrong.text
    assert [fault.line for fault in wrong.context["form"].faults] == [2]
    assert client.post(url_of("target_new"), {"lines": "mad\niba"}).status_code == 302
    assert project.targets.filter(language__in=["mad", "iba"]).count() == 2


def test_the_papers_targets_are_proposed_where_there_are_none(boss: User) -> None:
    translations.a_translation_project("t1", targets=())
    client = browser_of(boss)
    assert client.get(url_of("targets")).status_code == 200
    lines = client.get(url_of("target_new")).context["form"].initial["lines"]
    assert client.post(url_of("target_new"), {"lines": lines}).status_code == 302
    assert len(client.get(url_of("targets")).context["targets"]) == 22


def _typed(**more: str) -> dict[str, str]:
    given = {"version": "1", "name": "Javanese", "register": "ngoko", "description": "", "words": ""}
    return {**given, **more}


def test_a_target_is_changed_on_its_page(project: Project, units: list[Any]) -> None:
    lead = member(project, "lead")
    client, url = browser_of(lead), url_of("target_change", "jv-ngoko")
    wrong = client.post(url, _typed(words="aku = saya\nkowe"))
    assert wrong.status_code == 422
    assert "Line 2" in wrong.text
    assert "kowe" in wrong.text
    assert client.post(url, _typed(register="krama")).status_code == 409
    assert client.post(url, _typed(name="<b>Jawa</b>", words="aku = saya")).status_code == 302
    target = target_of(project)
    assert (target.title, target.words, target.version) == ("<b>Jawa</b> (ngoko)", [["aku", "saya"]], 2)
    stale = client.post(url, _typed(description="Mine", words="aku = ingsun"))
    assert stale.status_code == 409
    assert {(row.typed, row.current) for row in stale.context["differences"]} == {
        ("Javanese", "<b>Jawa</b>"),
        ("Mine", ""),
        ("aku = ingsun", "aku = saya"),
    }
    form = stale.context["form"]
    assert (form.initial["description"], form.initial["version"]) == ("Mine", 2)
    again = _typed(description="Mine", words="aku = ingsun", version="2")
    assert client.post(url, again).status_code == 302
    assert Event.objects.filter(verb="target_changed", actor=lead.user).count() == 2


def test_ending_a_target_frees_what_is_open_to_review(project: Project, units: list[Any], boss: User) -> None:
    target = target_of(project)
    writer, reviewer = (
        member(project, "writer", targets=("jv-ngoko",)),
        member(project, "validator", targets=("jv-ngoko",)),
    )
    item = translations.a_translation(units[0], target, writer)
    decide_due()
    client = browser_of(reviewer)
    assert client.get(url_of("vote")).context["card"] is not None
    assignment = Assignment.objects.get(annotator=reviewer)
    browser_of(boss).post(url_of("target_end", "jv-ngoko"), {"ended": "yes"})
    assignment.refresh_from_db()
    assert assignment.state == Assignment.State.EXPIRED
    assert Item.objects.get(pk=item.pk).slots_free == 1
    assert client.get(url_of("vote")).context["card"] is None
    browser_of(boss).post(url_of("target_end", "jv-ngoko"), {"ended": "no"})
    assert client.get(url_of("vote")).context["card"] is not None


def test_only_kinds_with_targets_have_the_room(boss: User) -> None:
    factory.project("p1", by=boss)
    client = browser_of(boss)
    assert client.get(reverse("targets", args=["p1"])).status_code == 404
    assert "/targets/" not in client.get(reverse("project", args=["p1"])).text
    translations.a_translation_project("t1")
    assert url_of("targets") in client.get(url_of("project")).text


def test_a_new_project_says_what_comes_next(boss: User) -> None:
    client, url = browser_of(boss), reverse("project_new")
    page = client.get(url + "?preset=loraxbench")
    assert "register" not in page.context["form"].fields
    rules = {f"protocol-{name}": field for name, field in page.context["rules"].initial.items() if field}
    sent = {"preset": "loraxbench", "name": "Loraks", "slug": "t1", "language": "id", "share": "1"}
    made = client.post(url, {**sent, "seed": "s", **rules}, follow=True)
    assert made.redirect_chain == [(url_of("project"), 302)], made.context["rules"].errors
    assert "Next: its source sets, targets and people." in made.text
    for address in (url_of("source_sets"), url_of("target_new"), url_of("people") + "#invite"):
        assert f'href="{address}"' in made.text
    project = Project.objects.get(slug="t1")
    assert not project.targets.exists()
    translations.a_source_set(project, translations.sentence_rows(1), shape="sentence")
    client.post(url_of("target_new"), {"lines": "su"})
    member(project, "writer", targets=("su",))
    steps = {step.name: step.done for step in client.get(url_of("project")).context["steps"]}
    assert steps["Bring in source sets, clean them and freeze them"]
    assert steps["Add targets"]
    assert not steps["Invite people"]  # nobody reviews what is translated into Sundanese


# --- people -------------------------------------------------------------------------------


def test_inviting_for_targets_on_the_page(project: Project, boss: User) -> None:
    client = browser_of(boss)
    fields = {"email": "new@example.org", "writer": "on", "target": ["su", "jv-ngoko"]}
    answer = client.post(url_of("people_invite"), fields)
    assert project.invitations.get().targets == ["jv-ngoko", "su"]
    guest = Client().get(answer.context["link"])
    assert "Javanese (ngoko)" in guest.text
    for foreign in ("mad", "nowhere", "\x00"):
        wrong = client.post(url_of("people_invite"), {**fields, "target": ["su", foreign]})
        assert wrong.status_code == 422
        assert wrong.context["ticked"] == ["su", foreign]
    assert project.invitations.count() == 1


def test_people_are_shown_with_their_targets_and_by_target(project: Project, boss: User) -> None:
    here, there = (member(project, "writer", targets=(key,)) for key in ("jv-ngoko", "su"))
    nobody = factory.member(project, "validator")
    client = browser_of(boss)
    page = client.get(url_of("people"))
    assert [m.annotator for m in page.context["shown"]] == [here, there, nobody]
    assert [m.annotator for m in page.context["without"]] == [nobody]
    assert "Sundanese" in page.text
    only = client.get(url_of("people") + "?target=su")
    assert [m.annotator for m in only.context["shown"]] == [there]
    assert only.context["ticked"] == ["su"]


def test_a_lead_changes_targets_and_a_page_behind_is_told(project: Project, units: list[Any]) -> None:
    lead, writer = member(project, "lead"), member(project, "writer", targets=("jv-ngoko",))
    client, url = browser_of(lead), url_of("people_targets", writer.pk)
    assert client.get(url).context["chosen"] == ["jv-ngoko"]
    assert client.post(url, {"seen": "jv-ngoko", "target": ["su", "jv-krama"]}).status_code == 302
    assert set(writer.target_memberships.values_list("target__key", flat=True)) == {"su", "jv-krama"}
    stale = client.post(url, {"seen": "jv-ngoko", "target": ["jv-ngoko"]})
    assert stale.status_code == 409
    assert stale.context["chosen"] == ["jv-ngoko"]
    assert [target.key for target in stale.context["present"]] == ["jv-krama", "su"]
    assert client.post(url, {"seen": "jv-krama su", "target": ["mad"]}).status_code == 422
    other = member(project, "lead")
    assert client.get(url_of("people_targets", other.pk)).status_code == 403
    assert Event.objects.get(verb="targets", actor=lead.user).data["annotator"] == writer.pseudonym


def test_who_leaves_a_target_stops_reviewing_there(project: Project, units: list[Any], boss: User) -> None:
    writer = member(project, "writer", targets=("jv-ngoko",))
    reviewer = member(project, "writer", "validator", targets=("jv-ngoko", "su"))
    translations.a_translation(units[0], target_of(project), writer)
    translations.a_translation(units[1], target_of(project), writer)
    in_hand = translations.a_share(units[2], target_of(project), reviewer)
    decide_due()
    client = browser_of(reviewer)
    assert client.get(url_of("vote")).context["card"] is not None
    assignment = Assignment.objects.get(annotator=reviewer)
    browser_of(boss).post(url_of("people_targets", reviewer.pk), {"seen": "jv-ngoko su", "target": ["su"]})
    assignment.refresh_from_db()
    assert assignment.state == Assignment.State.EXPIRED
    assert client.get(url_of("vote")).context["card"] is None
    late = client.post(url_of("vote_send", assignment.token), {"label": "approve"}, headers=HTMX)
    assert late.status_code == 409
    assert late.context["card"] is None
    assert client.get(url_of("write_set", in_hand.token)).status_code == 200


def test_translating_in_one_target_and_reviewing_in_another(project: Project, units: list[Any]) -> None:
    one = member(project, "writer", "validator", targets=("jv-ngoko", "su"))
    two = member(project, "writer", targets=("su",))
    translations.a_translation(units[0], target_of(project), one)
    theirs = translations.a_translation(units[0], target_of(project, "su"), two)
    decide_due()
    client = browser_of(one)
    client.get(url_of("vote"))
    assert Assignment.objects.get(annotator=one).item == theirs


def test_texts_are_given_out_by_target(project: Project, units: list[Any]) -> None:
    lead = member(project, "lead")
    here, there = (member(project, "writer", targets=(key,)) for key in ("jv-ngoko", "su"))
    client, url = browser_of(lead), url_of("people_allocate")
    given = client.post(url, {"target": "jv-ngoko", "to": "", "size": "2"})
    assert given["Location"] == url_of("target", "jv-ngoko")
    assert {allocation.writer for allocation in Allocation.objects.all()} == {here}
    for fields in (
        {"size": "2"},
        {"target": "mad", "size": "2"},
        {"target": "jv-ngoko", "to": there.pseudonym, "size": "2"},
        {"target": "jv-krama", "size": "2"},
    ):
        assert client.post(url, fields).status_code == 422
    assert Allocation.objects.count() == 2
    Target.objects.filter(key="su").update(ended_at="2026-01-01T00:00Z")
    assert client.post(url, {"target": "su", "size": "2"}).status_code == 422


def test_texts_go_to_an_heir_who_works_for_the_target(project: Project, units: list[Any], boss: User) -> None:
    writer = member(project, "writer", targets=("jv-ngoko", "su"))
    heir = member(project, "writer", targets=("su",))
    translations.a_share(units[0], target_of(project), writer)
    translations.a_share(units[0], target_of(project, "su"), writer)
    assert hand_over_allocations(project=project, annotator_id=writer.pk, heir_id=heir.pk, by=boss) == 1
    assert [allocation.target.key for allocation in heir.allocations.all() if allocation.target] == ["su"]
    assert set(writer.allocations.values_list("state", flat=True)) == {"lapsed"}
    annotator_remove(project=project, annotator_id=writer.pk, by=boss)
    assert not writer.target_memberships.exists()
