"""What a human baseline draws: the same rows whatever the data's size, and no more held in memory than drawn."""

import pytest

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.rules.draws import draw
from exports.baselines import draws, study
from exports.baselines.draws import Sample, SourceIn, draw_sample
from tests import review
from tests.baselines import a_baseline, a_gold_project, a_set
from tests.exports.world import build, freeze
from tests.live_objects import counting_class
from validation.studies.models import Study

pytestmark = pytest.mark.django_db


def a_sample(project: Project, *sources: SourceIn, n: int = 1, examples: int = 5) -> Sample:
    """What the project's baseline of this number draws."""
    kind = study.answered_kind(project)
    assert kind is not None
    return draw_sample(f"{draw(project.seed, 'baseline', str(n)):016x}", kind, sources, examples)


def a_writer(project: Project) -> Annotator:
    return Annotator.objects.filter(project=project, is_writer=True).order_by("pk")[0]


def drawn(made: Sample) -> str:
    """What was drawn, in turn: source and key, examples in brackets."""
    examples = (f"({one.source} {one.candidate.key})" for one in made.examples)
    return " ".join([*examples, *(f"{one.source} {one.candidate.key}" for one in made.asked)])


def the_sets() -> tuple[Project, Study, Study]:
    """Two sets of a project with 48 items of gold."""
    project = a_gold_project("gold", sets=4)
    writer = a_writer(project)
    return project, a_set(project, [writer], size=30), a_set(project, [writer], size=40)


def test_what_is_drawn_of_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "LOOKED_AT", 7)
    project, one, whole = the_sets()
    assert drawn(a_sample(project, SourceIn(one, 6), SourceIn(whole, 9))) == (
        "(1 p3-c1) (1 p5-n1) (1 p3-e1) (1 p5-e2) (1 p2-c2) 1 p6-e1 2 p7-e1 2 p2-n1 1 p1-c2 2 p1-n2 2 p4-c1 2 p7-e2 "
        "2 p5-c2 2 p6-c1 2 p3-n2 1 p2-n2 1 p8-e1 1 p3-n1 2 p8-e2 1 p2-c1"
    )


def test_what_is_drawn_of_a_release_and_a_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """An item of both counts as the first source's; the set's project has gold beyond either."""
    monkeypatch.setattr(draws, "LOOKED_AT", 6)
    at = review.world(4, seed="s1")
    for item in at.items[::2]:
        review.cast_votes(at, item, item.author_label * 2)
    release = build(freeze(at, "indonli-expert"))
    for item in at.items[1::4]:
        review.cast_votes(at, item, item.author_label * 2)
    of = a_set(at.project, [at.validators[0]], size=12)
    keys = of.rows.order_by("position").values_list("of_item__key", flat=True)
    assert " ".join(keys) == "p4-c1 p3-c1 p4-e2 p2-e1 p4-n1 p2-c2 p1-n2 p3-n1 p1-e1 p1-n1 p4-e1 p1-c1"
    made = a_sample(at.project, SourceIn(release, 4), SourceIn(of, 5), n=1, examples=4)
    assert drawn(made) == (
        "(1 p1-n1) (1 p2-e1) (2 p2-e2) (1 p1-c1) 1 p2-n1 2 p1-e1 1 p2-c1 1 p4-e1 2 p4-c1 2 p4-e2 2 p3-n1 2 p1-n2 "
        "1 p3-c1"
    )
    made = a_sample(at.project, SourceIn(of, 5), SourceIn(release, 4), n=2, examples=4)
    assert drawn(made) == (
        "(1 p3-n2) (1 p3-e1) (1 p2-c2) (1 p2-e2) 2 p2-c1 2 p3-c1 1 p4-e2 1 p4-n1 1 p3-n1 2 p1-e1 1 p2-e1 1 p1-c1 "
        "2 p2-n1"
    )
    made = a_sample(at.project, SourceIn(of, 2), n=3, examples=9)
    assert drawn(made) == ("(1 p2-e2) (1 p4-n1) (1 p3-c1) (1 p2-c1) (1 p3-n1) (1 p3-n2) 1 p1-n1 1 p4-e1")


def test_what_is_asked_is_what_was_drawn_in_turn() -> None:
    project, one, _ = the_sets()
    made = a_baseline(project, one, size=6)
    keys = made.rows.order_by("position").values_list("of_item__key", flat=True)
    assert list(keys) == [each.candidate.key for each in a_sample(project, SourceIn(one, 6), examples=3).asked]


def test_no_more_rows_are_held_than_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 48 with gold: 4 that are asked, 5 that are looked at for examples, and the one that is just read."""
    project, one, _ = the_sets()
    held = counting_class(draws.Candidate)
    monkeypatch.setattr(draws, "Candidate", held)
    monkeypatch.setattr(draws, "LOOKED_AT", 5)
    assert len(a_sample(project, SourceIn(one, 4)).asked) == 4
    assert 4 < held.most <= 4 + 5 + 2


def test_the_most_frequent_label_is_that_of_the_whole_source() -> None:
    """Not of what an earlier source left of it."""
    project, one, whole = the_sets()
    both = set(one.rows.values_list("of_item", flat=True))
    for row in whole.rows.all():
        row.data = {**row.data, "gold": "c" if row.of_item_id in both else "e"}
        row.save()
    assert len(both) > 40 - len(both) > 0
    made = a_sample(project, SourceIn(one, 30), SourceIn(whole, 40), SourceIn(whole, 1))
    assert list(made.frequent)[1:] == ["c", "c"]
    assert {each.candidate.gold for each in made.asked if each.source == 2} == {"e"}
