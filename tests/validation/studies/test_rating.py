"""Rating of model outputs: brought, dealt, answered once, taken back, closed and counted."""

import gzip
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from tests import factory
from tests.race import together
from tests.ratings import MODELS, YES_TO_ALL, RatedWorld, a_rated_world, save, waiting_of
from tests.standing import Standing
from validation.studies.actions.rating_runs import run_change, run_close, run_open, run_prepare
from validation.studies.actions.ratings import rating_back, rating_next
from validation.studies.models import Generation, Rating, RatingRun
from validation.studies.queries import ratings as fetch
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.decide import decide_due

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(standing: Standing) -> RatedWorld:
    return standing(a_rated_world)


@pytest.fixture
def opened(world: RatedWorld, tmp_path: Path) -> RatedWorld:
    world.open(tmp_path)
    return world


# --- preparing --------------------------------------------------------------------------


def test_a_run_begins_with_the_criteria_of_the_project_or_the_seven_of_the_house(world: RatedWorld) -> None:
    assert [each["key"] for each in world.run.criteria] == list(YES_TO_ALL)
    Project.objects.filter(pk=world.project.pk).update(
        settings={**world.project.settings, "rating_criteria": "polite: Sopan: Tidak kasar."}
    )
    world.project.refresh_from_db()
    run = run_prepare(project=world.project, name="Lain", by=world.by)
    assert run.criteria == [{"key": "polite", "name": "Sopan", "definition": "Tidak kasar."}]
    assert (run.seed, run.sample, run.state) == (world.project.seed, 60, "prepared")


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"name": " "}, "rating_name_wrong"),
        ({"name": "x" * 121}, "rating_name_wrong"),
        ({"name": "a\0b"}, "rating_name_wrong"),
        ({"name": "Putaran 1"}, "rating_name_taken"),
        ({"sample": 0}, "rating_sample_wrong"),
        ({"sample": 1001}, "rating_sample_wrong"),
        ({"criteria": "no colon"}, "criterion_form"),
        ({"criteria": "a: b: c\0"}, "text_not_storable"),
    ],
)
def test_what_no_run_can_be(world: RatedWorld, changed: dict[str, Any], code: str) -> None:
    with pytest.raises(Invalid) as refused:
        run_prepare(**{"project": world.project, "name": "Baru", "by": world.by, **changed})
    assert refused.value.code == code
    assert RatingRun.objects.count() == 1


def test_criteria_change_while_it_is_prepared_and_no_page_writes_over_another(world: RatedWorld) -> None:
    change = partial(run_change, project=world.project, run_id=world.run.pk, by=world.by)
    run = change(version=1, sample=3, criteria="polite: Sopan: Tidak kasar.")
    assert (run.version, run.sample, [each["key"] for each in run.criteria]) == (2, 3, ["polite"])
    with pytest.raises(Conflict) as stale:
        change(version=1, sample=9, criteria="")
    assert stale.value.code == "rating_stale"
    assert change(version=2, sample=3, criteria=" ").criteria == world.run.criteria


# --- outputs ----------------------------------------------------------------------------


def test_outputs_come_in_once_and_byte_for_byte(world: RatedWorld, tmp_path: Path) -> None:
    text = "  =HYPERLINK(1) \u2028 baris\r\nke-2 e\u0301 "
    whole = [
        {"prompt_id": row["prompt_variation_id"], "model": row["model"], "text": row["text"]}
        for row in world.rows()
    ]
    rows: list[dict[str, object]] = [
        *whole,
        {"prompt_id": world.prompts[0].key[:-2], "model": "m", "text": text},
    ]
    report = world.bring(tmp_path, rows)
    assert (report.accepted, report.unchanged, report.refused) == (7, 0, [])
    assert Generation.objects.get(model="m").text == text
    again = world.bring(tmp_path, rows)
    assert (again.accepted, again.unchanged, again.refused) == (0, 7, [])


