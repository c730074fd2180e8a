"""The pages of source sets over HTTP: who sees them, the flow of clean-up, stale pages, counts of queries."""

import csv
import io
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.units import SourceSet, SourceUnit
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.translation.actions.source_sets import SetIn, source_set_create
from annotation.translation.models import CleanUp, SourceEntry
from annotation.translation.rules.source_units import Row
from tests import factory, translations
from tests.translations import pair_rows, passage_rows, sentence_rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return translations.a_translation_project("lorax")


@pytest.fixture
def lead(project: Project) -> Client:
    return browser(translations.member(project, "lead").user)


def browser(user: User | None) -> Client:
    client = Client()
    assert user is not None
    client.force_login(user, backend=settings.AUTHENTICATION_BACKENDS[0])
    return client


def a_set(project: Project, rows: list[Row] | None = None, shape: str = "pair") -> SourceSet:
    return translations.a_source_set(project, rows or pair_rows(6, of_one=3), shape=shape, frozen=False)


def address(entry: SourceEntry, name: str = "source_unit") -> str:
    return reverse(name, args=("lorax", entry.unit_id))


def clean(client: Client, entry: SourceEntry, what: str = "removed", **more: Any) -> Any:
    revision = SourceUnit.objects.get(pk=entry.unit_id).revision
    sent = {"what": what, "row": entry.pk, "revision": revision, "reason": "obvious", **more}
    return client.post(address(entry, "source_clean"), sent)


def entries(made: SourceSet) -> list[SourceEntry]:
    return list(made.entries.order_by("position"))


# --- who --------------------------------------------------------------------------------


@pytest.mark.parametrize("roles", [("writer",), ("validator",), ("writer", "validator")])
def test_translators_and_reviewers_never_see_sources(project: Project, roles: tuple[str, ...]) -> None:
    made = a_set(project)
    client = browser(translations.member(project, *roles).user)
    entry = entries(made)[0]
    for name, args in {
        "source_sets": ("lorax",),
        "source_set": ("lorax", made.key),
        "source_unit": ("lorax", entry.unit_id),
        "source_counts_csv": ("lorax", made.key),
        "source_set_new": ("lorax",),
    }.items():
        assert client.get(reverse(name, args=args)).status_code == 403, name
    assert clean(client, entry).status_code == 403
    assert client.post(reverse("source_freeze", args=("lorax", made.key))).status_code == 403
    assert "Sources" not in client.get(reverse("project", args=("lorax",))).content.decode()
    assert not CleanUp.objects.exists()


def test_a_project_that_translates_nothing_has_no_sources(lead: Client) -> None:
    other = factory.project("nli")
    client = browser(factory.member(other, "lead").user)
    assert client.get(reverse("source_sets", args=("nli",))).status_code == 404
    assert client.get(reverse("source_set_new", args=("nli",))).status_code == 404
    assert "Sources" in lead.get(reverse("project", args=("lorax",))).content.decode()


# --- the flow ---------------------------------------------------------------------------


def test_a_row_is_removed_and_the_next_one_is_shown(project: Project, lead: Client) -> None:
    made = a_set(project)
    one, two, *_ = entries(made)
    page = lead.get(address(one)).content.decode()
    for key in ("n", "x", "t"):
        assert f'data-key="{key}"' in page
    assert 'data-key="d"' not in page
    assert 'data-key="u"' not in page
    answer = clean(lead, one)
    assert answer.headers["Location"] == f"{address(two)}?row={two.pk}"
    assert SourceEntry.objects.get(pk=one.pk).removed
    step = CleanUp.objects.get()
    back = {"row": one.pk, "revision": 2, "step": step.pk}
    assert lead.post(address(one, "source_undo"), back).status_code == 302
    assert not SourceEntry.objects.get(pk=one.pk).removed
    assert lead.post(address(one, "source_undo"), {**back, "revision": 3}).status_code == 409


