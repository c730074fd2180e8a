"""What takes long gives signs of life all along: a job whose lease passes is taken up by another worker."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.text.classifier import FOLDS, cross_validated, features_of
from annotation.text.lexical import rank_words
from tests import factory, questions
from tests.answers import Row, store_answers
from tests.validation.consensus.ballots import simulated
from tests.validation.imports_run import import_items
from tests.validation.insights.test_artefact_insights import pairs
from validation.insights import actions as measures
from validation.insights import reports as insights
from validation.insights.reports.corpus import measure_new_texts
from validation.insights.reports.reading import Reading, once_a_second
from validation.insights.rules import dawid_skene, mace, pairwise

PEOPLE = ("W1", "W2", "W3", "W4")


class Signs(list[int]):
    """Counts the signs of life that it was given."""

    def __call__(self) -> None:
        self.append(1)


@pytest.fixture
def signs() -> Signs:
    return Signs()


# --- rules --------------------------------------------------------------------------------


def test_every_page_of_meetings(signs: Signs, monkeypatch: pytest.MonkeyPatch) -> None:
    votes = simulated(4, items=100)
    # Four people make six meetings on each of a hundred items.
    monkeypatch.setattr(pairwise, "AT_ONCE", 60)
    pairwise.pair_votes(votes, signs)
    assert len(signs) == 10


def test_ranks_of_words(signs: Signs) -> None:
    cells = {(f"w{n}", label): 1 + n % 3 for n in range(15_000) for label in "ab"}
    assert rank_words(cells, tick=signs) == rank_words(cells)
    # Three times ten thousand cells, and two labels.
    assert len(signs) == 5


def test_every_step_of_every_fold(signs: Signs) -> None:
    features = features_of([[f"w{n % 7}", "x"] for n in range(800)])
    number = np.arange(800)
    cross_validated(features, number % 2, number % FOLDS, 2, signs)
    # 640 texts by 64 go into a step, and all of them are gone through at least three times.
    assert len(signs) > FOLDS * 30


# --- readings -----------------------------------------------------------------------------


def test_signs_are_seldom(signs: Signs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validation.insights.reports.reading.TICK_SECONDS", 1.0)
    now = iter([10.0, 10.5, 11.0, 11.5, 11.9, 12.0])
    monkeypatch.setattr("validation.insights.reports.reading.monotonic", lambda: next(now))
    often = once_a_second(signs)
    counts = []
    for _ in range(5):
        often()
        counts.append(len(signs))
    assert counts == [0, 1, 1, 1, 2]


def test_between_rows(signs: Signs) -> None:
    assert list(Reading(Project(kind="nli"), signs).keeping_lease(range(2500))) == list(range(2500))
    assert len(signs) == 3


# --- insights -----------------------------------------------------------------------------


def again(project: Project, slug: str) -> int:
    """How many signs an insight gives where all was read, cut into tokens and measured before."""
    signs = Signs()
    reading, compute = Reading(project, signs), insights.get(slug).compute
    compute(reading)
    signs.clear()
    compute(reading)
    return len(signs)


@pytest.mark.django_db
@pytest.mark.parametrize(("slug", "fewest"), [("agreement", 30), ("annotators", 10)])
def test_insights_of_votes(slug: str, fewest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside those of the models and of the mean of kappas, whose signs are their own tests' matter."""
    for rules, name in ((dawid_skene, "fit"), (mace, "fit")):
        whole = getattr(rules, name)
        monkeypatch.setattr(rules, name, partial(lambda f, *args, tick, **kw: f(*args, **kw), whole))
    project = questions.a_question_project("own")
    rows = [Row("W9", "A", dict(zip(PEOPLE, "ABAC"[n % 3 :] + "ABC"[: n % 3], strict=True))) for n in range(9)]
    store_answers(project, rows, options=False)
    assert again(project, slug) >= fewest


@pytest.fixture
def pairs_of_two(tmp_path: Path) -> Project:
    made = factory.project(preset="indonli-lay")
    for writer, habit in (("W1", True), ("W2", False)):
        assert import_items(made.slug, pairs(tmp_path, 40, writer, habit=habit))[0] == 0
    Item.objects.filter(project=made, key__startswith="W2").update(origin="written")
    return made


@pytest.mark.django_db
@pytest.mark.parametrize(("slug", "fewest"), [("words", 10), ("writers", 8), ("sets", 3), ("classifier", 300)])
def test_insights_of_texts(slug: str, fewest: int, pairs_of_two: Project) -> None:
    assert again(pairs_of_two, slug) >= fewest


@pytest.mark.django_db
def test_what_is_kept_is_kept_in_batches(signs: Signs, pairs_of_two: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    measure_new_texts(Reading(pairs_of_two))
    monkeypatch.setattr(measures, "AT_ONCE", 10)
    told = Item.objects.filter(project=pairs_of_two).values_list("pk", flat=True)[:40]
    measures.store_certainty(project=pairs_of_two, sure=dict.fromkeys(told, 0.9), tick=signs)
    assert len(signs) == 4
