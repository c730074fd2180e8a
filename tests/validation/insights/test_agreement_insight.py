"""Agreement from files through the import and the job to the rows that pages show; and what a project without has."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from tests import factory, questions
from tests.answers import Row, browser_of, store_answers
from tests.data import DATA, needs_data
from tests.validation.imports_run import import_items
from validation.consensus import design
from validation.insights.actions import insights_ask
from validation.insights.models import Insight
from validation.insights.reports import agreement, get
from validation.insights.reports.reading import Reading
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db
SMALL = (
    Row("W1", "A", {"W2": "A", "W3": "B"}, "food"),
    Row("W1", "B", {"W2": "C", "W3": "C"}, "place"),
    Row("W2", "A", {"W1": "A", "W3": "A", "?1": "A"}, "food"),
    Row("", "D", {"W1": "E"}, "place"),
)


@pytest.fixture
def project() -> Project:
    return questions.a_question_project("own")


def computed(project: Project, slug: str) -> Mapping[str, list[dict[str, Any]]]:
    """The rows of an insight as its job leaves them for the pages."""
    jobs.run(insights_ask(project=project, by=None, only=slug).pk)
    stored = Insight.objects.get(project=project, slug=slug)
    return {key: table["rows"] for key, table in stored.tables.items()}


def first(rows: list[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    return next(row for row in rows if all(row[name] == value for name, value in wanted.items()))


def overall(found: Mapping[str, list[dict[str, Any]]]) -> dict[tuple[str, str], float | None]:
    return {
        (row["coefficient"].split(" ")[0], row["over"]): row["value"] and round(row["value"], 6)
        for row in found["overall"]
    }


def page(project: Project, slug: str = "agreement") -> str:
    """What a lead reads."""
    lead = factory.member(project, "lead")
    answer = browser_of(lead.user).get(reverse("insight", args=[project.slug, slug]))
    assert answer.status_code == 200
    return str(answer.content.decode())


def decide_all() -> None:
    while decide_due():
        pass


# --- published figures --------------------------------------------------------------------


@needs_data
@pytest.mark.data
def test_the_published_questions(project: Project, tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR, settings.REDIS_URL = tmp_path, ""
    assert import_items("own", DATA / "idcsqa/human_gen_ind.json")[1]["accepted"] == 1498
    found = computed(project, "agreement")
    votes, author = design.VOTES, design.WITH_AUTHOR
    assert overall(found) == {
        ("Krippendorff's", votes): 0.929515,
        ("Fleiss'", votes): 0.929506,
        ("Cohen's", votes): 0.929550,
        ("Percent", votes): 0.945995,
        ("Krippendorff's", author): 0.938878,
        ("Fleiss'", author): 0.938871,
    }
    for row in found["overall"]:
        assert row["items_low"] < row["value"] < row["items_high"] < row["items_low"] + 0.03, row
        assert row["low"] <= row["items_low"], row
        assert row["items"] == 1498
    assert first(found["overall"], over=votes)["ratings"] == 7490
    assert [row["part"] for row in found["categories"]] == [
        "activity",
        "culinary",
        "culture",
        "history",
        "place",
    ]
    assert [(row["part"], row["items"]) for row in found["sizes"]] == [(5, 1498)]
    assert len(found["pairs"]) == 15
    assert first(found["people"], person="W6")["kappa"] < 0.92 < first(found["people"], person="W1")["kappa"]
    assert (found["targets"], found["regions"]) == ([], [])
    fell = {row["pattern"]: row["n"] for row in computed(project, "labels")["patterns"]}
    assert fell == {"5": 1317, "4 – 1": 146, "3 – 2": 23, "3 – 1 – 1": 9, "2 – 2 – 1": 3}
    shown = page(project)
    for figure in ("0.930", "0.939"):
        assert f">{figure}<" in shown
    assert ">0.9295" not in shown
    assert first(found["people"], person="W6")["pairs"] == 5


@needs_data
@pytest.mark.data
def test_ocnli(tmp_path: Path, settings: Any) -> None:
    """Alpha over the five labels, those outside the scheme among them; the votes have no names."""
    settings.MUFAKAT_DATA_DIR, settings.REDIS_URL = tmp_path, ""
    project = factory.project("ocnli", preset="indonli-expert", language="zh")
    assert import_items("ocnli", DATA / "nli5/ocnli_dev_1000.jsonl")[0] == 0
    found = computed(project, "agreement")
    values, votes, author = overall(found), design.VOTES, design.WITH_AUTHOR
    assert values["Krippendorff's", author] == 0.668021
    assert values["Fleiss'", author] == 0.667955
    assert (values["Krippendorff's", votes], values["Fleiss'", votes]) == (0.655057, 0.654971)
    cohen = found["overall"][2]
    assert (cohen["value"], cohen["why"]) == (None, "no item was judged by two people")
    assert (found["people"], found["pairs"]) == ([], [])
    assert "0.668" in page(project)


def table_2_and_lengths(project: Project) -> None:
    """Rounds and what they saved, words of premises and hypotheses, by the same job."""
    found = computed(project, "rounds")
    columns = ("entered", "settled", "without", "lead", "waiting")
    assert [tuple(row[name] for name in columns) for row in found["rounds"]] == [
        (1489, 1212, 0, 0, 0),
        (277, 203, 0, 0, 0),
        (74, 74, 0, 0, 0),
    ]
    assert [round(row["so_far"], 1) for row in found["rounds"]] == [81.4, 95.0, 100.0]
    saved = [(row["used"], row["five"], round(row["percent"], 3)) for row in found["saved"]]
    assert saved == [(4818, 7445, 35.285), (3329, 5956, 44.107)]
    words = computed(project, "lengths")["texts"]
    assert [(row["text"], round(row["mean"], 1), round(row["sd"], 1)) for row in words] == [
        ("Premise", 31.0, 18.8),
        ("Hypothesis", 9.4, 4.2),
    ]


@needs_data
@pytest.mark.data
@pytest.mark.django_db(transaction=True)
def test_table_3_of_the_expert_half(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR, settings.REDIS_URL = tmp_path, ""
    project = factory.project("expert", preset="indonli-expert", settings={"tags": "required"})
    import_items("expert", DATA / "indonli/expert_replay.jsonl")
    before = computed(project, "agreement")["individual"]
    assert {(row["part"], row["percent"], row["why"]) for row in before} == {
        (0, None, "no votes have come to a decision yet")
    }
    decide_all()
    table_2_and_lengths(project)
    rows = computed(project, "agreement")["individual"]
    assert [(row["part"], row["whole"]) for row in rows] == [
        (1489, 1489),
        (4467, 4818),
        (4357, 4818),
        (1421, 1489),
        (68, 1489),
        (0, 1489),
    ]
    assert [round(row["percent"], 1) for row in rows] == [100, 92.7, 90.4, 95.4, 4.6, 0]
    shown = page(project)
    for figure in ("4,467", "4,818", "92.7", "1,421"):
        assert figure in shown
    assert get("agreement").table("individual").item_filters(rows[-1]) == {"stage": "no_consensus"}  # type: ignore[misc]


# --- what is counted ----------------------------------------------------------------------


def test_every_part(project: Project) -> None:
    items = store_answers(project, SMALL)
    Annotator.objects.filter(project=project, pseudonym="W3").update(region="Bali")
    Annotator.objects.filter(project=project, pseudonym="W2").update(region="bali")
    Vote.objects.filter(item=items[1], annotator__pseudonym="W3").update(round=2)
    found = computed(project, "agreement")
    assert [(row["part"], row["items"], row["percent"]) for row in found["sizes"]] == [
        (2, 2, 50),
        (3, 1, 100),
    ]
    assert [(row["part"], row["items"], row.get("why")) for row in found["rounds"]] == [
        (1, 2, None),
        (2, 0, "no item was judged by two people"),
    ]
    assert {row["part"]: row["items"] for row in found["categories"]} == {"food": 2, "place": 1}
    assert {row["part"]: row["ratings"] for row in found["regions"]} == {"-": 0, "Bali": 4}
    assert first(found["labels"], label="A")["specific"] == pytest.approx(100 * 6 / 7)
    assert first(found["labels"], label="D")["why"] == "nobody gave this label to an item that others judged"
    assert [(row["one"], row["other"], row["items"]) for row in found["pairs"]] == [
        ("W1", "W3", 1),
        ("W2", "W3", 2),
    ]
    assert [(row["person"], row["others"], row["meetings"], row["percent"]) for row in found["people"]] == [
        ("W1", 1, 1, 100),
        ("W2", 1, 2, 50),
        ("W3", 2, 3, pytest.approx(200 / 3)),
    ]
    assert get("agreement").table("people").item_filters(found["people"][0]) == {"person": "W1"}  # type: ignore[misc]


def test_what_a_lead_settled_stands_apart(project: Project) -> None:
    items = store_answers(project, SMALL)
    Item.objects.filter(pk=items[0].pk).update(stage="adjudicated", gold="B", gold_from="lead")
    Item.objects.filter(pk=items[1].pk).update(stage="no_consensus", gold="", gold_from="")
    Item.objects.filter(pk=items[3].pk).update(stage="excluded")
    rows = computed(project, "agreement")["individual"]
    assert [(row["part"], row["whole"]) for row in rows] == [
        (1, 2),
        (3, 5),
        (3, 5),
        (1, 2),
        (0, 2),
        (1, 2),
        (1, None),
    ]


def test_withdrawn_votes_and_those_of_another_text_do_not_count(project: Project) -> None:
    items = store_answers(project, SMALL)
    Item.objects.filter(project=project).update(votes_n=3)
    Item.objects.filter(pk=items[2].pk).update(epoch=2)
    Vote.objects.filter(item=items[1], annotator__pseudonym="W3").update(
        withdrawn_at="2026-01-01T00:00Z", withdrawn_version=2, withdrawn_why="voided"
    )
    assert computed(project, "agreement")["overall"][0]["items"] == 1


def test_a_project_without_votes_says_so(project: Project) -> None:
    found = computed(project, "agreement")
    assert {row["why"] for row in found["overall"]} == {"no item was judged by two people"}
    assert not any(found[name] for name in ("sizes", "rounds", "categories", "people", "pairs"))


def test_targets_have_rows_where_there_are_several(project: Project) -> None:
    items = store_answers(project, SMALL)
    target = project.targets.create(key="jv", language="jv")
    Item.objects.filter(pk__in=[item.pk for item in items[:2]]).update(target=target)
    rows = computed(project, "agreement")["targets"]
    assert {row["part"]: row["items"] for row in rows} == {"jv": 2, "main": 1}
    assert get("agreement").table("targets").item_filters(rows[0]) == {"target": rows[0]["part"]}  # type: ignore[misc]


def test_only_those_who_met_most_are_paired(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "MOST_PEOPLE", 2)
    store_answers(project, SMALL)
    found = agreement.compute(Reading(project))
    assert [(row["one"], row["other"]) for row in found["pairs"]] == [("W2", "W3")]
    assert len(found["people"]) == 3
