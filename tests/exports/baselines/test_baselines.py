"""Human baselines: drawn from releases and sets, answered blindly by people apart, counted (IndoNLI Appendix C)."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from annotation.content.models.item import Item
from annotation.core.actions.invitations import invitation_accept, invitation_create
from annotation.core.actions.members import Roles, roles_change
from annotation.core.errors import Conflict, Invalid, NotFound, Refusal
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from exports.baselines import queries as access
from exports.baselines import rules
from exports.baselines.actions import SourceIn, answer_give, baseline_create, baseline_end, baseline_replace
from exports.baselines.models import Baseline, BaselineAnswer
from exports.releases.models import Release, ReleaseRow
from tests import factory, questions, review
from tests.baselines import a_baseline, a_gold_project, a_set, an_outsider, say
from tests.exports.world import build, freeze, rid, rows
from tests.standing import Standing
from validation.studies.actions.diagnostic import diagnostic_confirm
from validation.studies.models import DiagnosticSet

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss() -> User:
    return factory.user(administrator=True)


@pytest.fixture
def project(standing: Standing) -> Project:
    return standing(a_gold_project, "gold")


@pytest.fixture
def gold(project: Project) -> DiagnosticSet:
    writer = Annotator.objects.filter(project=project).order_by("pk")[0]
    return a_set(project, [writer], size=18)


def a_voted_release() -> tuple[Project, Release]:
    """A release of nine pairs of gold, whose votes settled on the author's labels."""
    at = review.world(3, seed="s1")
    for item in at.items[::2]:
        review.votes(at, item, item.author_label * 2)
    return at.project, build(freeze(at, "indonli-expert"))


@contextmanager
def refused(code: str) -> Iterator[None]:
    """What stands in this block is refused for this reason."""
    with pytest.raises(Refusal) as found:
        yield
    assert found.value.code == code


# --- drawing ------------------------------------------------------------------------------


def test_test_rows_with_gold_are_drawn_by_label_and_examples_are_never_asked() -> None:
    project, release = a_voted_release()
    made = a_baseline(project, release, size=6)
    asked, shown = made.items.filter(example=False), made.items.filter(example=True)
    assert (asked.count(), shown.count()) == (6, 3)
    assert Counter(asked.values_list("gold", flat=True)) == {"e": 2, "n": 2, "c": 2}
    assert Counter(shown.values_list("gold", flat=True)) == {"e": 1, "n": 1, "c": 1}
    assert not set(asked.values_list("item", flat=True)) & set(shown.values_list("item", flat=True))
    assert all(item.gold == item.item.gold for item in asked.select_related("item"))
    again = a_baseline(project, release, size=6)
    assert again.seed != made.seed


def test_the_same_project_draws_the_same(project: Project, gold: DiagnosticSet) -> None:
    other = a_gold_project("other")
    set_of = a_set(other, list(Annotator.objects.filter(project=other, is_writer=True)[:1]), size=18)
    keys = [
        list(made.items.order_by("position").values_list("item__key", "gold", "example"))
        for made in (a_baseline(project, gold), a_baseline(other, set_of))
    ]
    assert keys[0] == keys[1]


def test_examples_share_no_premise_with_what_is_asked_where_there_are_such(project: Project) -> None:
    writer = Annotator.objects.filter(project=project).order_by("pk")[0]
    made = a_baseline(project, a_set(project, [writer], size=3), size=3, examples=3)
    premises = {
        example: {
            row.item.hypothesis.premise_id
            for row in made.items.filter(example=example).select_related("item__hypothesis")
        }
        for example in (True, False)
    }
    assert not premises[True] & premises[False]


def test_several_sources_and_no_item_twice(project: Project, gold: DiagnosticSet, boss: User) -> None:
    writer = Annotator.objects.filter(project=project).order_by("pk")[0]
    whole = a_set(project, [writer], size=24)
    made = baseline_create(
        project=project,
        sources=[SourceIn(gold, 18), SourceIn(whole, 24), SourceIn(whole, 0)],
        task="Does it follow?",
        by=boss,
        examples=5,
    )
    assert Counter(made.items.filter(example=False).values_list("source__n", flat=True)) == {1: 18, 2: 6}
    assert not made.items.filter(example=True).exists()


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"size": 0}, "baseline_nothing"),
        ({"size": 99_999}, "baseline_size"),
        ({"people": 0}, "baseline_people"),
        ({"people": 10}, "baseline_people"),
        ({"examples": 101}, "baseline_examples"),
        ({"task": "  "}, "baseline_task"),
        ({"task": "x" * 4001}, "baseline_task"),
    ],
)
def test_what_cannot_be_drawn(project: Project, gold: DiagnosticSet, more: dict[str, Any], code: str) -> None:
    with pytest.raises(Invalid) as refusal:
        a_baseline(project, gold, **more)
    assert refusal.value.code == code
    assert not Baseline.objects.exists()


