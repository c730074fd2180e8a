"""Rating of model outputs: brought, dealt, answered once, taken back, closed; what pages tell, and what they cost."""

import csv
import gzip
import io
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.models import Annotator, Event, Project, User
from tests import factory
from tests.race import together
from tests.ratings import MODELS, YES_TO_ALL, RatedWorld, a_rated_world, waiting_of
from validation import ratings as fetch
from validation.actions.rating_runs import run_change, run_close, run_open, run_prepare
from validation.actions.ratings import rating_back, rating_next, rating_save
from validation.models import Generation, Rating, RatingRun

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def world() -> RatedWorld:
    return a_rated_world()


@pytest.fixture
def opened(world: RatedWorld, tmp_path: Path) -> RatedWorld:
    world.open(tmp_path)
    return world


def client_of(user: User | None) -> Client:
    assert user is not None
    client = Client()
    client.force_login(user)
    return client


def save(person: Annotator, token: str, comment: str = "", **changed: str) -> bool:
    """Whether the answers were stored now (False: they had been stored before)."""
    return not rating_save(
        annotator=person, token=token, answers={**YES_TO_ALL, **changed}, comment=comment
    ).replayed


def rate_all(world: RatedWorld, **changed: str) -> None:
    for person in world.raters:
        for rating in waiting_of(person):
            save(person, rating.token, **changed)


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
        (gzip.compress(b"prompt_id,text\nx,t\n"), "outputs.csv.gz", "column_missing"),
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


# --- results ----------------------------------------------------------------------------


def test_results_by_model_once_it_is_closed(opened: RatedWorld) -> None:
    with pytest.raises(Forbidden):
        fetch.results(opened.run)
    for place, person in enumerate(opened.raters):
        for rating in waiting_of(person):
            ant = rating.generation.model == MODELS[0]
            # Of the ant two of three say no to spelling; of the bee one of three.
            says_no = place < 2 if ant else place == 0
            save(person, rating.token, spelling="no" if says_no else "yes")
    run = run_close(project=opened.project, run_id=opened.run.pk, by=opened.by)
    tally = fetch.results(run)
    assert tally.models == MODELS
    assert [tally.counts[model, "spelling"] for model in MODELS] == [(0, 2), (2, 2)]
    assert [tally.counts[model, "legality"] for model in MODELS] == [(2, 2), (2, 2)]
    assert tally.waiting == 0
    spelling = tally.agreement["spelling"]
    assert (spelling.percent.items, spelling.percent.ratings, spelling.kappa.pairs) == (4, 12, 3)
    assert spelling.percent.value == pytest.approx(1 / 3)
    assert tally.agreement["legality"].alpha.value is None


# --- pages ------------------------------------------------------------------------------


def rate_url(world: RatedWorld, token: str = "") -> str:
    return (
        reverse("rate_send", args=[world.project.slug, token])
        if token
        else reverse("rate", args=[world.project.slug])
    )


def form(**changed: str) -> dict[str, str]:
    return {f"answer_{name}": word for name, word in {**YES_TO_ALL, **changed}.items()}


def everything(answer: Any) -> str:
    return f"{answer.headers}{answer.cookies}{answer.content.decode()}"


def test_a_rater_never_reads_a_models_name(opened: RatedWorld) -> None:
    person = opened.raters[0]
    client = client_of(person.user)
    seen: list[str] = []
    home = client.get(reverse("home"))
    assert rate_url(opened) in home.content.decode()
    answer = client.get(rate_url(opened))
    while (card := answer.context["card"]) is not None:
        seen.append(everything(answer))
        seen.append(everything(client.post(rate_url(opened, card.token), form(spelling=""), headers=HTMX)))
        answer = client.post(rate_url(opened, card.token), form(), headers=HTMX)
        assert answer.status_code == 200
    assert len(seen) == 8
    seen.append(everything(answer))
    run_close(project=opened.project, run_id=opened.run.pk, by=opened.by)
    for name in ("home", "my_record", "my_data"):
        seen.append(everything(client.get(reverse(name))))
    for name in ("project", "rate", "guidelines"):
        seen.append(everything(client.get(reverse(name, args=[opened.project.slug]))))
    assert [text for text in seen if "canary-model" in text] == []
    assert "answers" in seen[-4]
    for name, args in (("ratings", []), ("rating_run", [opened.run.pk]), ("rating_counts", [opened.run.pk])):
        assert client.get(reverse(name, args=[opened.project.slug, *args])).status_code == 403


