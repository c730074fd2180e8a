"""Comparisons of two runs: what is drawn, who compares, what the card tells, what is read off the votes."""

import csv
import io
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.generation.models import Candidate, GenerationRun, InstructionVersion
from annotation.projects.actions.projects import project_close
from tests import factory
from tests.comparisons import MODELS, NAMES, ComparedWorld, a_compared_world, a_done_run, compare_all
from tests.ratings import next_assignment, refused, study_members
from validation.studies.models import Study
from validation.studies.rules.comparisons import WinRate, wilson
from validation.studies.types.comparison import tally_of
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote
from validation.voting.views.cards import card_of

pytestmark = pytest.mark.django_db


def client_of(person: Annotator) -> Client:
    made = Client()
    assert person.user is not None
    made.force_login(person.user)
    return made


def page(at: ComparedWorld, *parts: object) -> str:
    return "/".join(["/p", at.project.slug, "studies/comparison", *map(str, parts), ""])


def sources_of(made: Study) -> list[str]:
    return [data["source"] for data in made.rows.order_by("position").values_list("data", flat=True)]


# --- drawing ------------------------------------------------------------------------------


def test_pairs_are_of_what_both_kept_from_the_same_material() -> None:
    at = a_compared_world(materials=6, drops={0: [0], 1: [5]})
    made = at.draw()
    assert sorted(sources_of(made)) == sorted(row.key for row in at.materials[1:5])
    for row in made.rows.select_related("item__hypothesis"):
        texts = row.item.hypothesis.more or {}
        assert "hari ke-1" in texts["question_a"]
        assert "hari ke-2" in texts["question_b"]
    assert Event.objects.get(verb="study_created").data["study"] == "comparison"
    assert [run["name"] for run in made.options["runs"]] == list(NAMES)


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
    assert at.draw().rows.count() == 3


def test_the_draw_is_the_same_for_the_same_seed_and_another_for_the_next() -> None:
    drawn = []
    for slug in ("one", "two"):
        at = a_compared_world(slug, materials=30)
        Project.objects.filter(pk=at.project.pk).update(seed="the same")
        drawn += [sources_of(at.draw(f"{slug}-{n}", size=12)) for n in (1, 2)]
    assert drawn[0] == drawn[2]
    assert drawn[1] == drawn[3]
    assert drawn[0] != drawn[1]
    assert len(drawn[0]) == 12


def test_what_cannot_be_compared_is_refused() -> None:
    at = a_compared_world()
    going = a_done_run(at.project, at.materials, name="going")
    GenerationRun.objects.filter(pk=going.pk).update(state="running")
    empty = a_done_run(at.project, [], name="empty")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"second": at.runs[0].n}, "comparison_of_one"),
        ({"second": 99}, "comparison_run_unknown"),
        ({"second": going.n}, "comparison_run_unfinished"),
        ({"second": empty.n}, "comparison_nothing"),
        ({"parts": []}, "comparison_parts_wrong"),
        ({"parts": ["question", "colour"]}, "comparison_parts_wrong"),
        ({"people": 10}, "study_people"),
    ]
    for given, code in wrong:
        with refused(code):
            at.draw(**given)
    assert not Study.objects.exists()


def test_nobody_compares_who_led_the_project_or_wrote_instructions() -> None:
    at = a_compared_world()
    at.people[0].refresh_from_db()
    InstructionVersion.objects.create(project=at.project, name="question", n=2, text="Tulis.", by=at.people[0].user)
    with refused("study_member_wrong"):
        at.draw()
    asked, at.people = at.people, at.people[1:]
    made = at.draw()
    with refused("made_what_is_judged"):
        factory.member(made.project, "validator", account=asked[0].user)


# --- comparing ----------------------------------------------------------------------------


def test_nothing_tells_which_run_wrote_what() -> None:
    at = a_compared_world(materials=7, people=4)
    made = at.draw(people=4)
    decide_due()
    first_on_left = set()
    for place in study_members(made):
        held = next_assignment(place)
        assert held is not None
        card = card_of(held, made.project)
        shown = f"{card}"
        assert not any(name in shown for name in (*NAMES, *MODELS, "canary-set"))
        texts = {text.key: text.text for text in card.texts}
        sides = ["hari ke-1" in texts[key] for key in ("question_a", "question_b")]
        # All three pairs of texts stand in the same order.
        assert [texts[f"options_{side}"].startswith("A. duduk bersama 1") for side in "ab"] == sides
        assert sorted(sides) == [False, True]
        assert [asked.question.text for asked in card.questions][1] == "Which question is better?"
        first_on_left.add(sides[0])
    browser = client_of(study_members(made)[0])
    text = browser.get(f"/p/{made.project.slug}/vote/").content.decode()
    assert not any(name in text for name in (*NAMES, *MODELS))


def test_both_orders_are_shown_and_mean_the_same() -> None:
    at = a_compared_world(materials=12)
    made = at.draw()
    compare_all(made, lambda place, person: {"question": "A"})
    orders = set(Vote.objects.filter(project=made.project).values_list("answers__order", flat=True))
    assert orders == {"AB", "BA"}
    assert tally_of(made).single_choices["question"]._replace(by_pair=()) == WinRate(24, 0, 0)


