"""Free answers to prompts, from the file to the page; restarts of a model as one system."""

from io import StringIO
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import orjson
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from annotation import presets
from annotation.jobs import queue as jobs
from exports.predictions.actions import predictions_add
from exports.predictions.models import Predictions
from exports.predictions.queries import standings
from exports.releases.models import Release
from tests import factory
from tests.exports.releases.test_every_preset import project_with_items, released
from tests.exports.releases.test_pages import client
from tests.exports.world import rows
from validation.voting.models.review import Flag

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(tmp_path: Path, settings: Any) -> Release:
    settings.REDIS_URL = ""
    return released(project_with_items(presets.get("kalahi"), tmp_path, votes=True))


def file_of(release: Release, *, right: int) -> bytes:
    """A model whose first so many answers are a relevant response, the others an irrelevant one."""
    lines = []
    for n, row in enumerate(rows(release, "test")):
        side = "relevant_answers" if n < right else "irrelevant_answers"
        lines.append({"id": row["prompt_variation_id"], "response": row[side][1]})
    return b"".join(orjson.dumps(line) + b"\n" for line in lines)


def scored(release: Release, model: str, data: bytes, restart: str = "") -> Predictions:
    made = predictions_add(
        release=release, by=None, model=model, restart=restart, name="a.jsonl", chunks=[data], here=True
    )
    assert made.job is not None
    assert not jobs.run_here(made.job).error
    made.refresh_from_db()
    return made


def test_free_answers_are_compared_with_the_responses(release: Release) -> None:
    """Page, API's values and command; nothing is flagged, since a text is not right or wrong."""
    n = len(rows(release, "test"))
    assert n == 6
    for name in ("one", "two"):
        found = scored(release, name, file_of(release, right=4)).result["splits"]["test"]
    assert found["figures"]["chrf_nearer"]["value"] == found["figures"]["rouge_l_nearer"]["value"] == 4 / 6
    assert 0 < found["figures"]["rouge_l_margin"]["value"] < 1
    assert "accuracy" not in found["figures"]
    assert found["missing"] == {"bleurt": "no_model", "bertscore": "no_model"}
    assert not Flag.objects.filter(code="missed_by_models").exists()
    (against,) = found["against"]
    assert (against["model"], against["difference"]) == ("one", 0)
    page = client(factory.user(administrator=True)).get(reverse("prediction", args=["own", release.n, 2]))
    shown = page.content.decode()
    for words in ("chrF++ margin", "ROUGE-L: nearer to a relevant response", "BLEURT was not computed: no model"):
        assert words in shown


def test_restarts_stand_as_one_system(release: Release, tmp_path: Path) -> None:
    shares = []
    for seed, right in enumerate((6, 3, 3)):
        made = scored(release, "mine", file_of(release, right=right), restart=str(seed))
        shares.append(made.result["splits"]["test"]["figures"]["chrf_nearer"]["value"])
    scored(release, "other", file_of(release, right=5))
    assert shares == [1, 0.5, 0.5]
    by_model = {each.predictions.model: each for each in standings(release)["test"]}
    assert list(by_model) == ["other", "mine"]
    figure = by_model["mine"].figures["chrf_nearer"]
    assert (by_model["mine"].restarts, figure["value"], figure["sd"]) == (3, fmean(shares), stdev(shares))
    assert (by_model["other"].restarts, "sd" in by_model["other"].figures["chrf_nearer"]) == (1, False)
    board = client(factory.user(administrator=True)).get(reverse("predictions", args=["own", release.n]))
    assert "SD of restarts" in board.content.decode()
    # The newest file of a restart counts, and a file without one stands alone.
    path = tmp_path / "again.jsonl"
    path.write_bytes(file_of(release, right=6))
    told = StringIO()
    call_command("score_predictions", "own", release.n, path, model="mine", restart="1", stdout=told)
    assert "mean (sd) of 3 restarts" in told.getvalue()
    assert "BERTScore was not computed" in told.getvalue()
    browser = client(factory.user(administrator=True))
    sent = SimpleUploadedFile("a.jsonl", file_of(release, right=2))
    answer = browser.post(reverse("predictions", args=["own", release.n]), {"model": "mine", "file": sent})
    assert answer.status_code == 302
    alone = Predictions.objects.get(model="mine", restart="")
    assert alone.job is not None
    jobs.run_here(alone.job)
    (mine,) = [each for each in standings(release)["test"] if each.predictions.model == "mine"]
    assert (mine.predictions, mine.restarts) == (alone, 1)
