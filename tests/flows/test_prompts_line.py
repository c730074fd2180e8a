"""Cultural prompts in a browser from what a group is asked to rated model outputs.

Everybody works on the pages as people do; the worker decides beside the server.
"""

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from playwright.sync_api import Page, expect

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory, services
from tests.flows.steps import add_concepts, make_a_project, next_card, press, wait_until_done
from tests.prompts import RESPONSES, typed_prompt
from tests.wait import wait_until
from validation.voting.models.vote import Vote

SLUG, TOPIC = "garis-ajak", "kondangan"
KEY, VARIATION = "0101000100", "0101000101"
WAIT = 60
ANSWER = "Tamu menyalami tuan rumah sebelum duduk."
SITUATION = "Saya sedang berpuasa."
BEST, REPHRASED = "R2", "Tanyakan dengan sopan kepada tuan rumah di mana kamu boleh duduk."
# What the three choose of the prompt and of its variation; the second of them would do otherwise than they say.
CHOSEN, VARIED = (BEST, BEST, "I1"), (BEST, "I2", "I1")
MODELS = ("canary-model-satu", "canary-model-dua")
CRITERIA = 7
PageOf = Callable[..., Page]


def room(*rest: str) -> str:
    return "/".join([f"/p/{SLUG}", *rest]) + "/"


def texts() -> dict[str, str]:
    """The responses by their keys, as they stand after the group's review."""
    return {**RESPONSES, BEST: REPHRASED}


# --- what a group is asked, and writing --------------------------------------------------------


def make_a_session(lead: Page, purpose: str, name: str) -> None:
    lead.goto(room("sessions"))
    lead.get_by_label("What it is for").select_option(label=purpose)
    lead.get_by_label("Name", exact=True).fill(name)
    lead.get_by_label("Date").fill("2026-05-02")
    lead.get_by_label("Participants").fill("Enam orang dari dua kampung.")
    lead.get_by_role("button", name="Make the session").click()
    wait_until_done(lead, "The session is in the list.")


def ask_the_group(lead: Page, writer: Page) -> None:
    """A writer's answer, in the group's session, to the first of the questions that a new project comes with."""
    make_a_session(lead, "Elicitation", "Pertemuan pertama")
    writer.goto(room("elicitation"))
    with writer.expect_navigation():
        writer.get_by_role("link", name="Pertemuan pertama").click()
    first = writer.locator(".asked").first
    first.get_by_text("Answer").first.click()
    first.get_by_label("Answer", exact=True).fill(ANSWER)
    first.get_by_label("Topic").fill(TOPIC)
    first.get_by_role("button", name="Keep the answer").click()
    expect(writer.locator(".asked__answer")).to_contain_text(ANSWER)


def write(page: Page) -> None:
    """A prompt with the group's answer at hand, and a variation of it."""
    content = typed_prompt(1)
    page.goto(room("topics"))
    page.get_by_role("button", name=f"New prompt {TOPIC}").click()
    page.wait_for_url("**/write/*/")
    page.get_by_text("1 answer of the group").click()
    expect(page.locator(".at-hand__list")).to_contain_text(ANSWER)
    page.locator("[name=more_p_category]").select_option(content.more["category"])
    for name in ("user", "context"):
        page.locator(f"[name=more_p_{name}]").fill(content.more[name])
    for key, text in RESPONSES.items():
        page.locator(f"[name='more_p_option-{key}']").fill(text)
    page.locator(f"[name=more_p_best][value={BEST}]").check()
    page.locator("#text-p").fill(content.text)
    press(page, "Control+s")
    expect(page.locator("[data-state]")).to_contain_text("Saved at")
    press(page, "Control+Enter")
    page.wait_for_url(f"**{room('topics')}")
    page.get_by_role("button", name="Variation").click()
    page.wait_for_url("**/write/*/")
    page.locator("[name=more_p_personal]").fill(SITUATION)
    expect(page.locator("[data-changes=personal] ins")).to_have_text(SITUATION)
    press(page, "Control+Enter")
    page.wait_for_url(f"**{room('topics')}")


# --- the group's review, the second look, the lead's check -----------------------------------------


