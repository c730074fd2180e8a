"""What machine-written questions cost, over HTTP: people and model, a kept question, all languages."""

import csv
import io
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.generation.models import Candidate
from annotation.generation.queries import runs as machine
from tests import factory
from tests.machine_project import MachineProject
from tests.page_text import page_text
from tests.pay import a_rate, add_approved_entry, browser_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def at() -> MachineProject:
    return MachineProject()


def lines(answer: Any) -> list[dict[str, str]]:
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_people_and_model_together_for_each_kept_question(at: MachineProject) -> None:
    item = Item.objects.filter(project=at.project).order_by("pk")[0]
    rate = a_rate(at.project, "vote", "0.30", currency="IDR")
    add_approved_entry(rate, item, at.lead, units=2)
    page = browser_of(at.boss).get(at.url("machine_cost"))
    cost = page.context["cost"]
    spent = machine.report_of_run(at.run).spent.money["USD"]
    assert cost.money == {"IDR": Decimal("0.6000"), "USD": spent}
    assert cost.per_question["USD"] == spent / cost.kept
    assert "IDR" not in page_text(at.get("machine_cost"))
    by_question = lines(browser_of(at.boss).get(at.url("machine_cost_csv", "questions")))
    model = sum(Decimal(row["amount"]) for row in by_question if row["who"] == "model")
    of_items = Candidate.objects.filter(run=at.run, item__isnull=False).count()
    assert 0 < model < spent + Decimal("0.000001")
    assert len({row["question"] for row in by_question}) == of_items
    assert [row["amount"] for row in by_question if row["who"] == "people"] == ["0.6000"]
    steps = lines(browser_of(at.boss).get(at.url("machine_cost_csv", "steps")))
    assert {row["step"] for row in steps} == {"question", "refinement", "distractors", "answering", "vote"}
    assert browser_of(at.lead).get(at.url("machine_cost_csv", "steps")).status_code == 403
    assert browser_of(at.boss).get(at.url("machine_cost_csv", "nothing")).status_code == 404


def test_a_project_that_people_wrote_stands_beside(at: MachineProject) -> None:
    people = factory.project()
    Project.objects.filter(pk=people.pk).update(name="People wrote it")
    writer = factory.member(people, "writer")
    a_rate(people, "write", "2", unit="item")
    factory.written_pairs(people, writer, 1)
    page = browser_of(at.boss).get(at.url("machine_cost"), {"beside": people.slug}).content.decode()
    assert "People wrote it" in page
    assert f"{2:.2f}\u00a0USD" in page
    assert browser_of(at.boss).get(at.url("machine_cost"), {"beside": "nowhere"}).status_code == 404
    assert browser_of(at.lead).get(at.url("machine_cost"), {"beside": people.slug}).status_code == 404


def test_all_languages_for_administrators_of_the_site(at: MachineProject) -> None:
    other = MachineProject()
    Project.objects.filter(pk=other.project.pk).update(language="ja")
    answer = browser_of(at.boss).get(reverse("machine_all"))
    assert [project.language for project, _report in answer.context["tables"][0][1]] == ["en", "ja"]
    rows = lines(browser_of(at.boss).get(reverse("machine_all_csv")))
    assert {row["language"] for row in rows} == {"en", "ja"}
    assert browser_of(at.lead).get(reverse("machine_all")).status_code == 403
    assert browser_of(at.lead).get(reverse("machine_all_csv")).status_code == 403
