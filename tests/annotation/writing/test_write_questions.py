"""Writing questions: every field of the kind is saved and checked with its slot, and nothing beside these."""

from typing import Any

import pytest
from django.test import Client

from annotation.content.models.item import Item, Option, QAPair
from annotation.content.models.source import Allocation, Draft
from annotation.core.messages import PROBLEMS, SKIP_REASONS
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.kinds.shapes import QA
from tests import factory
from tests.questions import CHOICES, a_concept, a_question, a_question_project, a_share, typed_question
from validation.review.actions.corrections import correct
from validation.review.actions.decisions import return_item

pytestmark = pytest.mark.django_db
MOST_STATEMENTS = 20
QUESTION = "Untuk apa warga desa memakai tikar pada sore hari?"


@pytest.fixture
def project() -> Project:
    return a_question_project(settings={"check_first": True})


@pytest.fixture
def writer(project: Project) -> Annotator:
    return factory.member(project, "writer")


@pytest.fixture
def allocation(project: Project, writer: Annotator) -> Allocation:
    return a_share(a_concept(project, "tikar", category="household"), writer)


@pytest.fixture
def browser(client: Client, writer: Annotator) -> Client:
    assert writer.user is not None
    client.force_login(writer.user)
    return client


def at(allocation: Allocation, *rest: str) -> str:
    return "/".join([f"/p/{allocation.project.slug}/write", allocation.token, *rest]) + "/"


def posted(text: str = QUESTION, **more: str) -> dict[str, str]:
    """The form of a question as a browser sends it; `option_B=""` is the field `option-B`."""
    typed = {f"option-{key}": choice for key, choice in CHOICES.items()} | {"answer": "A", "distractor": "B"}
    typed |= {name.replace("_", "-"): value for name, value in more.items()}
    return {"text_q": text, **{f"more_q_{name}": value for name, value in typed.items()}}


def save(browser: Client, allocation: Allocation, fields: dict[str, str], version: int = 0) -> Any:
    return browser.post(at(allocation, "save", "q"), {"version": version, **fields})


def lines(answer: Any) -> dict[str, list[str]]:
    """What stands under each field: its name to the checks that speak."""
    found: dict[str, list[str]] = {}
    for line in answer.json()["lines"].get("q", ()):
        found.setdefault(line["field"], []).append(line["check"])
    return found


# --- the page -----------------------------------------------------------------------------


def test_the_page_asks_for_what_the_kind_declares(browser: Client, allocation: Allocation) -> None:
    page = browser.get(at(allocation)).content.decode()
    for name in posted():
        assert f'name="{name}"' in page
    assert page.count('name="more_q_answer"') == len(CHOICES)
    assert "household" in page
    assert "0 of 8 fields filled in" in page
    assert "more_q_concept" not in page
    assert QA.source.skip_reasons["not-understood"] in page
    assert SKIP_REASONS["not-understood"] not in page
    assert set(QA.source.skip_reasons) <= set(SKIP_REASONS)


def test_a_parallel_concept_asks_for_its_own_wording(browser: Client, writer: Annotator) -> None:
    project = writer.project
    project.settings = {**project.settings, "own_wording": True}
    project.save()
    allocation = a_share(a_concept(project, "samak", parallel="tikar pandan"), writer)
    page = browser.get(at(allocation)).content.decode()
    assert "tikar pandan" in page
    assert page.index('name="more_q_concept"') < page.index('name="text_q"')
    assert "0 of 9 fields filled in" in page


# --- saved as one types -------------------------------------------------------------------


def test_all_fields_of_a_slot_are_saved_under_one_version(browser: Client, allocation: Allocation) -> None:
    first = save(browser, allocation, {"text_q": QUESTION}).json()
    assert (first["version"], first["written"]) == (1, 1)
    second = save(browser, allocation, posted(distractor=""), 1).json()
    assert (second["version"], second["written"]) == (2, 7)
    third = save(browser, allocation, posted(), 2).json()
    assert (third["version"], third["written"]) == (3, 8)
    assert save(browser, allocation, posted(), 2).json()["version"] == 3  # the same once more
    assert Draft.objects.get().content == typed_question("tikar").to_dict()
    page = browser.get(at(allocation)).content.decode()
    assert all(choice in page for choice in CHOICES.values())
    assert "8 of 8 fields filled in" in page