def review_in_the_group(lead: Page, reviewer: Page) -> None:
    """A reviewer proposes another response for both prompts; the lead makes the changes happen."""
    make_a_session(lead, "Group review", "Rapat kampung")
    for key in (KEY, VARIATION):
        reviewer.goto(room("sessions"))
        reviewer.get_by_role("link", name="Rapat kampung", exact=True).click()
        reviewer.get_by_role("link", name=key).click()
        reviewer.locator("summary").get_by_text("Rephrase a response", exact=True).click()
        form = reviewer.locator("form", has=reviewer.locator("[value=rephrase]"))
        form.locator(f"[name=option-{BEST}]").fill(REPHRASED)
        form.get_by_role("button", name="Propose").click()
        wait_until_done(reviewer, "Your proposal is kept.")
        lead.goto(room("sessions"))
        lead.get_by_role("link", name="Rapat kampung", exact=True).click()
        with lead.expect_navigation():
            lead.get_by_role("link", name="With open proposals").click()
        lead.get_by_role("link", name=key).click()
        lead.get_by_text("Accept", exact=True).click()
        lead.get_by_role("button", name="Make the change").click()
        wait_until_done(lead, "Accepted: the change is made.")


def look_again(writer: Page) -> None:
    """All four ticks for both prompts, by keys."""
    writer.goto(room("second-look"))
    for n in (1, 2):
        expect(writer.locator(".page-head__lead")).to_contain_text(f"{n - 1} of 2")
        press(writer, *"1234", "Enter")
    expect(writer.get_by_role("heading", name="You have looked through every prompt")).to_be_visible()


def approve_both(lead: Page) -> None:
    for _ in range(2):
        lead.goto(room("desk"))
        with lead.expect_navigation():
            lead.get_by_role("link", name="to check").click()
        lead.locator(".cell-link").first.click()
        lead.get_by_role("heading", level=1).get_by_text(KEY[:-1]).wait_for()
        press(lead, "a")
        wait_until_done(lead, "Approved.")


# --- judging --------------------------------------------------------------------------------------


def judge(page: Page, place: int) -> None:
    """Sign, then choose by keys; options are known by their texts, and nothing tells which is the best."""
    page.goto(room("vote"))
    page.get_by_label("I took no part").check()
    page.get_by_role("button", name="Begin").click()
    expect(page.locator(".vote__texts")).to_be_visible()
    for _ in range(2):
        page.wait_for_load_state("load")
        varied = SITUATION in page.locator(".vote__texts").inner_text()
        wanted = (VARIED if varied else CHOSEN)[place]
        shown = page.locator(".choice__name").all_inner_texts()
        assert sorted(shown) == sorted(text for key, text in texts().items() if key == BEST or key[0] == "I")
        press(page, str(1 + shown.index(texts()[wanted])))
        if varied and place == 1:
            press(page, "p")
            page.locator(".personal label", has_text=REPHRASED).click()
        next_card(page, "Control+Enter")
    expect(page.get_by_role("heading", name="Nothing for you now")).to_be_visible()


def decided() -> bool:
    stages = set(Item.objects.filter(project__slug=SLUG).values_list("key", "stage"))
    return stages == {(KEY, "settled"), (VARIATION, "no_consensus")}


def look_at_what_came(lead: Page) -> None:
    """2/3 and 1/3: half of the six choices, one prompt flagged, one choice said apart."""
    lead.goto(room("validation"))
    sums = lead.locator(".figures dd")
    expect(sums).to_have_text(["50.00 %", "25.00 %", "1", "1"])
    rows = lead.locator("section", has=lead.locator("#table-title")).locator("tbody tr")
    expect(rows).to_have_text([_line("3/3", 0), _line("2/3", 1), _line("1/3", 1), _line("0/3", 0)])


def _line(chose: str, n: int) -> str:
    return f"{chose} {n} {50 * n:.2f} %"


# --- outputs of models ----------------------------------------------------------------------------


