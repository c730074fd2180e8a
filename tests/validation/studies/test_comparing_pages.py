"""The pages of a comparison: what nobody is told, what stays as typed, results when it has ended, files, statements."""

import csv
import io

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.errors import Forbidden
from annotation.core.models.member import Annotator
from annotation.generation.models import GenerationRun
from tests import factory
from tests.comparing import (
    ALL_EQUAL,
    MODELS,
    NAMES,
    Compared,
    a_compared_world,
    cast,
    for_first,
    for_second,
)
from validation.review.models.assessment import Comparison, ComparisonPair
from validation.studies.actions.comparisons import comparison_end
from validation.studies.queries import comparisons as fetch
from validation.studies.rules.comparisons import EQUAL, LEFT, RIGHT, WinRate

pytestmark = pytest.mark.django_db


def client_of(person: Annotator) -> Client:
    made = Client()
    assert person.user is not None
    made.force_login(person.user)
    return made


def page(at: Compared, name: str, *args: object) -> str:
    return reverse(name, args=[at.project.slug, *args])


def test_nothing_tells_which_run_wrote_what_or_how_many_there_are() -> None:
    at = a_compared_world(materials=7)
    at.begin()
    browser = client_of(at.people[0])
    seen = []
    for place in range(8):
        text = browser.get(page(at, "compare")).content.decode()
        assert not any(name in text for name in (*NAMES, *MODELS, "canary-set"))
        assert "of 7" not in text
        pair = fetch.next_pair(at.people[0])
        if pair is None:
            assert place == 7
            break
        seen.append(
            text.index(str(pair.first.content["question"])) < text.index(pair.second.content["question"])
        )
        assert seen[-1] is not pair.swapped
        sent = browser.post(
            page(at, "compare_send", pair.token), {f"better_{part}": EQUAL for part in ALL_EQUAL}
        )
        assert sent.status_code == 302
    assert set(seen) == {True, False}
    assert "Nothing for you now" in text


def test_what_is_missing_or_over_keeps_what_was_said() -> None:
    at = a_compared_world()
    at.begin()
    browser, pair = client_of(at.people[0]), at.pairs()[0]
    send = page(at, "compare_send", pair.token)
    answer = browser.post(send, {"better_question": LEFT, "comment": "Belum <b>selesai</b>."})
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "Belum &lt;b&gt;selesai&lt;/b&gt;." in text
    assert text.count("criterion--missing") == 2
    assert f'data-token="{pair.token}"' in text
    cast(at.people[0], pair.token, question=RIGHT)
    answer = browser.post(
        send, {f"better_{part}": LEFT for part in ALL_EQUAL}, headers={"HX-Request": "true"}
    )
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "the first answer stands" in text
    assert f'data-token="{at.pairs()[1].token}"' in text
    assert "<html" not in text


def test_the_room_and_the_work_are_there_while_something_waits() -> None:
    at = a_compared_world()
    browser, room = client_of(at.people[0]), page(at, "compare")
    assert room not in browser.get(page(at, "project")).content.decode()
    assert "Nothing for you now" in browser.get(room).content.decode()
    at.begin()
    assert f'href="{room}"' in browser.get(page(at, "project")).content.decode()
    cast(at.people[0])
    home = browser.get("/").content.decode()
    assert "pairs of questions to compare" in home
    assert '<span class="num">3</span>' in home
    comparison_end(project=at.project, n=1, by=at.by)
    assert room not in browser.get("/").content.decode()


def test_a_project_whose_questions_people_write_has_no_such_room() -> None:
    project = factory.project()
    person, lead = factory.member(project, "validator"), factory.member(project, "lead")
    assert client_of(person).get(reverse("compare", args=[project.slug])).status_code == 404
    assert client_of(lead).get(reverse("comparisons", args=[project.slug])).status_code == 404


def decided(at: Compared) -> None:
    """The first of both says that the first run asks better; the second says so of one pair, and else equal."""
    for number, pair in enumerate(at.pairs()):
        cast(at.people[0], pair.token, question=for_first(pair), options=for_second(pair))
        cast(at.people[1], pair.token, question=for_first(pair) if number == 0 else EQUAL)