def test_what_is_not_ready_not_alike_or_closed(project: Project, gold: DiagnosticSet) -> None:
    waiting = Release.objects.create(project=project, n=1)
    with pytest.raises(Conflict) as refusal:
        a_baseline(project, waiting)
    assert refusal.value.code == "baseline_not_ready"
    with pytest.raises(Invalid) as other:
        a_baseline(factory.project(language="jv"), gold)
    assert other.value.code == "baseline_unlike"
    empty = factory.project()
    with pytest.raises(Invalid) as nothing:
        a_baseline(empty, Release.objects.create(project=empty, n=1, state=Release.State.READY))
    assert nothing.value.code == "baseline_nothing"
    Project.objects.filter(pk=project.pk).update(closed_at="2026-01-01T00:00Z")
    with pytest.raises(Conflict):
        a_baseline(project, gold)


# --- answering ----------------------------------------------------------------------------


def test_three_people_answer_and_the_fourth_is_not_asked(project: Project, gold: DiagnosticSet) -> None:
    made = a_baseline(project, gold, size=6)
    people = [an_outsider(project) for _ in range(4)]
    for person, label in zip(people[:3], "een", strict=True):
        assert say(person, label) == 6
    assert access.next_item(people[3]) is None
    judged = rules.judge(access.rows_of(made), 3, {1: "c"})
    assert {each.label for each in judged} == {"e"}
    assert sum(each.right for each in judged) == 2
    assert [(each.who, each.right) for each in rules.of_people(judged)] == [
        (person.pseudonym, 2) for person in people[:3]
    ]
    assert all(answer.seconds >= 0 for answer in BaselineAnswer.objects.all())


def test_an_answer_is_stored_once(project: Project, gold: DiagnosticSet) -> None:
    made = a_baseline(project, gold)
    person = an_outsider(project)
    asked = access.next_item(person)
    assert asked is not None
    assert not answer_give(annotator=person, token=asked.token, label="e").replayed
    assert answer_give(annotator=person, token=asked.token, label="e").replayed
    with pytest.raises(Conflict) as refusal:
        answer_give(annotator=person, token=asked.token, label="n")
    assert refusal.value.code == "baseline_differs"
    with pytest.raises(Invalid):
        answer_give(annotator=person, token=asked.token, label="x")
    example = made.items.filter(example=True)[0]
    for who, token in (
        (person, example.token),
        (person, "none"),
        (an_outsider(factory.project()), asked.token),
    ):
        with pytest.raises(NotFound):
            answer_give(annotator=who, token=token, label="e")
    assert BaselineAnswer.objects.count() == 1


def test_a_replaced_person_is_not_counted_and_another_takes_the_place(
    project: Project, gold: DiagnosticSet, boss: User
) -> None:
    made = a_baseline(project, gold, size=3, people=1)
    first, second = an_outsider(project), an_outsider(project)
    say(first, "e", 1)
    asked = access.next_item(first)
    assert asked is not None
    assert access.next_item(second) is None
    with pytest.raises(Conflict) as refusal:
        answer_give(annotator=second, token=asked.token, label="e")
    assert refusal.value.code == "baseline_over"
    for _ in range(2):
        baseline_replace(project=project, n=1, annotator_id=first.pk, by=boss)
    assert access.next_item(first) is None
    assert say(second, "n") == 3
    assert {who for row in access.rows_of(made) for who, _ in row.said} == {second.pseudonym}
    assert [(each.who, each.done, each.replaced) for each in access.progress(made)] == [
        (first.pseudonym, 1, True),
        (second.pseudonym, 3, False),
    ]
    with pytest.raises(NotFound):
        baseline_replace(project=project, n=1, annotator_id=0, by=boss)
    baseline_end(project=project, n=1, by=boss)
    with pytest.raises(Conflict):
        baseline_replace(project=project, n=1, annotator_id=second.pk, by=boss)


def test_nothing_is_asked_once_it_has_ended(project: Project, gold: DiagnosticSet, boss: User) -> None:
    a_baseline(project, gold)
    person = an_outsider(project)
    asked = access.next_item(person)
    assert asked is not None
    ended = baseline_end(project=project, n=1, by=boss).ended_at
    assert baseline_end(project=project, n=1, by=boss).ended_at == ended
    assert access.next_item(person) is None
    with pytest.raises(Conflict):
        answer_give(annotator=person, token=asked.token, label="e")
    with pytest.raises(NotFound):
        baseline_end(project=project, n=2, by=boss)


def test_choices_are_shuffled_for_each_person_and_stored_by_their_keys() -> None:
    project = questions.a_question_project(settings={"check_first": False})
    writer = factory.member(project, "writer")
    items = [questions.a_question(project, writer, answer="C") for _ in range(4)]
    Item.objects.filter(project=project).update(
        sampled=False, due_at=None, stage="settled", gold="C", gold_from="votes"
    )
    release = Release.objects.create(project=project, n=1, state=Release.State.READY)
    ReleaseRow.objects.bulk_create(
        ReleaseRow(
            release=release,
            item=item,
            order=n,
            key=item.key,
            version=1,
            revision_n=item.revision_n,
            votes_n=0,
            epoch=1,
            stage="settled",
            round=1,
            sampled=True,
            split="test",
            label="C",
            label_source="gold",
        )
        for n, item in enumerate(items)
    )
    made = a_baseline(project, release, size=4, people=2, examples=0)
    for person in (an_outsider(project), an_outsider(project)):
        say(person, "A")
    found = list(BaselineAnswer.objects.all())
    assert len(found) == 8
    assert all(answer.order[0] == answer.label and sorted(answer.order) == list("ABCDE") for answer in found)
    assert len({answer.order for answer in found}) > 1
    assert [
        each.source for each in rules.of_majority(rules.judge(access.rows_of(made), 2, {1: "C"}), ())
    ] == [1]