def test_leads_read_names_before_and_after_but_not_while_it_is_open(
    world: RatedWorld, tmp_path: Path
) -> None:
    client = client_of(world.by)
    page = reverse("rating_run", args=[world.project.slug, world.run.pk])
    listed = reverse("ratings", args=[world.project.slug])
    world.bring(tmp_path, world.rows())
    assert MODELS[0] in client.get(page).content.decode()
    world.open(tmp_path)
    rate_all(world)
    for url in (page, listed):
        assert "canary-model" not in client.get(url).content.decode()
    files = [
        reverse(f"rating_{name}", args=[world.project.slug, world.run.pk]) for name in ("counts", "rows")
    ]
    assert [client.get(url).status_code for url in files] == [403, 403]
    assert client.post(reverse("rating_close", args=[world.project.slug, world.run.pk])).status_code == 302
    text = client.get(page).content.decode()
    assert MODELS[0] in text
    assert "2 <span" in text
    counts, rows = (
        list(csv.DictReader(io.StringIO(client.get(url).content.decode("utf-8-sig")))) for url in files
    )
    assert len(counts) == 7 * len(MODELS)
    assert (counts[0]["majority_yes"], counts[0]["outputs"], counts[0]["percent_agreement_items"]) == (
        "2",
        "2",
        "4",
    )
    assert len(rows) == 12
    assert {row["legality"] for row in rows} == {"yes"}


def test_files_are_safe_to_open_in_a_spreadsheet(world: RatedWorld, tmp_path: Path) -> None:
    world.bring(tmp_path, [{**row, "model": f"=cmd|{row['model']}"} for row in world.rows()])
    ids = [one.pk for one in world.raters]
    run_open(project=world.project, run_id=world.run.pk, raters=ids, by=world.by)
    for person in world.raters:
        for rating in waiting_of(person):
            save(person, rating.token, "+1+1")
    run_close(project=world.project, run_id=world.run.pk, by=world.by)
    client = client_of(world.by)
    for name in ("counts", "rows"):
        url = reverse(f"rating_{name}", args=[world.project.slug, world.run.pk])
        for row in list(csv.reader(io.StringIO(client.get(url).content.decode("utf-8-sig"))))[1:]:
            assert [cell for cell in row if cell.startswith(("=", "+", "@"))] == []


def test_without_a_script_the_next_page_comes_by_redirect(opened: RatedWorld) -> None:
    client = client_of(opened.raters[0].user)
    first = client.get(rate_url(opened)).context["card"]
    sent = client.post(rate_url(opened, first.token), form())
    assert (sent.status_code, sent.headers["Location"]) == (302, rate_url(opened))
    back = client.post(reverse("rate_back", args=[opened.project.slug]))
    assert back.status_code == 302
    again = client.get(rate_url(opened)).context["card"]
    assert again.output == first.output
    assert [row.answer for row in again.rows] == ["yes"] * 7


def test_what_is_missing_is_marked_and_nothing_is_lost(opened: RatedWorld) -> None:
    client = client_of(opened.raters[0].user)
    card = client.get(rate_url(opened)).context["card"]
    sent = {**form(spelling="", legality="no"), "comment": "ejaan?"}
    answer = client.post(rate_url(opened, card.token), sent)
    assert answer.status_code == 422
    shown = answer.context["card"]
    assert (shown.token, shown.comment) == (card.token, "ejaan?")
    assert [row.key for row in shown.rows if row.missing] == ["spelling"]
    assert shown.rows[-1].answer == "no"
    assert answer.content.decode().count("criterion--missing") == 1


def test_another_answer_is_refused_with_everything_kept(opened: RatedWorld) -> None:
    client = client_of(opened.raters[0].user)
    card = client.get(rate_url(opened)).context["card"]
    sent = {**form(), "comment": "pertama"}
    assert client.post(rate_url(opened, card.token), sent, headers=HTMX).status_code == 200
    assert client.post(rate_url(opened, card.token), sent, headers=HTMX).status_code == 200
    answer = client.post(rate_url(opened, card.token), {**form(legality="no"), "comment": "kedua"})
    assert answer.status_code == 409
    assert "kedua" in answer.content.decode()
    assert answer.context["card"].token != card.token
    assert Rating.objects.get(token=card.token).comment == "pertama"
    assert client.post(rate_url(opened, "x" * 24), form()).status_code == 404


