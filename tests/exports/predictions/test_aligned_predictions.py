"""Predictions for an aligned set: labels and written texts, each task and target scored by itself."""

import json
from typing import Any

import pytest

from annotation.core.errors import Invalid
from annotation.jobs import queue as jobs
from exports.predictions.actions import predictions_add
from exports.predictions.models import Predictions
from exports.predictions.queries import standings
from exports.predictions.release_rows import asked_rows
from exports.predictions.rules import AskedRow
from exports.releases.models import Release
from tests.exports.aligned import world
from tests.exports.world import build, freeze

pytestmark = pytest.mark.django_db


@pytest.fixture
def release() -> Release:
    at = world.project_with_all_shapes()
    world.approve_everything(at, ("su", "jv-krama"))
    return build(freeze(at, "loraxbench"))


def scored(release: Release, model: str, rows: list[dict[str, Any]]) -> Predictions:
    data = "\n".join(map(json.dumps, rows)).encode()
    made = predictions_add(release=release, by=None, model=model, name="a.jsonl", chunks=[data], here=True)
    assert made.job is not None
    assert not jobs.run_here(made.job).error
    made.refresh_from_db()
    return made


def answer(each: AskedRow, *, right: bool) -> dict[str, Any]:
    config, _, id = each.id.partition(":")
    options = [option for option in each.options if option != each.gold]
    wrong = "lain" if each.reference else options[0]
    return {"config": config, "id": id, "prediction": (each.reference or each.gold) if right else wrong}


def test_each_task_and_target_is_scored_by_itself(release: Release) -> None:
    rows = asked_rows(release)
    splits = {each.split for each in rows}
    assert {"nli-su", "nli-jv-krama", "translation-su"} <= splits
    good = scored(release, "good", [answer(each, right=True) for each in rows])
    bad = scored(release, "bad", [answer(each, right=False) for each in rows])
    assert set(good.result["splits"]) == splits
    texts = good.result["splits"]["translation-su"]
    assert {name: round(told["value"], 6) for name, told in texts["figures"].items()} == {
        "chrf": 1,
        "rouge_1": 1,
        "rouge_2": 1,
        "rouge_l": 1,
    }
    labels = bad.result["splits"]["nli-su"]
    assert labels["figures"]["accuracy"]["value"] == 0
    (against,) = bad.result["splits"]["translation-su"]["against"]
    assert (against["model"], against["difference"] < -0.5) == ("good", True)
    boards = standings(release)
    assert list(boards) == sorted(splits)
    assert [each.predictions.model for each in boards["translation-su"]] == ["good", "bad"]


def test_a_part_of_the_sets_can_be_answered_but_each_whole(release: Release) -> None:
    mine = [each for each in asked_rows(release) if each.split == "translation-su"]
    found = scored(release, "one", [answer(each, right=True) for each in mine])
    assert set(found.result["splits"]) == {"translation-su"}
    with pytest.raises(Invalid) as refused:
        scored(release, "two", [answer(each, right=True) for each in mine[1:]])
    assert refused.value.code == "predictions_refused"
    without = [{"id": answer(each, right=True)["id"], "prediction": "x"} for each in mine]
    with pytest.raises(Invalid):
        scored(release, "three", without)