def test_only_what_the_kind_declares_is_taken(browser: Client, allocation: Allocation) -> None:
    sent = posted(answer="F", distractor="option-B", gold="A", concept="kasur")
    save(browser, allocation, sent | {"more_e1_answer": "A"})
    more = Draft.objects.get().content["more"]
    assert set(more) == {*(f"option-{key}" for key in CHOICES), "answer", "distractor"}
    assert (more["answer"], more["distractor"]) == ("", "")


def test_a_newer_text_is_shown_with_all_its_fields(browser: Client, allocation: Allocation) -> None:
    save(browser, allocation, posted())
    answer = save(browser, allocation, posted(option_C="menonton wayang"))
    assert answer.status_code == 409
    read = answer.json()["reading"]
    assert (answer.json()["version"], read["text"]) == (1, QUESTION)
    assert read["rows"][0] == {"name": "A", "text": CHOICES["A"], "roles": ["Answer"], "source": ""}
    assert [row["text"] for row in read["rows"]] == list(CHOICES.values())
    assert answer.json()["other"]["more"]["distractor"] == "B"


def test_a_page_that_is_behind_shows_both_and_takes_the_chosen_one(browser: Client, allocation: Allocation) -> None:
    save(browser, allocation, posted(option_C="menonton wayang", answer="C", distractor="A"))
    page = browser.post(at(allocation, "submit"), posted(option_C="menganyam bambu"))
    text = page.content.decode()
    assert page.status_code == 409
    assert "menonton wayang" in text
    assert "menganyam bambu" in text
    assert not Item.objects.exists()
    browser.post(at(allocation, "submit"), posted(option_C="menganyam bambu") | {"take_q": "on", "version_q": "1"})
    assert Option.objects.get(key="C").text == "menonton wayang"
    assert Item.objects.get().author_label == "C"


@pytest.mark.parametrize("field", ["text_q", "more_q_option-D"])
def test_what_cannot_be_stored_is_refused_in_every_field(browser: Client, allocation: Allocation, field: str) -> None:
    answer = save(browser, allocation, {**posted(), field: "a\0b"})
    assert (answer.status_code, answer.json()["problem"]) == (422, "text_not_storable")
    page = browser.post(at(allocation, "submit"), {**posted(), field: "a\0b"})
    assert page.status_code == 422
    assert PROBLEMS["text_not_storable"] in page.content.decode()
    assert not Draft.objects.exists()


# --- checked ------------------------------------------------------------------------------


def test_a_finding_stands_under_the_choice_that_it_is_about(browser: Client, allocation: Allocation) -> None:
    equal = lines(save(browser, allocation, posted(option_D=CHOICES["B"])))
    assert "choices_equal" in equal["option-D"]
    assert "choices_equal" not in equal.get("", [])
    assert "option-A" not in equal


def test_fields_that_hold_nothing_yet_are_left_in_peace_until_it_is_sent(
    browser: Client, allocation: Allocation
) -> None:
    empty = posted(option_E="", distractor="")
    assert lines(save(browser, allocation, empty)) == {}
    page = browser.post(at(allocation, "submit"), {**empty, "version_q": "1"})
    assert page.status_code == 422
    (field,) = page.context["groups"][0].fields
    said = {part.key: [line.check for line in part.lines] for part in field.parts}
    assert said["option-E"] == ["choices_missing"]
    assert said["distractor"] == ["distractor_missing"]
    assert field.lines == []
    assert all(f'value="{choice}"' in page.content.decode() for key, choice in CHOICES.items() if key != "E")
    assert not Item.objects.exists()


