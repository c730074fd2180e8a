"""Questions of every answer type in a real browser: keys, passages marked in the text, 360 px, and no script at all."""

import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.content.queries import current_content
from annotation.core.models.project import Project
from tests import factory
from tests.every_answer_type import a_project, registered
from tests.flows.looks import faults_in_all_looks
from tests.flows.steps import disable_prefetch, token, wait_for_another_card
from tests.spans import span, spans_world
from tests.wait import wait_until
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]


@pytest.fixture
def project() -> Iterator[Project]:
    with registered():
        yield a_project()


def room(project: Project) -> str:
    return f"/p/{project.slug}/vote/"


def select(page: Page, start: int, end: int) -> str:
    """Select characters of the hypothesis, wherever it stands on this card, as a pointer would."""
    words: str = page.evaluate(
        """([start, end]) => {
            const key = document.querySelector('[name="answer-evidence-of"]').value;
            const node = document.querySelector(`[data-text="${key}"] .text`).firstChild;
            const range = document.createRange();
            range.setStart(node, start); range.setEnd(node, end);
            getSelection().removeAllRanges(); getSelection().addRange(range);
            return range.toString();
        }""",
        [start, end],
    )
    return words


def answers_of(page: Page) -> dict[str, Any]:
    vote = Vote.objects.latest("pk")
    return dict(vote.answers)


def test_every_question_by_keys_and_a_selection(project: Project, page_of: PageOf) -> None:
    page = page_of(factory.member(project, "validator").user)
    page.goto(room(project))
    first = token(page)
    page.keyboard.press("e")  # the relation, by its letter
    page.keyboard.press("4")  # then the scale
    expect(page.locator("input[name=answer-toxicity][value='4']")).to_be_checked()
    page.keyboard.press("j")
    page.keyboard.press("f")
    expect(page.locator("input[name=answer-emotions]:checked")).to_have_count(2)
    page.locator("#answer-better-2").check()
    words = select(page, 0, 3)
    page.keyboard.press("1")  # the lit question marks passages
    expect(page.locator("#answer-evidence-1")).to_have_value(words)
    page.locator("#answer-fluent-1").check()
    page.keyboard.press("3")
    expect(page.locator("input[name=answer-useful][value='3']")).to_be_checked()
    page.keyboard.press("Control+Enter")
    wait_for_another_card(page, first)
    answers = answers_of(page)
    assert answers["evidence"] == [{"of": "hypothesis", "start": 0, "end": 3, "text": words, "label": ""}]
    assert (answers["relation"], answers["toxicity"], answers["emotions"]) == ("e", "4", ["joy", "fear"])
    assert (answers["fluent"], answers["useful"], answers["better"]) == ("yes", "3", answers["order"][1])


def test_a_ballot_with_passages_survives_a_reload(project: Project, page_of: PageOf) -> None:
    page = page_of(factory.member(project, "validator").user)
    page.goto(room(project))
    marked = []
    page.locator("#answer-better-1").check()
    for start in (0, 4, 8, 12):
        marked.append(select(page, start, start + 3).strip())
        page.get_by_role("button", name="Mark the selected words").click()
    rows = page.locator("[data-passage]")
    assert [row.input_value() for row in rows.all()] == marked
    page.reload()
    expect(rows).to_have_count(4)
    assert [row.input_value() for row in rows.all()] == marked


def test_a_selection_is_stored_as_a_place_in_the_stored_text(page_of: PageOf, tmp_path: Path) -> None:
    """Every CR counts, and so does every mark of a decomposed letter; a passage may go over a break."""
    crlf, nfd = "Satu.\r\nDua.\r\nla la la \U0001f34a la", unicodedata.normalize("NFD", "Café di Kota é Bogor.")
    at = spans_world(tmp_path, [crlf, nfd])
    page = page_of(at.validators[0].user)
    disable_prefetch(page)
    page.goto(room(at.project))
    marked = {}
    for _ in range(2):
        before = token(page)
        text = page.locator("[data-text=text] .text").evaluate("text => text.firstChild.data")
        assert text in (crlf, nfd)
        words = ["Satu.\r\nDua.", "la"] if text == crlf else [text.split()[0], "Bogor"]
        spans = [span(text, words[0]), span(text, words[1], nth=3 if text == crlf else 0)]
        for one in spans:
            units = [len(text[: one[end]].encode("utf-16-le")) // 2 for end in ("start", "end")]
            page.evaluate(
                """([start, end]) => {
                    const range = document.createRange();
                    const node = document.querySelector("[data-text=text] .text").firstChild;
                    range.setStart(node, start); range.setEnd(node, end);
                    getSelection().removeAllRanges(); getSelection().addRange(range);
                }""",
                units,
            )
            page.locator("[data-mark=per]").click()
        marked[text] = spans
        page.get_by_role("button", name="Send").click()
        if len(marked) == 1:
            wait_for_another_card(page, before)
    wait_until(lambda: Vote.objects.count() == 2, what="both votes")
    for vote in Vote.objects.select_related("item"):
        assert vote.answers["names"] == marked[current_content(vote.item)["text"]]


def test_the_card_fits_and_is_accessible(project: Project, page_of: PageOf) -> None:
    page = page_of(factory.member(project, "validator").user)
    page.goto(room(project))
    assert faults_in_all_looks(page, "answers") == []


def test_without_a_script(project: Project, page_of: PageOf) -> None:
    page = page_of(factory.member(project, "validator").user, javascript=False)
    page.goto(room(project))
    for name in ("relation-1", "better-3", "fluent-2"):
        page.locator(f"#answer-{name}").check()
    page.locator("input[name=answer-toxicity][value='2']").check(force=True)
    page.locator("input[name=answer-useful][value='1']").check(force=True)
    key = page.locator("[name=answer-evidence-of]").first.get_attribute("value")
    text = page.locator(f"[data-text={key}] .text").inner_text()
    page.locator("#answer-evidence-1").fill(text.split()[1])
    page.get_by_role("button", name="Send").click()
    answers = answers_of(page)
    assert answers["evidence"][0]["text"] == text.split()[1]
    assert (answers["better"], answers["fluent"]) == ("tie", "no")
