"""Comparing two runs: what is drawn, who compares, what is stored once and paid once, what is told when."""

from decimal import Decimal
from functools import partial

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.generation.models import Candidate, GenerationRun, InstructionVersion
from annotation.pay.models import LedgerEntry
from tests import factory
from tests.comparing import (
    ALL_EQUAL,
    Compared,
    a_compared_world,
    a_done_run,
    cast,
    no_such_token,
)
from tests.pay import a_rate, broken, ledger
from tests.race import together
from validation.people.queries import everything
from validation.review.models.assessment import Comparison, Preference
from validation.studies.actions.comparisons import (
    LOOK,
    comparison_create,
    comparison_end,
    preference_cast,
)
from validation.studies.queries import comparisons as fetch
from validation.studies.rules.comparisons import EQUAL, LEFT, RIGHT

pytestmark = pytest.mark.django_db


def client_of(person: Annotator) -> Client:
    made = Client()
    assert person.user is not None
    made.force_login(person.user)
    return made


def page(at: Compared, name: str, *args: object) -> str:
    return reverse(name, args=[at.project.slug, *args])


# --- drawing ------------------------------------------------------------------------------


def test_pairs_are_of_what_both_kept_from_the_same_material() -> None:
    at = a_compared_world(materials=6, drops={0: [0], 1: [5]})
    at.begin()
    keys = {pair.first.material.key for pair in at.pairs()}
    assert keys == {row.key for row in at.materials[1:5]}
    for pair in at.pairs():
        assert pair.first.material_id == pair.second.material_id
        assert (pair.first.run, pair.second.run) == tuple(at.runs)
    assert [pair.position for pair in at.pairs()] == [1, 2, 3, 4]
    assert Event.objects.get(verb="comparison_created").data["first"] == at.runs[0].n


def test_several_questions_of_one_material_meet_their_like() -> None:
    """Each by its own key: the second question of a concept is compared with the other run's second."""
    at = a_compared_world(materials=2)
    for run in at.runs:
        one = Candidate.objects.filter(run=run).order_by("pk")[0]
        Candidate.objects.create(
            project=at.project,
            run=run,
            batch=one.batch,
            material=one.material,
            key=f"{one.key}/2",
            content=one.content,
            state="kept",
        )
    at.begin()
    assert len(at.pairs()) == 3
    assert all(pair.first.key == pair.second.key for pair in at.pairs())


def test_the_draw_is_the_same_for_the_same_seed_and_another_for_the_next() -> None:
    drawn = []
    for slug in ("one", "two"):
        at = a_compared_world(slug, materials=30)
        Project.objects.filter(pk=at.project.pk).update(seed="the same")
        for _ in range(2):
            at.begin(12)
            drawn.append([(pair.first.material.position, pair.swapped) for pair in at.pairs()])
    assert drawn[0] == drawn[2]
    assert drawn[1] == drawn[3]
    assert drawn[0] != drawn[1]
    assert len(drawn[0]) == 12
    assert {swapped for _, swapped in drawn[0]} == {True, False}


def test_what_cannot_be_compared_is_refused() -> None:
    at = a_compared_world()
    first, second = at.runs
    other = a_compared_world().runs[0]
    going = a_done_run(at.project, at.materials, name="going")
    GenerationRun.objects.filter(pk=going.pk).update(state="running")
    empty = a_done_run(at.project, [], name="empty")
    for given, code in (
        ({"second": first.pk}, "comparison_of_one"),
        ({"second": other.pk}, "comparison_run_unknown"),
        ({"second": going.pk}, "comparison_run_unfinished"),
        ({"second": empty.pk}, "comparison_nothing"),
        ({"parts": []}, "comparison_parts_wrong"),
        ({"parts": ["question", "colour"]}, "comparison_parts_wrong"),
        ({"size": 0}, "comparison_size_wrong"),
        ({"size": 1001}, "comparison_size_wrong"),
    ):
        sent = {"first": first.pk, "second": second.pk, "parts": ["question"], "size": 5, **given}
        with pytest.raises(Invalid) as refused:
            comparison_create(project=at.project, by=at.by, **sent)  # type: ignore[arg-type]
        assert refused.value.code == code
    assert not Comparison.objects.exists()
    Project.objects.filter(pk=at.project.pk).update(closed_at="2026-01-01T00:00Z")
    with pytest.raises(Conflict):
        at.begin()


# --- comparing ----------------------------------------------------------------------------


def test_a_preference_is_stored_once() -> None:
    at = a_compared_world()
    at.begin()
    person, token = at.people[0], at.pairs()[0].token
    kept = cast(person, token, "  Pilihannya jelas.  ", question=LEFT)
    assert (kept.replayed, kept.preference.comment) == (False, "Pilihannya jelas.")
    assert kept.preference.chosen == {**ALL_EQUAL, "question": LEFT}
    assert cast(person, token, "Pilihannya jelas.", question=LEFT).replayed
    for changed in ({"question": RIGHT}, {"question": LEFT, "comment": "Lain."}):
        with pytest.raises(Conflict) as refused:
            cast(person, token, **changed)
        assert refused.value.code == "preference_differs"
    assert Preference.objects.count() == 1
    cast(at.people[1], token, question=RIGHT)