def test_the_usual_place_of_the_answer_is_told(
    browser: Client, project: Project, writer: Annotator, allocation: Allocation
) -> None:
    for _ in range(20):
        a_question(project, writer, answer="A")
    whole = save(browser, allocation, posted()).json()["whole"]
    assert [(line["check"], line["level"]) for line in whole] == [("answer_place", "warn")]
    assert "20" in whole[0]["words"]
    assert whole[0]["words"] in browser.get(at(allocation)).content.decode()


# --- submitted and revised ------------------------------------------------------------------


def test_a_question_sent_twice_is_one_question(browser: Client, allocation: Allocation) -> None:
    for _ in range(2):
        assert browser.post(at(allocation, "submit"), posted()).status_code == 302
    item = Item.objects.get()
    assert (item.stage, item.author_label, item.slot) == ("submitted", "A", "q")
    assert QAPair.objects.get().question == QUESTION
    assert list(Option.objects.order_by("position").values_list("key", "role")) == [
        ("A", "answer"),
        ("B", "distractor"),
        ("C", ""),
        ("D", ""),
        ("E", ""),
    ]


def test_without_a_script_it_is_saved_and_shown(browser: Client, allocation: Allocation) -> None:
    page = browser.post(at(allocation, "submit"), {**posted(option_E=""), "save": "1"})
    assert page.status_code == 200
    assert "7 of 8 fields filled in" in page.content.decode()
    assert Draft.objects.get().content["more"]["option-B"] == CHOICES["B"]


def own(item: Item, room: str = "write/item") -> str:
    return f"/p/{item.project.slug}/{room}/{item.pk}/"


def test_a_submitted_question_is_revised_whole(browser: Client, project: Project, writer: Annotator) -> None:
    item = a_question(project, writer, concept=a_concept(project, "tikar"))
    done = browser.get(f"/p/{project.slug}/write/done/").content.decode()
    assert own(item) in done
    assert all(choice in done for choice in CHOICES.values())
    page = browser.get(own(item)).content.decode()
    assert 'name="more_q_option-E"' in page
    sent = posted(option_E="mengusir ayam", answer="E") | {"version_q": "1"}
    assert browser.post(own(item), sent).status_code == 302
    item.refresh_from_db()
    assert item.author_label == "E"
    assert Option.objects.get(item=item, role="answer").text == "mengusir ayam"
    assert list(item.revisions.order_by("n").values_list("event", flat=True)) == ["hand_in", "revise"]


def test_a_revision_that_is_refused_keeps_what_was_typed(browser: Client, project: Project, writer: Annotator) -> None:
    item = a_question(project, writer, concept=a_concept(project, "tikar"))
    page = browser.post(own(item), posted(option_D=CHOICES["B"], option_E="mengusir ayam") | {"version_q": "1"})
    assert page.status_code == 422
    assert "mengusir ayam" in page.content.decode()
    stale = browser.post(own(item), posted(option_E="mengusir ayam") | {"version_q": "7"})
    assert stale.status_code == 409
    assert CHOICES["E"] in stale.content.decode()
    assert "mengusir ayam" in stale.content.decode()
    assert Option.objects.get(item=item, key="E").text == CHOICES["E"]


def test_the_concept_keeps_the_wording_that_a_lead_gave_it(
    browser: Client, project: Project, writer: Annotator
) -> None:
    """The form of a project without own wordings does not show it, so a revision must not undo it."""
    item = a_question(project, writer, concept=a_concept(project, "tikar"))
    lead = factory.member(project, "lead")
    correct(lead=lead, item_id=item.pk, version=1, field="concept", text="tikar pandan", meaning="same", words="x")
    text = "Untuk apa tikar pandan dipakai pada sore hari?"
    return_item(lead=lead, item_id=item.pk, version=2, error_type="language", words="Ejaan.")
    sent = browser.post(own(item, "returned"), posted(text) | {"version_q": "3"})
    assert sent.status_code == 302
    pair = QAPair.objects.get()
    assert (pair.wording, pair.question) == ("tikar pandan", text)


