"""Translating: each field beside its source is saved and checked with the set, and what is sent twice is one item."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Draft
from annotation.content.models.units import Translation
from annotation.core.messages import PROBLEMS, SKIP_REASONS
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.kinds import FIELD_PREFIX, WHY_PREFIX, FormField
from annotation.kinds.shapes import UNITS
from annotation.writing.views.source_text import field_words
from tests.translations import (
    a_share,
    a_source_set,
    a_translation,
    a_translation_project,
    member,
    pair_rows,
    passage_rows,
    sentence_rows,
    target_of,
    translated_slots,
)
from validation.consensus import stages

pytestmark = pytest.mark.django_db
MOST_STATEMENTS = 12


@pytest.fixture
def project() -> Project:
    return a_translation_project()


@pytest.fixture
def translator(project: Project) -> Annotator:
    return member(project, "writer")


@pytest.fixture
def allocation(project: Project, translator: Annotator) -> Allocation:
    """A premise with its two hypotheses, into Javanese."""
    return a_share(a_source_set(project, pair_rows(2)).units.get(), target_of(project), translator)


@pytest.fixture
def browser(client: Client, translator: Annotator) -> Client:
    assert translator.user is not None
    client.force_login(translator.user)
    return client


def at(allocation: Allocation, *rest: str) -> str:
    return "/".join([f"/p/{allocation.project.slug}/write", allocation.token, *rest]) + "/"


def posted(allocation: Allocation, whys: dict[str, str] | None = None, **texts: str) -> dict[str, str]:
    """The form as a browser sends it; `hypothesis_2="…"` is the field `hypothesis.2`."""
    assert allocation.unit is not None
    typed = dict(translated_slots(allocation.unit, allocation.target).more)  # type: ignore[arg-type]
    typed |= {FIELD_PREFIX + name.replace("_", "."): text for name, text in texts.items()}
    typed |= {WHY_PREFIX + check: words for check, words in (whys or {}).items()}
    return {f"more_t_{name}": value for name, value in typed.items()}


def save(browser: Client, allocation: Allocation, fields: dict[str, str], version: int = 0) -> Any:
    return browser.post(at(allocation, "save", "t"), {"version": version, **fields})


# --- the page -----------------------------------------------------------------------------


def test_each_source_stands_beside_its_field(browser: Client, allocation: Allocation) -> None:
    page = browser.get(at(allocation)).content.decode()
    for name in posted(allocation):
        assert f'name="{name}"' in page
    assert "text_t" not in page
    assert "one_t" not in page
    assert "0 of 3 fields filled in" in page
    assert f"Translate into {target_of(allocation.project).title}" in page
    assert len(re.findall(r'<p class="text side__text" lang="id" dir="auto">', page)) == 3
    assert len(re.findall(r'<textarea[^>]*lang="jv"', page)) == 3
    assert "Hypothesis 2" in page
    assert UNITS.source.skip_reasons["too-little"] in page
    assert set(UNITS.source.skip_reasons) <= set(SKIP_REASONS)


def test_the_word_list_explains_words_of_the_source(browser: Client, allocation: Allocation) -> None:
    assert allocation.target is not None
    allocation.target.words = [["peken", "pasar"], ["<b>", "menjual"]]
    allocation.target.save()
    page = browser.get(at(allocation)).content.decode()
    assert re.search(r'<abbr class="hint__word" tabindex="0" aria-describedby="([^"]+)">pasar</abbr>', page)
    assert "<b>pasar</b>: peken" in page
    assert "&lt;b&gt;" in page
    assert page.count('role="tooltip"') == 4


def test_checks_that_cannot_say_anything_yet_are_silent(browser: Client, allocation: Allocation) -> None:
    page = browser.get(at(allocation)).content.decode()
    assert "Lengths are compared from" not in page
    assert "says nothing" not in page


def test_the_page_asks_the_same_few_questions_of_the_database(
    browser: Client, translator: Annotator, project: Project
) -> None:
    counted = []
    for key, count in (("few", 2), ("many", 12)):
        unit = a_source_set(project, pair_rows(count, of_one=count), key=key).units.get()
        allocation = a_share(unit, target_of(project), translator)
        save(browser, allocation, posted(allocation))
        with CaptureQueriesContext(
            connection,
        ) as seen:
            assert browser.get(at(allocation)).status_code == 200
        counted.append(len(seen))
    assert counted[0] == counted[1]
    assert counted[0] <= MOST_STATEMENTS


# --- saved as one types -------------------------------------------------------------------


def test_fields_are_saved_under_one_version(browser: Client, allocation: Allocation) -> None:
    first = save(browser, allocation, posted(allocation, premise="", hypothesis_1="")).json()
    assert (first["version"], first["written"]) == (1, 1)
    second = save(browser, allocation, posted(allocation), 1).json()
    assert (second["version"], second["written"]) == (2, 3)
    assert save(browser, allocation, posted(allocation), 1).json()["version"] == 2  # the same once more
    content = Draft.objects.get().content
    assert content["text"] == ""
    assert set(content["more"]) == {"field-premise", "field-hypothesis.1", "field-hypothesis.2"}


def test_nothing_but_the_fields_of_the_unit_is_taken(browser: Client, allocation: Allocation) -> None:
    sent = posted(allocation, whys={"nothing-such": "x", "numbers_differ": " benar "})
    save(browser, allocation, sent | {"text_t": "x", "more_t_field-passage": "x", "more_t_gold": "x"})
    content = Draft.objects.get().content
    assert content["text"] == ""
    kept = {"field-premise", "field-hypothesis.1", "field-hypothesis.2", "why-numbers_differ"}
    assert set(content["more"]) == kept
    assert content["more"]["why-numbers_differ"] == "benar"


def test_a_warning_stands_under_its_field_and_asks_why(browser: Client, allocation: Allocation) -> None:
    fields = posted(allocation, premise="Bakul iku adol pelem / gedhang ing pasar.")
    said = [
        line for line in save(browser, allocation, fields).json()["lines"]["t"] if line["check"] == "alternatives_slash"
    ]
    assert [line["field"] for line in said] == ["field-premise"]
    assert said[0]["level"] == "warn"
    assert said[0]["why"]
    page = browser.get(at(allocation)).content.decode()
    assert 'name="more_t_why-alternatives_slash"' in page


def test_a_newer_text_is_shown_beside_ones_own(browser: Client, allocation: Allocation) -> None:
    save(browser, allocation, posted(allocation))
    answer = save(browser, allocation, posted(allocation, premise="Teks liya."))
    assert answer.status_code == 409
    read = answer.json()["reading"]
    assert (answer.json()["version"], read["bare"]) == (1, True)
    assert [row["name"] for row in read["rows"]] == ["Premise", "Hypothesis 1", "Hypothesis 2"]
    page = browser.post(at(allocation, "submit"), posted(allocation, premise="Teks liya."))
    assert page.status_code == 409
    assert "Teks liya." in page.content.decode()
    taken = browser.post(
        at(allocation, "submit"), {**posted(allocation, premise="x"), "version_t": "1", "take_t": "on"}
    )
    assert taken.status_code == 302
    assert "x" not in [each["text"] for each in Translation.objects.get().fields]


# --- handing in ---------------------------------------------------------------------------


def submit(browser: Client, allocation: Allocation, fields: dict[str, str], version: int = 0) -> Any:
    return browser.post(at(allocation, "submit"), {"version_t": version, **fields})


def test_submitted_twice_is_one_item(browser: Client, allocation: Allocation) -> None:
    fields = posted(allocation)
    for _ in range(2):
        assert submit(browser, allocation, fields).status_code == 302
    item = Item.objects.get()
    assert (item.target.key, item.translation.unit_id) == ("jv-ngoko", allocation.unit_id)
    other = submit(browser, allocation, posted(allocation, premise="Teks liya kang beda."), 1)
    assert other.status_code == 409
    assert "Teks liya kang beda." in other.content.decode()


def test_what_is_empty_stops_it_and_says_where(browser: Client, allocation: Allocation) -> None:
    page = submit(browser, allocation, posted(allocation, hypothesis_2=""))
    assert page.status_code == 422
    assert PROBLEMS["checks_block"].split(":")[0] in page.content.decode()
    assert page.content.decode().count('aria-invalid="true"') == 1
    assert not Item.objects.exists()


def test_words_to_a_check_stay_while_it_warns(browser: Client, allocation: Allocation) -> None:
    whys = {"alternatives_slash": "Begitu orang bilang", "brackets_added": "Tidak ada lagi"}
    fields = posted(allocation, whys, premise="Bakul nomer 0 adol pelem / gedhang ing pasar.")
    for _ in range(2):
        assert submit(browser, allocation, fields).status_code == 302
    assert Translation.objects.get().more["whys"] == {"alternatives_slash": "Begitu orang bilang"}
    item = Item.objects.get()
    assert item.sampled
    page = browser.get(f"/p/{allocation.project.slug}/write/item/{item.pk}/").content.decode()
    assert 'value="Begitu orang bilang"' in page
    assert "Begitu orang bilang" in browser.get(f"/p/{allocation.project.slug}/write/done/").content.decode()


def test_an_answer_has_to_stand_in_the_passage(browser: Client, project: Project, translator: Annotator) -> None:
    unit = a_source_set(project, passage_rows(), shape="passage").units.get()
    allocation = a_share(unit, target_of(project), translator)
    page = browser.get(at(allocation)).content.decode()
    assert page.count('data-span="more_t_field-passage"') == 2
    said = save(browser, allocation, posted(allocation, answer_1="sewu")).json()["lines"]["t"]
    assert [line["field"] for line in said if line["check"] == "answer_not_in_passage"] == ["field-answer.1"]


def test_a_submitted_translation_is_revised(browser: Client, allocation: Allocation) -> None:
    submit(browser, allocation, posted(allocation))
    item = Item.objects.get()
    address = f"/p/{allocation.project.slug}/write/item/{item.pk}/"
    page = browser.get(address).content.decode()
    assert 'name="text_t"' not in page
    assert page.count("side__text") == 3
    checked = browser.post(
        address,
        {"check": "1", **posted(allocation, hypothesis_1="")},
        headers={"Accept": "application/json"},
    )
    assert checked.status_code == 200
    again = browser.post(address, {**posted(allocation, premise="Teks anyar."), "version_t": item.version})
    assert again.status_code == 302
    assert Translation.objects.get().fields[0]["text"] == "Teks anyar."
    behind = browser.post(address, {**posted(allocation, premise="Keri."), "version_t": item.version})
    assert behind.status_code == 409
    assert "Keri." in behind.content.decode()
    assert "Teks anyar." in behind.content.decode()


def test_submitted_translations_are_listed_in_as_many_statements_however_many(
    browser: Client, translator: Annotator, project: Project
) -> None:
    counted = []
    for start, stop in ((0, 1), (1, 9)):
        rows = sentence_rows(stop)[start:]
        for unit in a_source_set(project, rows, shape="sentence", key=f"s{start}").units.all():
            a_translation(unit, target_of(project), translator)
        with CaptureQueriesContext(connection) as seen:
            page = browser.get(f"/p/{project.slug}/write/done/").content.decode()
        assert page.count("reading__source") == stop
        counted.append(len(seen))
    assert counted[0] == counted[1]


def test_skipped_it_goes_back_to_the_pool(browser: Client, allocation: Allocation) -> None:
    assert browser.post(at(allocation, "skip"), {**posted(allocation), "reason": "too-little"}).status_code == 302
    allocation.refresh_from_db()
    assert (allocation.state, allocation.skip_reason) == (Allocation.State.SKIPPED, "too-little")
    assert Draft.objects.get().content["more"]["field-premise"]
    another = member(allocation.project, "writer")
    assert a_share(allocation.unit, allocation.target, another).state == Allocation.State.OPEN  # type: ignore[arg-type]


# --- other targets ------------------------------------------------------------------------


def test_settled_translations_of_other_targets_are_shown(
    browser: Client, translator: Annotator, allocation: Allocation
) -> None:
    unit = allocation.unit
    assert unit is not None
    for key, stage in (("jv-krama", stages.SETTLED), ("su", stages.VOTING)):
        words = {each["key"]: f"{key} {each['text']}" for each in unit.fields}
        made = a_translation(unit, target_of(allocation.project, key), member(allocation.project, "writer"), words)
        Item.objects.filter(pk=made.pk).update(stage=stage)
    page = browser.get(at(allocation, "elsewhere")).content.decode()
    assert "jv-krama Pedagang" in page
    assert target_of(allocation.project, "jv-krama").title in page
    assert "su Pedagang" not in page
    part = browser.get(at(allocation, "elsewhere"), headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert "jv-krama Pedagang" in part
    assert "jv-krama" not in browser.get(at(allocation)).content.decode()
    translator.is_validator = True
    translator.save()
    assert "Pedagang" not in browser.get(at(allocation, "elsewhere")).content.decode().split("<main")[1]


def test_other_targets_are_for_who_translates(client: Client, allocation: Allocation) -> None:
    for roles, status in ((["writer"], 404), (["validator"], 403), (["lead"], 403)):
        person = member(allocation.project, *roles)
        assert person.user is not None
        client.force_login(person.user)
        assert client.get(at(allocation, "elsewhere")).status_code == status
        assert client.get(at(allocation)).status_code == status
    stranger = member(a_translation_project(), "writer")
    assert stranger.user is not None
    client.force_login(stranger.user)
    assert client.get(at(allocation)).status_code == 404
    assert client.post(at(allocation, "save", "t"), posted(allocation)).status_code == 404


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Premise", "Premis"),
        ("Hypothesis 2", "Hipotesis 2"),
        ("Premise 1 (what was its cause?)", "Premis 1 (apa sebabnya?)"),
        ("Something else 3", "Something else 3"),
    ],
)
def test_names_of_fields_are_told_in_the_readers_language(
    monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    known = {"Premise": "Premis", "Hypothesis": "Hipotesis", "what was its cause?": "apa sebabnya?"}
    monkeypatch.setattr("annotation.writing.views.source_text.gettext", lambda text: known.get(text, text))
    assert field_words(FormField("field-x", name)) == words
