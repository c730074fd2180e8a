"""Descriptions of tasks: what is wrong with one is said in sentences, and which change would invalidate votes."""

import copy
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from annotation.answers import types_by_slug
from annotation.tasks.rules import reading
from annotation.tasks.rules.changes import changes
from annotation.tasks.rules.kind import as_kind
from annotation.tasks.rules.question import PALETTE, Criterion, Ends, TaskLabel, TaskQuestion
from annotation.tasks.rules.reading import TaskRefused, read, slug_of, task_as_yaml, task_from_plain
from annotation.tasks.rules.task import Authoring, Rounds, SideText, SourceField, Task
from annotation.tasks.rules.templates import template, templates
from tests import services

TEMPLATES = ["claims", "emotions", "extractive-qa", "preference", "sentiment", "toxicity"]
SCHEMA = services.ROOT / "docs" / "task.schema.json"


def plain(slug: str = "sentiment") -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(templates()[slug])
    return loaded


def refused(data: object) -> list[str]:
    with pytest.raises(TaskRefused) as caught:
        task_from_plain(data)
    return caught.value.problems


@pytest.mark.parametrize("slug", TEMPLATES)
def test_templates_are_read_written_and_read_again(slug: str) -> None:
    task = template(slug)
    assert list(templates()) == TEMPLATES
    assert read(task_as_yaml(task)) == task
    assert slug_of(read(task_as_yaml(task))) == slug_of(task)
    assert len(slug_of(task)) <= 40
    for language in ("en", "id"):
        kind = as_kind(task, language)
        assert kind.name == plain(slug)["name"][language]
        assert len({label.letter for label in kind.question.labels}) == len(kind.question.labels)


@pytest.mark.parametrize("slug", TEMPLATES)
def test_templates_speak_english_and_indonesian(slug: str) -> None:
    """Every text for people stands in both languages."""

    def check(value: Any, path: str) -> None:
        if isinstance(value, dict):
            if "en" in value or "id" in value:
                assert set(value) == {"en", "id"}, path
                return
            for name, inner in value.items():
                if name in ("name", "text", "help", "description", "low", "high"):
                    assert isinstance(inner, dict), f"{path}.{name}"
                check(inner, f"{path}.{name}")
        elif isinstance(value, list):
            for place, inner in enumerate(value):
                check(inner, f"{path}.{place}")

    check(plain(slug), slug)


def test_the_schema_of_the_documents_is_that_of_the_code() -> None:
    assert SCHEMA.read_bytes() == reading.json_schema()


def test_the_document_has_every_field_and_every_answer_type() -> None:
    text = (services.ROOT / "docs" / "tasks.md").read_text()
    parts = (Task, SourceField, SideText, TaskQuestion, TaskLabel, Criterion, Ends, Authoring, Rounds)
    names = {name for part in parts for name in part.model_fields}
    assert [name for name in sorted(names | set(types_by_slug())) if f"`{name}`" not in text] == []
    assert [slug for slug in templates() if f"| `{slug}` |" not in text] == []
    assert [name for name in PALETTE if name not in text] == []


def test_the_example_of_the_document_is_a_task() -> None:
    text = (services.ROOT / "docs" / "tasks.md").read_text()
    (example,) = re.findall(r"```yaml\n(.*?)```", text, re.S)
    assert as_kind(read(example)).question.label_keys == ("yes", "no")


def _without(name: str) -> dict[str, Any]:
    return {key: value for key, value in plain().items() if key != name}


def _with(change: Any) -> dict[str, Any]:
    data = copy.deepcopy(plain())
    change(data)
    return data