def draw_rating(lead: Page, file: Path, raters: list[Annotator]) -> None:
    """Draw a rating of one prompt from two models' outputs, by these people."""
    keys = (KEY, VARIATION)
    outputs = [{"prompt_variation_id": key, "model": model, "text": said(model)} for key in keys for model in MODELS]
    file.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in outputs))
    lead.goto(room("studies"))
    lead.get_by_role("link", name="New: Rating").click()
    lead.get_by_label("File of outputs").set_input_files(file)
    lead.get_by_label("Prompts or questions to draw").fill("1")
    for box in lead.locator("input[name=members]").all():
        box.set_checked(box.get_attribute("value") in {str(one.pk) for one in raters})
    lead.get_by_label("Short name").fill(f"{SLUG}-model")
    lead.get_by_role("button", name="Draw it").click()
    expect(lead.get_by_text("shown once it is closed")).to_be_visible()


def said(model: str) -> str:
    return f"Jawaban nomor {MODELS.index(model) + 1}: salami tuan rumah."


def rate(page: Page, place: int) -> None:
    """Yes to everything of the first model, and of the second no to its last criterion by two of three."""
    page.goto(f"/p/{SLUG}-model/vote/")
    for _ in MODELS:
        assert not any(model in page.content() for model in MODELS)
        card = page.locator("#card").inner_text()
        (model,) = [each for each in MODELS if said(each) in card]
        no = model == MODELS[1] and place < 2
        parts = page.locator(".question__parts [data-question]").all()
        assert len(parts) == CRITERIA
        for n, part in enumerate(parts, start=1):
            part.get_by_role("radio", name="No" if no and n == CRITERIA else "Yes").check(force=True)
        next_card(page, "Enter")
    expect(page.locator("#card")).to_contain_text("Nothing")


def results(lead: Page) -> None:
    """Closed, models have their names, and every criterion its majorities."""
    lead.reload()
    lead.get_by_role("button", name="Close the study").click()
    table = lead.get_by_role("region", name="For how many outputs a majority says yes")
    rows = table.locator("tbody tr")
    expect(rows).to_have_count(CRITERIA)
    heads = table.get_by_role("columnheader").all_inner_texts()
    for n in range(CRITERIA):
        counts = dict(zip(heads[1:], rows.nth(n).locator("td").all_inner_texts(), strict=True))
        last = n == CRITERIA - 1
        assert counts == {MODELS[0]: "1 / 1", MODELS[1]: "0 / 1" if last else "1 / 1"}


# --- the flow -------------------------------------------------------------------------------------


# Ten people on some eighty pages: two minutes where others keep the machine busy.
@pytest.mark.timeout(400)
def test_from_elicitation_to_rated_outputs(beat: services.Process, page_of: PageOf, tmp_path: Path) -> None:
    boss = page_of(factory.user("boss@example.org", administrator=True))
    make_a_project(boss, preset="Kalahi", name="Ajakan dari kampung", slug=SLUG)
    project = Project.objects.get(slug=SLUG)
    add_concepts(boss, SLUG, "adat", TOPIC)

    def pages(role: str, count: int = 1) -> list[Page]:
        people: list[Annotator] = [factory.member(project, role) for _ in range(count)]
        return [page_of(person.user) for person in people]

    (writer,), (lead,), (reviewer,) = pages("writer"), pages("lead"), pages("reviewer")
    ask_the_group(lead, writer)
    write(writer)
    review_in_the_group(lead, reviewer)
    look_again(writer)
    approve_both(lead)

    offered = Item.objects.filter(stage="voting", slots_free__gt=0)
    wait_until(lambda: offered.count() == 2, WAIT, "both to be offered")
    for place, page in enumerate(pages("validator", 3)):
        judge(page, place)
    wait_until(decided, WAIT, "the last choices to be decided")
    look_at_what_came(lead)

    raters = [factory.member(project, "validator") for _ in range(3)]
    draw_rating(lead, tmp_path / "outputs.jsonl", raters)
    outputs = Item.objects.filter(project__slug=f"{SLUG}-model", stage="voting", slots_free__gt=0)
    wait_until(lambda: outputs.count() == len(MODELS), WAIT, "both outputs to be offered")
    for place, rater in enumerate(raters):
        rate(page_of(rater.user), place)
    assert Vote.objects.filter(project__slug=f"{SLUG}-model").count() == len(raters) * len(MODELS)
    results(lead)
