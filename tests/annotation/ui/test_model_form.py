"""Forms drawn from pydantic models: what is typed comes back as it was, and means what the same plain values mean."""

from collections.abc import Iterator
from typing import Any

import pytest

from annotation.core.rules.model_fields import fields_of
from annotation.tasks.rules.question import TaskQuestion
from annotation.tasks.rules.task import SourceField, Task
from annotation.tasks.rules.templates import template, templates
from annotation.ui.model_form.draft import (
    FieldNotShown,
    apply_button,
    draft_from_form,
    draft_from_plain,
    plain_from_draft,
)
from annotation.ui.model_form.nodes import Drawing, Node, problems_by_node, titles_of_path

# fmt: off
EVERYTHING: dict[str, Any] = {
    "name": "Semua",
    "language": "jv",
    "source": [
        {"key": "text", "name": {"en": "Text", "jv": "Teks"}, "required": False, "max_length": 20},
        {"key": "pair", "name": "P", "type": "texts",
         "sides": [{"key": "a", "name": "A"}, {"key": "b", "name": "B"}]},
        {"key": "photo", "name": "F", "type": "image", "hosts": ["a.example.org", "b.example.org"]},
        {"key": "reply", "name": "R"},
    ],
    "questions": [
        {"key": "mood", "type": "single", "text": "?",
         "labels": [{"key": "x", "name": "X"}, {"key": "y", "name": "Y"}]},
        {"key": "points", "type": "scale", "text": "?", "scale": {"last": 7, "low": "l", "high": "h"}},
        {"key": "better", "type": "preference", "text": "?", "between": "pair", "tie": True},
        {"key": "parts", "type": "spans", "text": "?", "of": "text", "many": True, "required": False},
        {"key": "why", "type": "free_text", "text": "?", "max_length": 77},
        {"key": "good", "type": "criteria", "text": "?", "criteria": [{"key": "c", "name": "C", "help": "h"}]},
    ],
    "authoring": {"writes": "reply", "label": "chosen"},
    "protocol": {"rounds": [2, 1], "author": "vote", "stop_hopeless": False},
    "flags": ["unsure"],
    "shuffle": ["sides"],
    "share": 0.25,
    "guidelines": "# Satu\n\nDua.\n",
}
# fmt: on


def sent(nodes: list[Node]) -> Iterator[tuple[str, list[str]]]:
    """What a browser would send of these nodes, whatever is hidden."""
    for node in nodes:
        if node.form in ("part", "rows", "row", "told"):
            yield from sent(node.children)
        elif node.form == "ticks":
            yield node.name, [value for value, _, chosen in node.choices if chosen]
        elif node.form == "tick":
            yield from [(node.name, ["on"])] if node.value else []
        elif node.form == "choice":
            yield (
                node.name,
                [next((value for value, _, chosen in node.choices if chosen), node.choices[0][0])],
            )
        else:
            yield node.name, [str(node.value)]


def drawn(draft: dict[str, Any]) -> list[Node]:
    return Drawing("task", ("en", "id"), {}, lambda path, value: None).build_nodes(Task, draft)


def described() -> list[tuple[str, dict[str, Any]]]:
    return [*((slug, template(slug).plain()) for slug in templates()), ("everything", EVERYTHING)]


@pytest.mark.parametrize("plain_task", [each for _, each in described()], ids=[name for name, _ in described()])
def test_a_description_comes_back_from_the_form_as_it_was(plain_task: dict[str, Any]) -> None:
    assert Task.model_validate(plain_task)
    draft = draft_from_plain(Task, plain_task)
    again = draft_from_form(Task, sent(drawn(draft)), "task")
    wanted = {name: value for name, value in plain_task.items() if name != "version"}
    assert plain_from_draft(Task, again, "id") == wanted
    assert plain_from_draft(Task, draft_from_form(Task, sent(drawn(again)), "task"), "id") == wanted


def test_every_field_of_a_task_has_a_title_a_help_and_a_control() -> None:
    def models(model: Any) -> Iterator[Any]:
        yield model
        for field in fields_of(model):
            if field.model:
                yield from models(field.model)

    for model in models(Task):
        for field in fields_of(model):
            assert model.model_fields[field.name].title or field.name in ("example",), (model, field.name)
            assert field.help, (model, field.name)
    assert {field.form for model in models(Task) for field in fields_of(model)} == {
        "line", "area", "number", "tick", "choice", "told", "ticks", "list", "part", "rows", "constant",
    }  # fmt: skip


