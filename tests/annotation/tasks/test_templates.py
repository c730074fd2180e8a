"""Each template from its import to a verified release, by commands and the vote page."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from pyarrow import parquet

from annotation.answers import type_of
from annotation.content.models.item import Item
from annotation.jobs import queue as jobs
from annotation.tasks.rules.kind import as_kind
from annotation.tasks.rules.templates import template, templates
from tests import factory
from tests.annotation.tasks.answers import GOLD, vote_all
from tests.annotation.tasks.items import ITEMS, write_items_file
from validation.insights import reports as insights
from validation.insights.actions import insights_ask
from validation.voting.actions.decide import decide_due
from validation.voting.models.review import Flag
from validation.voting.models.vote import Vote
from validation.voting.rules.flags import ANSWER_FLAGS

# What answers raise together for leads to look at.
FLAGS = {
    "toxicity": {("t2", "both_ends")},
    "preference": {("p1", "neither_leads")},
}


# How the columns of answers are typed.
_SPANS = "list<element: struct<of: string, start: int64, end: int64, text: string, label: string>>"
_GIVEN = "list<element: struct<end: int64, label: string, of: string, start: int64, text: string>>"
TYPES = {
    "sentiment": {"sentiment": "string", "annotator_labels": "list<element: string>"},
    "toxicity": {
        "toxicity": "int64",
        "annotator_toxicity": "list<element: int64>",
        "reasons": "list<element: string>",
    },
    "preference": {"better": "string", "criteria_correct": "string"},
    "extractive-qa": {"answer": _SPANS, "annotator_answer": f"list<element: {_GIVEN}>"},
    "claims": {"verdict": "string", "passages": _SPANS},
    "emotions": {
        "emotions": "list<element: string>",
        "annotator_emotions": "list<element: list<element: string>>",
    },
}


def comes_back_in_whole(slug: str, released: Path) -> None:
    """The votes of a release, read into an empty project of the same task, settle its items on the same gold."""
    call_command("create_project", f"{slug}-again", task=slug, seed="seed")
    call_command("import_items", f"{slug}-again", str(released))
    decide_due()
    first, again = (
        {
            # In which order the sides stood, a release does not say.
            (v.item.key, v.annotator.pseudonym): (v.label, {**v.answers, "order": ""})
            for v in Vote.objects.filter(project__slug=name).select_related("item", "annotator")
        }
        for name in (slug, f"{slug}-again")
    )
    assert again
    assert {key: (vote, first.get(key)) for key, vote in again.items() if vote != first.get(key)} == {}
    there = dict(Item.objects.filter(project__slug=slug).values_list("key", "gold"))
    assert all(
        there[key] == gold
        for key, gold in Item.objects.filter(project__slug=f"{slug}-again").values_list("key", "gold")
    )
    call_command("check_integrity", f"{slug}-again")


@pytest.mark.parametrize("slug", sorted(templates()))
def test_no_answer_type_objects_to_a_question(slug: str) -> None:
    questions = [leaf for question in as_kind(template(slug)).question.questions for leaf in question.leaf_questions()]
    assert [found for question in questions for found in type_of(question).definition_errors(question)] == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("slug", sorted(templates()))
def test_from_import_to_a_verified_release(slug: str, tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    call_command("create_project", slug, task=slug, seed="seed")
    call_command("import_items", slug, str(write_items_file(slug, tmp_path)))
    project = Item.objects.select_related("project").first().project  # type: ignore[union-attr]
    people = [factory.member(project, "validator") for _ in range(5)]
    for place, person in enumerate(people):
        decide_due()
        vote_all(person, slug, place)
    decide_due()
    gold = dict(Item.objects.values_list("key", "gold"))
    assert set(Item.objects.values_list("stage", flat=True)) <= {"settled", "no_consensus"}
    for key, wanted in GOLD[slug].items():
        assert wanted is None or gold[key] == wanted, key
    raised = set(Flag.objects.filter(closed_at=None).values_list("item__key", "code"))
    assert {each for each in raised if each[1] in ANSWER_FLAGS} == FLAGS.get(slug, set())
    call_command("check_integrity", slug)
    out = tmp_path / "out"
    call_command("build_release", slug, out=str(out), no_licence=True)
    call_command("verify_release", str(out))
    rows = {row["id"]: row for row in map(json.loads, (out / "test.jsonl").read_text().splitlines())}
    types = {field.name: str(field.type) for field in parquet.read_schema(out / "parquet" / "test.parquet")}
    assert {name: types[name] for name in TYPES[slug]} == TYPES[slug]
    for item in ITEMS[slug]:
        if gold[item["id"]]:
            assert rows[item["id"]]["gold_label"] == gold[item["id"]]
            assert {name: rows[item["id"]][name] for name in item} == item
    comes_back_in_whole(slug, out / "test.jsonl")
    assert jobs.run_here(insights_ask(project=project, by=None)).state == "done"
    lead = factory.member(project, "lead")
    web = Client()
    assert lead.user is not None
    web.force_login(lead.user)
    pages = [f"/p/{slug}/{name}" for name in ("", "desk/", "insights/", "releases/", "items/", "task/")]
    pages += [f"/p/{slug}/items/{pk}/" for pk in project.items.values_list("pk", flat=True)]
    pages += [f"/p/{slug}/desk/?flag={code}" for _, code in raised]
    pages += [f"/p/{slug}/insights/{each.slug}/" for each in insights.applicable_to(project)]
    assert [(page, status) for page in pages if (status := web.get(page).status_code) != 200] == []
