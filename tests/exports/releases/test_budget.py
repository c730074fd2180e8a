"""What a release may cost, counted so that it is the same on every machine: Python calls a row, statements a window."""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Hypothesis, Item, Revision
from annotation.content.models.source import Premise
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from exports.releases import build as building
from exports.releases.models import Release
from exports.releases.preview import preview
from exports.releases.rules.settings import preset
from tests import factory
from tests.exports.world import build, freeze
from validation.consensus.protocol import Protocol
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db

LABELS = "enc"
FEW, MANY = 400, 1400
# So many calls of Python functions a row; each is a little above what was counted.
MOST_CALLS, MOST_WITH_FORMS, MOST_TO_PREVIEW = 43, 92, 1
# Freeze, windows of rows with votes, flags and outcomes, and what stands once (what reviewers ask takes ten): no more
# for more rows in a window.
MOST_STATEMENTS = 73


class Decided(NamedTuple):
    """As `freeze` takes it."""

    project: Project


def decided(pairs: int) -> Decided:
    """A project of so many pairs, each with one vote that decided it."""
    of = factory.project(protocol=Protocol(name="one", rounds=(1,), quorum=1, author="none", plurality=True))
    voter = factory.member(of, "validator")
    target, protocol = of.targets.get(), of.protocols.get()
    common = {"project": of}
    premises = Premise.objects.bulk_create(
        Premise(**common, target=target, key=f"p{n}", text=f"Premise {n}.", text_hash=f"{n:064}") for n in range(pairs)
    )
    items = Item.objects.bulk_create(
        Item(
            **common,
            target=target,
            protocol=protocol,
            slot="e1",
            key=f"p{n}-e1",
            origin="imported",
            family=premise.pk,
            author_label=LABELS[n % 3],
            sampled=True,
            stage="settled",
            gold=LABELS[n % 3],
            gold_from="votes",
            votes_n=1,
            revision_n=1,
            shuffle=n * (2**62 // pairs),
        )
        for n, premise in enumerate(premises)
    )
    Hypothesis.objects.bulk_create(
        Hypothesis(**common, item=item, premise=premise, text=f"Hypothesis {item.key}.")
        for item, premise in zip(items, premises, strict=True)
    )
    Revision.objects.bulk_create(_revision(of, item, voter) for item in items)
    Vote.objects.bulk_create(_vote(of, item, voter) for item in items)
    return Decided(of)


def _revision(of: Project, item: Item, by: Annotator) -> Revision:
    content = {"premise": f"Premise {item.key}.", "hypothesis": f"Hypothesis {item.key}."}
    return Revision(
        project=of,
        item=item,
        n=1,
        version=1,
        epoch=1,
        event="submit",
        meaning="first",
        fields_n=1,
        sentences_n=1,
        content=content,
        author_label=item.author_label,
        by=by,
    )


def _vote(of: Project, item: Item, by: Annotator) -> Vote:
    return Vote(
        project=of,
        item=item,
        annotator=by,
        n=1,
        epoch=1,
        round=1,
        revision_n=1,
        label=item.gold,
        unsure=False,
        ambiguous=False,
        imported=True,
    )


def calls_of(do: Callable[[], Any]) -> int:
    """How many Python functions are called meanwhile, in this thread."""
    n = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal n
        n += event == "call"

    sys.setprofile(count)
    try:
        do()
    finally:
        sys.setprofile(None)
    return n


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is written once a second, which is another number of times on each machine."""
    monkeypatch.setattr(building, "TICK_SECONDS", 1e9)


@pytest.mark.parametrize(
    ("forms", "most"), [({}, MOST_CALLS), ({"forms": "csv parquet distributions"}, MOST_WITH_FORMS)]
)
def test_calls_of_python_for_a_row(forms: dict[str, str], most: int) -> None:
    build(freeze(decided(10), "indonli-expert", **forms))  # what is imported and made once
    few, many = (freeze(decided(n), "indonli-expert", **forms) for n in (FEW, MANY))
    counted = calls_of(lambda: build(many)) - calls_of(lambda: build(few))
    assert counted / (MANY - FEW) <= most


def test_calls_of_python_for_a_row_of_the_preview() -> None:
    rules = preset("indonli-expert")
    few, many = decided(FEW), decided(MANY)
    preview(few.project, rules)
    counted = calls_of(lambda: preview(many.project, rules)) - calls_of(lambda: preview(few.project, rules))
    assert counted / (MANY - FEW) <= MOST_TO_PREVIEW


def test_statements_of_a_release_do_not_grow_with_its_rows() -> None:
    def statements(rows: int) -> int:
        of = decided(rows)
        with CaptureQueriesContext(connection) as seen:
            release: Release = build(freeze(of, "indonli-expert"))
        assert release.counts["released"] == rows
        return len(seen)

    few, many = statements(100), statements(1000)
    # Ids of one release may lie in two windows, each with its own statements.
    assert many <= few + 12
    assert many <= MOST_STATEMENTS