def test_another_output_for_the_same_prompt_and_model_is_refused_with_both(
    world: RatedWorld, tmp_path: Path
) -> None:
    first, *_ = rows = world.rows()
    world.bring(tmp_path, rows[:1])
    other = {**first, "text": "Lain sama sekali."}
    report = world.bring(tmp_path, [other, rows[1], {**rows[1], "text": "Beda."}, rows[1]])
    assert (report.accepted, report.unchanged) == (1, 1)
    assert [(row.n, row.field) for row in report.refused] == [(1, "text"), (3, "text")]
    assert str(first["text"]) in report.refused[0].reason
    assert "Lain sama sekali." in report.refused[0].reason
    assert Generation.objects.filter(text="Lain sama sekali.").count() == 0


def test_hostile_rows_are_refused_one_by_one(world: RatedWorld, tmp_path: Path) -> None:
    key = world.prompts[0].key
    good = f'{{"prompt_id":"{key}","model":"ok","text":"Baik."}}'
    lines = [
        good.encode(),
        b'{"prompt_id":"9999999999","model":"m","text":"t"}',
        b"[1]",
        b'{"prompt_id":"' + key.encode() + b'","model":"m","text":"\xff"}',
        b'{"prompt_id":"' + key.encode() + b'","model":"m","text":"a\\u0000b"}',
        b'{"prompt_id":"' + key.encode() + b'","model":"m","text":"\\ud800"}',
        b'{"prompt_id":"' + key.encode() + b'","model":"","text":"t"}',
        b'{"prompt_id":"' + key.encode() + b'","model":"' + b"m" * 121 + b'","text":"t"}',
        b'{"prompt_id":null,"model":"m","text":"t"}',
        b'{"prompt_id":"' + key.encode() + b'","model":"m","text":["t"]}',
        b'{"prompt_id":"' + key.encode() + b'","model":"m","text":"' + b"t" * 10_001 + b'"}',
        b'{"prompt_id":"' + key.encode() + b'","model":"m","text":"a","text":"b"}',
        b'{"prompt_id":"' + key.encode() + b'","model":"torn',
    ]
    report = world.take(tmp_path, b"\n".join(lines), "outputs.jsonl")
    assert report.accepted == 1
    assert [row.n for row in report.refused] == list(range(2, 14))
    assert all(row.reason for row in report.refused)
    assert Generation.objects.get().text == "Baik."


@pytest.mark.parametrize(
    ("content", "name", "code"),
    [
        (b"", "outputs.csv", None),
        (b"model,text\nm,t\n", "outputs.csv", "column_missing"),
        (b"prompt_id,model,text\n" + b"x,m,t\n" * 10_001, "outputs.csv", "rows_many"),
        (gzip.compress(b"prompt_id,text\nx,t\n", mtime=0), "outputs.csv.gz", "column_missing"),
        (b"\x00\x01\x02\xff" * 50, "outputs.csv", None),
    ],
)
def test_files_that_are_not_read(
    world: RatedWorld, tmp_path: Path, content: bytes, name: str, code: str | None
) -> None:
    with pytest.raises(Invalid) as refused:
        world.take(tmp_path, content, name)
    assert refused.value.message
    assert code in (None, refused.value.code)
    assert Generation.objects.count() == 0


def test_ten_thousand_rows_come_in_few_statements(world: RatedWorld, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"prompt_id": item.key, "model": f"model {number}", "text": f"Jawaban {number}"}
        for number in range(3_333)
        for item in world.prompts
    ]
    with CaptureQueriesContext(
        connection,
    ) as found:
        assert world.bring(tmp_path, rows).accepted == 9_999
    assert len(found) < 80


# --- opening ----------------------------------------------------------------------------


def test_every_sampled_output_goes_to_one_group_of_three(tmp_path: Path) -> None:
    world = a_rated_world(prompts=4, raters=6, sample=3)
    world.open(tmp_path)
    sampled = Generation.objects.filter(sampled=True)
    assert (sampled.count(), sampled.values("item").distinct().count()) == (3 * len(MODELS), 3)
    assert Rating.objects.count() == 3 * len(MODELS) * 3
    by_group = {group: sampled.filter(group=group).count() for group in (1, 2)}
    assert by_group == {1: 3, 2: 3}
    for made in sampled:
        assert made.ratings.values("annotator").distinct().count() == 3
    for person in world.raters:
        assert [rating.position for rating in waiting_of(person)] == [1, 2, 3]
    orders = {tuple(rating.generation_id for rating in waiting_of(person)) for person in world.raters}
    assert len(orders) > 2


