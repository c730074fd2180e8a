"""How often a model answers what people say, over checked and unchecked items of a release."""

import csv
import io
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from exports.predictions import checked
from exports.predictions.actions import predictions_add
from exports.predictions.checked import agreement_with_people
from exports.predictions.models import Predictions
from exports.predictions.release_rows import asked_rows, items_of, kind_of
from exports.predictions.rules import AskedRow
from exports.releases.models import Release
from tests import factory
from tests.answers import browser_of
from tests.api import script
from tests.exports.world import build, freeze
from tests.review import WRONG, World, cast_votes, world
from validation.insights.reports import samples

pytestmark = pytest.mark.django_db


def sampled() -> World:
    """Half of the items are validated; every fifth of these gets another gold label than its author's."""
    at = world(4, share=Decimal("0.5"), settings={"spacing": 0})
    for n, item in enumerate(Item.objects.filter(project=at.project, sampled=True).order_by("pk")):
        cast_votes(at, item, item.author_label * 2 if n % 5 else WRONG[item.author_label] * 3)
    return at


def scored(release: Release, model: str, answer: Callable[[Item, AskedRow], str]) -> Predictions:
    """A model that answers so, from an item and its released row."""
    of = {id: Item.objects.get(pk=pk) for id, (pk, _) in items_of(release).items()}
    lines = [json.dumps({"id": row.id, "prediction": answer(of[row.id], row)}) for row in asked_rows(release)]
    made = predictions_add(release=release, by=None, model=model, name="a.jsonl", chunks=["\n".join(lines).encode()],
        here=True)  # fmt: skip
    assert made.job is not None
    assert not jobs.run_here(made.job).error
    made.refresh_from_db()
    return made


def test_unchecked_items_count_by_the_sample_on_page_in_files_and_over_the_api() -> None:
    at = sampled()
    release = build(freeze(at))
    spell = kind_of(release).export.spell
    items = list(Item.objects.filter(project=at.project))
    drawn = [item for item in items if item.sampled]
    same = scored(release, "authors", lambda item, row: spell(item.author_label)).result["assisted"]
    right = sum(item.gold == item.author_label for item in drawn) / len(drawn)
    assert (same["items"], same["checked"], same["missing"]) == (len(items), len(drawn), 0)
    # Always what authors say: predictions say the same of every item, and change nothing.
    assert same["classic"]["value"] == same["assisted"]["value"] == pytest.approx(right)
    people = scored(release, "people", lambda item, row: row.gold)
    told = people.result["assisted"]
    assert told["classic"]["value"] == 1
    assert told["classic"]["low"] <= told["assisted"]["low"] <= told["assisted"]["high"] == 1

    boss: User = factory.user(administrator=True)
    where = [at.project.slug, release.n, people.n]
    page = browser_of(boss).get(reverse("prediction", args=where)).content.decode()
    assert "Both intervals hold even if the model is wrong." in page
    assert "not in the release" not in page
    answer: Any = browser_of(boss).get(reverse("prediction_file", args=where))
    text = (b"".join(answer) if answer.streaming else answer.content).decode()
    lines = {line[4]: line for line in csv.reader(io.StringIO(text))}
    assert float(lines["agreement_with_people_assisted"][6]) == told["assisted"]["low"]
    row = script(boss).get(f"projects/{at.project.slug}/releases/{release.n}/predictions/{people.n}").json()
    assert row["assisted"] == told

    result = {**people.result, "assisted": {"why": samples.ALL_CHECKED}}
    Predictions.objects.filter(pk=people.pk).update(result=result)
    page = browser_of(boss).get(reverse("prediction", args=where)).content.decode()
    assert "Not estimated: Every item is checked" in " ".join(page.split())

    # What a release leaves out may be right or wrong: both ends allow for it.
    answers = people.given
    gone = next(id for id, (pk, _) in items_of(release).items() if pk == drawn[1].pk)
    less = agreement_with_people(release, {id: one for id, one in answers.items() if id != gone}, lambda: None)
    assert less["missing"] == 1
    assert less["classic"]["low"] < told["classic"]["low"]
    assert less["assisted"]["high"] == 1
    # Without what the file says of it, no figure tells a hidden answer; nor one of what changed since.
    hidden = Release(project=at.project, rules={**release.rules, "hidden_test": True})
    assert agreement_with_people(hidden, answers, lambda: None) == {"why": checked.HIDDEN}
    Item.objects.filter(pk=drawn[1].pk).update(gold=WRONG[drawn[1].gold])
    assert agreement_with_people(release, answers, lambda: None) == {"why": checked.CHANGED}
