"""Machine-written questions in a browser, from question sets to an 8:1:1 release, over an endpoint that answers.

The import is a command, as for everybody; all else is done on the pages. The worker asks the endpoint, takes up what
people say, and builds; what they cannot see is seen in the database.
"""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from playwright.sync_api import Page, expect

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.generation.models import Call, GenerationRun
from tests import factory, llm_server, machine, services
from tests.flows.steps import make_a_project, next_card
from tests.wait import wait_until
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.votes import vote_cast

SLUG = "garis-mesin"
WAIT = 90
KEY = "sk-rahasia-sekali"
SETS = 10
# Of each set the model cannot answer one question itself.
EASY, HARD = 2 * SETS, SETS
PageOf = Callable[..., Page]


def room(*rest: str) -> str:
    return "/".join([f"/p/{SLUG}", *rest]) + "/"


# --- a model ----------------------------------------------------------------------------------------


class Model:
    """Writes a question for each right choice, and answers it but where that is the last of its set by the alphabet."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[str, bool]] = {}

    def says(self, seen: llm_server.ReceivedRequest) -> str:
        asked = seen.text
        if '{"distractors"' in asked:
            return json.dumps({"distractors": ["stasiun kota", "bandara lama"]})
        if '{"answer"' in asked:
            return json.dumps({"answer": self._answer(asked)})
        if "Question: " in asked:
            return json.dumps({"question": asked.partition("Question: ")[2].splitlines()[0]})
        return json.dumps({"question": self._question(asked)})

    def _question(self, asked: str) -> str:
        right = asked.partition("The right choice: ")[2].splitlines()[0]
        others = [line[2:] for line in asked.splitlines() if line.startswith("- ")]
        word = "".join(chr(ord("a") + ord(letter) % 26) for letter in right if letter != " ")
        question = f"Ke mana orang membawa barang {word}?"
        self.answers[question] = right, right == max(right, *others)
        return question

    def _answer(self, asked: str) -> str:
        question = next(line for line in asked.splitlines() if line in self.answers)
        right, hard = self.answers[question]
        choices = [line.partition(". ")[::2] for line in asked.splitlines() if line[1:3] == ". "]
        return next(letter for letter, text in choices if (text == right) is not hard)


@pytest.fixture
def server() -> Iterator[llm_server.Server]:
    with llm_server.serving(answer=Model().says) as serving:
        serving.misdeeds = ["500", "torn"]
        yield serving


# --- the steps --------------------------------------------------------------------------------------


def bring_the_sets(folder: Path) -> None:
    """Ten sources with three targets each, as ConceptNet's file has them; one set more is dropped by a filter."""
    path = folder / "assertions.csv"
    lines = []
    for n in range(SETS):
        thing = machine.THINGS[n]
        lines += [line(thing, f"{machine.PLACES[(n + k) % 10]}_{machine.THINGS[n - k - 1]}") for k in range(3)]
    lines += [line("sapu", target) for target in ("rumah", "rumah_kaca", "gudang")]
    path.write_text("".join(lines), encoding="utf-8")
    call_command("import_conceptnet", path, project=[SLUG], stdout=StringIO(), stderr=StringIO())


def line(source: str, target: str) -> str:
    start, end = f"/c/ms/{source}", f"/c/ms/{target}"
    return f"/a/[/r/AtLocation/,{start}/,{end}/]\t/r/AtLocation\t{start}\t{end}\t{{}}\n"


def name_the_endpoint(boss: Page, server: llm_server.Server) -> None:
    boss.goto("/endpoints/new/")
    told = {"name": "Mesin uji", "address": server.url, "model": "uji-1", "key": KEY}
    for name, text in {**told, "price_in": "1", "price_out": "3", "per_minute": "600"}.items():
        boss.locator(f"#id_{name}").fill(text)
    boss.get_by_role("button", name="Enter the endpoint").click()
    expect(boss.get_by_role("heading", name="Mesin uji")).to_be_visible()
    assert KEY not in boss.content()


def set_the_budget(boss: Page) -> None:
    boss.goto(room("machine", "limits"))
    boss.get_by_label("Budget", exact=True).fill("5")
    boss.get_by_label("Calls a minute").fill("600")
    boss.get_by_role("button", name="Set the budget").click()
    expect(boss.locator("#messages")).not_to_be_empty()


