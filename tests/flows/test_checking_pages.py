"""The check before answering over HTTP: the list to check, its keys' way on, the counts of errors, and notes."""

import codecs
import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion
from tests.flows.desk import act, browser_of, get, page
from tests.review import World, approve, decide, give_back
from tests.shared_worlds import SharedWorlds
from tests.validation.review.test_checking import ambiguous, returned, sent_back, world
from validation.review.actions.decisions import adjudicate
from validation.voting.actions.steps import exclude
from validation.voting.models.review import Review

pytestmark = pytest.mark.django_db


def link(at: World, item: Item) -> str:
    return reverse("item", args=[at.project.slug, item.pk])


# --- what is to be checked ---------------------------------------------------------------------


def test_the_list_to_check_and_its_counts() -> None:
    at = world(questions=4)
    one, two, three, four = at.items
    approve(at, three)
    decide()
    sent_back(at, returned(at, two), "Apa guna {} bagi nelayan di kampung?")
    text = get(at, at.lead, "desk", check=1)
    assert [link(at, item) in text for item in (one, two, three, four)] == [True, True, False, True]
    assert 'href="?check=1"' in text
    assert '<span class="num">3</span>' in text
    assert '<span class="num">3</span> to check' in browser_of(at.lead).get("/").content.decode()
    # what another lead returned is theirs for two days
    other = get(at, at.other_lead, "desk", check=1)
    assert [link(at, item) in other for item in (one, two, four)] == [True, False, True]
    assert link(at, one) not in get(at, at.lead, "desk", stage="corrected")


def test_nothing_to_check_is_not_counted() -> None:
    at = world(check_first=False)
    assert "?check=1" not in get(at, at.lead, "desk")
    assert "to check" not in browser_of(at.lead).get("/").content.decode()


def test_approving_goes_on_to_the_next_one_to_check() -> None:
    at = world(questions=3)
    one, two, three = at.items
    give_back(at, two)
    sent = act(at, one, "approve", "?check=1")
    assert sent.url == f"{link(at, three)}?check=1"
    assert Item.objects.get(pk=one.pk).stage == "written"
    sent = act(at, three, "approve", "?check=1")
    assert sent.url == f"{reverse('desk', args=[at.project.slug])}?check=1"


def test_the_page_of_a_question_that_nobody_voted_on() -> None:
    at = world()
    item = at.items[0]
    text = get(at, at.lead, "item", item.pk, check=1)
    for words in ("to be checked", "Untuk apa warga desa", "duduk bersama tetangga", 'data-key="a"'):
        assert words in text, words
    assert 'name="meaning"' not in text.split('name="field"')[0]
    assert 'name="error_type"' in text
    assert 'href="' in text
    assert "adjudicate" not in text


def test_the_lead_of_a_project_with_its_own_error_types() -> None:
    at = world(settings={"error_types": "taste: A matter of taste & more"})
    item = at.items[0]
    assert "A matter of taste &amp; more" in get(at, at.lead, "item", item.pk)
    sent = act(at, item, "return", error_type="too-general", words="No.")
    assert sent.status_code == 422
    assert act(at, item, "return", error_type="taste", words="Whose taste?").status_code == 302
    assert "A matter of taste &amp; more" in get(at, at.lead, "item", item.pk)
    seen = browser_of(at.writer).get(page(at, "returned_item", item.pk)).content.decode()
    assert "A matter of taste &amp; more" in seen


def test_what_can_be_done_with_what_the_house_excluded() -> None:
    at, item = ambiguous()
    text = get(at, at.lead, "item", item.pk)
    for act_name, offered in (
        ("approve", True),
        ("return", True),
        ("adjudicate", True),
        ("correct", True),
        ("reopen", False),
        ("exclude", False),
    ):
        address = reverse("item_act", args=[at.project.slug, item.pk, act_name])
        assert (address in text) is offered, act_name
    assert "Excluded: too many called it ambiguous" in text
    assert link(at, item) in get(at, at.lead, "desk", flag="ambiguous")
    refused = act(at, item, "reopen")
    assert refused.status_code == 409
    assert "would exclude it again" in refused.content.decode()
    item = adjudicate(lead=at.lead, item_id=item.pk, version=item.version, label="A", words="Plain.")
    item = exclude(lead=at.lead, item_id=item.pk, version=item.version, words="Off topic.")
    text = get(at, at.lead, "item", item.pk)
    assert reverse("item_act", args=[at.project.slug, item.pk, "reopen"]) in text
    assert reverse("item_act", args=[at.project.slug, item.pk, "approve"]) not in text


# --- errors by writer ---------------------------------------------------------------------------


def counted() -> World:
    """Three returns of two questions for taste and language."""
    at = world(questions=3)
    one = sent_back(at, returned(at, at.items[0]), "Apa guna {} bagi nelayan di kampung?")
    returned(at, one, "language", "The verb is missing.")
    returned(at, at.items[1], "language", "=Two verbs.")
    return at


