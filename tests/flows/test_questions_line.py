"""Questions in a browser from nothing to a release: a project, its concepts, two questions, ten answers, one file.

Everybody works on the pages as people do; the worker decides and builds beside the server.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from tests import factory, services
from tests.conftest import Pages
from tests.flows.steps import add_concepts, make_a_project, next_card, press, wait_until_done
from tests.wait import wait_until

SLUG = "garis-tanya"
CATEGORY, TYPED, PROPOSED = "dapur", "cobek", "tampah"
WAIT = 60
PageOf = Callable[..., Page]


@dataclass(frozen=True)
class Question:
    """What one writer types, what it becomes when it is returned, and which option each of the five chooses."""

    text: str
    choices: dict[str, str]
    answer: str
    distractor: str
    chosen: str
    gold: str
    corrected: tuple[str, ...] = ()

    def asks(self, concept: str) -> str:
        """The question as it is sent at first."""
        return self.text.format(concept)

    def ends_as(self, concept: str) -> str:
        return (self.corrected[-1] if self.corrected else self.text).format(concept)


FIRST = Question(
    text="Apa gunanya {}?",
    choices={
        "A": "menimba air sumur",
        "B": "menyiapkan bahan masakan",
        "C": "mengikat kambing",
        "D": "menyajikan kue di meja tamu",
        "E": "menyapu halaman",
    },
    answer="B",
    distractor="D",
    chosen="BBDBA",
    gold="B",
    corrected=("Apa gunanya {} bagi ibu Sari?", "Apa yang dilakukan ibu dengan {} sebelum api dinyalakan?"),
)
SECOND = Question(
    text="Di mana orang biasanya menaruh {} sesudah dicuci?",
    choices={
        "A": "di rak yang kena angin",
        "B": "di dalam lemari baju",
        "C": "di tepi sumur",
        "D": "di atas kasur",
        "E": "di bawah tangga",
    },
    answer="A",
    distractor="C",
    chosen="CCACE",
    gold="C",
)
# Who answers third marks their own choice of the first question.
MARKS, MARKED, WHY = 2, "D", "bisa juga dipakai begitu"
RETURNS = (
    ("Too general: not about this culture", "Pertanyaan ini tentang dapur mana saja."),
    ("Needs an experience that not everybody has", "Siapa ibu Sari?"),
)


def room(*rest: str) -> str:
    return "/".join([f"/p/{SLUG}", *rest]) + "/"


# --- a project and its people ---------------------------------------------------------------


def invite_the_lead(boss: Page, guest: Page) -> None:
    """The administrator passes a link on; the lead makes an account with it."""
    boss.goto(room("people"))
    form = boss.locator("form", has=boss.get_by_role("button", name="Invite"))
    form.get_by_label("E-mail address").fill("lead@example.org")
    form.get_by_label("QC lead").check()
    form.get_by_role("button", name="Invite").click()
    guest.goto(boss.locator("code").inner_text())
    guest.get_by_role("button", name="Create an account").click()
    guest.locator("input[name=password1]").fill(factory.PASSWORD)
    guest.locator("input[name=password2]").fill(factory.PASSWORD)
    guest.locator("main form button").click()
    guest.wait_for_url(f"**{room('guidelines')}")


# --- concepts ---------------------------------------------------------------------------------


def fill_the_list(boss: Page, writer: Page, lead: Page) -> None:
    """One concept is typed; one is proposed by a writer and approved by the lead."""
    add_concepts(boss, SLUG, CATEGORY, TYPED)
    writer.goto(room("concepts"))
    writer.get_by_label("Concept", exact=True).fill(PROPOSED)
    writer.get_by_role("button", name="Propose").click()
    wait_until_done(writer, "Your concept was proposed.")
    lead.goto(room("concepts"))
    lead.get_by_role("link", name="1 proposed concept waits").click()
    lead.get_by_role("button", name=f"Approve {PROPOSED}").click()
    wait_until_done(lead, "The concept was approved.")


def give_out(boss: Page) -> None:
    boss.goto(room("people"))
    boss.get_by_label("At most for each, in each category").fill("1")
    boss.get_by_role("button", name="Give out").click()
    wait_until_done(boss, "Given out: 2 concepts.")


# --- writing, and the check of it --------------------------------------------------------------


def write(page: Page, question: Question) -> str:
    """Type it, find it saved after a reload, submit it; the concept that it was written for."""
    page.goto(room("write"))
    concept = next(word for word in (TYPED, PROPOSED) if page.get_by_text(word, exact=True).count())
    page.locator("#text-q").fill(question.asks(concept))
    for key, text in question.choices.items():
        page.get_by_label(f"Choice {key}").fill(text)
    page.get_by_label(f"Answer {question.answer}").check()
    page.get_by_label(f"Wrong answer that looks right {question.distractor}").check()
    expect(page.locator("[data-count]")).to_have_text("8 of 8 fields filled in")
    press(page, "Control+s")
    expect(page.locator("[data-state]")).to_contain_text("Saved at")
    page.reload()
    expect(page.locator("#text-q")).to_have_value(question.asks(concept))
    expect(page.get_by_label(f"Answer {question.answer}")).to_be_checked()
    press(page, "Control+Enter")
    page.get_by_role("heading", name="You have written everything you were given").wait_for()
    return concept


def open_at_the_desk(lead: Page, text: str, way: str) -> None:
    """Go to an item by what the desk says waits."""
    lead.goto(room("desk"))
    lead.get_by_role("link", name=re.compile(way)).click()
    lead.get_by_role("link", name=text).click()
    expect(lead.get_by_role("heading", level=1)).to_contain_text("Question")


def give_back(lead: Page, text: str, way: str, error: str, words: str) -> None:
    open_at_the_desk(lead, text, way)
    press(lead, "r")
    lead.get_by_label("What is wrong").select_option(label=error)
    lead.locator("#return-words").fill(words)
    press(lead, "Control+Enter")
    wait_until_done(lead, "Returned to its writer.")


def correct(writer: Page, before: str, words: str, after: str) -> None:
    """From the home page to what came back, and back to the lead."""
    writer.goto("/")
    writer.get_by_role("link", name=f"Fix {before}").click()
    expect(writer.get_by_text(words)).to_be_visible()
    writer.wait_for_load_state("load")
    writer.locator("#text-q").fill(after)
    press(writer, "Control+Enter")
    wait_until_done(writer, "Submitted")


def approve(lead: Page, text: str, way: str) -> None:
    open_at_the_desk(lead, text, way)
    press(lead, "a")
    wait_until_done(lead, "Approved.")


def twice_returned(lead: Page, writer: Page, question: Question, concept: str) -> None:
    """Returned, corrected, returned, corrected: marked as such, and approved by the same lead."""
    texts = [text.format(concept) for text in (question.text, *question.corrected)]
    way = "to check"
    for (error, words), before, after in zip(RETURNS, texts, texts[1:], strict=False):
        give_back(lead, before, way, error, words)
        correct(writer, before, words, after)
        way = "1 item was corrected by its writer"
    open_at_the_desk(lead, texts[-1], way)
    expect(lead.locator(".item-head .tag--warn")).to_have_text("returned twice")
    expect(lead.locator("del").first).to_be_visible()
    press(lead, "a")
    wait_until_done(lead, "Approved.")


# --- answers ----------------------------------------------------------------------------------


def answer(page: Page, place: int, questions: dict[str, Question]) -> None:
    """Everything that is offered, by keys alone; choices are known by their texts, for each sees an own order."""
    page.goto(room("vote"))
    for _ in questions:
        question = questions[page.locator(".vote__texts .text").first.inner_text()]
        wanted = question.chosen[place]
        shown = page.locator(".choice__name").all_inner_texts()
        assert sorted(shown) == sorted(question.choices.values())
        at = shown.index(question.choices[wanted])
        press(page, str(at + 1))
        if place == MARKS and question is FIRST:
            assert wanted == MARKED
            press(page, f"Shift+Digit{at + 1}", ",")
            page.keyboard.type(f"({'ABCDE'[at]}) {WHY}")
            press(page, "Escape")
        next_card(page, "Enter")
    expect(page.get_by_role("heading", name="Nothing for you now")).to_be_visible()


def settled() -> bool:
    return Item.objects.filter(project__slug=SLUG, stage="settled").count() == 2


def look_at_what_came(lead: Page, questions: dict[str, Question]) -> None:
    """Gold, marks and reason on the items' pages; conflicts of writers and answerers."""
    for text, question in questions.items():
        lead.goto(room("items"))
        lead.get_by_role("link", name=text).click()
        expect(lead.locator(".labels dd").nth(0)).to_contain_text(question.answer)
        expect(lead.locator(".labels dd").nth(1)).to_contain_text(question.gold)
        if question is FIRST:
            lead.get_by_text("5 votes in full").click()
            expect(lead.get_by_text(f"choice {MARKED} could also be right")).to_be_visible()
            expect(lead.get_by_text(f"({MARKED}) {WHY}")).to_be_visible()
    lead.get_by_role("link", name="Conflicts").click()
    conflicts = sum(key != one.answer for one in questions.values() for key in one.chosen)
    expect(lead.locator(".figures dd").nth(0)).to_have_text(str(conflicts))
    expect(lead.locator(".figures dd").nth(1)).to_have_text("10")
    sums = lead.locator(".table--heat").first.locator("tbody .heat-sum")
    expect(sums).to_have_text([re.compile(r"^\s*2\s"), re.compile(r"^\s*4\s")])