def run_it(boss: Page) -> GenerationRun:
    """Begin a run over all sets, and see it end on its page."""
    boss.goto(room("machine"))
    boss.get_by_role("link", name="Begin a run").or_(boss.get_by_role("link", name="New run")).first.click()
    boss.get_by_label("Name", exact=True).fill("Putaran satu")
    boss.get_by_role("button", name="Begin the run").click()
    boss.wait_for_url(f"**{room('machine', 'runs', '1')}")
    run = GenerationRun.objects.get()
    wait_until(lambda: GenerationRun.objects.get().state != "running", WAIT, "the run", page=boss)
    run.refresh_from_db()
    assert (run.state, run.reason) == ("done", "")
    boss.reload()
    expect(boss.get_by_role("row", name="Distractors")).to_be_visible()
    return run


def judge_one(page: Page) -> None:
    """The first card on the page: the given answer is marked in words, and nothing tells where it comes from."""
    page.goto(room("vote"))
    card = page.locator("#card")
    expect(card).to_contain_text("Ke mana orang membawa barang")
    told = card.inner_text().casefold()
    assert not [word for word in ("easy", "hard", "uji-1", "machine", "model") if word in told]
    next_card(page, "1", "Enter")


def judge_the_rest(project: Project, judges: list[Annotator]) -> None:
    """Two people say yes to whatever the model could not answer."""
    target = project.targets.get()
    for judge in judges:
        while assignment := assignment_claim(annotator=judge, target=target, spacing=0):
            assert judge.user_id is not None
            vote_cast(user_id=judge.user_id, slug=SLUG, token=assignment.token, ballot=Ballot("yes"))


def release(boss: Page, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Freeze with the rules of the preset, wait for the worker, download the three splits."""
    boss.goto(room("releases"))
    boss.get_by_role("link", name="Choose the rules").click()
    boss.get_by_label("Freeze it without a licence").check()
    boss.get_by_role("button", name="Freeze this release").click()
    found = {}
    for split in ("train", "dev", "test"):
        link = boss.locator(f"a[href$='/{split}.jsonl']").first
        expect(link).to_be_attached(timeout=WAIT * 1000)
        folded = boss.locator("details:not([open])", has=link)
        if folded.count():
            folded.locator("summary").first.click()
        with boss.expect_download() as taken:
            link.click()
        path = folder / f"{split}.jsonl"
        taken.value.save_as(path)
        found[split] = [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]
    return found


@pytest.fixture
def built() -> Iterator[None]:
    """The folder that the worker builds the release into is not there before, and not after."""
    folder = Path(settings.MUFAKAT_DATA_DIR) / "releases" / f"{SLUG}-1"
    shutil.rmtree(folder, ignore_errors=True)
    yield
    shutil.rmtree(folder, ignore_errors=True)


def user_of(person: Annotator) -> User:
    assert person.user is not None
    return person.user


def test_from_question_sets_to_a_release(
    server: llm_server.Server, beat: services.Process, built: None, page_of: PageOf, tmp_path: Path
) -> None:
    boss = page_of(factory.user("boss@example.org", administrator=True))
    make_a_project(boss, preset="mCSQA", name="Soal dari pelabuhan", slug=SLUG, language="id")
    project = Project.objects.get(slug=SLUG)
    bring_the_sets(tmp_path)
    name_the_endpoint(boss, server)
    set_the_budget(boss)
    run = run_it(boss)
    assert Counter(run.candidates.values_list("content__made__level", flat=True)) == {
        "easy": EASY,
        "hard": HARD,
    }
    assert set(server.paid.values()) == {1}
    assert not [call for call in Call.objects.values_list("request", "answer") if KEY in json.dumps(call)]
    judges = [factory.member(project, "validator") for _ in range(2)]
    in_voting = partial(Item.objects.filter(project=project, stage="voting").count)
    offered = Item.objects.filter(project=project, stage="voting", slots_free__gt=0)
    wait_until(lambda: offered.count() == HARD, WAIT, "hard questions for people", page=boss)
    judge_one(page_of(user_of(judges[0])))
    judge_the_rest(project, judges)
    wait_until(lambda: not in_voting(), WAIT, "their verdicts", page=boss)
    rows = release(boss, tmp_path)
    assert {split: Counter(row["level"] for row in found) for split, found in rows.items()} == {
        "train": {"easy": 16, "hard": 8},
        "dev": {"easy": 2, "hard": 1},
        "test": {"easy": 2, "hard": 1},
    }
    sources = {(row["level"], row["label_source"]) for found in rows.values() for row in found}
    assert sources == {("easy", "model"), ("hard", "gold")}
