"""Evaluations of releases: drawn into a project, answered by people who had no part, read off (mCSQA §4.1)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.content.models.item import Item
from annotation.core.errors import Refusal
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.projects.actions.projects import project_settings_change
from exports.evaluation import rules
from exports.evaluation.study import TYPE, answered_items
from exports.releases.models import Release
from tests import factory
from tests.exports import machine as world
from tests.exports.releases.test_machine_releases import freeze
from tests.exports.world import build, staged
from tests.exports.world import freeze as freeze_pairs
from tests.shared_worlds import SharedWorlds
from validation.studies.actions.studies import seed_of, study_create
from validation.studies.models import Study
from validation.studies.study_types import one_round_protocol
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast
from validation.voting.views.cards import card_of

pytestmark = pytest.mark.django_db


@contextmanager
def refused(code: str) -> Iterator[None]:
    """What stands in this block is refused for this reason."""
    with pytest.raises(Refusal) as found:
        yield
    assert found.value.code == code


def judged() -> Project:
    made = world.questions_project(40)
    world.judge_questions(made)
    return made


@pytest.fixture
def project(standing: SharedWorlds) -> Project:
    return standing(judged)


@pytest.fixture
def release(project: Project) -> Release:
    return build(freeze(project, "mcsqa"))


@pytest.fixture
def boss() -> User:
    return factory.user(administrator=True)


def draw(release: Release, boss: User, **more: Any) -> Study:
    slug = more.pop("slug", "people")
    sent = {"release": release.n, "dev": 100, "test": 100, "people": 5, **more}
    return study_create(kind=TYPE, project=release.project, slug=slug, by=boss, sent=sent)


def answer(made: Study, says: Callable[[str, str], str], people: int = 5) -> None:
    """So many people answer everything: `says` gives the key of an option from the right one and the item's key."""
    right = {row.item_id: row.data["answer"] for row in made.rows.all()}
    target = made.project.targets.get()
    for _ in range(people):
        voter = factory.member(made.project, "validator")
        while (assignment := assignment_claim(annotator=voter, target=target, spacing=0)) is not None:
            item = Item.objects.get(pk=assignment.item_id)
            label = says(right[item.pk], item.key)
            assert voter.user_id is not None
            vote_cast(user_id=voter.user_id, slug=made.project.slug, token=assignment.token, ballot=Ballot(label))
    decide_due()


def other(answer: str) -> str:
    return "A" if answer != "A" else "B"


def test_all_are_drawn_where_there_are_fewer(release: Release, boss: User) -> None:
    made = draw(release, boss)
    counts = release.counts["splits"]
    for split in ("dev", "test"):
        assert made.rows.filter(data__split=split).count() == counts[split]["rows"]
    assert not made.rows.filter(data__split="train").exists()
    assert (made.project.kind, made.project.language) == ("mcq", release.project.language)
    protocol = made.project.protocols.get().rules
    assert (protocol["rounds"], protocol["author"], protocol["most_ambiguous"]) == ([5], "none", -1)
    event = Event.objects.get(verb="study_created")
    assert event.data == {"study": "evaluation", "n": 1, "project": "people", "items": made.rows.count()}


def test_the_draw_is_the_projects(release: Release, boss: User) -> None:
    first = draw(release, boss, dev=2, test=3)
    assert [first.rows.filter(data__split=split).count() for split in ("dev", "test")] == [2, 3]
    keys = set(first.rows.values_list("item__key", flat=True))
    again = rules.draw_keys(
        seed_of(release.project, "evaluation", "people"),
        {s: release.rows.filter(split=s).values_list("key", flat=True) for s in ("dev", "test")},
        {"dev": 2, "test": 3},
    )
    assert keys == {key for drawn in again.values() for key in drawn}


