"""Ids of releases tell nothing of a label, stay the same, and come back (domain.md §10, ruling 24)."""

import io
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command

from annotation.content.models.item import Item
from annotation.content.rules.released_ids import is_released, released_id
from annotation.core.models.project import Project
from exports.releases.verify import verify
from tests import factory
from tests.exports.world import Staged, build, files, folder, freeze, released_pair_id, rows, staged

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> Staged:
    return staged()


def ids(release: Any) -> Iterator[str]:
    for name in ("train", "dev", "test", "votes"):
        yield from (row["pair_id"] for row in rows(release, name))


def test_no_file_of_a_release_has_the_key_of_an_item(made: Staged) -> None:
    """`p1-e1` says entailment."""
    release = build(freeze(made, forms=""))
    told = b"\n".join(files(release).values())
    # A premise's key is followed by its pair's slot.
    assert not re.findall(rb"p\d-[enc]\d", told)
    assert set(ids(release)) <= {released_pair_id(item) for item in made.at.items}
    assert all(map(is_released, ids(release)))
    found = verify(folder(release))
    assert found.right, [check.faults for check in found.checks]


def test_ids_are_the_same_in_the_next_release_and_others_elsewhere(made: Staged) -> None:
    first, second = build(freeze(made)), build(freeze(made, seed="another"))
    assert set(ids(first)) == set(ids(second))
    key = made.items["1-e1"].key
    assert released_id(made.project.secret, key) != released_id(factory.project("other").secret, key)


def imported(slug: str, path: Path) -> dict[str, Any]:
    out = io.StringIO()
    call_command("import_items", slug, str(path), "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_a_release_comes_back(made: Staged, tmp_path: Path) -> None:
    """Into its own project as nothing new; into another one under its ids, which the next release keeps."""
    release = build(freeze(made))
    path = tmp_path / "all.jsonl"
    whole = [row for name in ("train", "dev", "test") for row in rows(release, name)]
    path.write_text("".join(json.dumps(row) + "\n" for row in whole))
    before = Item.objects.filter(project=made.project).count()
    again = imported(made.project.slug, path)
    assert (again["accepted"], again["unchanged"], again["refused"]) == (0, len(whole), 0)
    assert Item.objects.filter(project=made.project).count() == before
    factory.project("other")
    other = imported("other", path)
    assert (other["accepted"], other["refused"]) == (len(whole), 0)
    theirs = Item.objects.filter(project__slug="other")
    assert {item.key for item in theirs} == {row["pair_id"] for row in whole}
    assert {released_pair_id(item) for item in theirs} == {item.key for item in theirs}


def test_published_ids_that_tell_a_label_stay_inside(tmp_path: Path) -> None:
    project = factory.project("snli", share=Decimal(0))
    path = tmp_path / "snli.jsonl"
    pairs = [
        {
            "pair_id": f"10196-{label}{n}",
            "premise_id": "10196",
            "premise": "Ani pergi ke pasar pagi itu.",
            "hypothesis": f"Ani membeli {n} ekor ikan {label}.",
            "label": label,
        }
        for n, label in enumerate("enc", 1)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in pairs))
    assert imported("snli", path)["accepted"] == 3
    assert set(Item.objects.filter(project=project).values_list("key", flat=True)) == {row["pair_id"] for row in pairs}
    release = build(freeze(SimpleNamespace(project=project)))
    assert not re.findall(rb"10196-[enc]", b"".join(files(release).values()))
    assert Project.objects.get(pk=project.pk).secret == project.secret
