"""The pages of a project of translations: what is missing where, the registers, its releases."""

import csv
import io
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.units import SourceSet
from annotation.core.models.project import Target
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from tests import factory, translations
from tests.answers import browser_of
from tests.exports.aligned import world
from tests.exports.world import build, freeze
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db
XSS = "<script>alert(1)</script>"


@pytest.fixture
def at(standing: SharedWorlds) -> world.Sets:
    return standing(two_sets)


def two_sets() -> world.Sets:
    made = world.project_with_sets({"pair": translations.pair_rows(4), "passage": translations.passage_rows()}, "jawa")
    world.approve_everything(made, ("jv-ngoko", "jv-krama"))
    translations.a_translation(made.units("pair")[0], made.target("su"), made.translator)
    return made


@pytest.fixture
def lead(at: world.Sets) -> Client:
    return browser_of(translations.member(at.project, "lead").user)


def url(name: str, *args: Any) -> str:
    return reverse(name, args=["jawa", *args])


def text(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def table(browser: Client, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text(browser, address).removeprefix("\ufeff"))))


def test_what_is_missing_stands_by_task_and_target(at: world.Sets, lead: Client) -> None:
    page = text(lead, url("missing"))
    assert f"{url('desk')}?target=su" in page
    assert "derived from nli" in page
    assert "In work: 2" in page
    rows = {(row["task"], row["target"]): row for row in table(lead, url("missing_file"))}
    assert len(rows) == 4 * 3
    assert rows["nli", "su"] == {
        "task": "nli",
        "derived_from": "",
        "target": "su",
        "language": "su",
        "register": "",
        "source_rows": "4",
        "rows": "0",
        "missing": "2",
        "in_work": "2",
        "incomplete": "0",
        "excluded": "0",
    }
    assert rows["translation", "jv-krama"]["rows"] == "2"
    assert rows["open-qa", "su"]["missing"] == "2"


def test_a_project_without_targets_has_neither_page(at: world.Sets) -> None:
    other = factory.project("pairs")
    browser = browser_of(factory.member(other, "lead").user)
    for name in ("missing", "missing_file", "registers", "registers_file"):
        assert browser.get(reverse(name, args=["pairs"])).status_code == 404


def test_nothing_is_missing_before_sources_are_frozen() -> None:
    made = translations.a_translation_project("jawa")
    translations.a_source_set(made, translations.pair_rows(2), frozen=False)
    browser = browser_of(translations.member(made, "lead").user)
    assert "Nothing can be missing yet" in text(browser, url("missing"))
    assert len(text(browser, url("missing_file")).splitlines()) == 1


def test_statements_do_not_grow_with_rows(at: world.Sets, lead: Client) -> None:
    def statements() -> int:
        with CaptureQueriesContext(
            connection,
        ) as found:
            text(lead, url("missing"))
        return len(found)

    statements()
    before = statements()
    translations.a_source_set(at.project, translations.sentence_rows(300), shape="sentence")
    assert statements() == before


def test_the_preview_and_the_release_show_the_table(at: world.Sets, lead: Client) -> None:
    page = text(lead, url("release_new"))
    assert "Only rows that every target has" in page
    assert "Share of gold for dev" not in page
    assert "In work: 2" in page
    release = build(freeze(at, "loraxbench"))
    page = text(lead, url("release", release.n))
    assert "In work: 2" in page
    file = url("release_file", release.n, "nli/jv-krama.jsonl")
    assert file in page
    answer = lead.get(file)
    assert b"".join(answer.streaming_content).count(b"\n") == 4  # type: ignore[attr-defined]
    assert answer["Content-Disposition"] == 'attachment; filename="jawa-1-nli-jv-krama.jsonl"'
    for name in ("nli/../votes.jsonl", "nli", "nli/", "../../etc/passwd", "/etc/passwd"):
        assert lead.get(url("releases") + f"{release.n}/files/{name}").status_code == 404


def test_names_of_tasks_and_targets_stay_words(at: world.Sets, lead: Client) -> None:
    SourceSet.objects.filter(key="pair").update(task=XSS)
    Target.objects.filter(key="su").update(name=XSS, register=XSS)
    for name in ("missing", "registers", "release_new"):
        assert XSS not in text(lead, url(name))
    cells = [cell for row in table(lead, url("missing_file")) for cell in row.values()]
    SourceSet.objects.filter(key="pair").update(task="=1+1")
    assert XSS in cells
    assert {"=1+1"} < {row["task"] for row in table(lead, url("missing_file"))}
    copy = table(lead, f"{url('missing_file')}?copy=spreadsheet")
    assert "=1+1" not in [row["task"] for row in copy]


def test_registers_are_compared_as_a_job(at: world.Sets, lead: Client) -> None:
    page = text(lead, url("registers"))
    assert "Computed" not in page
    assert "Sundanese" not in page
    assert re.findall(r'value="(jv-[a-z]+)"\s+selected', page) == ["jv-krama", "jv-ngoko"]
    answer = lead.post(url("registers"), {"formal": "jv-krama", "casual": "jv-ngoko"})
    assert (answer.status_code, answer["Location"]) == (302, url("registers"))
    job = Job.objects.get(kind="registers")
    assert lead.post(url("registers"), job.args).status_code == 302
    assert Job.objects.filter(kind="registers").count() == 1
    assert "every 1500ms" in text(lead, url("registers"))
    done = jobs.run_here(job)
    assert (done.state, done.done, done.total) == ("done", 3, 3)
    # Four texts of pairs in two units of three fields each, and a passage with two questions and answers.
    assert done.result["texts"] == 3 + 3 + 5
    assert (done.result["bleu"], done.result["jaccard"]) == (pytest.approx(100), 1)
    assert done.result["types_formal"] == done.result["types_both"] == done.result["types_casual"]
    page = text(lead, url("registers"))
    assert "Computed" in page
    assert "100.00" in page
    rows = table(lead, url("registers_file"))
    assert (rows[0]["figure"], rows[0]["value"]) == ("texts", "11")


@pytest.mark.parametrize(("formal", "casual"), [("jv-krama", "su"), ("jv-krama", "jv-krama"), ("", "x")])
def test_only_registers_of_one_language_are_compared(at: world.Sets, lead: Client, formal: str, casual: str) -> None:
    answer = lead.post(url("registers"), {"formal": formal, "casual": casual})
    assert answer.status_code == 422
    assert "two different targets of one language" in answer.content.decode()
    assert not Job.objects.filter(kind="registers").exists()


def test_only_what_is_approved_in_both_is_compared(at: world.Sets, lead: Client) -> None:
    target = Target.objects.create(project=at.project, key="su-lemes", language="su", register="lemes")
    translations.a_translation(at.units("pair")[0], target, at.translator)
    lead.post(url("registers"), {"formal": "su-lemes", "casual": "su"})
    done = jobs.run_here(Job.objects.get(kind="registers"))
    assert (done.result["texts"], done.result["bleu"]) == (0, None)
    assert "–" in text(lead, url("registers"))