def test_nobody_sees_the_other_writers_question(client: Client, project: Project, writer: Annotator) -> None:
    concept = a_concept(project, "tikar")
    first = a_question(project, writer, concept=concept)
    other = factory.member(project, "writer")
    mine = a_question(project, other, concept=concept, question="Di mana tikar digelar saat kenduri?")
    assert other.user is not None
    client.force_login(other.user)
    for path in (f"/p/{project.slug}/write/done/", own(mine)):
        assert QUESTION not in client.get(path).content.decode()
    assert client.get(own(first)).status_code == 404


# --- returned -----------------------------------------------------------------------------


@pytest.fixture
def returned(project: Project, writer: Annotator) -> Item:
    item = a_question(project, writer, concept=a_concept(project, "tikar"))
    lead = factory.member(project, "lead")
    return_item(lead=lead, item_id=item.pk, version=1, error_type="options-equal", words="B dan E sama saja.")
    item.refresh_from_db()
    return item


def test_what_is_wrong_is_told_above_the_whole_form(browser: Client, returned: Item) -> None:
    listed = browser.get(f"/p/{returned.project.slug}/returned/").content.decode()
    assert QUESTION in listed
    assert "B dan E sama saja." in listed
    page = browser.get(own(returned, "returned")).content.decode()
    assert "Two choices mean the same" in page
    assert "B dan E sama saja." in page
    assert 'name="more_q_answer"' in page
    assert 'name="more_q_option-E"' in page


def test_a_returned_question_is_checked_live_and_sent_back(browser: Client, returned: Item) -> None:
    version = {"version_q": str(returned.version)}
    sent = posted(option_E=CHOICES["B"]) | version
    checked = browser.post(own(returned, "returned"), sent | {"check": "1"}, headers={"Accept": "application/json"})
    assert "choices_equal" in lines(checked)["option-E"]
    refused = browser.post(own(returned, "returned"), sent)
    assert refused.status_code == 422
    assert PROBLEMS["checks_block_one"] in refused.content.decode()
    returned.refresh_from_db()
    assert (returned.stage, returned.revision_n) == ("returned", 1)
    corrected = posted(option_E="mengusir ayam") | version | {"words": "Sudah saya ganti."}
    assert browser.post(own(returned, "returned"), corrected).status_code == 302
    returned.refresh_from_db()
    assert (returned.stage, returned.revision_n) == ("corrected", 2)
    assert Option.objects.get(item=returned, key="E").text == "mengusir ayam"


# --- statements ---------------------------------------------------------------------------


def test_statements_do_not_grow_with_what_was_written(
    browser: Client,
    project: Project,
    writer: Annotator,
    allocation: Allocation,
    returned: Item,
    django_assert_max_num_queries: Any,
) -> None:
    lead, first = factory.member(project, "lead"), a_question(project, writer)

    def count() -> list[int]:
        found = []
        rooms = [f"/p/{project.slug}/{room}/" for room in ("write/done", "returned")]
        paths = [at(allocation), *rooms, own(first), own(returned, "returned")]
        for ask in (*(lambda path=path: browser.get(path) for path in paths), autosave):
            with django_assert_max_num_queries(40) as asked:
                assert ask().status_code == 200
            found.append(len(asked))
        return found

    def autosave() -> Any:
        stored = Draft.objects.filter(allocation=allocation).first()
        version = stored.version if stored else 0
        return save(browser, allocation, posted(option_E=f"mengusir {version} ayam"), version)

    def one_more() -> None:
        item = a_question(project, writer)
        return_item(lead=lead, item_id=item.pk, version=1, error_type="language", words="Ejaan.")
        a_question(project, writer)

    autosave()
    few = count()
    for _ in range(6):
        one_more()
    assert count() == few
    assert max(few) <= MOST_STATEMENTS
