"""The validation report and the counts of prompts: as their pages show them, from the tables, in few statements."""

import csv
import io
from collections import Counter
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from exports.formats.rules.kalahi_csv import KalahiRow, read
from tests import factory
from tests.answers import browser_of
from tests.data import DATA, needs_data
from tests.kalahi import simulate, store_choices
from tests.prompts import a_prompt_project
from validation.insights.queries.best_choice import best_choice_report
from validation.voting.models.review import Flag
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


def made(count: int) -> list[KalahiRow]:
    """Prompts of our own as rows: two to a context, in two categories and three topics."""
    return [
        KalahiRow(
            f"{1 + n // 2:02d}00{1 + n:04d}00",
            f"{1 + n // 2:02d}00{1 + n:04d}",
            ("ethics", "shared knowledge")[n % 2],
            ("warung", "arisan", "mudik")[n % 3],
            f"konteks {n // 2}\ninstruksi {n}",
            "benar",
            ("lain", "benar"),
            tuple(f"salah {number}" for number in range(3)),
        )
        for n in range(count)
    ]


@pytest.fixture
def project() -> Project:
    return a_prompt_project(seed="kalahi")


def lead_of(project: Project) -> Client:
    return browser_of(factory.member(project, "lead").user)


def page(project: Project, name: str = "validation") -> Any:
    return lead_of(project).get(reverse(name, args=[project.slug]))