def test_a_shared_text_says_how_many_rows_it_is_changed_for(project: Project, lead: Client) -> None:
    made = a_set(project)
    entry = entries(made)[0]
    assert "for all 3 rows" in lead.get(address(entry)).content.decode()
    texts = {each["key"]: each["text"] for each in entry.unit.fields}
    sent = {f"text-{key}": text for key, text in texts.items()} | {"text-premise": "Pasar."}
    answer = clean(lead, entry, "typo", **sent, reason="spelling")
    assert answer.headers["Location"] == f"{address(entry)}?row={entry.pk}"
    assert [step.field for step in CleanUp.objects.all()] == ["premise"]
    page = lead.get(reverse("source_set", args=("lorax", made.key))).content.decode()
    assert "Spelling, grammar or punctuation" in page


def test_line_ends_of_browsers_are_no_change(project: Project, lead: Client) -> None:
    rows = [Row("s", {"text": "\nSatu.\nDua."})]
    entry = entries(a_set(project, rows, "sentence"))[0]
    assert ">\n\nSatu." in lead.get(address(entry)).content.decode()
    answer = clean(lead, entry, "typo", **{"text-text": "\r\nSatu.\r\nDua."})
    assert answer.status_code == 422
    clean(lead, entry, "typo", **{"text-text": "\r\nSatu.\r\nTiga."})
    assert CleanUp.objects.get().after == "\nSatu.\nTiga."


def test_who_is_behind_gets_their_own_words_back_beside_what_stands_now(project: Project, lead: Client) -> None:
    entry = entries(a_set(project))[0]
    mine = {"text-premise": "Pasar saya.", "text-hypothesis.1": "Ada 2 mangga di pasar."}
    other = browser(factory.user(administrator=True))
    clean(other, entry, "typo", **{"text-hypothesis.1": "Punya orang lain."})
    answer = clean(lead, entry, "typo", **mine, revision=1, words="Ejaan.")
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Pasar saya." in page
    assert 'value="Ejaan."' in page
    assert "Punya orang lain.</textarea>" in page
    assert 'name="revision" value="2"' in page
    assert CleanUp.objects.count() == 1
    again = {"text-premise": "Pasar saya.", "text-hypothesis.1": "Punya orang lain."}
    assert clean(lead, entry, "typo", **again).status_code == 302
    unit = SourceUnit.objects.get(pk=entry.unit_id)
    assert [each["text"] for each in unit.fields[:2]] == ["Pasar saya.", "Punya orang lain."]


@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [
        ({"reason": ""}, 422, "Choose a reason"),
        ({"reason": "<script>"}, 422, "no such reason"),
        ({"what": "burn"}, 404, ""),
        ({"row": "987654"}, 404, ""),
        ({"row": "x"}, 404, ""),
        ({"revision": "x"}, 409, "in the meantime"),
        ({"what": "unanswerable"}, 422, "no passage"),
        ({"what": "distractor", "text-premise": "x"}, 422, "no distractor"),
        ({"what": "typo", "text-premise": ""}, 422, "no text yet"),
    ],
)
def test_what_cannot_be_done_says_why(
    project: Project, lead: Client, sent: dict[str, str], status: int, words: str
) -> None:
    entry = entries(a_set(project))[0]
    answer = clean(lead, entry, **sent)
    assert answer.status_code == status
    if words:
        assert words in answer.content.decode()
    assert not CleanUp.objects.exists()


def test_a_broken_answer_is_named_and_can_be_mended_in_the_same_step(project: Project, lead: Client) -> None:
    entry = entries(a_set(project, passage_rows(), "passage"))[0]
    page = lead.get(address(entry)).content.decode()
    assert 'data-key="u"' in page
    assert 'name="text-answer.2"' in page
    sent = {"text-passage": "Pasar itu dibuka tahun 1950. Pedagang pertamanya bernama Sarmini."}
    broken = clean(lead, entry, "typo", **{"text-passage": "Pasar dibuka tahun 1951. Sarmi."})
    assert broken.status_code == 422
    assert "would not contain an answer any more" in broken.content.decode()
    assert clean(lead, entry, "typo", **sent, **{"text-answer.2": "Sarmini"}).status_code == 302