def test_a_lead_prepares_brings_and_opens_on_the_pages(world: RatedWorld) -> None:
    client = client_of(world.by)
    listed = reverse("ratings", args=[world.project.slug])
    assert client.post(listed, {"name": "Putaran 1", "sample": "2"}).status_code == 422
    assert client.post(listed, {"name": "Dua", "sample": "two"}).status_code == 422
    made = client.post(listed, {"name": "Dua", "sample": "2"})
    assert made.status_code == 302
    run = RatingRun.objects.get(name="Dua")
    urls = {
        name: reverse(f"rating_{name}", args=[world.project.slug, run.pk])
        for name in ("run", "change", "outputs", "open", "close")
    }
    assert client.post(urls["close"]).status_code == 409
    assert client.post(urls["outputs"]).status_code == 422
    rows = world.rows()
    lines = [
        "prompt_id,model,text",
        "999,m,t",
        *(f"{r['prompt_variation_id']},{r['model']},{r['text']}" for r in rows),
    ]
    file = SimpleUploadedFile("../../out puts.csv", "\n".join(lines).encode())
    taken = client.post(urls["outputs"], {"file": file})
    assert taken.status_code == 200
    assert (taken.context["report"].accepted, len(taken.context["refused"])) == (6, 1)
    assert "There is no prompt “999” here" in taken.content.decode()
    changed = {"version": "1", "sample": "3", "criteria": "polite: Sopan: Tidak kasar."}
    assert client.post(urls["change"], changed).status_code == 302
    stale = client.post(urls["change"], changed)
    assert stale.status_code == 409
    assert "polite: Sopan" in stale.content.decode()
    assert client.post(urls["open"], {"rater": "x"}).status_code == 422
    opened = client.post(urls["open"], {"rater": [str(one.pk) for one in world.raters]})
    assert opened.status_code == 302
    page = client.get(urls["run"])
    assert [(group.number, group.whole.total) for group in page.context["groups"]] == [(1, 18)]
    assert client.post(urls["outputs"], {"file": file}).status_code in (409, 422)


def test_projects_of_other_kinds_have_no_ratings() -> None:
    project = factory.project()
    lead = factory.member(project, "lead")
    client = client_of(lead.user)
    for name in ("rate", "ratings"):
        assert client.get(reverse(name, args=[project.slug])).status_code == 404
    assert "/ratings/" not in client.get(reverse("project", args=[project.slug])).content.decode()


# --- what it costs ----------------------------------------------------------------------


def test_a_rating_with_the_next_card_takes_ten_statements(tmp_path: Path) -> None:
    world = a_rated_world(prompts=4, sample=4)
    world.open(tmp_path)
    client = client_of(world.raters[0].user)
    card = client.get(rate_url(world)).context["card"]
    with CaptureQueriesContext(connection) as found:
        answer = client.post(rate_url(world, card.token), form(), headers=HTMX)
    assert answer.context["card"] is not None
    statements = [query["sql"] for query in found if "SAVEPOINT" not in query["sql"]]
    assert len(statements) <= 10, statements
    assert len(gzip.compress(answer.content, 6)) < 4_000


def test_the_leads_pages_cost_the_same_for_many(tmp_path: Path) -> None:
    small, large = a_rated_world(prompts=2, sample=1), a_rated_world(prompts=6, sample=6, raters=6)
    costs = []
    for world in (small, large):
        world.open(tmp_path)
        rate_all(world)
        client = client_of(world.by)
        pages = [
            reverse("ratings", args=[world.project.slug]),
            reverse("rating_run", args=[world.project.slug, world.run.pk]),
        ]
        cost = []
        for url in pages:
            with CaptureQueriesContext(connection) as found:
                assert client.get(url).status_code == 200
            cost.append(len(found))
        run_close(project=world.project, run_id=world.run.pk, by=world.by)
        with CaptureQueriesContext(connection) as found:
            assert client.get(pages[1]).status_code == 200
        costs.append([*cost, len(found)])
    assert costs[0] == costs[1]
