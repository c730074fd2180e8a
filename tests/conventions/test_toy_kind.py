"""Another kind costs one file and a preset: kinds from temporary files walk from writing to a release."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation import kinds, presets
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.kinds import SlotIn
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import set_submit
from tests import factory
from validation.consensus.protocol import DEFAULT_PROTOCOL, PRESETS, Protocol
from validation.voting.actions.decide import decide_due

TOY = """
from dataclasses import replace

from annotation.answers import Label
from annotation.kinds.base import Kind
from annotation.kinds.forms import Slot
from annotation.kinds.parts import Export, QuestionPart
from annotation.kinds.shapes import PAIR, PAIR_AUTHORING

KIND = Kind(
    slug="toy", name="Toy", shape=PAIR, source=PAIR.source, presentation=PAIR.presentation,
    authoring=replace(
        PAIR_AUTHORING,
        slots=lambda settings: (Slot("y1", "y", "Fitting title"), Slot("x1", "x", "Other title")),
        checks=("empty",),
    ),
    question=QuestionPart(
        "Does the title fit?", (Label("y", "Fits", "Y", "circle"), Label("x", "Does not fit", "X", "cross")),
        {"y": "y", "x": "x"},
    ),
    export=Export(
        lambda row: {"id": row["key"], "gold_label": row["gold"] or "-", "title": row["content"]["hypothesis"],
            "premise": row["content"]["premise"]}
    ),
)
"""
PREFERENCE = """
from annotation.answers import Question, values_of
from annotation.kinds.base import Kind
from annotation.kinds.forms import FormField, SlotIn, TextField
from annotation.kinds.parts import Authoring, Export, Presentation, QuestionPart
from annotation.kinds.shapes import TASK

TEXTS = {"prompt": "Prompt", "one": "First answer", "two": "Second answer"}
ASKED = (Question("better", "Which answer is better?", "preference", texts=("one", "two"), tie=True),)

KIND = Kind(
    slug="preference", name="Preference", shape=TASK, source=TASK.source,
    authoring=Authoring(
        lambda source, typed: {"prompt": source.text, "one": typed.text, **typed.more, "group": source.key},
        lambda content: SlotIn(content["one"], more={"two": content["two"]}),
        fields=lambda settings: (FormField("two", "Second answer", "area"),),
        checks=("empty",),
    ),
    question=QuestionPart("Which answer is better?", questions=ASKED),
    presentation=Presentation(tuple(TextField(key, name) for key, name in TEXTS.items()), is_shuffled=True),
    export=Export(lambda row: {"id": row["key"], "gold_label": row["gold"] or "-",
        **{key: row["content"][key] for key in TEXTS}, **values_of(ASKED, row["gold_answers"])}),
)
"""
SPAN = """
from dataclasses import replace

from annotation.answers import Question, values_of
from annotation.kinds.base import Kind
from annotation.kinds.parts import Export, QuestionPart
from annotation.kinds.shapes import PAIR, PAIR_AUTHORING

ASKED = (Question("evidence", "Which words answer the question?", "spans", texts=("premise",)),)

KIND = Kind(
    slug="span", name="Span", shape=PAIR, source=PAIR.source, presentation=PAIR.presentation,
    authoring=replace(PAIR_AUTHORING, checks=("empty",)),
    question=QuestionPart("Which words answer the question?", questions=ASKED),
    export=Export(lambda row: {"id": row["key"], "gold_label": row["gold"] or "-",
        "asked": row["content"]["hypothesis"], "premise": row["content"]["premise"],
        **values_of(ASKED, row["gold_answers"])}),
)
"""
PRESET = """
from annotation.presets.base import Preset

PRESET = Preset(
    slug="{slug}", name="{slug}", description="", kind="{slug}", language="id", protocol="answers-5", share=1.0,
    release="indonli-expert", writing_guideline="nli-writing", validation_guideline="nli-validation",
    settings={{"offer_minutes": 0}},
)
"""
RULES = Protocol("p", (2,), 2, author="none")
Walked = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A kind and its preset in the registries, as a file each in their folders would put them there."""
    found: list[str] = []

    def plug(slug: str, kind: str) -> None:
        texts = {kinds: kind, presets: PRESET.format(slug=slug)}
        for package, text in texts.items():
            folder = tmp_path / package.__name__
            folder.mkdir()
            (folder / f"{slug}.py").write_text(text)
            monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
            found.append(f"{package.__name__}.{slug}")
        kinds.kinds_by_slug.cache_clear()
        presets._registry.cache_clear()

    yield plug
    monkeypatch.undo()
    for module in found:
        sys.modules.pop(module, None)
    kinds.kinds_by_slug.cache_clear()
    presets._registry.cache_clear()