def test_nothing_there_tells_what_is_right(release: Release, boss: User) -> None:
    made = draw(release, boss)
    items = Item.objects.filter(project=made.project)
    assert not items.exclude(author_label="", author=None, gold="").exists()
    for content in items.values_list("revisions__content", flat=True):
        assert set(content) == {"concept", "category", "question", "options"}
        assert {option["role"] for option in content["options"]} == {""}
    decide_due()
    voter = factory.member(made.project, "validator")
    assignment = assignment_claim(annotator=voter, target=made.project.targets.get(), spacing=0)
    assert assignment is not None
    card = card_of(assignment, made.project)
    item = Item.objects.get(pk=assignment.item_id)
    told = f"{card.texts} {card.choices} {card.question} {card.options}"
    assert item.key not in told
    assert not any(word in told for word in ("easy", "hard", "set-", "AtLocation"))


def test_how_often_people_are_right(release: Release, boss: User) -> None:
    made = draw(release, boss)
    wrong = set(sorted(made.rows.values_list("item__key", flat=True))[:3])
    decide_due()
    answer(made, lambda right, key: other(right) if key in wrong else right)
    judged = rules.judge_items(made.seed, answered_items(made))
    found = rules.count_outcomes(judged)
    assert found == {"right": made.rows.count() - 3, "wrong": 3}
    both = next(each for each in rules.accuracies(judged) if not each.split and not each.level)
    assert (both.n, both.right) == (made.rows.count(), made.rows.count() - 3)
    assert {each.n for each in rules.person_results(made.seed, judged)} == {made.rows.count()}
    told = TYPE.accuracy(made)
    assert told is not None
    assert (told.right, told.items) == (both.right, both.n)
    assert told.sources == [f"{release.project.slug} release {release.n}"]
    call_command("check_integrity", made.project.slug)
    call_command("check_integrity", release.project.slug)


def test_what_is_excluded_as_ambiguous_is_left_out_where_asked(release: Release, boss: User) -> None:
    made = draw(release, boss, exclude_ambiguous=True, people=3)
    assert made.project.protocols.get().rules["most_ambiguous"] == 1
    key = made.rows.order_by("item__key")[0].item.key
    Item.objects.filter(project=made.project, key=key).update(stage="excluded")
    (row,) = [row for row in answered_items(made) if row.excluded]
    assert row.key == key


def test_who_had_a_part_answers_nothing(project: Project, release: Release, boss: User) -> None:
    made = draw(release, boss)
    members = [
        *project.annotators.filter(is_validator=True),
        factory.member(project, "lead"),
        factory.member(project, "writer"),
    ]
    for one in members:
        with refused("made_what_is_judged"):
            factory.member(made.project, "validator", account=one.user)
    lead = factory.member(made.project, "lead", account=members[-1].user)
    assert lead.is_lead
    judge = factory.member(made.project, "validator")
    for role in ("validator", "lead", "writer"):
        with refused("judges_what_is_made"):
            factory.member(project, role, account=judge.user)


@pytest.mark.parametrize("people", [0, 10])
def test_how_many_answer(people: int) -> None:
    with refused("study_people"):
        one_round_protocol("evaluation", people)


def test_what_cannot_be_evaluated(project: Project, release: Release, boss: User) -> None:
    with refused("evaluation_nothing"):
        draw(release, boss, dev=0, test=0)
    with refused("evaluation_not_ready"):
        draw(freeze(project, "mcsqa"), boss)
    with refused("slug_taken"):
        draw(release, boss, slug=project.slug)
    assert not Study.objects.exists()


def test_pairs_have_no_choices_to_answer_by(boss: User, client: Client) -> None:
    release = build(freeze_pairs(staged()))
    with refused("evaluation_no_choices"):
        draw(release, boss)
    client.force_login(boss)
    page = f"/p/{release.project.slug}/releases/1/"
    assert "Human evaluation" not in client.get(page).content.decode()
    assert client.get(f"/p/{release.project.slug}/studies/evaluation/").status_code == 404