def test_parts_that_are_not_compared_are_not_asked_for() -> None:
    at = a_compared_world()
    at.begin(parts=["options", "question"])
    assert at.comparison is not None
    assert at.comparison.parts == ["question", "options"]
    kept = cast(at.people[0], concept=LEFT, question=LEFT)
    assert kept.preference.chosen == {"question": LEFT, "options": EQUAL}
    with pytest.raises(Invalid) as refused:
        cast(at.people[0], question="", options="sideways")
    assert refused.value.details["missing"] == ["question", "options"]


@pytest.mark.parametrize("role", ["writer", "lead", "rater"])
def test_only_validators_compare(role: str) -> None:
    at = a_compared_world()
    at.begin()
    with pytest.raises(NotFound):
        cast(factory.member(at.project, role), at.pairs()[0].token)


def test_nobody_compares_who_led_instructed_or_is_an_administrator() -> None:
    at = a_compared_world(people=4)
    at.begin()
    led, wrote, admin, free = at.people
    Annotator.objects.filter(pk=led.pk).update(is_validator=False, is_lead=True, has_led=True)
    InstructionVersion.objects.create(
        project=at.project, name="question", n=1, text="$concept", by=wrote.user
    )
    type(at.by).objects.filter(pk=admin.user_id or 0).update(is_administrator=True)
    for person in Annotator.objects.filter(pk__in=[led.pk, wrote.pk, admin.pk]):
        with pytest.raises(NotFound):
            cast(person, at.pairs()[0].token)
        assert client_of(person).get(page(at, "compare")).status_code == 403
        home = client_of(person).get("/").content.decode()
        assert page(at, "compare") not in home
    assert client_of(free).get(page(at, "compare")).status_code == 200
    assert not cast(free, at.pairs()[0].token).replayed


def test_pairs_of_others_and_of_what_is_over() -> None:
    at, other = a_compared_world(), a_compared_world()
    at.begin()
    other.begin()
    person = at.people[0]
    for token in (other.pairs()[0].token, no_such_token(), ""):
        with pytest.raises(NotFound):
            preference_cast(annotator=person, token=token, chosen=ALL_EQUAL)
    done = cast(person).preference
    comparison_end(project=at.project, n=1, by=at.by)
    comparison_end(project=at.project, n=1, by=at.by)
    assert Event.objects.filter(verb="comparison_ended").count() == 1
    assert cast(person, done.pair.token).replayed
    with pytest.raises(Conflict) as refused:
        cast(person, at.pairs()[1].token)
    assert refused.value.code == "comparison_over"
    Project.objects.filter(pk=other.project.pk).update(closed_at="2026-01-01T00:00Z")
    with pytest.raises(Conflict) as refused:
        cast(other.people[0], other.pairs()[0].token)
    assert refused.value.code == "project_closed"
    with pytest.raises(NotFound):
        comparison_end(project=at.project, n=9, by=at.by)


def test_how_long_somebody_looked_is_of_their_own_mark_only() -> None:
    at = a_compared_world(materials=5)
    at.begin()
    (one, two), tokens = at.people, [pair.token for pair in at.pairs()]
    marks = [
        LOOK.mark(one, tokens[0]),
        LOOK.mark(one, tokens[0]),
        LOOK.mark(two, tokens[2]),
        "nonsense",
        "",
    ]
    kept = [
        preference_cast(annotator=one, token=token, chosen=ALL_EQUAL, mark=mark).preference.seconds
        for token, mark in zip([tokens[0], *tokens[1:]], marks, strict=True)
    ]
    assert kept[0] > 0
    assert kept[1:] == [0.0] * 4


@pytest.mark.django_db(transaction=True)
def test_the_same_at_once_is_stored_once() -> None:
    at = a_compared_world()
    at.begin()
    person, token = at.people[0], at.pairs()[0].token
    found = together([partial(cast, person, token, question=LEFT)] * 6)
    assert sorted(one.replayed for one in found) == [False] + [True] * 5
    assert Preference.objects.count() == 1


# --- pay, data of one's own ---------------------------------------------------------------


def test_a_compared_pair_is_paid_once() -> None:
    at = a_compared_world()
    at.begin()
    cast(at.people[0])
    a_rate(at.project, "compare", "0.05")
    at.people[0].refresh_from_db()
    pair = fetch.next_pair(at.people[0])
    assert pair is not None
    for _ in range(2):
        cast(at.people[0], pair.token)
    assert ledger(at.project) == [("compare", "item", 1, Decimal("0.05"), "USD")]
    assert LedgerEntry.objects.get().annotator == at.people[0]
    assert broken(at.project) == []


def test_the_ledger_is_recounted_from_preferences() -> None:
    at = a_compared_world()
    at.begin()
    a_rate(at.project, "compare", "0.05")
    cast(at.people[0])
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM annotation_ledgerentry WHERE project_id = %s", [at.project.pk])
    assert len(broken(at.project)) == 1


def test_ones_own_data_has_what_one_said() -> None:
    at = a_compared_world()
    at.begin()
    person = at.people[0]
    cast(person, comment="Sama saja.")
    assert person.user is not None
    (place,) = [each for each in everything(person.user)["projects"] if each["preferences"]]
    assert place["preferences"][0]["comment"] == "Sama saja."
