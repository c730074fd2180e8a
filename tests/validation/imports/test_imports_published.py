"""The published files as they are, with the traps that data/README.md lists, and what the jobs make of them."""

import json
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.content.models.item import Item
from annotation.content.models.source import Premise
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory
from tests.data import DATA, needs_data
from tests.validation.imports_run import import_items
from validation.voting.actions.decide import decide_due
from validation.voting.models.review import Flag
from validation.voting.models.vote import Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.data, needs_data]
PREMISES, LAY = DATA / "indonli" / "premises.jsonl", DATA / "indonli" / "lay_sample.jsonl"
EXPERT, OCNLI = DATA / "indonli" / "expert_replay.jsonl", DATA / "nli5" / "ocnli_dev_1000.jsonl"


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    settings.REDIS_URL = ""


def rows(path: Path) -> list[dict[str, Any]]:
    with path.open("rb") as lines:
        return [json.loads(line) for line in lines]


def decide_all() -> None:
    while decide_due():
        pass


def test_premises_and_the_lay_pairs_written_for_them() -> None:
    project = factory.project(preset="indonli-lay")
    # A given class stands, and the most words bind every class: one `single` premise has 328. Texts are as published.
    code, found = import_items(project.slug, PREMISES)
    assert (code, found["accepted"], found["refused"]) == (1, 599, 1)
    published = {str(row["premise_id"]): row["text"] for row in rows(PREMISES)}
    (long,) = (key for key, text in published.items() if len(text.split()) > 200)
    assert dict(Premise.objects.values_list("key", "text")) == {
        key: text for key, text in published.items() if key != long
    }
    classes = Counter(Premise.objects.values_list("sentence_class", flat=True))
    assert classes == {"single": 439, "double": 110, "paragraph": 50}

    assert import_items(project.slug, LAY) == (0, report(1500, flagged=6))
    assert import_items(project.slug, LAY) == (0, report(0, unchanged=1500))
    # Four ids of premises stand for two texts each: nothing is lost, the second text gets a key of its own.
    other = Premise.objects.filter(extra__has_key="premise_id")
    assert sorted(other.values_list("extra__premise_id", flat=True)) == ["10474", "10495", "11066", "11088"]
    texts = {str(row["pair_id"]): (row["premise"], row["hypothesis"], row["label"]) for row in rows(LAY)}
    stored = Item.objects.values_list("key", "hypothesis__premise__text", "hypothesis__text", "author_label")
    assert {key: tuple(rest) for key, *rest in stored} == texts
    assert Premise.objects.filter(project=project).count() > 761


def test_a_share_of_label_only_pairs_is_validated() -> None:
    project = factory.project(preset="indonli-lay")
    import_items(project.slug, LAY)
    sampled = Item.objects.filter(sampled=True).count()
    assert 0.26 < sampled / 1500 < 0.34
    decide_all()
    assert Counter(Item.objects.values_list("stage", "pending", "slots_free", "round")) == {
        ("written", 0, 0, 0): 1500 - sampled,
        ("voting", 2, 2, 1): sampled,
    }


def test_the_expert_set_is_decided_as_published() -> None:
    """IndoNLI §3.2: 1,212 / 203 / 74 in rounds 1 / 2 / 3, and every gold label."""
    project = factory.project(preset="indonli-expert", settings={"tags": "required"})
    code, found = import_items(project.slug, EXPERT)
    assert (code, found["accepted"], found["refused"]) == (0, 1489, 0)
    waiting = Item.objects.filter(project=project)
    assert Counter(waiting.values_list("stage", "round", "pending", "slots_free", "sampled")) == {
        ("written", 0, 0, 0, True): 1489
    }
    decide_all()
    published = {str(row["pair_id"]): (row["label"], row["annotation_round"]) for row in rows(EXPERT)}
    stored = Item.objects.filter(project=project, stage="settled", gold_from="votes")
    assert {key: (gold, at) for key, gold, at in stored.values_list("key", "gold", "round")} == published
    assert Counter(at for _, at in published.values()) == {1: 1212, 2: 203, 3: 74}
    assert Item.objects.filter(project=project).count() + Vote.objects.count() == 4818
    call_command("check_integrity", project.slug, stdout=StringIO())
    # Whoever has no name has a place-holder, which is nobody's account.
    people = Annotator.objects.filter(project=project)
    assert sorted(people.values_list("pseudonym", flat=True)) == ["?1", "?2", "?3", "?4"]
    assert not people.exclude(imported=True, user=None).exists()
    assert not Vote.objects.filter(surplus=True).exists()
    assert not Vote.objects.exclude(imported=True, seconds=None).exists()
    # No column of tags: nobody is told 1,489 times that tags are missing.
    checks = Flag.objects.filter(code="failed_check").values_list("detail__checks", flat=True)
    assert Counter(check for found in checks for check in found) == {
        "mojibake": 47,  # quotation marks of Windows-1252 that were read as Latin-1
        "premise_differs": 5,
        "several_sentences": 4,
    }


def test_ocnli_is_decided_as_published() -> None:
    """692 / 195 / 91 and 22 without gold; votes outside the labels are kept; row 1536 ends hopeless."""
    project = factory.project(preset="indonli-expert", language="zh")
    assert import_items(project.slug, OCNLI)[0] == 0
    decide_all()
    read = project.kind_spec.question.read_label
    published = {str(row["id"]): read(row["label"]) or "" for row in rows(OCNLI)}
    assert dict(Item.objects.filter(project=project).values_list("key", "gold")) == published
    settled = Item.objects.filter(project=project, stage="settled")
    assert Counter(settled.values_list("round", flat=True)) == {1: 692, 2: 195, 3: 91}
    counted = Vote.objects.filter(surplus=False).count()
    assert 1000 + counted == 3420
    assert Vote.objects.count() == 4000
    assert Vote.objects.filter(label__in=["unrelated", "unknown"]).count() >= 17
    row = Vote.objects.filter(item__key="1536").order_by("n")
    assert list(row.values_list("label", "round", "surplus")) == [
        ("e", 1, False),
        ("n", 1, False),
        ("unrelated", 2, False),
        ("n", 3, True),
    ]


def report(accepted: int, *, unchanged: int = 0, flagged: int = 0) -> dict[str, Any]:
    return {
        "accepted": accepted,
        "unchanged": unchanged,
        "refused": 0,
        "flagged": flagged,
        "columns_left": [],
        "unread": [],
        "dry_run": False,
        "rows": [],
    }


def test_the_project_is_asked_for_by_its_short_name() -> None:
    assert not Project.objects.exists()
    code, found = import_items("nowhere", PREMISES)
    assert code == 2
    assert "no project" in found["error"]