def test_the_pages(release: Release, boss: User, client: Client) -> None:
    client.force_login(boss)
    address = f"/p/{release.project.slug}/studies/evaluation/"
    listed = f"/p/{release.project.slug}/studies/"
    assert "There is none yet" in client.get(listed).content.decode()
    assert 'value="1" selected' in client.get(f"{address}?release=1").content.decode()
    assert client.get(f"{address}1/rows.csv").status_code == 404
    sent = {"release": "1", "dev": "3", "test": "3", "people": "2", "slug": "not a name"}
    refused_ = client.post(address, sent)
    assert refused_.status_code == 422
    assert 'value="not a name"' in refused_.content.decode()
    page = client.post(address, {**sent, "slug": "people"}, follow=True).content.decode()
    assert "6 waits for answers" in page
    assert client.post(address, {**sent, "slug": "people"}).status_code == 409
    made = Study.objects.get()
    decide_due()
    answer(made, lambda right, key: right, people=2)
    page = client.get(f"{address}1/").content.decode()
    assert "100.0\u00a0%" in page
    assert client.get(f"{address}1/votes.csv").status_code == 404
    table = client.get(f"{address}1/rows.csv").content.decode("utf-8-sig").splitlines()
    assert table[0] == "id,split,level,answer,majority,tied,outcome,answers"
    assert len(table) == 7
    assert all(line.split(",")[5:7] == ["0", "right"] for line in table[1:])
    draw(release, boss, slug="others")
    assert "Evaluation 2" in client.get(listed).content.decode()
    assert client.get(f"{address}3/").status_code == 404
    client.post(f"{address}1/close/", {"closed": "1"})
    assert Project.objects.get(slug="people").closed_at is not None
    # Its results were read: opening it again asks for its name.
    asked = client.post(f"{address}1/close/", {"closed": "0", "confirm": "others"})
    assert asked.status_code == 422
    assert "type people" in asked.content.decode()
    assert Project.objects.get(slug="people").closed_at is not None
    client.post(f"{address}1/close/", {"closed": "0", "confirm": "people"})
    assert Project.objects.get(slug="people").closed_at is None
    # From there the way leads back to the study, for who reads it.
    assert f'href="{address}1/"' in client.get("/p/people/").content.decode()
    client.force_login(factory.member(release.project, "lead").user)  # type: ignore[arg-type]
    assert client.get(f"{address}1/").status_code == 200
    assert client.get(address).status_code == 403
    assert client.post(f"{address}1/close/", {"closed": "1"}).status_code == 403
    assert client.post(address, {**sent, "slug": "one-more"}).status_code == 403


def test_pages_cost_the_same_for_few_rows_and_many(
    release: Release, boss: User, client: Client, django_assert_num_queries: Any
) -> None:
    client.force_login(boss)
    address = f"/p/{release.project.slug}/studies/evaluation/"
    for slug, size in (("few", 1), ("many", 100)):
        made = draw(release, boss, slug=slug, dev=size, test=size)
        decide_due()
        answer(made, lambda right, key: right, people=1)
    for n in (1, 2):
        with django_assert_num_queries(12):
            assert client.get(f"{address}{n}/").status_code == 200


def test_questions_of_people_are_evaluated_too(boss: User) -> None:
    """What people wrote has no levels."""
    from tests import questions

    project = questions.a_question_project("soal", settings={"check_first": False})
    writer = factory.member(project, "writer")
    for _ in range(3):
        questions.a_question(project, writer, answer="C")
    project_settings_change(project=project, by=None, changes={"sample_share": "0"})
    Item.objects.filter(project=project).update(sampled=False, due_at=None)
    release = build(freeze(project, "idcsqa", not_sampled="test"))
    made = draw(release, boss)
    decide_due()
    answer(made, lambda right, key: "C")
    judged = rules.judge_items(made.seed, answered_items(made))
    assert rules.count_outcomes(judged) == {"right": 3}
    assert {each.level for each in rules.accuracies(judged)} == {""}