def test_freezing_says_what_it_means_and_is_done_once(project: Project, lead: Client) -> None:
    made = a_set(project)
    page = reverse("source_set", args=("lorax", made.key))
    assert "cannot be taken back" in lead.get(page).content.decode()
    assert lead.post(reverse("source_freeze", args=("lorax", made.key))).status_code == 302
    assert "Translation has begun" in lead.get(page).content.decode()
    empty = translations.a_source_set(project, sentence_rows(1), shape="sentence", frozen=False)
    empty.entries.update(removed=True)
    refused = lead.post(reverse("source_freeze", args=("lorax", empty.key)))
    assert refused.status_code == 422
    assert "Nothing is left" in refused.content.decode()


def test_the_counts_as_a_file(project: Project, lead: Client) -> None:
    made = a_set(project)
    clean(lead, entries(made)[0])
    answer = lead.get(reverse("source_counts_csv", args=("lorax", made.key)))
    assert "attachment" in answer.headers["Content-Disposition"]
    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert rows[1:7] == [
        ["rows", "", "6"],
        ["removed", "", "1"],
        ["fixed_typos", "", "0"],
        ["improved_distractors", "", "0"],
        ["unanswerable", "", "0"],
        ["final_data_count", "", "5"],
    ]
    assert ["step_removed", "obvious", "1"] in rows


# --- lists ------------------------------------------------------------------------------


def test_units_are_found_by_words_and_by_what_stands_on_them(project: Project, lead: Client) -> None:
    rows = [
        Row("é1", {"text": "Café di Solo."}),
        Row("b", {"text": "Pasar pagi."}),
        Row("c", {"text": "Hujan."}),
    ]
    made = source_set_create(project=project, given=SetIn("s", "", "sentence"), rows=rows, by=None).source_set
    page = reverse("source_set", args=("lorax", "s"))

    def found(**query: str) -> list[str]:
        shown = lead.get(page, query).context["units"]
        return [row.entry.key for _, listed in shown for row in listed]

    assert found() == ["é1", "b", "c"]
    assert found(q="CAFÉ") == ["é1"]
    assert found(q="s:b") == ["b"]
    assert found(q="%") == []
    assert found(q="a\0b") == ["é1", "b", "c"]
    clean(lead, entries(made)[0])
    clean(lead, entries(made)[1], "typo", **{"text-text": "Pasar malam."})
    assert found(state="removed") == ["é1"]
    assert found(state="changed") == ["b"]
    assert found(state="kept") == ["b", "c"]
    assert found(state="nonsense") == ["é1", "b", "c"]
    SourceEntry.objects.filter(key="c").update(upstream_changed=True)
    assert found(state="upstream") == ["c"]
    assert "changed where it came from" in lead.get(reverse("source_sets", args=("lorax",))).content.decode()


@pytest.mark.parametrize("page", ["list", "set", "unit"])
def test_lists_cost_the_same_at_ten_units_and_a_thousand(project: Project, lead: Client, page: str) -> None:
    def cost(key: str) -> int:
        made = SourceSet.objects.get(key=key)
        url = {
            "list": reverse("source_sets", args=("lorax",)),
            "set": reverse("source_set", args=("lorax", key)),
            "unit": address(entries(made)[4]),
        }[page]
        lead.get(url)
        with CaptureQueriesContext(
            connection,
        ) as caught:
            assert lead.get(url).status_code == 200
        return len(caught)

    def make(key: str, units: int) -> None:
        rows = pair_rows(units * 2)
        source_set_create(project=project, given=SetIn(key, "", "pair"), rows=rows, by=None)

    make("small", 10)
    before = cost("small")
    make("large", 1000)
    assert cost("large") == before
    assert before <= 25