def test_what_a_type_does_not_have_is_kept_and_not_said() -> None:
    draft = draft_from_plain(TaskQuestion, EVERYTHING["questions"][0])
    draft["type"] = "scale"
    assert "labels" not in plain_from_draft(TaskQuestion, draft)
    nodes = {
        node.path: node for node in Drawing("q", ("en",), {}, lambda path, value: None).build_nodes(TaskQuestion, draft)
    }
    assert nodes["labels"].hidden
    assert not nodes["scale"].hidden
    # Its ends have to be filled: they are not in a closed disclosure.
    assert nodes["scale"].is_open
    assert not nodes["scale"].is_filled
    draft["type"] = "single"
    assert len(plain_from_draft(TaskQuestion, draft)["labels"]) == 2


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ({"_": "A"}, "A"),
        ({"en": "A", "id": "  "}, {"en": "A"}),
        ({"_": "A", "en": "B"}, {"en": "B", "id": "A"}),
        ({"_": "A", "id": "B"}, {"id": "B", "en": "A"}),
        ({}, None),
    ],
)
def test_texts_by_language(typed: dict[str, str], expected: Any) -> None:
    assert plain_from_draft(SourceField, {"key": "k", "name": typed, "required": True}, "id").get("name") == expected


@pytest.mark.parametrize(
    ("action", "focus", "keys"),
    [
        ("add:questions.0.labels", "questions.0.labels.2", ["x", "y", ""]),
        ("remove:questions.0.labels.0", "questions.0.labels.0", ["y"]),
        ("remove:questions.0.labels.1", "questions.0.labels.0", ["x"]),
        ("up:questions.0.labels.1", "questions.0.labels.0", ["y", "x"]),
        ("down:questions.0.labels.0", "questions.0.labels.1", ["y", "x"]),
        ("up:questions.0.labels.0", "questions.0.labels.0", ["x", "y"]),
        ("remove:questions.0.labels.7", "", ["x", "y"]),
        ("remove:questions.9.labels.0", "", ["x", "y"]),
        ("add:questions.0.name", "", ["x", "y"]),
        ("add:nothing", "", ["x", "y"]),
        ("add:", "", ["x", "y"]),
        ("blow:questions.0.labels.0", "questions.0.labels.0", ["x", "y"]),
    ],
)
def test_rows_are_added_moved_and_taken_out(action: str, focus: str, keys: list[str]) -> None:
    draft = draft_from_plain(Task, EVERYTHING)
    assert apply_button(Task, draft, action) == focus
    assert [row["key"] for row in draft["questions"][0]["labels"]] == keys


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"colour": "red"}, "colour"),
        ({"source": "text"}, "source"),
        ({"source": [{"key": "a", "size": 3}]}, "source.0.size"),
        ({"name": {"en": ["a"]}}, "name.en"),
        ({"protocol": []}, "protocol"),
        ({"source": [{"required": "yes"}]}, "source.0.required"),
    ],
)
def test_what_the_form_has_no_field_for_is_named(change: dict[str, Any], path: str) -> None:
    with pytest.raises(FieldNotShown, match=f"^{path}$"):
        draft_from_plain(Task, {**EVERYTHING, **change})


def test_hostile_names_of_fields_make_no_draft() -> None:
    names = [
        "task",
        "task.",
        "task.source",
        "task.source.x.key",
        "task.name.en.more",
        "task." + "a." * 40,
        "other.name",
    ]
    draft = draft_from_form(Task, [(name, ["v"]) for name in names], "task")
    assert draft["source"] == []
    assert draft_from_form(Task, [("task.source.99999999999.key", ["v"])], "task")["source"][0]["key"] == "v"


def test_what_is_wrong_stands_at_the_nearest_field() -> None:
    nodes = drawn(draft_from_plain(Task, EVERYTHING))
    found = problems_by_node(
        [
            "questions.0.labels.1.name: is missing; add it.",
            "questions.0.labels.1.beyond: x.",
            "Nothing is there.",
        ],
        nodes,
    )
    assert found == [
        ("questions.0.labels.1.name", "is missing; add it."),
        ("questions.0.labels.1", "x."),
        ("", "Nothing is there."),
    ]
    assert titles_of_path("questions.0.labels.1.name", nodes) == "Question 1 → Label 2 → Name"