MANY = {
    "key": "many",
    "text": "?",
    "type": "several",
    "labels": [{"key": "a", "name": "A"}, {"key": "b", "name": "B"}],
}
YES_OR_NO = {"text": "?", "type": "criteria", "criteria": [{"key": "b", "name": "B"}]}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([], "The description must be a mapping; begin with version, name, source, questions."),
        (_without("source"), "source: is missing; add it."),
        (_without("name"), "name: is missing; add it."),
        (
            _with(lambda d: d.update(nmae=1)),
            "nmae: is no field here; take it out or look for a typing error.",
        ),
        (_with(lambda d: d.update(version=2)), "version: must be one of 1."),
        (_with(lambda d: d.update(name="  ")), "name: must not be empty."),
        (
            _with(lambda d: d.update(name={"english": "x"})),
            "name: “english” is no language code; write one such as en or id.",
        ),
        (_with(lambda d: d["source"][0].update(max_length=0)), "source.0.max_length: must be at least 1."),
        (
            _with(lambda d: d["source"][0].update(key="label")),
            "source.0.key: “label” is a column that every release has; choose another key.",
        ),
        (
            _with(lambda d: d["source"].append({"key": "sentiment", "name": "S"})),
            "source and questions: the column “sentiment” stands there twice; change one.",
        ),
        (
            _with(lambda d: d["questions"][0]["labels"][1].update(key="positive")),
            "questions.0.labels: the key “positive” stands there twice; change one.",
        ),
        (
            _with(lambda d: d["questions"][0]["labels"][1].update(letter="p")),
            "questions.0.labels: the letter “p” stands there twice; change one.",
        ),
        (
            _with(lambda d: d["questions"][0].update(labels=[])),
            "questions.0.labels: at least two are needed.",
        ),
        (
            _with(lambda d: d["questions"][0].update(tie=True)),
            "questions.0.tie: a question of type single does not have it; take it out.",
        ),
        (
            _with(lambda d: d["questions"][0].update(type="multiple")),
            "questions.0.type: must be one of single, several, scale, criteria, preference, spans, free_text.",
        ),
        (
            _with(lambda d: d["questions"].append({"key": "s", "text": "?", "type": "spans", "of": "body"})),
            "questions.1.of: there is no text “body”; there are text.",
        ),
        (
            _with(lambda d: d["questions"].append({"key": "s", "text": "?", "type": "preference", "between": "x"})),
            "questions.1.between: there is no field “x” of type texts; there are none.",
        ),
        (
            _with(lambda d: d["questions"].append({**MANY, "suggested": "before"})),
            "questions.1.suggested: there is no text “before”; there are text.",
        ),
        (
            _with(lambda d: d["questions"][0].update(suggested="text")),
            "questions.0.suggested: a question of type single does not have it; take it out.",
        ),
        *(
            (_with(lambda d, more=more: d["questions"].extend(more)), sentence)
            for more, sentence in (
                (
                    [{"key": "a", **YES_OR_NO}, {"key": "a_b", "text": "?", "type": "free_text"}],
                    "source and questions: the column “a_b” stands there twice; change one.",
                ),
                (
                    [{"key": "text", **{**YES_OR_NO, "criteria": [{"key": "error", "name": "E"}]}}],
                    "source and questions: the column “text” stands there twice; change one.",
                ),
                (
                    [{"key": "labels", "text": "?", "type": "free_text"}],
                    "questions: releases have a column “annotator_labels” already; give another key.",
                ),
            )
        ),
        (_with(lambda d: d.update(guidelines="a\0b")), "guidelines: holds a control character; take it out."),
        (
            _with(lambda d: d["protocol"].update(quorum=9)),
            "protocol.quorum: cannot be reached with 3 votes.",
        ),
        (
            _with(lambda d: d.update(authoring={"writes": "text"})),
            "authoring: writers need a source; add a field beside the one that they write.",
        ),
        (
            _with(lambda d: d.update(shuffle=["sides"])),
            "shuffle: sides are shuffled for a question of type preference; there is none.",
        ),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence_with_its_field(data: object, sentence: str) -> None:
    assert sentence in refused(data)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a: &x [1]\nb: *x\n", "anchors and aliases"),
        ("name: [1", "cannot be read"),
        ("- " * 5000 + "x", "^Line 1: this is nested deeper than 12 levels"),
        ("a: 1\nb:\n" + "".join(f"{' ' * n}a:\n" for n in range(1, 400)), "^Line 13: this is nested deeper"),
        ("[" * 12_000, "^Line 1: this is nested deeper than 12 levels"),
        ("{" * 12_000, "^Line 1: this is nested deeper than 12 levels"),
        ("questions: [" + "{}," * 30_000 + "]", r"\nThere are 89952 more\.$"),
        ("x" * 200_000, "at most 100000"),
        (f"a: 1\nb: {'9' * 5000}\n", r"^Line 2: this number is too long; at most 30 digits are read\.$"),
        ("name: !!python/object/apply:os.system ['true']", "cannot be read"),
        ("\0", "cannot be read"),
        ("", "must be a mapping"),
        ("when: 2026-99-99", "read"),
    ],
)
def test_no_text_raises_anything_else(text: str, part: str) -> None:
    with pytest.raises(TaskRefused, match=part):
        read(text)


