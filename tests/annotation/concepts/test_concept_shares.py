"""Concepts are given to writers: each to several, evenly, going on where it stopped; one lock for all who give."""

from collections import Counter
from datetime import timedelta
from functools import partial

import pytest
from django.db.models import Count

from annotation.concepts.actions import ConceptIn, concept_propose, concepts_add
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Concept
from annotation.core.database import now
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.writing.actions.allocation import allocations_assign, shares_lapse_all
from annotation.writing.actions.writing import draft_save, source_skip
from tests import factory
from tests.questions import CATEGORIES, a_concept, a_question, a_question_project, typed_question
from tests.race import run_at_once

pytestmark = pytest.mark.django_db
State = Concept.State


@pytest.fixture
def project() -> Project:
    return a_question_project()


@pytest.fixture
def writer(project: Project) -> Annotator:
    return factory.member(project, "writer")


def proposed(writer: Annotator, text: str) -> Concept:
    target = writer.project.targets.get()
    return concept_propose(writer=writer, target=target, category="culture", text=text)


def dealt(project: Project) -> Counter[str]:
    held = Allocation.objects.filter(project=project, state__in=Allocation.IN_HAND)
    return Counter(held.values_list("writer__pseudonym", flat=True))


def test_each_concept_goes_to_two_writers(project: Project) -> None:
    for number in range(12):
        a_concept(project, category="culture" if number % 2 else "place")
    proposed(factory.member(project, "writer"), "belum")
    team = [factory.member(project, "writer") for _ in range(4)]
    assert allocations_assign(target=project.targets.get(), writers=team) == 24
    assert set(dealt(project).values()) == {6}
    per_concept = Counter(Allocation.objects.values_list("concept__text", flat=True))
    assert set(per_concept.values()) == {2}
    assert "belum" not in per_concept
    positions = list(team[0].allocations.order_by("position").values_list("position", flat=True))
    assert positions == [1, 2, 3, 4, 5, 6]
    assert allocations_assign(target=project.targets.get(), writers=team) == 0


def test_dealing_goes_on_evenly_with_new_concepts_and_people(project: Project, writer: Annotator) -> None:
    for _ in range(10):
        a_concept(project)
    target = project.targets.get()
    assert allocations_assign(target=target, writers=[writer], size=4) == 4
    assert allocations_assign(target=target, writers=[writer], size=4) == 0
    team = [writer, factory.member(project, "writer"), factory.member(project, "writer")]
    assert allocations_assign(target=target, writers=team) == 16
    loads = dealt(project).values()
    assert sum(loads) == 20
    assert max(loads) - min(loads) <= 1


def test_skipped_and_left_concepts_go_to_others(project: Project, writer: Annotator) -> None:
    first, second = a_concept(project), a_concept(project)
    target = project.targets.get()
    allocations_assign(target=target, writers=[writer])
    other = factory.member(project, "writer")
    source_skip(writer=writer, token=writer.allocations.get(concept=first).token, reason="broken")
    assert other.allocations.get().concept == first
    left = writer.allocations.get(concept=second)
    draft_save(writer=writer, token=left.token, slot="q", content=typed_question("kendi"), version=0)
    Allocation.objects.filter(pk=left.pk).update(touched_at=now() - timedelta(days=15))
    assert shares_lapse_all() == 1
    team = [writer, other, factory.member(project, "writer")]
    allocations_assign(target=target, writers=team)
    held = Allocation.objects.filter(state__in=Allocation.IN_HAND)
    assert Counter(held.values_list("concept", flat=True)) == {first.pk: 2, second.pk: 2}
    assert not held.filter(writer=writer).exists()


def test_a_second_skip_ends_a_concept_and_imported_questions_count(project: Project, writer: Annotator) -> None:
    skipped, written = a_concept(project), a_concept(project)
    Concept.objects.filter(pk=skipped.pk).update(skips=2)
    for _ in range(2):
        item = a_question(project, factory.member(project, "writer"), concept=written)
        Item.objects.filter(pk=item.pk).update(allocation=None)
    Allocation.objects.update(state=Allocation.State.LAPSED)
    assert allocations_assign(target=project.targets.get(), writers=[writer]) == 0


def test_the_figures_of_the_paper(project: Project) -> None:
    """id-csqa §4.2: 150 concepts in each of five categories, six writers: 50 of each to each, two questions each."""
    rows = [ConceptIn("", kind, f"kata {n}") for kind in CATEGORIES for n in range(150)]
    concepts_add(target=project.targets.get(), rows=rows)
    team = [factory.member(project, "writer") for _ in range(6)]
    assert allocations_assign(target=project.targets.get(), writers=team) == 1500
    pairs = Allocation.objects.values_list("writer", "concept__category").annotate(n=Count("pk"))
    assert {n for _, _, n in pairs} == {50}
    assert len(pairs) == 30
    each = Allocation.objects.values("concept").annotate(n=Count("writer", distinct=True))
    assert {row["n"] for row in each} == {2}


@pytest.mark.django_db(transaction=True)
def test_leads_and_writers_at_once() -> None:
    """Two who give out, two who propose the same: each concept has two writers, and stands once."""
    project = a_question_project()
    target = project.targets.get()
    for _ in range(6):
        a_concept(project)
    team = [factory.member(project, "writer") for _ in range(4)]
    done = run_at_once([lambda: allocations_assign(target=target, writers=team)] * 2)
    assert sorted(done) == [0, 12]
    assert set(dealt(project).values()) == {3}
    calls = [partial(proposed, writer, "lampu minyak") for writer in team[:2]]
    first, second = sorted(run_at_once(calls), key=lambda made: isinstance(made, Exception))
    assert (first.state, second.code) == (State.PROPOSED, "concept_exists")