def test_the_result_is_shown_when_it_has_ended() -> None:
    at = a_compared_world()
    at.begin()
    decided(at)
    browser = client_of(at.lead)
    text = browser.get(page(at, "comparison", 1)).content.decode()
    assert NAMES[0] in text
    assert "Win rates" not in text
    for name in ("comparison_rates", "comparison_rows"):
        assert browser.get(page(at, name, 1)).status_code == 403
    assert browser.post(page(at, "comparison_end", 1)).status_code == 302
    text = browser.get(page(at, "comparison", 1)).content.decode()
    for words in ("Win rates where each pair counts once", "100.0&nbsp;%", MODELS[1], at.people[0].pseudonym):
        assert words in text
    assert at.comparison is not None
    at.comparison.refresh_from_db()
    found = fetch.result(at.comparison)
    assert found.said["question"] == WinRate(5, 0, 3)
    assert found.said["options"] == WinRate(0, 4, 4)
    assert found.pairs["question"] == WinRate(4, 0, 0)
    assert found.people[at.people[1].pseudonym]["question"] == WinRate(1, 0, 3)


def test_files_are_safe_in_a_spreadsheet() -> None:
    at = a_compared_world()
    GenerationRun.objects.filter(pk=at.runs[0].pk).update(name="=1+1")
    at.begin()
    cast(at.people[0], comment="=HYPERLINK(1)", question=for_first(at.pairs()[0]))
    comparison_end(project=at.project, n=1, by=at.by)
    rows = {}
    for name in ("comparison_rates", "comparison_rows"):
        answer = client_of(at.lead).get(page(at, name, 1))
        assert answer["X-Content-Type-Options"] == "nosniff"
        rows[name] = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    (one,) = rows["comparison_rows"]
    assert (one["question"], one["options"], one["comment"]) == ("'=1+1", EQUAL, "'=HYPERLINK(1)")
    first = rows["comparison_rates"][0]
    assert (first["over"], first["part"], first["run"]) == ("said", "concept", "'=1+1")
    question = next(row for row in rows["comparison_rates"] if row["part"] == "question")
    assert (question["wins"], question["win_rate"], question["high_95"]) == ("1", "1.000000", "1.000000")


def test_whoever_compared_and_leads_now_is_told_the_names_at_the_end() -> None:
    at = a_compared_world()
    at.begin()
    person = at.people[0]
    cast(person)
    Annotator.objects.filter(pk=person.pk).update(is_validator=False, is_lead=True, has_led=True)
    for name, args in (("comparison", (1,)), ("comparisons", ())):
        text = client_of(person).get(page(at, name, *args)).content.decode()
        assert not any(each in text.split('id="new-title"')[0] for each in (*NAMES, *MODELS))
    with pytest.raises(Forbidden):
        fetch.result(Comparison.objects.get())
    comparison_end(project=at.project, n=1, by=at.by)
    assert NAMES[0] in client_of(person).get(page(at, "comparison", 1)).content.decode()


def test_a_lead_begins_one_on_the_page() -> None:
    at = a_compared_world()
    browser = client_of(at.lead)
    first, second = at.runs
    sent = {"first": first.pk, "second": second.pk, "part": ["question", "options"], "size": "3"}
    assert browser.post(page(at, "comparisons"), {**sent, "second": first.pk}).status_code == 422
    answer = browser.post(page(at, "comparisons"), sent)
    assert answer.headers["Location"] == page(at, "comparison", 1)
    assert ComparisonPair.objects.count() == 3
    assert Comparison.objects.get().parts == ["question", "options"]


def test_statements_do_not_grow() -> None:
    counts = []
    for materials, people in ((3, 2), (60, 8)):
        at = a_compared_world(materials=materials, people=people)
        at.begin()
        for person in at.people:
            for pair in at.pairs()[:-1]:
                cast(person, pair.token)
        seen = []
        for person, path in (
            (at.people[0], "/"),
            (at.people[0], page(at, "compare")),
            (at.lead, page(at, "comparisons")),
            (at.lead, page(at, "comparison", 1)),
        ):
            browser = client_of(person)
            browser.get(path)
            with CaptureQueriesContext(connection) as asked:
                assert browser.get(path).status_code == 200
            seen.append(len(asked))
        comparison_end(project=at.project, n=1, by=at.by)
        browser = client_of(at.lead)
        with CaptureQueriesContext(connection) as asked:
            assert browser.get(page(at, "comparison", 1)).status_code == 200
        counts.append([*seen, len(asked)])
    assert counts[0] == counts[1]
    assert max(counts[0][1:]) <= 16, counts
