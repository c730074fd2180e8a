"""What a human baseline draws: the same rows whatever the data's size, and no more held in memory than drawn."""

import pytest

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from exports.baselines import actions, queries
from exports.baselines.actions import SourceIn, baseline_create
from exports.baselines.models import Baseline
from tests import factory, review
from tests.alive import watched
from tests.baselines import a_gold_project, a_set
from tests.exports.world import build, freeze
from validation.studies.models import DiagnosticSet

pytestmark = pytest.mark.django_db


def a_baseline_of(project: Project, *sources: SourceIn, examples: int = 5) -> Baseline:
    return baseline_create(
        project=project,
        sources=sources,
        task="Does it follow?",
        by=factory.user(administrator=True),
        examples=examples,
    )


def a_writer(project: Project) -> Annotator:
    return Annotator.objects.filter(project=project, is_writer=True).order_by("pk")[0]


def drawn(made: Baseline) -> list[str]:
    """What was drawn, in turn: source and key, examples in brackets."""
    rows = made.items.order_by("position").values_list("source__n", "item__key", "example")
    return [f"({n} {key})" if example else f"{n} {key}" for n, key, example in rows]


def the_sets() -> tuple[Project, DiagnosticSet, DiagnosticSet]:
    """Two sets of a project with 48 items of gold."""
    project = a_gold_project("gold", sets=4)
    writer = a_writer(project)
    return project, a_set(project, [writer], size=30), a_set(project, [writer], size=40)


def test_what_is_drawn_of_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "LOOKED_AT", 7)
    project, one, whole = the_sets()
    assert " ".join(drawn(a_baseline_of(project, SourceIn(one, 6), SourceIn(whole, 9)))) == (
        "(1 p3-c1) (1 p5-n1) (1 p3-e1) (1 p5-e2) (1 p2-c2) 1 p6-e1 2 p7-e1 2 p2-n1 1 p1-c2 2 p1-n2 2 p4-c1 2 p7-e2 "
        "2 p5-c2 2 p6-c1 2 p3-n2 1 p2-n2 1 p8-e1 1 p3-n1 2 p8-e2 1 p2-c1"
    )


def test_what_is_drawn_of_a_release_and_a_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """An item of both counts as the first source's; the set's project has gold beyond either."""
    monkeypatch.setattr(actions, "LOOKED_AT", 6)
    at = review.world(4, seed="s1")
    for item in at.items[::2]:
        review.votes(at, item, item.author_label * 2)
    release = build(freeze(at, "indonli-expert"))
    for item in at.items[1::4]:
        review.votes(at, item, item.author_label * 2)
    of = a_set(at.project, [at.validators[0]], size=12)
    keys = of.rows.order_by("position").values_list("item__key", flat=True)
    assert " ".join(keys) == "p4-c1 p3-c1 p4-e2 p2-e1 p4-n1 p2-c2 p1-n2 p3-n1 p1-e1 p1-n1 p4-e1 p1-c1"
    made = a_baseline_of(at.project, SourceIn(release, 4), SourceIn(of, 5), examples=4)
    assert " ".join(drawn(made)) == (
        "(1 p1-n1) (1 p2-e1) (2 p2-e2) (1 p1-c1) 1 p2-n1 2 p1-e1 1 p2-c1 1 p4-e1 2 p4-c1 2 p4-e2 2 p3-n1 2 p1-n2 "
        "1 p3-c1"
    )
    made = a_baseline_of(at.project, SourceIn(of, 5), SourceIn(release, 4), examples=4)
    assert " ".join(drawn(made)) == (
        "(1 p3-n2) (1 p3-e1) (1 p2-c2) (1 p2-e2) 2 p2-c1 2 p3-c1 1 p4-e2 1 p4-n1 1 p3-n1 2 p1-e1 1 p2-e1 1 p1-c1 "
        "2 p2-n1"
    )
    made = a_baseline_of(at.project, SourceIn(of, 2), examples=9)
    assert " ".join(drawn(made)) == (
        "(1 p2-e2) (1 p4-n1) (1 p3-c1) (1 p2-c1) (1 p3-n1) (1 p3-n2) 1 p1-n1 1 p4-e1"
    )


def test_no_more_rows_are_held_than_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 48 with gold: 4 that are asked, 5 that are looked at for examples, and the one that is just read."""
    project, one, _ = the_sets()
    held = watched(queries.Candidate)
    monkeypatch.setattr(queries, "Candidate", held)
    monkeypatch.setattr(actions, "LOOKED_AT", 5)
    made = a_baseline_of(project, SourceIn(one, 4))
    assert made.items.filter(example=False).count() == 4
    assert 4 < held.most <= 4 + 5 + 2


def test_the_most_frequent_label_is_that_of_the_whole_source() -> None:
    """Not of what an earlier source left of it."""
    project, one, whole = the_sets()
    both = one.rows.values("item")
    whole.rows.update(gold="e")
    assert whole.rows.filter(item__in=both).update(gold="c") > whole.rows.exclude(item__in=both).count() > 0
    made = a_baseline_of(project, SourceIn(one, 30), SourceIn(whole, 40), SourceIn(whole, 1))
    assert list(made.sources.order_by("n").values_list("frequent", flat=True))[1:] == ["c", "c"]
    assert set(made.items.filter(example=False, source__n=2).values_list("gold", flat=True)) == {"e"}