def test_counts_lead_to_the_items_behind_them() -> None:
    at = counted()
    text, writer = get(at, at.lead, "errors"), at.writer.pseudonym
    items = reverse("items", args=[at.project.slug])
    assert f'href="{items}?error=language&amp;writer={writer}">2</a>' in text
    assert f'href="{items}?error=subjective&amp;writer={writer}">1</a>' in text
    assert text.index("Grammar, spelling") < text.index("a matter of taste")
    assert "The verb is missing." in text
    week = browser_of(at.lead).get(page(at, "errors")).context["weeks"][0].isoformat()
    for query, count in (
        ({"error": "language", "writer": writer}, 2),
        ({"error": "subjective", "week": week}, 1),
        ({"week": week}, 2),
        ({"week": "2020-01-06"}, 0),
        ({"error": "harmful"}, 0),
        ({"writer": "W99"}, 0),
    ):
        shown = get(at, at.lead, "items", **query)
        assert max(0, shown.count("<tr>") - 1) == count, query


def test_counts_as_a_file_that_no_spreadsheet_runs() -> None:
    at = counted()
    Review.objects.filter(error_type="subjective").update(error_type="-gone")
    # The mark by which spreadsheets know that it is UTF-8.
    copy = browser_of(at.lead).get(page(at, "errors_file"), {"copy": "spreadsheet"})
    assert copy.content.startswith(codecs.BOM_UTF8)
    assert b"'-gone" in copy.content
    answer = browser_of(at.lead).get(page(at, "errors_file"))
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [(row["error_type"], row["writer"], row["returns"]) for row in rows] == [
        ("-gone", at.writer.pseudonym, "1"),
        ("language", at.writer.pseudonym, "2"),
    ]
    assert "errors.csv" in answer["Content-Disposition"]


def test_a_lead_does_not_meet_their_own_returns() -> None:
    at = counted()
    Annotator.objects.filter(pk=at.writer.pk).update(is_lead=True, has_led=True)
    assert "Nothing was returned yet" in get(at, at.writer, "errors")
    assert "The verb is missing." not in get(at, at.writer, "errors")


def test_one_click_notes_an_error_in_the_guidelines() -> None:
    at = counted()
    browser, note = browser_of(at.lead), page(at, "errors_note")
    first = at.project.guidelines.get(role="writing").text
    shown = browser.get(page(at, "errors")).context["points"][0]
    assert browser.post(note, {"error": "language", "words": shown.note}).status_code == 302
    assert browser.post(note, {"error": "language", "words": shown.note}).status_code == 302
    made = GuidelineVersion.objects.filter(project=at.project, role="writing").latest("n")
    assert (made.n, made.note, made.by) == (2, "Grammar, spelling or punctuation", at.lead.user)
    assert made.text.startswith(first.rstrip())
    assert made.text.endswith(f"## Grammar, spelling or punctuation\n\n{shown.note}\n")
    assert "noted in version 2" in get(at, at.lead, "errors")
    # everybody who writes is told
    assert browser_of(at.writer).get(page(at, "guidelines")).context["sheets"][0].unread
    assert browser.post(note, {"error": "language", "words": "Two\r\nlines."}).status_code == 302
    made = GuidelineVersion.objects.filter(project=at.project, role="writing").latest("n")
    assert made.text.endswith(f"{shown.note}\n\nTwo\nlines.\n")


def test_a_note_that_cannot_be_made_keeps_what_was_typed() -> None:
    at = counted()
    browser, note = browser_of(at.lead), page(at, "errors_note")
    assert browser.post(note, {"error": "language", "words": " "}).status_code == 422
    long = browser.post(note, {"error": "language", "words": "x" * 4001})
    assert (long.status_code, "x" * 4001 in long.content.decode()) == (422, True)
    assert browser.post(note, {"error": "invented", "words": "Look."}).status_code == 400
    assert browser_of(at.writer).post(note, {"error": "language", "words": "Look."}).status_code == 403
    assert at.project.guidelines.filter(role="writing").count() == 1


def few_and_many() -> list[World]:
    """Two questions and forty, every other one sent back."""
    made = [world(questions=questions) for questions in (2, 40)]
    for at in made:
        for item in at.items[::2]:
            returned(at, item)
    return made


@pytest.mark.parametrize("name", ["desk", "errors", "home"])
def test_statements_do_not_grow(standing: SharedWorlds, name: str) -> None:
    counts = []
    for at in standing(few_and_many):
        browser = browser_of(at.lead)
        path = "/" if name == "home" else page(at, name)
        browser.get(path)
        with CaptureQueriesContext(connection) as asked:
            assert browser.get(path).status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 24, counts