# --- who may ------------------------------------------------------------------------------


def test_who_answers_has_no_other_role(project: Project, boss: User) -> None:
    with refused("baseline_alone"):
        Roles(baseline=True, writer=True).check()
    with refused("roles_exclude"):
        an_outsider(project, boss)
    writer = Annotator.objects.filter(project=project)[0]
    assert writer.user is not None
    with refused("baseline_has_part"):
        an_outsider(project, writer.user)
    Annotator.objects.filter(pk=writer.pk).update(left_at="2026-01-01T00:00Z")
    with refused("baseline_has_part"):
        an_outsider(project, writer.user)


def test_who_has_not_begun_may_still_be_something_else(
    project: Project, gold: DiagnosticSet, boss: User
) -> None:
    a_baseline(project, gold)
    one, other = an_outsider(project), an_outsider(project)
    say(one, "e", 1)
    with refused("baseline_answers"):
        roles_change(project=project, annotator_id=one.pk, roles=Roles(writer=True), by=boss)
    changed = roles_change(project=project, annotator_id=other.pk, roles=Roles(writer=True), by=boss)
    assert (changed.is_writer, changed.is_baseline) == (True, False)


def test_parts_in_every_project_that_is_asked_about_count(project: Project, gold: DiagnosticSet) -> None:
    home = factory.project("home")
    a_baseline(home, gold)
    writer = Annotator.objects.filter(project=project)[0]
    assert writer.user is not None
    with refused("baseline_has_part"):
        an_outsider(home, writer.user)
    person = an_outsider(home)
    assert person.user is not None
    with refused("baseline_answers"):
        factory.member(project, "validator", account=person.user)
    factory.member(factory.project(), "validator", account=person.user)
    # Whatever came first: who got a part all the same is asked nothing.
    asked = access.next_item(person)
    assert asked is not None
    Annotator.objects.create(project=project, user=person.user, pseudonym="W99", is_writer=True)
    assert access.next_item(person) is None
    with refused("baseline_has_part"):
        answer_give(annotator=person, token=asked.token, label="e")


def test_invitations_say_what_the_inviter_can_see(project: Project, gold: DiagnosticSet, boss: User) -> None:
    home = factory.project("home")
    a_baseline(home, gold)
    writer, lead = Annotator.objects.filter(project=project)[0], factory.member(home, "lead")
    assert writer.user is not None
    assert lead.user is not None
    roles = Roles(baseline=True)
    with refused("baseline_has_part"):
        invitation_create(project=home, email=writer.user.email, roles=roles, by=boss)
    # A lead of the one project is told nothing of the other; accepting is refused.
    made = invitation_create(project=home, email=writer.user.email, roles=roles, by=lead.user)
    with refused("baseline_has_part"):
        invitation_accept(token=made.token, user=writer.user)
    here = factory.member(home, "writer")
    assert here.user is not None
    with refused("baseline_has_part"):
        invitation_create(project=home, email=here.user.email, roles=roles, by=lead.user)
    with refused("baseline_alone"):
        both = Roles(baseline=True, validator=True)
        invitation_create(project=home, email="new@example.org", roles=both, by=boss)
    fresh = factory.user()
    made = invitation_create(project=home, email=fresh.email, roles=roles, by=lead.user)
    assert invitation_accept(token=made.token, user=fresh).is_baseline


# --- in a release -------------------------------------------------------------------------


def test_a_release_has_the_diagnostic_set_as_a_file() -> None:
    at = review.world(2, seed="s1")
    for item in at.items[:6]:
        review.votes(at, item, item.author_label * 2)
    made = a_set(at.project, [at.validators[0]])
    done = list(made.rows.select_related("item").order_by("item__key"))[:4]
    for row in done:
        diagnostic_confirm(expert=at.validators[0], token=row.token, tags=["NUM", "SEMLEX"])
    release = build(freeze(at, "indonli-expert", forms="diagnostic"))
    found = sorted(rows(release, "diagnostic"), key=lambda row: str(row["pair_id"]))
    assert [row["pair_id"] for row in found] == sorted(rid(row.item) for row in done)
    assert list(found[0]) == ["pair_id", "premise", "hypothesis", "label", "split", "inference_phenomena"]
    assert set(found[0]["inference_phenomena"]) == {"NUM", "LEXSEM"}
    again = build(freeze(at, "indonli-expert", forms="diagnostic"))
    assert rows(again, "diagnostic") == rows(release, "diagnostic")
    assert "diagnostic.jsonl" in release.manifest["files"]
    assert "diagnostic.jsonl" not in build(freeze(at, "indonli-expert")).manifest["files"]