@pytest.fixture
def walked(plugged: Any, tmp_path: Path, settings: Any) -> Walked:
    """From a project of the preset over writing and voting to the rows of its release."""
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"

    def walk(
        slug: str, kind: str, slots: Mapping[str, SlotIn], vote: Callable[[Annotator], None], **more: Any
    ) -> list[dict[str, Any]]:
        plugged(slug, kind)
        project = factory.project(preset=slug, **more)
        written(project, slots)
        decide_due()
        for _ in range(2):
            vote(factory.member(project, "validator"))
        decide_due()
        out = tmp_path / "out"
        call_command("build_release", project.slug, out=str(out), no_licence=True)
        call_command("verify_release", str(out))
        return [json.loads(line) for line in (out / "test.jsonl").read_text().splitlines()]

    return walk


def written(project: Project, slots: Mapping[str, SlotIn]) -> None:
    """One set of a writer, from the page to its items."""
    writer = factory.member(project, "writer")
    factory.premises(project, 1)
    allocations_assign(target=project.targets.get(), writers=[writer])
    allocation = Allocation.objects.get(writer=writer)
    page = browser_of(writer).get(f"/p/{project.slug}/write/{allocation.token}/").content.decode()
    assert all(slot.name in page for slot in project.kind_spec.authoring.slots(project.rules))
    set_submit(writer=writer, token=allocation.token, slots=dict(slots))


def browser_of(person: Annotator) -> Client:
    """Signed in as this person."""
    assert person.user is not None
    client = Client()
    client.force_login(person.user)
    return client


def answering(form: Callable[[Any], dict[str, str]]) -> Callable[[Annotator], None]:
    """What answers whatever the page offers with the form made of a card, until it offers nothing."""

    def answer(person: Annotator) -> None:
        web, address = browser_of(person), f"/p/{person.project.slug}/vote/"
        while (card := web.get(address).context["card"]) is not None:
            assert web.post(f"{address}{card.token}/", form(card)).status_code == 302

    return answer


def fits(card: Any) -> dict[str, str]:
    assert ">Fits<" in card.choices
    assert ">Does not fit<" in card.choices
    return {"label": "y"}


def pisang(card: Any) -> dict[str, str]:
    """The two answers stand in an order of each person's own."""
    first = next(text for text in card.texts if text.key == "one")
    return {"answer-better": "1" if first.text == "Pisang." else "2"}


def fruit(card: Any) -> dict[str, str]:
    told = {"text": "mangga dan pisang", "of": "", "label": "", "nth": "", "start": ""}
    return {f"answer-evidence-{name}": value for name, value in told.items()}


@pytest.mark.django_db(transaction=True)
def test_labels_from_writing_to_release(walked: Walked) -> None:
    slots = {"y1": SlotIn("Pasar pagi"), "x1": SlotIn("Kereta malam")}
    rows = walked("toy", TOY, slots, answering(fits), protocol=PRESETS[DEFAULT_PROTOCOL])
    assert set(Item.objects.values_list("stage", "gold")) == {("settled", "y"), ("voting", "")}
    (row,) = rows
    assert {"id": "p1-y1", "gold_label": "y", "title": "Pasar pagi"}.items() <= row.items()


@pytest.mark.django_db(transaction=True)
def test_a_preference_is_one_file_and_a_preset(walked: Walked) -> None:
    slots = {"item": SlotIn("Mangga.", more={"two": "Pisang."})}
    (row,) = walked("preference", PREFERENCE, slots, answering(pisang), protocol=RULES)
    assert (row["one"], row["two"], row["gold_label"], row["better"]) == ("Mangga.", "Pisang.", "B", "B")


@pytest.mark.django_db(transaction=True)
def test_a_span_is_one_file_and_a_preset(walked: Walked) -> None:
    slots = {"item": SlotIn("Apa yang dijual?")}
    (row,) = walked("span", SPAN, slots, answering(fruit), protocol=RULES)
    assert [span["text"] for span in row["evidence"]] == ["mangga dan pisang"]