def test_by_the_form_a_side_is_the_run_that_stands_there() -> None:
    at = a_compared_world(materials=12, people=1)
    made = at.draw(people=1, parts=["question"])
    decide_due()
    (place,) = study_members(made)
    browser, slug = client_of(place), made.project.slug
    for _ in range(12):
        held = next_assignment(place)
        assert held is not None
        texts = {text.key: text.text for text in card_of(held, made.project).texts}
        # Whoever stands first, the person prefers the second run's.
        chosen = "1" if "hari ke-2" in texts["question_a"] else "2"
        sent = browser.post(f"/p/{slug}/vote/{held.token}/", {"answer-better_question": chosen})
        assert sent.status_code == 302
    assert tally_of(made).single_choices["question"]._replace(by_pair=()) == WinRate(0, 12, 0)


# --- results ------------------------------------------------------------------------------


def says(place: int, person: int) -> dict[str, str]:
    """The first of both says that the first run asks better; the second says so of one pair, and else equal."""
    if person == 0:
        return {"question": "A", "options": "B"}
    return {"question": "A"} if place == 1 else {}


def test_the_result_is_shown_when_it_has_ended() -> None:
    at = a_compared_world()
    made = at.draw()
    compare_all(made, says)
    browser = client_of(at.lead)
    text = browser.get(page(at, 1)).content.decode()
    assert "Win rates" not in text
    for name in ("rates", "preferences"):
        assert browser.get(page(at, 1) + f"{name}.csv").status_code == 403
    assert browser.post(page(at, 1, "close"), {"closed": "1"}).status_code == 302
    text = browser.get(page(at, 1)).content.decode()
    for words in ("Win rates where each pair counts once", "100.0&nbsp;%", MODELS[1], NAMES[0]):
        assert words in text
    found, second = tally_of(made), study_members(made)[1].pseudonym
    assert found.single_choices["question"]._replace(by_pair=()) == WinRate(5, 0, 3)
    assert found.single_choices["options"]._replace(by_pair=()) == WinRate(0, 4, 4)
    assert found.pairs["question"]._replace(by_pair=()) == WinRate(4, 0, 0)
    assert found.people[second]["question"]._replace(by_pair=()) == WinRate(1, 0, 3)


def test_files_are_safe_in_a_spreadsheet() -> None:
    at = a_compared_world(materials=1, people=1)
    GenerationRun.objects.filter(pk=at.runs[0].pk).update(name="=1+1")
    made = at.draw(people=1)
    compare_all(made, lambda place, person: {"question": "A"})
    Vote.objects.filter(project=made.project).update(comment="=HYPERLINK(1)")
    project_close(project=made.project, by=at.by, closed=True)
    rows = {}
    for name in ("rates", "preferences"):
        answer = client_of(at.lead).get(page(at, 1) + f"{name}.csv")
        assert answer["X-Content-Type-Options"] == "nosniff"
        rows[name] = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    (one,) = rows["preferences"]
    assert (one["question"], one["options"], one["comment"]) == ("=1+1", "equal", "=HYPERLINK(1)")
    first = rows["rates"][0]
    assert (first["over"], first["part"], first["run"]) == ("said", "concept", "=1+1")
    question = next(row for row in rows["rates"] if row["part"] == "question")
    assert (question["wins"], question["win_rate"], question["high_95"]) == ("1", "1.0", "1.0")
    assert float(question["low_95"]) == wilson(1, 1).low, "as computed, not cut"  # type: ignore[union-attr]


def test_a_lead_draws_one_on_the_page() -> None:
    at = a_compared_world()
    browser = client_of(at.lead)
    first, second = at.runs
    sent = {
        "first": first.n,
        "second": second.n,
        "parts": ["question", "options"],
        "size": "3",
        "people": "1",
    }
    sent |= {"slug": "compared", "members": [one.pk for one in at.people]}
    assert browser.post(page(at), {**sent, "second": first.n}).status_code == 422
    answer = browser.post(page(at), sent)
    assert answer.headers["Location"] == page(at, 1)
    made = Study.objects.get()
    assert (made.rows.count(), made.options["parts"]) == (3, ["question", "options"])
    assert len(study_members(made)) == 2


def test_statements_do_not_grow() -> None:
    counts = []
    for materials, people in ((3, 2), (30, 4)):
        at = a_compared_world(materials=materials, people=people)
        made = at.draw(people=2)
        compare_all(made, lambda place, person: {})
        browser, seen = client_of(at.lead), []
        project_close(project=made.project, by=at.by, closed=True)
        for path in (f"/p/{at.project.slug}/studies/", page(at), page(at, 1)):
            browser.get(path)
            with CaptureQueriesContext(connection) as asked:
                assert browser.get(path).status_code == 200
            seen.append(len(asked))
        counts.append(seen)
    assert counts[0] == counts[1]
    assert max(counts[0]) <= 16, counts