# --- a release --------------------------------------------------------------------------------


def release(boss: Page, out: Path) -> list[dict[str, Any]]:
    """Preview, freeze, wait for the worker, download; the rows of the file."""
    boss.goto(room("releases"))
    boss.get_by_role("link", name="Choose the rules").click()
    expect(boss.locator("#preview")).to_contain_text("2 of 2 items are in it.")
    boss.get_by_label("Freeze it without a licence").check()
    boss.get_by_role("button", name="Freeze this release").click()
    link = boss.get_by_role("link", name="test.jsonl")
    expect(link).to_be_visible(timeout=WAIT * 1000)
    with boss.expect_download() as taken:
        link.click()
    taken.value.save_as(out)
    return [json.loads(line) for line in out.read_text().splitlines()]


def expected(question: Question, concept: str, writer: Annotator, people: list[str]) -> dict[str, Any]:
    """The published form of what was typed and chosen on the pages."""
    marked = [n == MARKS and question is FIRST for n in range(len(people))]
    return {
        "category": CATEGORY,
        "question_concept": concept,
        "question": question.ends_as(concept),
        "choices": {"label": list(question.choices), "text": list(question.choices.values())},
        "answer_creator": question.answer,
        "answer_majority": question.gold,
        "answers": dict(zip(people, question.chosen, strict=True)),
        "answers_uncertainty": dict.fromkeys(people, "certain"),
        "question_ambiguity": dict.fromkeys(people, "clear"),
        "option_ambiguity": {
            who: ["ambiguous" if says and key == MARKED else "clear" for key in question.choices]
            for who, says in zip(people, marked, strict=True)
        },
        "reason": {who: f"({MARKED}) {WHY}" if says else "" for who, says in zip(people, marked, strict=True)},
        "creator": writer.pseudonym,
    }


