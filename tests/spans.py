"""A project in which people mark names in a text, and items with texts as they are given."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from django.core.management import call_command

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.tasks.rules.reading import task_from_plain
from tests import factory
from tests.annotation.tasks.items import make_task_project
from tests.review import assign, cast_vote, decide
from validation import integrity
from validation.voting.models.vote import Vote

LABELS = [{"key": "per", "name": "Orang"}, {"key": "loc", "name": "Tempat"}]
QUESTION = {"key": "names", "type": "spans", "text": "Tandai nama", "of": "text", "many": True, "required": False}
TASK = {
    "version": 1,
    "name": "Nama orang dan tempat",
    "language": "id",
    "source": [{"key": "text", "name": "Teks"}, {"key": "note", "name": "Catatan", "required": False}],
    "questions": [{**QUESTION, "labels": LABELS}],
    "protocol": {"rounds": [2, 1], "quorum": 2},
}


@dataclass
class SpansWorld:
    """The project with its items in the order of their texts, validators and a lead."""

    project: Project
    validators: list[Annotator]
    lead: Annotator
    items: list[Item]

    def vote(self, by: int, *spans: dict[str, Any], item: int = 0) -> Vote:
        """One person marks these passages, and the system decides."""
        fresh = Item.objects.select_related("project").get(pk=self.items[item].pk)
        vote = cast_vote(assign(fresh, self.validators[by]), "", posted_form=form_of(spans))
        decide()
        return vote

    def item(self, n: int = 0) -> Item:
        """An item as it stands now."""
        return Item.objects.select_related("project", "protocol").get(pk=self.items[n].pk)

    def sound(self) -> None:
        """Nothing about the project is other than it must be."""
        decide()
        assert list(integrity.run(project=self.project)) == []


def span(text: str, words: str, label: str = "per", nth: int = 0) -> dict[str, Any]:
    """The passage that says these words, the first one or a later one, as it is stored."""
    start = -1
    for _ in range(nth + 1):
        start = text.index(words, start + 1)
    return {"of": "text", "start": start, "end": start + len(words), "text": words, "label": label}


def form_of(spans: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """What the form of a card sends for these passages."""
    return {
        f"answer-names-{name}": [str(one[name]) for one in spans] for name in ("text", "of", "label", "start", "end")
    }


def spans_world(folder: Path, texts: Sequence[str], *, name: str = "nama", validators: int = 4) -> SpansWorld:
    """A project whose items have these texts, offered to its validators."""
    project = make_task_project("", task=task_from_plain(TASK), name=name)
    path = folder / f"{name}.jsonl"
    path.write_bytes(b"".join(orjson.dumps({"id": f"n{n}", "text": text}) + b"\n" for n, text in enumerate(texts)))
    call_command("import_items", project.slug, str(path))
    decide()
    return SpansWorld(
        project,
        [factory.member(project, "validator") for _ in range(validators)],
        factory.member(project, "lead"),
        list(project.items.order_by("pk")),
    )
