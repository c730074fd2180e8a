"""Results of models and the tables of a release in a browser: axe finds nothing, nothing is wider than a phone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from exports.predictions.actions import leaderboard_set, predictions_add
from exports.predictions.release_rows import asked_rows
from exports.statistics.actions import statistics_ask
from tests import factory, review
from tests.exports.world import build, freeze
from tests.flows.looks import assert_for_everybody
from tests.validation.imports_run import import_items

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = {"e": "ada", "n": "banyak", "c": "tidak"}
NAMES = ("entailment", "neutral", "contradiction")


class Line:
    """A released project of a hundred pairs and more, with what three models said of it."""

    def __init__(self, path: Path) -> None:
        self.project: Project = factory.project("own")
        rows = []
        for n in range(132):
            key = "enc"[n % 3]
            other = "nce"[n % 3] if n % 7 == 0 else key
            rows.append(
                {
                    "premise_id": f"p{n // 3}",
                    "premise": f"Ibu ke-{n // 3} pergi ke pasar membeli mangga dan pulang sore hari.",
                    "pair_id": f"p{n // 3}-{n}",
                    "hypothesis": f"{WORDS[key if n % 5 else 'e']} orang ke-{n} di pasar.",
                    "label": key,
                    "votes": [other, key, key, other],
                }
            )
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        assert import_items("own", path)[1]["refused"] == 0
        review.decide()
        self.lead: Annotator = factory.member(self.project, "lead")
        self.release = build(freeze(self, "indonli-lay", dev_percent="50"))
        for model, skill in (("model-besar", 9), ("model-sedang-dengan-nama-panjang", 6)):
            self.predicted(model, skill)
        for restart in (1, 2):
            self.predicted("model-kecil", 2 + restart, f"seed {restart}")
        assert not jobs.run_here(statistics_ask(release=self.release, by=None, here=True)).error
        leaderboard_set(release=self.release, by=None, public=True)

    def predicted(self, model: str, skill: int, restart: str = "") -> None:
        rows = []
        for n, each in enumerate(asked_rows(self.release)):
            label = each.gold if n * 7 % 10 < skill else NAMES[n % 3]
            others = {name: 0.1 for name in NAMES if name != label}
            rows.append({"id": each.id, "prediction": label, "probabilities": {label: 0.8, **others}})
        data = "\n".join(map(json.dumps, rows)).encode()
        told: dict[str, Any] = {"model": model, "restart": restart, "name": "a.jsonl", "chunks": [data], "here": True}
        made = predictions_add(release=self.release, by=None, **told)
        assert made.job is not None
        assert not jobs.run_here(made.job).error


PAGES = ("predictions/", "predictions/1/", "statistics/")


def test_axe_finds_nothing(page_of: Callable[..., Page], tmp_path: Path) -> None:
    line = Line(tmp_path / "pairs.jsonl")
    page, base = page_of(line.lead.user), f"/p/own/releases/{line.release.n}/"
    for path in (*(f"{base}{name}" for name in PAGES), f"/leaderboards/own/{line.release.n}/"):
        page.goto(path)
        assert_for_everybody(page, path)
    page.goto(f"{base}predictions/")
    assert page.get_by_text("Hypotheses without their premises (baseline)").count() == 2
    assert page.get_by_text("SD of restarts").count() == 10
    assert page.get_by_text("alone would be right in").count() == 2
    page.get_by_role("link", name="model-kecil").first.click()
    assert page.get_by_role("link", name="seed 1").count() == 1