def test_only_prompts_with_every_models_output_are_drawn(world: RatedWorld, tmp_path: Path) -> None:
    rows = world.rows()
    world.bring(tmp_path, rows[:-3])
    ids = [one.pk for one in world.raters]
    open_it = partial(run_open, project=world.project, run_id=world.run.pk, by=world.by)
    with pytest.raises(Invalid) as short:
        open_it(raters=ids)
    assert short.value.code == "sample_short"
    found = fetch.brought(world.run)
    assert (found.models, found.complete, found.lacking) == (
        [(MODELS[0], 2), (MODELS[1], 1)],
        1,
        [(world.prompts[1].key, [MODELS[1]])],
    )
    world.bring(tmp_path, rows[-3:-2])
    assert open_it(raters=ids).state == "open"
    assert not Generation.objects.filter(item=world.prompts[2], sampled=True).exists()


@pytest.mark.parametrize(
    ("count", "code"), [(0, "raters_few"), (2, "raters_few"), (4, "raters_uneven"), (5, "raters_uneven")]
)
def test_raters_make_groups_of_three(world: RatedWorld, tmp_path: Path, count: int, code: str) -> None:
    people = [*world.raters, factory.member(world.project, "rater"), factory.member(world.project, "rater")]
    world.bring(tmp_path, world.rows())
    with pytest.raises(Invalid) as refused:
        run_open(
            project=world.project, run_id=world.run.pk, by=world.by, raters=[p.pk for p in people[:count]]
        )
    assert refused.value.code == code
    assert Rating.objects.count() == 0


def test_nobody_rates_who_is_no_rater_or_knows_the_models(world: RatedWorld, tmp_path: Path) -> None:
    world.bring(tmp_path, world.rows())
    validator = factory.member(world.project, "validator")
    Annotator.objects.filter(pk=world.raters[2].pk).update(has_led=True)
    for third in (validator, world.lead, world.raters[2]):
        chosen = [world.raters[0].pk, world.raters[1].pk, third.pk]
        with pytest.raises(Invalid) as refused:
            run_open(project=world.project, run_id=world.run.pk, by=world.by, raters=chosen)
        assert refused.value.code == "rater_wrong"
    for roles in (("lead", "rater"),):
        with pytest.raises(Invalid):
            factory.member(world.project, *roles)
    with pytest.raises(Invalid):
        factory.member(world.project, "rater", account=factory.user(administrator=True))
    with pytest.raises(Conflict):
        factory.member(world.project, "rater", account=world.by)


def test_who_rates_a_prompt_is_not_asked_to_vote_on_it(tmp_path: Path) -> None:
    world = a_rated_world(prompts=1, sample=1, raters=2)
    both, voter = (
        factory.member(world.project, "rater", "validator"),
        factory.member(world.project, "validator"),
    )
    world.raters.append(both)
    world.open(tmp_path)
    while decide_due():
        pass
    target = world.project.targets.get()
    assert assignment_claim(annotator=both, target=target, spacing=0) is None
    assert assignment_claim(annotator=voter, target=target, spacing=0) is not None


def test_what_was_opened_stays(opened: RatedWorld, tmp_path: Path) -> None:
    ids = [one.pk for one in opened.raters]
    for call in (
        partial(opened.bring, tmp_path, opened.rows()),
        partial(run_open, project=opened.project, run_id=opened.run.pk, by=opened.by, raters=ids),
        partial(
            run_change,
            project=opened.project,
            run_id=opened.run.pk,
            by=opened.by,
            version=2,
            sample=1,
            criteria="",
        ),
    ):
        with pytest.raises(Conflict) as refused:
            call()
        assert refused.value.code == "rating_opened"
    other = factory.project()
    with pytest.raises(NotFound):
        run_close(project=other, run_id=opened.run.pk, by=opened.by)


# --- rating -----------------------------------------------------------------------------