def table(answer: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def test_by_hand(project: Project) -> None:
    rows = made(4)
    store_choices(project, rows, simulate(rows, "s", {3: 1, 2: 1, 1: 1, 0: 1}))
    Vote.objects.filter(pk=Vote.objects.filter(label="R2")[0].pk).update(answers={"personal": "I1"})
    Vote.objects.filter(pk=Vote.objects.filter(label="I1")[0].pk).update(answers={"personal": "R2"})
    answer = page(project)
    found = answer.context["found"]
    assert (found.report.best.n, found.report.best.of) == (6, 12)
    assert [(line["chose"], line["share"].n) for line in answer.context["lines"]] == [
        (3, 1),
        (2, 1),
        (1, 1),
        (0, 1),
    ]
    assert (found.personal.n, found.personal.of, found.personal.best) == (2, 12, 1)
    assert [(prompt.best, prompt.of) for prompt, _ in answer.context["flagged"]] == [(0, 3), (1, 3)]
    flagged = Flag.objects.filter(code="no_consensus", closed_at=None).values_list("item__key", flat=True)
    assert {prompt.key for prompt, _ in answer.context["flagged"]} == set(flagged)
    for _, url in answer.context["flagged"]:
        assert url in answer.content.decode()
    text = answer.content.decode()
    assert "50.00\u00a0%" in text
    assert "25.00\u00a0%" in text
    told = table(page(project, "validation_file"))
    best = next(row for row in told if row["figure"] == "chose the best")
    assert (best["value"], best["n"], best["of"]) == ("0.5", "6", "12")
    prompts = {row["name"]: (row["n"], row["of"]) for row in told if row["figure"] == "prompt"}
    assert sorted(prompts.values()) == [("0", "3"), ("1", "3"), ("2", "3"), ("3", "3")]


def test_what_is_no_choice_or_no_prompt_breaks_nothing(project: Project) -> None:
    rows = made(4)
    items = store_choices(project, rows, simulate(rows, "s", {3: 4}))
    Vote.objects.filter(item=items[0]).update(label="R1")
    Item.objects.filter(pk=items[1].pk).update(author_label="R5")
    Item.objects.filter(pk=items[2].pk).update(stage="excluded")
    found = page(project).context["found"]
    assert (found.report.prompts, found.left_out, found.report.open) == (2, 1, 1)
    assert (found.report.best.n, found.report.best.of) == (3, 3)


def test_votes_that_do_not_stand_do_not_count(project: Project) -> None:
    rows = made(2)
    items = store_choices(project, rows, simulate(rows, "s", {3: 2}))
    Vote.objects.filter(item=items[0], n=1).update(
        withdrawn_at="2026-01-01T00:00Z", withdrawn_version=9, withdrawn_why="voided"
    )
    Item.objects.filter(pk=items[1].pk).update(epoch=2)
    found = best_choice_report(factory.reader(project)).report
    assert (found.best.of, found.open) == (2, 2)


def test_nobody_whom_a_file_did_not_name_is_compared(project: Project) -> None:
    rows = made(6)
    store_choices(project, rows, simulate(rows, "s", {2: 6}))
    before = best_choice_report(factory.reader(project)).report
    Annotator.objects.filter(project=project, pseudonym="V03").update(pseudonym="?1")
    after = best_choice_report(factory.reader(project)).report
    assert (before.kappa.pairs, after.kappa.pairs) == (3, 1)
    assert before.best == after.best
    assert before.alpha == after.alpha


def test_an_empty_project_says_so(project: Project) -> None:
    answer = page(project)
    assert "There are no votes yet" in answer.content.decode()
    assert page(project, "validation_file").status_code == 200


def test_only_where_validators_look_for_the_best() -> None:
    other = factory.project()
    assert page(other).status_code == 404
    assert page(other, "validation_file").status_code == 404
    assert reverse("validation", args=[other.slug]) not in page(other, "project").content.decode()


def test_the_pages_take_as_many_statements_with_many_prompts(project: Project) -> None:
    counts = []
    for size in (2, 40):
        of = a_prompt_project(seed="kalahi")
        rows = made(size)
        store_choices(of, rows, simulate(rows, "s", {3: size}))
        browser = lead_of(of)
        for name in ("validation", "project"):
            browser.get(reverse(name, args=[of.slug]))
            with CaptureQueriesContext(connection) as said:
                browser.get(reverse(name, args=[of.slug]))
            counts.append(len(said))
    assert counts[:2] == counts[2:]
    assert max(counts) <= 24, counts


def test_the_project_page_counts_prompts(project: Project) -> None:
    store_choices(project, made(4))
    found = page(project, "project").context["prompts"]
    assert (found.total, found.ids.contexts) == (4, 2)
    assert dict(found.categories) == {"ethics": 2, "shared knowledge": 2}
    assert dict(found.topics) == {"warung": 2, "arisan": 1, "mudik": 1}
    assert found.share == 0.25


@needs_data
@pytest.mark.data
def test_the_published_prompts_with_simulated_validators(project: Project) -> None:
    rows = read((DATA / "kalahi" / "filipino.csv").read_bytes())
    store_choices(project, rows, simulate(rows, "kalahi"))
    answer = page(project)
    found = answer.context["found"]
    assert {line["chose"]: line["share"].n for line in answer.context["lines"]} == {3: 111, 2: 31, 1: 8, 0: 0}
    assert (found.report.best.n, found.report.best.of, found.report.open) == (403, 450, 0)
    text = " ".join(answer.content.decode().split())
    for words in ("403 of 450", "89.56 %", "24.29 %", "the mean over 150 prompts", "3 pairs of people"):
        assert words in text, words
    assert len(answer.context["flagged"]) == 8
    kappa, alpha = (figure.value for figure in answer.context["figures"])
    assert abs(kappa - 0.76) < 0.02
    assert abs(alpha - 0.76) < 0.02
    assert f"{kappa:.3f}" in text
    assert Item.objects.filter(project=project, stage="settled").count() == 142
    assert Item.objects.filter(project=project, stage="no_consensus").count() == 8
    told = page(project, "project")
    prompts = told.context["prompts"]
    assert (prompts.total, prompts.ids.contexts, prompts.ids.prompt_ids) == (150, 84, 86)
    assert sorted(prompts.categories.values()) == [41, 109]
    assert len(prompts.topics) == 11
    assert prompts.topics == Counter(row.topic for row in rows)
    assert f"{prompts.share:.4f}" == "0.2429"
    assert "0.243" in told.content.decode()
