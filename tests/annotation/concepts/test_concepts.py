"""Concepts: taken in, proposed, reviewed, changed, shared by language projects, and dealt to writers."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from annotation.concepts.actions import (
    LONGEST_KEY,
    ConceptIn,
    concept_change,
    concept_propose,
    concept_propose_again,
    concept_review,
    concepts_add,
    concepts_add_typed,
    concepts_take_over,
)
from annotation.content.models.source import Concept
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound, Refusal
from annotation.core.messages import EVENTS, PROBLEMS
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.kinds import SlotIn
from annotation.projects.actions.projects import project_close
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import set_submit
from tests import factory
from tests.questions import a_concept, a_question_project, typed_question

pytestmark = pytest.mark.django_db
State = Concept.State


@pytest.fixture
def project() -> Project:
    return a_question_project()


@pytest.fixture
def writer(project: Project) -> Annotator:
    return factory.member(project, "writer")


@pytest.fixture
def lead(project: Project) -> Annotator:
    return factory.member(project, "lead")


def proposed(writer: Annotator, text: str = "tikar", *, sure: bool = False) -> Concept:
    target = writer.project.targets.get()
    return concept_propose(writer=writer, target=target, category="culture", text=text, sure=sure)


def review(concept: Concept, by: Annotator, approve: bool, words: str = "", version: int = 0) -> Concept:
    assert by.user is not None
    return concept_review(
        project=by.project,
        concept_id=concept.pk,
        by=by.user,
        version=version or concept.version,
        approve=approve,
        words=words,
    )


@contextmanager
def refused(kind: type[Refusal], code: str) -> Iterator[pytest.ExceptionInfo[Refusal]]:
    """What is inside is refused with this code, which has its words."""
    with pytest.raises(kind) as info:
        yield info
    assert info.value.code == code
    assert code in PROBLEMS


def verbs(project: Project) -> list[str]:
    found = Event.objects.filter(project=project, verb__startswith="concept").order_by("pk")
    verbs = list(found.values_list("verb", flat=True))
    assert set(verbs) <= set(EVENTS)
    return verbs


# --- many at once -----------------------------------------------------------------------


def test_concepts_come_in_once_a_category(project: Project) -> None:
    target = project.targets.get()
    rows = [
        ConceptIn("k1", "culture", "tikar", "s1", "samak", {"source": "list"}),
        ConceptIn("", "culture", " payung "),
        ConceptIn("", "activity", "tikar", "s2"),
        ConceptIn("", "culture", "payu\u200bng"),
    ]
    first = concepts_add(target=target, rows=rows)
    assert [(c.category, c.text, c.state) for c in first] == [
        ("culture", "tikar", "approved"),
        ("culture", "payung", "approved"),
        ("activity", "tikar", "approved"),
        ("culture", "payung", "approved"),
    ]
    assert first[3] is first[1]
    assert (first[0].key, first[0].shared_key, first[0].parallel) == ("k1", "s1", "samak")
    assert first[0].extra == {"source": "list"}
    assert first[2].key == "s2"
    assert first[1].key.startswith("culture-")
    again = concepts_add(target=target, rows=rows)
    assert [c.pk for c in again] == [c.pk for c in first]
    assert Concept.objects.filter(project=project).count() == 3


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (ConceptIn("", " ", "tikar"), "category"),
        (ConceptIn("", "culture", "\n"), "text"),
        (ConceptIn("", "culture", "a\0b"), "text"),
        (ConceptIn("", "culture", "x" * 301), "text"),
        (ConceptIn("k" * (LONGEST_KEY + 1), "culture", "tikar"), "key"),
    ],
)
def test_what_cannot_be_stored_is_refused_whole(project: Project, row: ConceptIn, field: str) -> None:
    rows = [ConceptIn("", "culture", "payung"), row]
    with pytest.raises(Invalid) as info:
        concepts_add(target=project.targets.get(), rows=rows)
    assert (info.value.field, info.value.code in PROBLEMS) == (field, True)
    assert not Concept.objects.exists()


@pytest.mark.parametrize("row", [ConceptIn("k1", "culture", "payung"), ConceptIn("k2", "culture", "payung", "s1")])
def test_a_key_belongs_to_one_concept(project: Project, row: ConceptIn) -> None:
    target = project.targets.get()
    concepts_add(target=target, rows=[ConceptIn("k1", "culture", "tikar", "s1")])
    with refused(Conflict, "concept_key_taken"):
        concepts_add(target=target, rows=[row])


def test_a_lead_types_several_and_is_warned_of_near_ones(project: Project, lead: Annotator) -> None:
    target = project.targets.get()
    assert lead.user is not None
    a_concept(project, "kelambu")
    lines = ["kelambbu", "", "tikar", "Tikar", "kelambu"]
    with refused(Invalid, "concept_near") as info:
        concepts_add_typed(target=target, category="culture", texts=lines, by=lead.user)
    near = [(each.text, each.others) for each in info.value.details["near"]]
    assert near == [("kelambbu", ("kelambu",)), ("Tikar", ("tikar",))]
    assert Concept.objects.count() == 1
    done = concepts_add_typed(target=target, category="culture", texts=lines, by=lead.user, sure=True)
    assert done == (3, 1)
    assert verbs(project) == ["concepts_added"]
    with refused(Invalid, "concept_text_missing"):
        concepts_add_typed(target=target, category="culture", texts=["", " "], by=lead.user)


# --- one concept ------------------------------------------------------------------------


def test_proposed_returned_proposed_again_approved(project: Project, writer: Annotator, lead: Annotator) -> None:
    concept = proposed(writer)
    assert (concept.state, concept.version) == (State.PROPOSED, 1)
    concept = review(concept, lead, approve=False, words="Too special.")
    assert (concept.state, concept.words, concept.version) == (State.RETURNED, "Too special.", 2)
    concept = concept_propose_again(writer=writer, concept_id=concept.pk, version=2, text="tikar pandan")
    assert (concept.state, concept.text, concept.words) == (State.PROPOSED, "tikar pandan", "Too special.")
    concept = review(concept, lead, approve=True)
    assert (concept.state, concept.words) == (State.APPROVED, "")
    assert verbs(project) == [
        "concept_proposed",
        "concept_returned",
        "concept_proposed",
        "concept_approved",
    ]
    with refused(Conflict, "concept_decided"):
        concept_propose_again(writer=writer, concept_id=concept.pk, version=concept.version, text="lain")


def test_the_same_is_refused_and_a_near_one_asks(writer: Annotator) -> None:
    a_concept(writer.project, "tikar")
    with refused(Conflict, "concept_exists"):
        proposed(writer, "tikar")
    with refused(Invalid, "concept_near") as info:
        proposed(writer, "tikkar")
    assert info.value.details["near"][0].others == ("tikar",)
    assert proposed(writer, "tikkar", sure=True).text == "tikkar"


def test_a_writer_makes_no_new_category(writer: Annotator) -> None:
    assert proposed(writer).category == "culture"
    target = writer.project.targets.get()
    with refused(Invalid, "concept_category_unknown"):
        concept_propose(writer=writer, target=target, category="cultur", text="payung")


def test_who_may_not(project: Project, writer: Annotator, lead: Annotator) -> None:
    concept = proposed(writer)
    other = factory.member(project, "writer")
    with pytest.raises(Forbidden):
        concept_propose_again(writer=other, concept_id=concept.pk, version=1, text="lain")
    stranger = factory.member(a_question_project(), "lead")
    with pytest.raises(NotFound):
        review(concept, stranger, approve=True)
    writing_lead = factory.member(project, "writer", "lead")
    own = proposed(writing_lead, "payung")
    with refused(Conflict, "own_concept"):
        review(own, writing_lead, approve=True)
    assert review(own, lead, approve=True).state == State.APPROVED
    with refused(Conflict, "concept_decided"):
        review(own, lead, approve=True, version=2)
    with refused(Invalid, "words_missing"):
        review(concept, lead, approve=False, words=" ")
    with refused(Invalid, "text_not_storable"):
        review(concept, lead, approve=False, words="a\0")


def test_a_page_that_is_behind_changes_nothing(project: Project, writer: Annotator, lead: Annotator) -> None:
    concept = proposed(writer)
    review(concept, lead, approve=False, words="No.")
    assert lead.user is not None
    with refused(Conflict, "stale"):
        review(concept, lead, approve=True, version=1)
    with refused(Conflict, "stale"):
        concept_propose_again(writer=writer, concept_id=concept.pk, version=1, text="payung")
    with refused(Conflict, "stale"):
        concept_change(project=project, concept_id=concept.pk, by=lead.user, version=1, category="c", text="t")
    concept.refresh_from_db()
    assert (concept.text, concept.state) == ("tikar", State.RETURNED)


def test_a_lead_changes_one_and_its_first_key_stays(project: Project, lead: Annotator) -> None:
    target = project.targets.get()
    assert lead.user is not None
    (concept,) = concepts_add(target=target, rows=[ConceptIn("", "culture", "tikar")])
    a_concept(project, "payung")
    of: dict[str, Any] = {"project": project, "concept_id": concept.pk, "by": lead.user}
    of |= {"category": "culture"}
    with refused(Conflict, "concept_exists"):
        concept_change(**of, version=1, text="payung")
    with refused(Invalid, "concept_near"):
        concept_change(**of, version=1, text="payungg")
    changed = concept_change(**of, version=1, text="payungg", sure=True)
    assert (changed.text, changed.version) == ("payungg", 2)
    changed = concept_change(**of, version=2, text="tampah", parallel="nyiru")
    assert (changed.text, changed.parallel, changed.key) == ("tampah", "nyiru", concept.key)
    again, _ = concepts_add_typed(target=target, category="culture", texts=["tikar"], by=lead.user)
    assert again == 1
    assert Concept.objects.get(text="tikar").key == f"{concept.key}-1"
    assert verbs(project) == ["concept_changed", "concept_changed", "concepts_added"]


def test_what_writers_have_is_not_returned(writer: Annotator, lead: Annotator) -> None:
    concept = a_concept(writer.project)
    allocations_assign(target=concept.target, writers=[writer])
    with refused(Conflict, "concept_in_use"):
        review(concept, lead, approve=False, words="Too late.")


def test_nothing_changes_in_a_closed_project(project: Project, writer: Annotator, lead: Annotator) -> None:
    concept = proposed(writer)
    project_close(project=project, by=lead.user, closed=True)
    assert lead.user is not None
    with refused(Conflict, "concepts_closed"):
        review(concept, lead, approve=True)
    with refused(Conflict, "concepts_closed"):
        proposed(writer, "payung")
    with refused(Conflict, "concepts_closed"):
        concepts_add_typed(target=concept.target, category="culture", texts=["payung"], by=lead.user)


# --- a parallel list --------------------------------------------------------------------


def test_a_parallel_list_and_the_own_wording(project: Project, lead: Annotator) -> None:
    assert lead.user is not None
    target = project.targets.get()
    concepts_add(
        target=target,
        rows=[ConceptIn("", "culture", "tikar", "mat"), ConceptIn("k2", "culture", "payung")],
    )
    waiting = proposed(factory.member(project, "writer"), "kendi")
    other = a_question_project(language="su", settings={"own_wording": True})
    a_concept(other, "payung", key="own")
    assert concepts_take_over(source=project, into=other, by=lead.user) == 2
    there = other.concepts.order_by("text").values_list("text", "parallel", "shared_key", "key")
    assert list(there) == [("payung", "payung", "k2", "own"), ("tikar", "tikar", "mat", "mat")]
    assert Concept.objects.get(project=project, key="k2").shared_key == "k2"
    assert concepts_take_over(source=project, into=other, by=lead.user) == 0
    review(waiting, lead, approve=True)
    concepts_add(target=target, rows=[ConceptIn("", "culture", "cobek", "mortar")])
    assert concepts_take_over(source=project, into=other, by=lead.user) == 2
    assert verbs(other) == ["concepts_taken_over", "concepts_taken_over"]
    third = a_question_project(language="jv")
    assert concepts_take_over(source=other, into=third, by=lead.user) == 4
    keys = [
        set(p.concepts.filter(state="approved").values_list("shared_key", flat=True)) for p in (project, other, third)
    ]
    assert keys[0] == keys[1] == keys[2]


def test_a_shared_key_that_another_concept_has_is_left_alone(project: Project) -> None:
    other = a_question_project(language="su")
    a_concept(project, "tikar", shared_key="mat")
    a_concept(project, "payung", shared_key="umbrella")
    a_concept(other, "tikar", shared_key="rug", key="umbrella")
    assert concepts_take_over(source=project, into=other, by=factory.user()) == 1
    there = other.concepts.order_by("pk").values_list("text", "shared_key")
    assert list(there) == [("tikar", "rug"), ("payung", "umbrella")]
    assert other.concepts.get(text="payung").key.startswith("culture-")


def test_the_wording_of_a_parallel_concept_belongs_to_the_question(project: Project) -> None:
    other = a_question_project(language="su", settings={"own_wording": True})
    concepts_add(target=project.targets.get(), rows=[ConceptIn("", "culture", "tikar")])
    concepts_take_over(source=project, into=other, by=factory.user())
    concept = other.concepts.get()
    author = factory.member(other, "writer")
    allocations_assign(target=concept.target, writers=[author])
    typed = typed_question("samak").more
    slots = {"q": SlotIn("Untuk apa samak dipakai warga?", more={**typed, "concept": "samak"})}
    (made,) = set_submit(writer=author, token=author.allocations.get().token, slots=slots)
    content = made.revisions.get().content
    assert (content["concept"], content["parallel"]) == ("samak", "tikar")
    concept.refresh_from_db()
    assert concept.text == "tikar"
