"""Artefacts through import, job and rows: the published figures, what is measured anew, what pages make of it."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.content import shapes
from annotation.content.models.item import Hypothesis, Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.templatetags.shares import percent
from annotation.text.classifier import SURE_PROBABILITY
from annotation.text.tokens import word_pattern
from tests import factory, questions
from tests.annotation.text.test_words import LONGER
from tests.answers import Row, browser_of, store_answers
from tests.data import DATA, needs_data
from tests.validation.imports_run import import_items
from validation.insights.actions import insights_ask, store_certainty
from validation.insights.models import Insight, InsightPoint, Measure
from validation.insights.queries import text_metrics as measured
from validation.insights.reports import writers
from validation.insights.reports.corpus import measure_new_texts
from validation.insights.reports.reading import Reading
from validation.review.rules.filters import Filters
from validation.voting.actions.decide import decide_due

pytestmark = pytest.mark.django_db
Tables = dict[str, list[dict[str, Any]]]


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    settings.REDIS_URL = ""


def computed(project: Project, slug: str) -> Tables:
    job = jobs.run_here(insights_ask(project=project, by=None, only=slug))
    assert job.state == Job.State.DONE, job.error
    tables = Insight.objects.get(project=project, slug=slug).tables
    return {key: table["rows"] for key, table in tables.items()}


# --- the published pairs ------------------------------------------------------------------


@pytest.mark.data
@needs_data
@pytest.mark.parametrize("name", ["lay_sample", "expert_replay"])
def test_published_pairs(name: str) -> None:
    """data/README.md: medians by label, the five strongest words of each with their values."""
    preset = {"lay_sample": "indonli-lay", "expert_replay": "indonli-expert"}[name]
    project = factory.project(preset=preset)
    assert import_items(project.slug, DATA / "indonli" / f"{name}.jsonl")[0] == 0
    if name == "expert_replay":
        while decide_due():
            pass
        _costs(project)
    expected = json.loads((DATA / "expected" / f"indonli_{name}_lexical.json").read_text())
    found = {row["label"]: row for row in computed(project, "overlap")["labels"]}
    for label, values in expected["overlap"]["medians"].items():
        row = found[label]
        assert (row["texts"], row["jaccard"], row["lcs"], row["new"]) == (
            values["n"],
            values["jaccard"],
            values["lcs"],
            values["new_types"],
        )
    assert found["c"]["negated"] > 2 * found["e"]["negated"]
    words = computed(project, "words")["words"]
    for label, top in expected["pmi"]["top5"].items():
        rows = [row for row in words if row["label"] == label][:5]
        assert [[r["word"], round(r["pmi"], 4), r["with_label"], r["in_all"]] for r in rows] == top
    (now,) = computed(project, "classifier")["now"]
    assert now["items"] == expected["overlap"]["rows"]
    assert now["above"] > 5
    assert now["permuted"] < now["low"] < now["accuracy"] < now["high"]
    assert now["p"] == 0.001  # none of 999 permutations, which is not 0
    assert 5 < now["sure"] == Measure.objects.filter(project=project, sure__gte=SURE_PROBABILITY).count()
    # A number opens the items behind it.
    tidak = next(row for row in words if row["word"] == "tidak")
    lead = browser_of(factory.user(administrator=True))
    where = reverse("items", args=[project.slug])
    for query, count in (
        ({"word": "tidak", "labelled": "c"}, tidak["items"]),
        ({"sure": "1"}, now["sure"]),
        ({"word": "tidak", "labelled": "c", "sure": "1", "q": "x" * 50}, 0),
    ):
        page = lead.get(where, query)
        assert page.context["page"].paginator.count == count, query


# --- what writers make --------------------------------------------------------------------

NAMES = ("sapi", "kuda", "itik", "ayam", "rusa", "kerbau", "kucing", "bebek")
DENIED, SAID = "tidak", ("pergi", "makan", "tidur", "pulang", "minum")


def pairs(tmp_path: Path, count: int, writer: str, *, habit: bool) -> Path:
    """`count` contradictions and as many entailments by one writer, one pair of each of a premise."""
    path = tmp_path / f"{writer}.jsonl"
    with path.open("w") as out:
        for n in range(count):
            about, does = f"{NAMES[n % 8]} {writer} {n}", SAID[n % 5]
            denies = f"Di situ ia {DENIED} {does}." if habit else f"Ia {SAID[(n + 1) % 5]} {n}."
            for slot, (label, text) in enumerate((("c", denies), ("e", f"Ia {does}."))):
                row = {
                    "premise_id": f"{writer}-{n}",
                    "premise": f"{about} {does}.",
                    "pair_id": f"{writer}-{n}-{slot}",
                    "hypothesis": f"{text[:-1]} {NAMES[n * 3 % 8]}.",
                    "label": label,
                    "author": writer,
                }
                out.write(json.dumps(row) + "\n")
    return path


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = factory.project(preset="indonli-lay")
    for writer, habit in (("W1", True), ("W2", False)):
        assert import_items(made.slug, pairs(tmp_path, 40, writer, habit=habit))[0] == 0
    return made


def own(project: Project, pseudonym: str) -> Client:
    """The account of a writer whose items were imported under a name."""
    person = factory.user()
    Annotator.objects.filter(project=project, pseudonym=pseudonym).update(user=person, is_writer=True, imported=False)
    return browser_of(person)


def test_habits_are_seen_by_leads_and_told_to_their_writer_alone(project: Project) -> None:
    tables = computed(project, "writers")
    (habit,) = [row for row in tables["habits"] if row["label"] == "c"]
    assert (habit["person"], habit["word"], habit["having"], habit["texts"]) == ("W1", DENIED, 40, 40)
    assert habit["elsewhere"] == 0
    by = {(row["person"], row["label"]): row for row in tables["writers"]}
    assert by["W1", "c"]["negated"] == 100
    assert by["W2", "c"]["negated"] == 0
    assert by["W1", "e"]["texts"] == 40
    lead = browser_of(factory.member(project, "lead").user)
    query = {"writer": "W1", "labelled": "c", "word": DENIED}
    assert lead.get(reverse("items", args=[project.slug]), query).context["page"].paginator.count == 40
    note = f'40 of your 40 texts under “Contradiction” contain <i lang="id" dir="auto">{DENIED}</i>.'
    writer, other = own(project, "W1"), own(project, "W2")
    for page in (reverse("my_record"), reverse("project", args=[project.slug])):
        assert note in writer.get(page).content.decode()
        assert DENIED not in other.get(page).content.decode()


@pytest.mark.parametrize(("word", "longer"), LONGER.items())
def test_a_word_is_found_in_the_database_where_it_is_a_word(word: str, longer: str) -> None:
    made = factory.project()
    pair, *others = factory.written_pairs(made, factory.member(made, "writer"))
    Hypothesis.objects.filter(item=others[0]).update(text=f"a {longer} b")
    Hypothesis.objects.filter(item=pair).update(text=f"a ({word}) b")
    assert list(made.items.filter(shapes.get(made.kind_spec.shape).text_matches(word_pattern(word)))) == [pair]


def test_what_is_told_with_certainty_is_marked(project: Project) -> None:
    tables = computed(project, "classifier")
    (now,) = tables["now"]
    assert now["items"] == 160
    assert now["baseline"] == 50
    assert now["accuracy"] > 70
    assert {row["label"] for row in tables["labels"]} == {"c", "e"}
    assert sum(row["sure"] for row in tables["labels"]) == now["sure"] > 0
    assert [(row["accuracy"], row["baseline"]) for row in tables["curve"]] == [(now["accuracy"], 50.0)]
    computed(project, "classifier")
    assert InsightPoint.objects.filter(project=project).count() == 1
    told = Measure.objects.filter(project=project, sure__gte=SURE_PROBABILITY).select_related("item")[0]
    lead = browser_of(factory.member(project, "lead").user)
    page = lead.get(reverse("item", args=[project.slug, told.item.pk])).content.decode()
    assert f"told without its source ({percent(100 * (told.sure or 0))} sure)" in page
    row = next(r for r in computed(project, "writers")["writers"] if (r["person"], r["label"]) == ("W1", "c"))
    assert row["sure"] == sum(
        each.item.author_label == "c" and each.item.key.startswith("W1")
        for each in Measure.objects.filter(project=project, sure__gte=SURE_PROBABILITY).select_related("item")
    )
    # What is excluded is counted no more, and what is not told any more is not marked.
    Item.objects.filter(pk=told.item.pk).update(stage="excluded")
    assert computed(project, "classifier")["now"][0]["items"] == 159
    assert Measure.objects.get(pk=told.pk).sure is None


def revised(item: Item, hypothesis: str) -> None:
    """The item with another text, as a correction leaves it."""
    row = item.revisions.get(n=1)
    row.pk, row.n, row.version = None, 2, item.version + 1
    row.content = {**row.content, "hypothesis": hypothesis}
    row.save()
    Item.objects.filter(pk=item.pk).update(revision_n=2, version=item.version + 1)
    item.refresh_from_db()


def test_only_what_is_another_text_is_measured_anew(project: Project) -> None:
    assert measure_new_texts(Reading(project)) == 160
    assert measure_new_texts(Reading(project)) == 0
    item = Item.objects.filter(project=project).order_by("pk")[0]
    store_certainty(project=project, sure={item.pk: 0.913})
    assert measured.certainty_of(item) == 91
    revised(item, "Bukan begitu.")
    assert measured.certainty_of(item) is None
    # Nothing is said about a text that is another meanwhile.
    store_certainty(project=project, sure={item.pk: 0.99})
    assert Measure.objects.get(item=item).sure == 0.91
    assert measure_new_texts(Reading(project)) == 1
    again = Measure.objects.get(item=item)
    assert (again.revision_n, again.figures["words"], again.figures["negated"], again.sure) == (
        2,
        [2],
        [1],
        None,
    )


def test_what_was_told_of_an_earlier_text_is_neither_listed_nor_counted(project: Project) -> None:
    reading = Reading(project)
    assert measure_new_texts(reading) == 160
    told, other = Item.objects.filter(project=project, author_label="c", key__startswith="W1")[:2]
    store_certainty(project=project, sure={told.pk: 0.9, other.pk: 0.9})
    listed = Item.objects.filter(measured.word_condition(project, Filters(sure="1")), project=project)
    assert set(listed) == {told, other}
    assert sum(row["sure"] for row in writers.compute(reading)["writers"]) == 2
    # Its texts were read and measured before: that of the other is the only one that is still told.
    revised(told, "Bukan begitu.")
    assert list(listed.all()) == [other]
    assert sum(row["sure"] for row in writers.compute(reading)["writers"]) == 1


def test_nothing_can_be_learnt_from_little(tmp_path: Path) -> None:
    empty = factory.project(preset="indonli-lay")
    for slug in ("words", "overlap", "writers", "sets"):
        assert [row for rows in computed(empty, slug).values() for row in rows] == []
    import_items(empty.slug, pairs(tmp_path, 3, "W1", habit=True))
    found = computed(empty, "classifier")
    assert found["now"][0]["accuracy"] is None
    assert "fewer than 100" in found["now"][0]["why"]
    assert found["curve"] == []


# --- questions ----------------------------------------------------------------------------


def test_choices_without_their_questions() -> None:
    """Where the answer is told by its wording the choices alone give it away."""
    made = questions.a_question_project("own")
    rows = [Row(f"W{n % 3}", "ABCDE"[n % 5], {}, f"group{n % 10}") for n in range(60)]
    items = store_answers(made, rows, options=False)
    for n, item in enumerate(items):
        options = [
            {"key": key, "text": f"{'selalu' if key == rows[n].label else 'kadang'} {n} {key}", "role": ""}
            for key in "ABCDE"
        ]
        content = {"concept": f"k{n}", "category": "x", "question": "Untuk apa?", "options": options}
        item.revisions.create(
            project=made,
            n=1,
            version=1,
            epoch=1,
            event="submit",
            meaning="first",
            content=content,
            fields_n=6,
            sentences_n=6,
        )
    (now,) = computed(made, "classifier")["now"]
    assert (now["items"], now["accuracy"], now["baseline"]) == (60, 100.0, 20.0)
    # All are right, and yet sixty sources prove no certainty.
    assert now["low"] < 95
    assert now["high"] == 100
    assert (round(now["permuted"], -1), now["p"]) == (20, 0.001)
    assert now["sure"] > 0
    words = computed(made, "words")["words"]
    assert next(row["word"] for row in words if row["label"] == "answer") == "selalu"
    assert {row["label"] for row in computed(made, "overlap")["labels"]} == {"answer", "other"}
    Item.objects.filter(pk__in=[item.pk for item in items[:30]]).update(origin="machine")
    one, two = computed(made, "sets")["origins"]
    assert [one[name] for name in ("left", "right", "size")] == [
        "Written by a machine",
        "Written here",
        "One token",
    ]
    # Each question has a number of its own; all else is said in both halves, but for the pairs with a number.
    assert (one["left_types"] - one["both"], one["right_types"] - one["both"]) == (30, 30)
    assert one["left_share"] == pytest.approx(100 * one["both"] / one["left_types"])
    assert two["both"] < one["both"]


def compared(*projects: str) -> dict[str, dict[str, float]]:
    out = StringIO()
    call_command("compare_sets", *projects, "--json", stdout=out)
    found: dict[str, dict[str, float]] = json.loads(out.getvalue())
    return found


def test_two_projects_are_compared(tmp_path: Path, project: Project) -> None:
    other = factory.project("lain", preset="indonli-lay")
    import_items(other.slug, pairs(tmp_path, 40, "W1", habit=True))
    one = compared(project.slug, other.slug)["one token"]
    # W1's pairs are in both; W2's have numbers of their own.
    assert one["both"] == one["right"] < one["left"]
    assert one["of_right"] == 1
    assert compared(other.slug, project.slug)["one token"]["of_left"] == 1
    out = StringIO()
    call_command("compare_sets", project.slug, other.slug, stdout=out)
    assert f"one token: {one['both']} types in both; " in out.getvalue()
    assert f"100.00 % of the {one['right']} of lain" in out.getvalue()
    with pytest.raises(CommandError, match="no project is called"):
        compared("lain", "nirgends")


def _costs(project: Project) -> None:
    """data/README.md: three rounds took 4,818 labels where five each take 7,445, and make the same gold."""
    found = computed(project, "protocols")
    protocols = {row["protocol"].partition(":")[0]: row for row in found["protocols"]}
    rounds, five = protocols["author + 2, +1, +1; three equal"], protocols["fixed-5"]
    assert (rounds["votes"] + 1489, five["votes"] + 1489) == (4818, 7445)
    assert (rounds["told"], five["gold"], five["other"], five["unknown"]) == (1489, 1489, 0, 0)
    assert rounds["saved"] == pytest.approx(35.2854, abs=1e-4)
    points = {row["way"]: row for row in found["curve"]}
    assert (points["Until two agree"]["labels"], points["Until three agree"]["same"]) == (3173, 100.0)
