"""Predictions of a release: taken in by action, command, page and API; scored in a job; compared; suspects flagged."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from exports.predictions.actions import HIDDEN_A_DAY, baseline_add, predictions_add, predictions_withdraw
from exports.predictions.models import Predictions
from exports.predictions.queries import standings
from exports.predictions.rules import LABEL
from exports.releases.models import Release
from tests import factory
from tests.api import assert_refused, script
from tests.exports.releases.test_pages import client
from tests.exports.world import Staged, build, freeze, rows, staged
from tests.shared_worlds import SharedWorlds
from validation.voting.models.review import Flag
from validation.voting.rules.flags import MISSED_BY_MODELS

pytestmark = pytest.mark.django_db
OTHER = {"entailment": "neutral", "neutral": "contradiction", "contradiction": "entailment"}


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    cache.clear()
    return standing(staged, slug="own", seed="a-seed-that-nobody-guesses")


@pytest.fixture
def boss() -> User:
    return factory.user(administrator=True)


def answers(release: Release, *, right: bool = True, split: str = "test", name: str = "") -> bytes:
    """What a model says that is always right, or never."""
    told = rows(release, split)
    by_text = {row["hypothesis"]: row["label"] for row in rows(release, name or split)}
    said = [(row["pair_id"], by_text[row["hypothesis"]]) for row in told]
    lines = [{"id": id, "prediction": label if right else OTHER[label]} for id, label in said]
    return "\n".join(map(json.dumps, lines)).encode()


def scored(release: Release, model: str, data: bytes) -> Predictions:
    found = predictions_add(release=release, by=None, model=model, name="a.jsonl", chunks=[data], here=True)
    assert found.job is not None
    assert not jobs.run_here(found.job).error
    found.refresh_from_db()
    return found


def everything(release: Release, *, right: bool) -> bytes:
    return b"\n".join(answers(release, right=right, split=split) for split in ("train", "test"))


def test_right_and_wrong_models_are_scored_compared_and_ranked(made: Staged) -> None:
    release = build(freeze(made, dev_percent="0"))
    good = scored(release, "good", everything(release, right=True))
    bad = scored(release, "bad", everything(release, right=False))
    for split, told in good.result["splits"].items():
        assert told["rows"] == len(rows(release, split))
        assert [told["figures"][name]["value"] for name in ("accuracy", "macro_f1")] == [1, 1]
        (gap,) = bad.result["splits"][split]["against"]
        assert (gap["model"], gap["difference"]) == ("good", -1)
        confusion = told["confusion"]
        assert all(list(said) == [right] for right, said in confusion.items())
        assert sum(sum(said.values()) for said in confusion.values()) == told["rows"]
    assert [each.predictions.model for each in standings(release)["test"]] == ["good", "bad"]
    again = scored(release, "bad", everything(release, right=False))
    assert again == bad
    predictions_withdraw(predictions=good, by=None)
    predictions_withdraw(predictions=good, by=None)
    assert [each.predictions.model for each in standings(release)["test"]] == ["bad"]
    assert Event.objects.filter(verb="predictions_withdrawn").count() == 1


def test_a_baseline_whose_job_was_killed_before_it_was_scored_is_scored_by_the_next(made: Staged) -> None:
    release = build(freeze(made, dev_percent="0"))
    given = {row["pair_id"]: {LABEL: row["label"]} for row in rows(release, "test")}
    with transaction.atomic():
        left = baseline_add(release=release, name="Hypothesis only", given=given)
    good = scored(release, "good", everything(release, right=True))
    left.refresh_from_db()
    assert left.result["splits"]["test"]["figures"]["accuracy"]["value"] == 1
    assert "test" in {split for split, told in good.result["splits"].items() if told["against"]}


def test_items_that_every_model_misses_are_flagged_where_people_agreed(made: Staged) -> None:
    release = build(freeze(made, dev_percent="0"))
    scored(release, "one", everything(release, right=False))
    assert not Flag.objects.filter(code=MISSED_BY_MODELS).exists()
    last = scored(release, "two", everything(release, right=False))
    agreed = {
        row["hypothesis"]
        for split in ("train", "test")
        for row in rows(release, split)
        if len(row["annotator_labels"]) >= 3 and set(row["annotator_labels"]) == {row["label"]}
    }
    flagged = Flag.objects.filter(code=MISSED_BY_MODELS).select_related("item")
    assert agreed
    assert {flag.item.hypothesis.text for flag in flagged} == agreed
    assert all(flag.detail == {"release": release.n, "models": 2} for flag in flagged)
    assert all(flag.item.doubt for flag in flagged)
    assert last.job is not None
    assert last.job.result["flagged"] == len(agreed)
    desk = client(made.at.lead.user).get(reverse("desk", args=["own"]), {"flag": MISSED_BY_MODELS})
    assert desk.status_code == 200
    assert all(flag.item.key in desk.content.decode() for flag in flagged)


def test_one_right_model_is_enough_not_to_suspect(made: Staged) -> None:
    release = build(freeze(made, dev_percent="0"))
    scored(release, "one", everything(release, right=False))
    scored(release, "two", everything(release, right=True))
    assert not Flag.objects.filter(code=MISSED_BY_MODELS).exists()


def test_hidden_answers_come_out_as_sums_a_few_times_a_day(made: Staged, boss: User) -> None:
    release = build(freeze(made, hidden_test="yes", dev_percent="0"))
    good = answers(release, name="hidden/test")
    for n in range(HIDDEN_A_DAY):
        found = scored(release, f"model {n}", good)
        assert set(found.result["splits"]["test"]) == {"rows", "unanswered", "figures", "against"}
        assert found.result["splits"]["test"]["figures"]["accuracy"]["value"] == 1
    assert scored(release, "model 0", good).n == 1
    with pytest.raises(Conflict) as refusal:
        scored(release, "one more", good)
    assert refusal.value.code == "predictions_too_many"
    asked = script(boss).get(f"projects/own/releases/{release.n}/predictions/1").json()
    page = client(made.at.lead.user).get(reverse("prediction", args=["own", release.n, 1])).content.decode()
    for row in rows(release, "test"):
        assert row["pair_id"] not in json.dumps(asked)
        assert row["pair_id"] not in page
    told = Predictions.objects.filter(release=release).count()
    assert told == HIDDEN_A_DAY


def floats_in(told: Any) -> Iterator[float]:
    """Every number with a fraction in a result, wherever it stands."""
    if isinstance(told, dict | list):
        for value in told.values() if isinstance(told, dict) else told:
            yield from floats_in(value)
    elif isinstance(told, float):
        yield told


def test_hidden_figures_have_no_more_digits_than_the_page(made: Staged, boss: User) -> None:
    """Of probabilities that code each row by a digit of its own, all labels could be read from the mean."""
    release = build(freeze(made, hidden_test="yes", dev_percent="0"))
    labels, given = list(OTHER), rows(release, "test")
    coded = [
        {"id": row["pair_id"], "probabilities": dict(zip(labels, (0.5 - 10**-n, 0.3, 0.2 + 10**-n), strict=True))}
        for n, row in enumerate(given, start=2)
    ]
    for model, lines in (("coded", coded), ("picked", [*coded[:1], *picked(given[1:])])):
        scored(release, model, "\n".join(map(json.dumps, lines)).encode())
    path, browser = f"projects/own/releases/{release.n}/predictions", client(made.at.lead.user)
    told = [script(boss).get(f"{path}/{n}").json() for n in (1, 2)]
    assert {value for each in told for value in floats_in(each) if round(value, 3) != value} == set()
    assert set(told[1]["splits"]["test"]["figures"]) == {"accuracy", "macro_f1"}
    for n in (1, 2):
        file = browser.get(reverse("prediction_file", args=["own", release.n, n])).content.decode()
        cells = [cell for line in file.splitlines()[1:] for cell in line.split(",")[5:8] if cell]
        assert cells
        assert not [cell for cell in cells if len(cell.partition(".")[2]) > 3]
    stored = Predictions.objects.filter(release=release).values_list("result", flat=True)
    assert {value for value in floats_in(list(stored)) if round(value, 3) != value} == set()


def picked(given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"id": row["pair_id"], "prediction": "neutral"} for row in given]


def test_no_flag_tells_what_models_missed_of_a_hidden_test(made: Staged) -> None:
    release = build(freeze(made, hidden_test="yes", dev_percent="0"))
    for model in ("one", "two"):
        scored(release, model, answers(release, right=False, name="hidden/test"))
    assert not Flag.objects.filter(code=MISSED_BY_MODELS).exists()


def test_what_does_not_fit_is_refused_by_row_and_nothing_is_stored(made: Staged, boss: User) -> None:
    release = build(freeze(made, dev_percent="0"))
    page, browser = reverse("predictions", args=["own", release.n]), client(boss)
    sent = SimpleUploadedFile("a.jsonl", b'{"id": "p", "prediction": "neutral"}\nnothing\n')
    answer = browser.post(page, {"model": "mine", "file": sent})
    assert answer.status_code == 422
    shown = answer.content.decode()
    assert "“p”" in shown
    assert 'value="mine"' in shown
    assert not Predictions.objects.exists()
    with pytest.raises(Invalid):
        predictions_add(release=release, by=None, model=" ", name="a", chunks=[b"{}"])


def test_by_page_and_api_and_who_may(made: Staged, boss: User) -> None:
    release = build(freeze(made, dev_percent="0"))
    path, lead = f"projects/own/releases/{release.n}/predictions", made.at.lead.user
    sent = SimpleUploadedFile("a.jsonl", answers(release))
    browser = client(lead)
    answer = browser.post(reverse("predictions", args=["own", release.n]), {"model": "mine", "file": sent})
    assert answer.status_code == 302
    found = Predictions.objects.get()
    assert found.job is not None
    assert "hx-get" in browser.get(answer["Location"]).content.decode()
    jobs.run_here(found.job)
    for address in (answer["Location"], reverse("predictions", args=["own", release.n])):
        assert "mine" in browser.get(address).content.decode()
    lines = browser.get(reverse("prediction_file", args=["own", release.n, 1])).content.decode()
    assert "mine,test,,,accuracy,1" in lines
    asking = script(boss)
    (one,) = asking.pages(path)
    assert (one["model"], one["splits"]["test"]["figures"]["accuracy"]["value"]) == ("mine", 1)
    assert_refused(asking.get(f"{path}/2"), 404, "not_found")
    for person in (made.at.writer.user, made.at.validators[0].user):
        assert_refused(script(person).get(path), 403, "forbidden")
        assert client(person).get(reverse("prediction", args=["own", release.n, 1])).status_code == 403


def test_the_api_takes_a_file(made: Staged, boss: User) -> None:
    release = build(freeze(made, dev_percent="0"))
    browser = client(boss)
    address = f"/api/v1/projects/own/releases/{release.n}/predictions"
    sent = SimpleUploadedFile("a.jsonl", answers(release))
    answer = browser.post(f"{address}?model=other", {"file": sent})
    assert (answer.status_code, answer.json()["model"], answer.json()["splits"]) == (202, "other", {})
    sent = SimpleUploadedFile("a.csv", b"id,prediction\np,neutral\n")
    answer = browser.post(f"{address}?model=other", {"file": sent})
    assert (answer.status_code, answer.json()["code"]) == (400, "predictions_refused")
    assert "Row 2: " in answer.json()["detail"]
    assert browser.post(f"{address}?model=other").json()["code"] == "file_missing"


def test_the_public_page_is_there_only_where_it_was_opened(made: Staged, boss: User) -> None:
    release = build(freeze(made, dev_percent="0"))
    scored(release, "mine", answers(release))
    public = reverse("leaderboard", args=["own", release.n])
    nowhere = reverse("leaderboard", args=["nowhere", 1])
    change = reverse("leaderboard_change", args=["own", release.n])
    assert Client().get(public).status_code == Client().get(nowhere).status_code == 404
    assert client(made.at.lead.user).post(change, {"public": "yes"}).status_code == 403
    assert client(boss).post(change, {"public": "yes"}).status_code == 302
    shown = Client().get(public)
    assert shown.status_code == 200
    assert "mine" in shown.content.decode()
    assert "/p/own/" not in shown.content.decode()
    client(boss).post(change, {"public": "no"})
    assert Client().get(public).status_code == 404


def test_by_command(made: Staged, tmp_path: Path) -> None:
    release, file, told = build(freeze(made, dev_percent="0")), tmp_path / "a.csv", StringIO()
    lines = [json.loads(line) for line in answers(release).splitlines()]
    file.write_text("id,prediction\n" + "".join(f"{each['id']},{each['prediction']}\n" for each in lines))
    for _ in range(2):
        told = StringIO()
        call_command("score_predictions", "own", release.n, file, model="mine", stdout=told)
        assert told.getvalue().startswith("test  accuracy 1.0000  macro_f1 1.0000  n ")
    assert Predictions.objects.count() == 1
    file.write_text("id,prediction\nnothing,neutral\n")
    for path, code in ((file, 1), (tmp_path / "none", 2)):
        with pytest.raises(CommandError) as refusal:
            call_command("score_predictions", "own", release.n, path, model="mine", stdout=told)
        assert refusal.value.returncode == code


def test_the_database_keeps_numbers_and_files_apart(made: Staged) -> None:
    release = build(freeze(made, dev_percent="0"))
    first: dict[str, Any] = {"release": release, "n": 1, "model": "a", "digest": "d"}
    Predictions.objects.create(**first)
    for more in ({"digest": "e"}, {"n": 2}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Predictions.objects.create(**(first | more))
