"""Pairs whose author's label nobody knows: imported, voted on until three people agree, released."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from exports.releases.models import Release
from tests import factory, review
from tests.exports.world import released_pair_id, rows
from tests.validation.imports_run import import_items
from tests.validation.insights.test_insights_job import run as compute_insights
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
# What people say in their order; the label, and how many rounds that takes.
STORIES = {
    "a": ("eee", "entailment", 2),
    "b": ("enee", "entailment", 3),
    "c": ("nnn", "neutral", 2),
    "d": ("enc", "-", 2),
    "e": ("eenn", "-", 3),
}


def pairs(path: Path, **more: object) -> Path:
    """No row says what its author meant: no column, an empty cell, null or a dash."""
    unsaid: list[dict[str, object]] = [{}, {"label": ""}, {"label": None}, {"label": "-"}, {}]
    lines = [
        {"pair_id": key, "premise": f"Ibu membeli {key} di pasar.", "hypothesis": f"Ibu pergi {key}."} | said | more
        for key, said in zip(STORIES, unsaid, strict=True)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def test_from_import_to_release(tmp_path: Path, client: Client) -> None:
    """Whatever share is sampled they are all asked for; three equal labels, all of people, make gold."""
    project = factory.project("pasar", preset="indonli-lay")
    path = pairs(tmp_path / "pairs.jsonl")
    code, report = import_items(project.slug, path)
    assert (code, report["accepted"]) == (0, 5)
    assert set(Item.objects.values_list("author_label", "sampled")) == {("", True)}
    assert import_items(project.slug, path)[1]["unchanged"] == 5

    people = [factory.member(project, "validator") for _ in range(4)]
    for key, (labels, _, _) in STORIES.items():
        for person, label in zip(people, labels, strict=False):
            review.decide()
            review.cast_vote(review.assign(Item.objects.get(key=key), person), label)
    review.decide()
    assert {item.key: (item.stage, item.gold or "-", item.round) for item in Item.objects.order_by("key")} == {
        key: ("no_consensus" if gold == "-" else "settled", gold if gold == "-" else gold[0], rounds)
        for key, (_, gold, rounds) in STORIES.items()
    }

    out = tmp_path / "release"
    call_command("build_release", project.slug, "--out", str(out), "--no-licence", stdout=StringIO())
    call_command("verify_release", str(out), stdout=StringIO())
    release = Release.objects.get()
    keys = {released_pair_id(item): item.key for item in Item.objects.select_related("project")}
    found = {keys[row["pair_id"]]: row for name in ("train", "dev", "test") for row in rows(release, name)}
    assert {key: row["label"] for key, row in found.items()} == {
        key: gold for key, (_, gold, _) in STORIES.items() if gold != "-"
    }
    assert {(row["author_label"], row["annotator_labels"][0]) for row in found.values()} == {("-", None)}
    assert [len(found[key]["annotator_labels"]) for key in "abc"] == [4, 5, 4]
    assert "no label" in (out / "README.md").read_text()
    _pages_open(project, client)


def _pages_open(project: Project, client: Client) -> None:
    compute_insights(project)
    client.force_login(factory.user(administrator=True))
    item = Item.objects.get(key="b")
    for page in ("", "desk/", "items/", f"items/{item.pk}/", "insights/", "insights/agreement/"):
        answer = client.get(f"/p/{project.slug}/{page}")
        assert answer.status_code in (200, 302, 404), page
    assert client.get(f"/p/{project.slug}/").status_code == 200
    assert client.get(f"/p/{project.slug}/items/{item.pk}/").status_code == 200


def test_imported_votes_are_all_that_counts(tmp_path: Path) -> None:
    """Two equal votes are not enough where no author's label stands beside them."""
    project = factory.project("pasar")
    import_items(project.slug, pairs(tmp_path / "pairs.jsonl", votes=["e", "e"]))
    review.decide()
    assert set(Item.objects.values_list("stage", "gold", "pending", "round")) == {("voting", "", 1, 2)}
    assert not Vote.objects.filter(surplus=True).exists()


def test_a_label_that_is_said_later_is_another_row(tmp_path: Path) -> None:
    """What says nothing of the label agrees with any; a label where there was none is kept beside it."""
    project = factory.project("pasar")
    named = pairs(tmp_path / "named.jsonl", label="e")
    assert import_items(project.slug, named)[1]["accepted"] == 5
    assert import_items(project.slug, pairs(tmp_path / "none.jsonl"))[1]["unchanged"] == 5
