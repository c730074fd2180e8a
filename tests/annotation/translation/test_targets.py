"""Targets named, changed, ended; who works for them, by invitation and by a lead's word."""

import pytest
from django.core.management import CommandError, call_command

from annotation.content.models.source import Allocation
from annotation.core.actions.members import Roles
from annotation.core.errors import Conflict, Forbidden, Invalid
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.projects.actions.invitations import invitation_accept, invitation_create
from annotation.translation.actions.targets import (
    target_change,
    target_create,
    target_ended,
    target_members_add,
    target_members_set,
    targets_add,
    units_take,
)
from annotation.translation.models import TargetMember
from annotation.translation.queries.targets import units_free, work_of
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import set_submit, source_skip
from tests import factory, translations

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss() -> User:
    return factory.user("boss@example.org", administrator=True)


@pytest.fixture
def project(boss: User) -> Project:
    return translations.a_translation_project("t1", by=boss)


def keys_of(annotator: Annotator) -> set[str]:
    return set(annotator.target_memberships.values_list("target__key", flat=True))


# --- targets ------------------------------------------------------------------------------


def test_a_name_is_filled_in_and_codes_have_one_spelling(project: Project, boss: User) -> None:
    made = target_create(project=project, language="MAD", register="enja'iya", by=boss)
    assert (made.key, made.language, made.title) == ("mad-enja-iya", "mad", "Madurese (enja'iya)")
    own = target_create(project=project, language="ace", name="Acehnese")
    assert own.title == "Acehnese"
    assert Event.objects.filter(verb="target_created", actor=boss).get().data == {"target": "mad-enja-iya"}


@pytest.mark.parametrize("language", ["", "xx", "jv_ID", "<b>", "\x00"])
def test_a_language_that_is_not_there_says_what_to_do(project: Project, language: str) -> None:
    with pytest.raises(Invalid) as caught:
        target_create(project=project, language=language)
    assert "iso639-3.sil.org" in caught.value.message


def test_a_target_is_there_once(project: Project) -> None:
    with pytest.raises(Conflict):
        target_create(project=project, language="jav", register="Ngoko")
    assert project.targets.count() == 3


def test_many_at_once_are_all_or_none(project: Project, boss: User) -> None:
    with pytest.raises(Invalid) as caught:
        targets_add(project=project, text="mad\n\nelvish\njv, ngoko\n", by=boss)
    assert [fault.line for fault in caught.value.details["faults"]] == [3, 4]
    assert project.targets.count() == 3
    made = targets_add(project=project, text="mad, enja'iya\nmad, engghi-ethen\niba", by=boss)
    assert [target.key for target in made] == ["mad-enja-iya", "mad-engghi-ethen", "iba"]
    assert Event.objects.filter(verb="target_created", actor=boss).count() == 3
    with pytest.raises(Invalid) as none:
        targets_add(project=project, text=" \n")
    assert none.value.code == "target_lines_missing"


def test_the_papers_targets_at_once(boss: User) -> None:
    project = translations.a_translation_project(targets=())
    from annotation import presets

    assert len(targets_add(project=project, text=presets.get("loraxbench").targets)) == 22
    assert {target.buckets for target in project.targets.all()} == {2}


def _change(target: Target, **more: object) -> Target:
    given = {"name": target.name, "register": target.register, "description": "", "words": (), "version": 1}
    return target_change(target=target, **{**given, **more})  # type: ignore[arg-type]


def test_a_target_is_changed_and_a_page_behind_is_told(project: Project, boss: User) -> None:
    target = translations.target_of(project)
    words = (("aku", "saya"), ("arep", "mau"))
    changed = _change(target, description=" Everyday. ", words=words, by=boss)
    assert (changed.version, changed.description, changed.key) == (2, "Everyday.", "jv-ngoko")
    assert changed.words == [["aku", "saya"], ["arep", "mau"]]
    event = Event.objects.get(verb="target_changed")
    assert event.data == {
        "target": "jv-ngoko",
        "changed": {"description": ["", "Everyday."], "words": [0, 2]},
    }
    with pytest.raises(Conflict) as caught:
        _change(target, description="Other")
    assert caught.value.details["current"].description == "Everyday."
    same = _change(target, description="Everyday.", words=words, version=2)
    assert same.version == 2


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"register": "KRAMA"}, "register"),
        ({"register": "x" * 81}, "register"),
        ({"description": "x" * 4_001}, "description"),
        ({"description": "a\x00"}, "description"),
        ({"words": [("aku", "")]}, "words"),
        ({"words": [("aku", "saya"), ("AKU", "me")]}, "words"),
        ({"words": [(f"w{n}", "x") for n in range(501)]}, "words"),
    ],
)
def test_what_a_target_cannot_be(project: Project, more: dict[str, object], field: str) -> None:
    with pytest.raises((Invalid, Conflict)) as caught:
        _change(translations.target_of(project), **more)
    assert caught.value.field == field
    assert translations.target_of(project).version == 1


def test_an_ended_target_gives_nothing_new_and_loses_nothing(project: Project, boss: User) -> None:
    target = translations.target_of(project)
    source = translations.a_source_set(project, translations.sentence_rows(5), shape="sentence")
    writer = translations.member(project, "writer", targets=("jv-ngoko",))
    unit = source.units.all()[0]
    in_hand = translations.a_share(unit, target, writer)
    assert target_ended(target=target, ended=True, by=boss)
    assert not target_ended(target=target, ended=True, by=boss)
    assert Event.objects.filter(verb="target_ended").count() == 1
    target.refresh_from_db()
    assert allocations_assign(target=target, writers=[writer], size=5) == 0
    (work,) = work_of(writer)
    assert (work.open, work.more, work.is_member, work.can_take_texts) == (1, False, False, False)
    (item,) = set_submit(writer=writer, token=in_hand.token, slots={"t": translations.translated_slots(unit, target)})
    assert item.target == target
    assert units_take(writer=writer, target=target) == 0
    target_ended(target=target, ended=False, by=boss)
    target.refresh_from_db()
    assert units_take(writer=writer, target=target) == 4


