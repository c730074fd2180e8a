"""Pages of rating: what raters and leads are told and when, what is kept, files, and what they cost."""

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.errors import Forbidden
from annotation.core.models.user import User
from tests import factory
from tests.ratings import MODELS, YES_TO_ALL, RatedWorld, a_rated_world, save, waiting_of
from validation.studies.actions.rating_runs import run_close, run_open
from validation.studies.models import Rating, RatingRun
from validation.studies.queries import ratings as fetch

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


def rate_all(world: RatedWorld, **changed: str) -> None:
    for person in world.raters:
        for rating in waiting_of(person):
            save(person, rating.token, **changed)


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


def test_rater_and_reviewer_are_roles_of_cultural_projects_alone(world: RatedWorld) -> None:
    boss = client_of(factory.user(administrator=True))
    people = reverse("people", args=[world.project.slug])
    assert 'name="rater"' in boss.get(people).content.decode()
    plain = factory.project()
    assert 'name="rater"' not in boss.get(reverse("people", args=[plain.slug])).content.decode()
    person = world.raters[0]
    url = reverse("people_roles", args=[world.project.slug, person.pk])
    assert boss.post(url, {"seen": "rater", "rater": "on", "reviewer": "on"}).status_code == 302
    person.refresh_from_db()
    assert (person.is_rater, person.is_reviewer, person.is_validator) == (True, True, False)
    assert boss.post(url, {"seen": "rater", "rater": "on"}).status_code == 409
    assert boss.post(url, {"seen": "reviewer rater", "rater": "on", "lead": "on"}).status_code == 422
    invited = boss.post(
        reverse("people_invite", args=[world.project.slug]), {"email": "new@example.org", "rater": "on"}
    )
    guest = client_of(factory.user("new@example.org"))
    assert "rater" in guest.get(invited.context["link"]).content.decode()
    assert guest.post(invited.context["link"]).status_code == 302
    made = world.project.annotators.get(user__email="new@example.org")
    assert (made.is_rater, made.is_writer) == (True, False)
    assert guest.get(rate_url(world)).status_code == 200


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