def _label(data: dict[str, Any], **more: Any) -> None:
    data["questions"][0]["labels"][0].update(more)


WHY = {"key": "why", "text": "Why?", "type": "free_text", "required": False}


@pytest.mark.parametrize(
    ("slug", "change", "path", "invalidates"),
    [
        ("sentiment", lambda d: d.update(name="Other"), "name", False),
        ("sentiment", lambda d: _label(d, colour="blue"), "questions.sentiment.labels", False),
        ("sentiment", lambda d: _label(d, name="Good"), "questions.sentiment.labels", False),
        (
            "sentiment",
            lambda d: d["questions"][0].update(help="Look twice."),
            "questions.sentiment.help",
            False,
        ),
        (
            "sentiment",
            lambda d: d["questions"][0]["labels"].pop(),
            "questions.sentiment.labels.negative",
            True,
        ),
        ("sentiment", lambda d: _label(d, key="good"), "questions.sentiment.labels.good", True),
        ("sentiment", lambda d: d.update(language="jv"), "language", True),
        ("sentiment", lambda d: d["source"][0].update(max_length=10), "source.text.max_length", True),
        ("sentiment", lambda d: d["source"][0].update(max_length=9000), "source.text", False),
        ("sentiment", lambda d: d["source"].append({"key": "more", "name": "M"}), "source.more", True),
        (
            "sentiment",
            lambda d: d["source"].append({"key": "more", "name": "M", "required": False}),
            "source.more",
            False,
        ),
        # Its votes are labels alone; beside a second question they would be answers.
        ("sentiment", lambda d: d["questions"].append(dict(WHY)), "questions", True),
        ("claims", lambda d: d["questions"].pop(), "questions.passages", True),
        ("claims", lambda d: d["questions"][1].update(many=False), "questions.passages.many", True),
        ("claims", lambda d: d["questions"][1].update(required=True), "questions.passages.required", True),
        ("toxicity", lambda d: d["questions"][0]["scale"].update(last=7), "questions.toxicity.scale.6", True),
        (
            "toxicity",
            lambda d: d["questions"][0]["scale"].update(low="mild"),
            "questions.toxicity.scale",
            False,
        ),
        ("preference", lambda d: d["questions"][0].update(tie=False), "questions.better.tie", True),
        (
            "preference",
            lambda d: d["questions"][1]["criteria"].pop(),
            "questions.criteria.criteria.clear",
            True,
        ),
        ("preference", lambda d: d["questions"].reverse(), "questions", True),
        (
            "emotions",
            lambda d: d["questions"][0].update(suggested="text"),
            "questions.emotions.suggested",
            False,
        ),
        ("emotions", lambda d: d["questions"][0].update(type="single"), "questions.emotions.type", True),
    ],
)
def test_a_change_says_whether_votes_would_hold(slug: str, change: Any, path: str, invalidates: bool) -> None:
    data = plain(slug)
    change(data)
    assert (path, invalidates) in [
        (each.path, each.invalidates) for each in changes(template(slug), task_from_plain(data))
    ]


@pytest.mark.parametrize("slug", TEMPLATES)
def test_no_change_is_no_change(slug: str) -> None:
    assert changes(template(slug), task_from_plain(plain(slug))) == []


def test_templates_folder_holds_nothing_else() -> None:
    folder = Path(reading.__file__).parents[1] / "templates"
    assert sorted(path.stem for path in folder.iterdir()) == TEMPLATES