# --- the flow ---------------------------------------------------------------------------------


@pytest.fixture
def built() -> Iterator[None]:
    """The folder that the worker builds the release into is not there before, and not after."""
    folder = Path(settings.MUFAKAT_DATA_DIR) / "releases" / f"{SLUG}-1"
    shutil.rmtree(folder, ignore_errors=True)
    yield
    shutil.rmtree(folder, ignore_errors=True)


def of(person: Annotator) -> User:
    assert person.user is not None
    return person.user


def test_from_a_concept_to_a_release(
    beat: services.Process,
    built: None,
    open_page: Pages,
    page_of: PageOf,
    settings: Settings,
    tmp_path: Path,
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    settings.ACCOUNT_EMAIL_VERIFICATION, settings.MUFAKAT_SITE_URL = "optional", open_page.origin
    boss = page_of(factory.user("boss@example.org", administrator=True))
    make_a_project(boss, preset="ID-CSQA, questions written by people", name="Tanya dari dapur", slug=SLUG)
    project = Project.objects.get(slug=SLUG)
    lead = open_page()
    invite_the_lead(boss, lead)
    lead.get_by_role("button", name="English").click()  # else pages speak the project's language
    writers = [factory.member(project, "writer") for _ in range(2)]
    answerers = [factory.member(project, "validator") for _ in range(5)]
    pages = [page_of(of(writer)) for writer in writers]

    fill_the_list(boss, pages[0], lead)
    give_out(boss)
    concepts = [write(page, one) for page, one in zip(pages, (FIRST, SECOND), strict=True)]
    twice_returned(lead, pages[0], FIRST, concepts[0])
    approve(lead, SECOND.asks(concepts[1]), "to check")

    both = list(zip((FIRST, SECOND), concepts, strict=True))
    asked = {one.ends_as(concept): one for one, concept in both}
    offered = Item.objects.filter(stage="voting", slots_free__gt=0)
    wait_until(lambda: offered.count() == 2, WAIT, "both to be offered")
    for place, person in enumerate(answerers):
        answer(page_of(of(person)), place, asked)
    wait_until(settled, WAIT, "the last answers to be decided")
    look_at_what_came(lead, asked)

    rows = {row["question"]: row for row in release(boss, tmp_path / "test.jsonl")}
    names = [person.pseudonym for person in answerers]
    for (one, concept), writer in zip(both, writers, strict=True):
        wanted = expected(one, concept, writer, names)
        row = rows.pop(one.ends_as(concept))
        assert {name: row[name] for name in wanted} == wanted
    assert not rows