def test_one_rating_a_person_and_output(opened: RatedWorld) -> None:
    person, other = opened.raters[:2]
    rating = rating_next(annotator=person)
    assert rating is not None
    assert (rating.position, rating.answers) == (1, {})
    assert save(person, rating.token, "  baik  ", legality="no")
    rating.refresh_from_db()
    assert rating.answers == {**YES_TO_ALL, "legality": "no"}
    assert rating.comment == "baik"
    assert rating.seconds is not None
    assert rating.seconds >= 0
    assert not save(person, rating.token, "baik", legality="no")
    with pytest.raises(Conflict) as differs:
        save(person, rating.token, "baik")
    assert differs.value.code == "rating_differs"
    with pytest.raises(NotFound):
        save(other, rating.token)
    following = rating_next(annotator=person)
    assert following is not None
    assert following.position == 2


def test_every_criterion_is_answered(opened: RatedWorld) -> None:
    person = opened.raters[0]
    (rating, *_) = waiting_of(person)
    with pytest.raises(Invalid) as refused:
        save(person, rating.token, spelling="", legality="perhaps", unknown="yes")
    assert refused.value.details["missing"] == ["spelling", "legality"]
    with pytest.raises(Invalid):
        save(person, rating.token, "a\0b")
    with pytest.raises(Invalid):
        save(person, rating.token, "x" * 2001)
    save(person, rating.token, unknown="yes")
    rating.refresh_from_db()
    assert "unknown" not in rating.answers


def test_the_last_one_is_taken_back_within_ten_minutes(opened: RatedWorld) -> None:
    person = opened.raters[0]
    with pytest.raises(Conflict):
        rating_back(annotator=person)
    first, second, *_ = waiting_of(person)
    save(person, first.token)
    save(person, second.token, spelling="no")
    back = rating_back(annotator=person)
    assert (back.pk, back.answers["spelling"], back.answered_at) == (second.pk, "no", None)
    with pytest.raises(NotFound):
        save(person, second.token)
    upcoming = rating_next(annotator=person)
    assert upcoming is not None
    assert upcoming.pk == second.pk
    save(person, back.token)
    Rating.objects.filter(annotator=person).exclude(answered_at=None).update(answered_at="2026-01-01T00:00Z")
    with pytest.raises(Conflict) as refused:
        rating_back(annotator=person)
    assert refused.value.code == "nothing_to_take_back"


def test_nothing_is_stored_once_it_is_closed(opened: RatedWorld) -> None:
    person = opened.raters[0]
    first, second, *_ = waiting_of(person)
    save(person, first.token)
    run_close(project=opened.project, run_id=opened.run.pk, by=opened.by)
    run_close(project=opened.project, run_id=opened.run.pk, by=opened.by)
    assert Event.objects.filter(project=opened.project, verb="rating_closed").count() == 1
    with pytest.raises(Conflict) as refused:
        save(person, second.token)
    assert refused.value.code == "rating_closed"
    assert not save(person, first.token)
    with pytest.raises(Conflict):
        rating_back(annotator=person)
    assert rating_next(annotator=person) is None


@pytest.mark.django_db(transaction=True)
def test_two_sends_at_once_store_one(tmp_path: Path) -> None:
    world = a_rated_world(prompts=4, sample=4)
    world.open(tmp_path)
    person = world.raters[0]
    for rating in waiting_of(person)[:4]:
        found = together([partial(save, person, rating.token) for _ in range(4)])
        assert sorted(found) == [False, False, False, True]
    for rating in waiting_of(person):
        calls = [partial(save, person, rating.token, spelling=word) for word in ("yes", "no")]
        found = together(calls)
        assert sorted(type(one).__name__ for one in found) == ["Conflict", "bool"]
        rating.refresh_from_db()
        assert rating.answers["spelling"] == ("yes", "no")[found.index(True)]


@pytest.mark.django_db(transaction=True)
def test_two_leads_open_at_once(tmp_path: Path) -> None:
    world = a_rated_world(prompts=4, sample=4)
    world.bring(tmp_path, world.rows())
    ids = [one.pk for one in world.raters]
    call = partial(run_open, project=world.project, run_id=world.run.pk, raters=ids, by=world.by)
    found = together([call, call, call])
    assert sorted(type(one).__name__ for one in found) == ["Conflict", "Conflict", "RatingRun"]
    assert Rating.objects.count() == 4 * len(MODELS) * 3
