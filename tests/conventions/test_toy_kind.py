"""A sixth kind costs one file: a toy kind from a temporary file walks from writing to release."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation import kinds
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.kinds import SlotIn
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import set_submit
from tests import factory
from validation.voting.actions.decide import decide_due

TOY = """
from annotation.kinds.base import Kind, Label, Slot, SlotIn, TextField

KIND = Kind(
    slug="toy", name="Toy", shape="pair", source_name="text", source_plural="texts", item_name="title",
    item_plural="titles",
    labels=(Label("y", "Fits", "Y", "circle"), Label("x", "Does not fit", "X", "cross")),
    aliases={"y": "y", "x": "x"},
    texts=(TextField("premise", "Text", shared=True), TextField("hypothesis", "Title")),
    slots=lambda settings: (Slot("y1", "y", "Fitting title"), Slot("x1", "x", "Other title")),
    content=lambda source, typed: {"premise": source.text, "hypothesis": typed.text},
    written=lambda content: SlotIn(content["hypothesis"]),
    checks=("empty",), question="Does the title fit?",
    export_row=lambda row: {"id": row["key"], "gold_label": row["gold"] or "-", "title": row["content"]["hypothesis"]},
)
"""


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "toy.py").write_text(TOY)
    kinds.__path__.append(str(tmp_path))
    kinds.walked.cache_clear()
    yield "toy"
    kinds.__path__.remove(str(tmp_path))
    sys.modules.pop("annotation.kinds.toy", None)
    kinds.walked.cache_clear()


@pytest.mark.django_db(transaction=True)
def test_from_writing_to_release(toy: str, tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    project = factory.project()
    Project.objects.filter(pk=project.pk).update(kind=toy)
    project.refresh_from_db()
    writer = factory.member(project, "writer")
    factory.premises(project, 1)
    allocations_assign(target=project.targets.get(), writers=[writer])
    allocation = Allocation.objects.get(writer=writer)
    web = Client()
    assert writer.user is not None
    web.force_login(writer.user)
    assert "Fitting title" in web.get(f"/p/{project.slug}/write/{allocation.token}/").content.decode()
    slots = {"y1": SlotIn("Pasar pagi"), "x1": SlotIn("Kereta malam")}
    set_submit(writer=writer, token=allocation.token, slots=slots)
    decide_due()
    for _ in range(2):
        vote_all(factory.member(project, "validator"))
    decide_due()
    assert set(Item.objects.values_list("stage", "gold")) == {("settled", "y"), ("voting", "")}
    out = tmp_path / "out"
    call_command("build_release", project.slug, out=str(out), rules=["indonli-expert"], no_licence=True)
    rows = [json.loads(line) for line in (out / "test.jsonl").read_text().splitlines()]
    assert rows == [{"id": "p1-y1", "gold_label": "y", "title": "Pasar pagi"}]
    call_command("verify_release", str(out))


def vote_all(person: Annotator) -> None:
    """Vote `y` on whatever the page offers, until it offers nothing."""
    web = Client()
    assert person.user is not None
    web.force_login(person.user)
    address = f"/p/{person.project.slug}/vote/"
    while (card := web.get(address).context["card"]) is not None:
        assert ">Fits<" in card.choices
        assert ">Does not fit<" in card.choices
        assert web.post(f"{address}{card.token}/", {"label": "y"}).status_code == 302