# --- who works where --------------------------------------------------------------------


def test_units_are_dealt_to_the_translators_of_a_target_only(project: Project) -> None:
    translations.a_source_set(project, translations.sentence_rows(6), shape="sentence")
    target = translations.target_of(project)
    here = translations.member(project, "writer", targets=("jv-ngoko",))
    elsewhere = translations.member(project, "writer", targets=("su",))
    assert allocations_assign(target=target, writers=[here, elsewhere], size=2) == 2
    assert {allocation.writer for allocation in Allocation.objects.all()} == {here}
    assert units_free(target).count() == 4
    with pytest.raises(Forbidden):
        units_take(writer=elsewhere, target=target)


def test_what_is_taken_is_in_hand_once_and_goes_on(project: Project) -> None:
    project = translations.a_translation_project("t2", settings={"take_size": 4})
    translations.a_source_set(project, translations.sentence_rows(6), shape="sentence")
    target = translations.target_of(project)
    one, two = (translations.member(project, "writer", targets=("jv-ngoko", "su")) for _ in range(2))
    assert units_take(writer=one, target=target) == 4
    assert units_take(writer=one, target=target) == 0
    assert units_take(writer=two, target=target) == 2
    assert units_take(writer=one, target=translations.target_of(project, "su")) == 4
    (javanese, sundanese) = work_of(one)
    assert (javanese.open, javanese.more, javanese.can_take_texts) == (4, False, False)
    assert (sundanese.open, sundanese.more, sundanese.can_take_texts) == (4, True, False)


def test_skipped_texts_are_nothing_more_for_who_skipped_them(project: Project) -> None:
    translations.a_source_set(project, translations.sentence_rows(1), shape="sentence")
    target = translations.target_of(project)
    one, two = (translations.member(project, "writer", targets=("jv-ngoko",)) for _ in range(2))
    units_take(writer=one, target=target)
    source_skip(writer=one, token=one.allocations.get().token, reason="broken")
    assert [work.more for work in work_of(one)] == [False]
    assert [work.more for work in work_of(two)] == [True]


def test_who_leaves_a_target_keeps_what_they_have(project: Project, boss: User) -> None:
    source = translations.a_source_set(project, translations.sentence_rows(3), shape="sentence")
    target, other = translations.target_of(project), translations.target_of(project, "su")
    writer = translations.member(project, "writer", targets=("jv-ngoko",))
    allocation = translations.a_share(source.units.all()[0], target, writer)
    assert target_members_set(annotator=writer, targets=[other], by=boss) == [target]
    assert [(work.target.key, work.open, work.is_member) for work in work_of(writer)] == [
        ("jv-ngoko", 1, False),
        ("su", 0, True),
    ]
    with pytest.raises(Forbidden):
        units_take(writer=writer, target=target)
    allocation.refresh_from_db()
    assert allocation.state == "open"
    events = Event.objects.filter(verb="targets", actor=boss)
    assert [event.data["targets"] for event in events] == [["su"]]
    assert target_members_set(annotator=writer, targets=[other], by=boss) == []
    assert events.count() == 1


def test_places_of_another_project_are_not_given(project: Project) -> None:
    foreign = translations.target_of(translations.a_translation_project("t2"))
    writer = translations.member(project, "writer", targets=("su",))
    target_members_set(annotator=writer, targets=[foreign])
    assert not TargetMember.objects.filter(annotator=writer).exists()
    target_members_add(annotator=writer, keys=["su", "nowhere"])
    assert keys_of(writer) == {"su"}


def test_texts_are_given_out_by_command(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    translations.a_source_set(project, translations.sentence_rows(4), shape="sentence")
    here = translations.member(project, "writer", targets=("su",))
    translations.member(project, "writer", targets=("jv-ngoko",))
    call_command("allocate_sources", "t1", target="su", size=3)
    assert capsys.readouterr().out == "given out: 3 to 1\n"
    assert set(Allocation.objects.values_list("writer", "target__key")) == {(here.pk, "su")}
    for slug, target in (("t1", None), ("t1", "mad"), (factory.project().slug, "su")):
        with pytest.raises(CommandError, match="--target"):
            call_command("allocate_sources", slug, target=target)


# --- invitations ------------------------------------------------------------------------


def _invite(project: Project, by: User, *targets: str, email: str = "new@example.org") -> str:
    roles = Roles(writer=True)
    made = invitation_create(project=project, email=email, roles=roles, by=by, targets=targets)
    return made.token


def test_an_invitation_brings_its_targets(project: Project, boss: User) -> None:
    token = _invite(project, boss, "jv-ngoko", "su")
    place = invitation_accept(token=token, user=factory.user("new@example.org"))
    assert keys_of(place) == {"jv-ngoko", "su"}
    assert place.user is not None
    again = invitation_accept(token=_invite(project, boss, "jv-krama"), user=place.user)
    assert (again.pk, keys_of(again)) == (place.pk, {"jv-ngoko", "jv-krama", "su"})


def test_an_invitation_names_targets_of_its_project_only(project: Project, boss: User) -> None:
    translations.a_translation_project("t2", targets=(("mad", ""),))
    for keys in (["mad"], ["jv-ngoko", "nowhere"], [""]):
        with pytest.raises(Invalid) as caught:
            _invite(project, boss, *keys)
        assert caught.value.code == "target_unknown"
    assert not project.invitations.exists()
