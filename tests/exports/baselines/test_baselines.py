"""Human baselines: drawn from releases and sets, answered blindly by people apart, counted (IndoNLI Appendix C)."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.management import call_command

from annotation.content.models.item import Item
from annotation.core.actions.members import annotator_add
from annotation.core.errors import Invalid, Refusal
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.projects.actions.projects import project_close
from exports.baselines import rules
from exports.baselines.study import TYPE, judged_items
from exports.releases.models import Release, ReleaseRow
from tests import factory, questions, review
from tests.annotation.tasks.items import make_task_project, write_items_file
from tests.baselines import (
    a_baseline,
    a_gold_project,
    a_set,
    an_outsider,
    answer_items,
    confirm_tags,
    standing_answers,
)
from tests.exports.world import build, freeze, released_pair_id, rows
from tests.shared_worlds import SharedWorlds
from validation.people.actions import annotator_remove
from validation.studies.models import Study
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss() -> User:
    return factory.user(administrator=True)


@pytest.fixture
def project(standing: SharedWorlds) -> Project:
    return standing(a_gold_project, "gold")


@pytest.fixture
def gold(project: Project) -> Study:
    return a_set(project, [], size=18)


@contextmanager
def refused(code: str) -> Iterator[None]:
    """What stands in this block is refused for this reason."""
    with pytest.raises(Refusal) as found:
        yield
    assert found.value.code == code


def guidelines(made: Study) -> str:
    return str(made.project.guidelines.get(role="validation").text)


def a_ready_release(project: Project, items: list[Item], answer: str) -> Release:
    """A release whose test rows these items are, all with this gold answer; straight into the tables."""
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
            label=answer,
            label_source="gold",
        )
        for n, item in enumerate(items)
    )
    return release


# --- what is drawn ------------------------------------------------------------------------


def test_a_sample_of_a_releases_test_with_examples_that_are_never_asked(boss: User) -> None:
    at = review.world(3, seed="s1")
    for item in at.items[::2]:
        review.cast_votes(at, item, item.author_label * 2)
    release = build(freeze(at, "indonli-expert"))
    made = a_baseline(at.project, release, size=4)
    asked = Item.objects.filter(studied__study=made)
    assert len(asked) == 4
    assert {row.data["gold"] for row in made.rows.all()} <= {"e", "n", "c"}
    assert made.options["projects"] == [at.project.slug]
    text = guidelines(made)
    assert text.startswith("Does it follow?")
    assert len(re.findall(r"^\*\*Benar:\*\*", text, re.MULTILINE)) == made.options["examples"] == 3
    # Nothing in the project of the study tells what is right.
    for item in Item.objects.filter(project=made.project):
        assert (item.author, item.author_label, item.gold) == (None, "", "")
        assert set(item.revisions.get().content) == {"premise", "hypothesis"}


def test_the_same_seed_and_number_draw_the_same(project: Project, gold: Study) -> None:
    other = a_gold_project("other", seed=project.seed)
    twin = a_set(other, [], size=18)
    one, two = (
        [(row.item.key, row.data) for row in made.rows.select_related("item").order_by("position")]
        for made in (a_baseline(project, gold), a_baseline(other, twin))
    )
    assert one == two


def test_several_sources_and_no_item_twice(project: Project, gold: Study) -> None:
    whole = a_set(project, [], size=24)
    made = a_baseline(project, None, sources={gold: 18, whole: 24}, examples=5)
    assert Counter(row.data["source"] for row in made.rows.all()) == {1: 24}
    assert made.options["examples"] == 0
    some = a_baseline(project, None, sources={whole: 6, gold: 18}, examples=0)
    counted = Counter(row.data["source"] for row in some.rows.all())
    assert counted[1] == 6
    assert some.rows.values("of_item").distinct().count() == counted.total()


def test_items_of_two_projects_that_are_called_alike(project: Project, gold: Study) -> None:
    other = a_gold_project("other")
    twin = a_set(other, [], size=24)
    made = a_baseline(project, None, sources={twin: 24, gold: 18}, examples=0)
    assert made.rows.count() == 42
    assert made.options["projects"] == ["gold", "other"]
    assert sorted(set(made.rows.values_list("of_item__project__slug", flat=True))) == ["gold", "other"]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"size": 0}, "baseline_nothing"),
        ({"people": 0}, "study_people"),
        ({"people": 10}, "study_people"),
        ({"task": "  "}, "baseline_task"),
        ({"task": "x" * 4001}, "baseline_task"),
    ],
)
def test_what_cannot_be_drawn(project: Project, gold: Study, more: dict[str, Any], code: str) -> None:
    with pytest.raises(Invalid) as refusal:
        a_baseline(project, gold, **more)
    assert refusal.value.code == code
    assert not Study.objects.filter(kind="baseline").exists()


def test_what_is_not_ready_or_not_alike_is_nothing_to_draw_from(project: Project, gold: Study) -> None:
    with refused("baseline_nothing"):
        a_baseline(project, Release.objects.create(project=project, n=1))
    with refused("baseline_nothing"):
        a_baseline(factory.project(language="jv"), gold)
    empty = factory.project()
    with refused("baseline_nothing"):
        a_baseline(empty, Release.objects.create(project=empty, n=1, state=Release.State.READY))


# --- answering ----------------------------------------------------------------------------


def test_three_people_answer_everything(project: Project, gold: Study) -> None:
    made = a_baseline(project, gold, size=6)
    people = [an_outsider(made) for _ in range(4)]
    for person, label in zip(people[:3], "een", strict=True):
        assert answer_items(person, label) == 6
    assert answer_items(people[3], "e") == 0
    judged = judged_items(made)
    assert {each.label for each in judged} == {"e"}
    assert sum(each.right for each in judged) == 2
    assert [(each.person, each.right) for each in rules.person_accuracies(judged)] == [
        (person.pseudonym, 2) for person in people[:3]
    ]


def test_what_more_than_half_say_else_the_most_frequent_label(project: Project, gold: Study) -> None:
    """One item each: no two of three agree, so that the label counts that most of the set has."""
    made = a_baseline(project, gold, size=3)
    made.options["sources"][0]["frequent"] = "c"
    made.save()
    for label in "enc":
        answer_items(an_outsider(made), label)
    judged = judged_items(made)
    assert {(each.label, each.has_majority) for each in judged} == {("c", False)}
    assert [(each.n, each.right, each.no_majority) for each in rules.majority_accuracies(judged, ())] == [(3, 1, 3)]


def test_a_replaced_person_is_not_counted_and_another_begins_anew(project: Project, gold: Study, boss: User) -> None:
    made = a_baseline(project, gold, size=3, people=1)
    first, second = an_outsider(made), an_outsider(made)
    answer_items(first, "e", 1)
    annotator_remove(project=made.project, annotator_id=first.pk, by=boss, void=True)
    review.decide()
    assert answer_items(second, "n") == 3
    assert standing_answers(made) == {second.pseudonym: "nnn"}
    assert {who for each in judged_items(made) for who, _ in each.row.answers} == {second.pseudonym}
    assert Vote.objects.filter(annotator=first).count() == 1


def test_nothing_is_asked_once_it_is_closed(project: Project, gold: Study, boss: User) -> None:
    made = a_baseline(project, gold)
    person = an_outsider(made)
    assert answer_items(person, "e", 1) == 1
    project_close(project=made.project, by=boss, closed=True)
    with refused("project_closed"):
        answer_items(person, "e", 1)


def test_choices_are_shuffled_for_each_person_and_stored_by_their_keys() -> None:
    project = questions.a_question_project(settings={"check_first": False})
    writer = factory.member(project, "writer")
    items = [questions.a_question(project, writer, answer="C") for _ in range(4)]
    Item.objects.filter(project=project).update(
        sampled=False, due_at=None, stage="settled", gold="C", gold_from="votes"
    )
    made = a_baseline(project, a_ready_release(project, items, "C"), size=4, people=2, examples=0)
    for item in Item.objects.filter(project=made.project):
        # Neither which is right nor what it is about.
        assert len({option["role"] for option in item.revisions.get().content["options"]}) == 1
    for person in (an_outsider(made), an_outsider(made)):
        answer_items(person, "A")
    found = list(Vote.objects.filter(project=made.project))
    assert len(found) == 8
    assert all(sorted(vote.answers["order"]) == list("ABCDE") for vote in found)
    assert len({vote.answers["order"] for vote in found}) > 1
    assert [each.source for each in rules.majority_accuracies(judged_items(made), ())] == [1]


def test_a_team_s_own_task_has_a_baseline_too(tmp_path: Any) -> None:
    project = make_task_project("sentiment")
    call_command("import_items", project.slug, write_items_file("sentiment", tmp_path), verbosity=0)
    items = list(Item.objects.filter(project=project))
    Item.objects.filter(project=project).update(due_at=None, stage="settled", gold="positive", gold_from="votes")
    made = a_baseline(project, a_ready_release(project, items, "positive"), size=3, people=1, examples=0)
    assert answer_items(an_outsider(made), "positive") == 3
    assert all(each.right for each in judged_items(made))
    assert guidelines(made) == "Does it follow?\n"


# --- who may ------------------------------------------------------------------------------


def test_who_has_or_had_a_part_answers_nothing(project: Project, gold: Study) -> None:
    made = a_baseline(project, gold)
    writer = Annotator.objects.filter(project=project)[0]
    with refused("made_what_is_judged"):
        an_outsider(made, writer.user)
    Annotator.objects.filter(pk=writer.pk).update(left_at="2026-01-01T00:00Z")
    with refused("made_what_is_judged"):
        an_outsider(made, writer.user)


def test_experts_of_a_set_have_seen_gold(project: Project, gold: Study) -> None:
    expert = factory.user()
    annotator_add(project=gold.project, user=expert, validator=True)
    with refused("made_what_is_judged"):
        an_outsider(a_baseline(project, gold), expert)


def test_who_answers_gets_no_part_in_any_project_that_is_asked_about(project: Project, gold: Study) -> None:
    home = factory.project("home")
    made = a_baseline(home, gold)
    writer = Annotator.objects.filter(project=project)[0]
    with refused("made_what_is_judged"):
        an_outsider(made, writer.user)
    person = an_outsider(made)
    answer_items(person, "e", 1)
    for asked in (project, home, gold.project):
        with refused("judges_what_is_made"):
            factory.member(asked, "validator", account=person.user)
    factory.member(factory.project(), "validator", account=person.user)


def test_who_has_not_begun_and_left_may_be_something_else(project: Project, gold: Study, boss: User) -> None:
    made = a_baseline(project, gold)
    one, other = an_outsider(made), an_outsider(made)
    answer_items(one, "e", 1)
    for person in (one, other):
        annotator_remove(project=made.project, annotator_id=person.pk, by=boss)
    with refused("judges_what_is_made"):
        factory.member(project, "writer", account=one.user)
    assert factory.member(project, "writer", account=other.user).is_writer


def test_the_kinds_that_have_one() -> None:
    assert TYPE.is_available(factory.project())
    assert TYPE.is_available(questions.a_question_project())
    assert not TYPE.is_available(factory.project(preset="loraxbench"))


# --- in a release -------------------------------------------------------------------------


def test_a_release_has_the_diagnostic_set_as_a_file() -> None:
    at = review.world(2, seed="s1")
    for item in at.items[:6]:
        review.cast_votes(at, item, item.author_label * 2)
    made = a_set(at.project, [at.validators[0]])
    done = list(made.rows.select_related("item", "of_item").order_by("of_item__key"))[:4]
    for row in done:
        confirm_tags(made, at.validators[0], ["NUM", "LEXSEM"], row)
    release = build(freeze(at, "indonli-expert", forms="diagnostic"))
    found = sorted(rows(release, "diagnostic"), key=lambda row: str(row["pair_id"]))
    assert [row["pair_id"] for row in found] == sorted(released_pair_id(row.of_item) for row in done if row.of_item)
    assert list(found[0]) == ["pair_id", "premise", "hypothesis", "label", "split", "inference_phenomena"]
    assert set(found[0]["inference_phenomena"]) == {"NUM", "LEXSEM"}
    again = build(freeze(at, "indonli-expert", forms="diagnostic"))
    assert rows(again, "diagnostic") == rows(release, "diagnostic")
    assert "diagnostic.jsonl" in release.manifest["files"]
    assert "diagnostic.jsonl" not in build(freeze(at, "indonli-expert")).manifest["files"]
