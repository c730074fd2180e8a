"""What models are asked of teams' own tasks: the first question, where a model that reads texts can be asked it."""

from typing import Any

import pytest

from annotation.kinds import Kind
from annotation.tasks.rules.kind import as_kind
from annotation.tasks.rules.reading import task_from_plain
from annotation.tasks.rules.templates import template
from exports.formats.rules.configs import Config
from exports.lm_eval.rules.task_docs import documents
from exports.lm_eval.rules.tasks import check_text, question_of_task, task_type_of


def a_config(kind: Kind) -> Config:
    return Config("id", 0, kind, "id", "", {"test": "test.jsonl"})


@pytest.mark.parametrize(
    ("template_slug", "sort", "row", "answer"),
    [
        ("sentiment", "task-choice", {"text": "Enak.", "label": "positive"}, 0),
        ("sentiment", "task-choice", {"text": "Enak.", "label": "-"}, None),
        ("toxicity", "task-choice", {"comment": "Hai.", "label": "4"}, 3),
        ("preference", "task-choice", {"prompt": "?", "response_a": "a", "label": "tie"}, 2),
        ("claims", "task-choice", {"claim": "a", "evidence": "b", "label": "open"}, 2),
        ("extractive-qa", "task-words", {"passage": "Di Solo.", "answer": [{"text": "Solo"}]}, "Solo"),
        ("extractive-qa", "task-words", {"passage": "Di Solo.", "answer": []}, None),
        # Which labels of a set are right no single answer says.
        ("emotions", None, {}, None),
    ],
)
def test_what_is_asked_of_a_team_s_own_task(template_slug: str, sort: str | None, row: dict[str, Any], answer: Any):
    config = a_config(as_kind(template(template_slug), "id"))
    found = task_type_of(config)
    assert (found.slug if found else None) == sort
    if found is None:
        return
    for prompt in found.prompts:
        check_text(found, prompt.text)
    made = list(documents(found.slug, iter([row]), question_of_task(config.kind)))
    assert [document["answer"] for document in made] == ([] if answer is None else [answer])
    for document in made:
        assert document["given"].endswith(str(list(row.values())[-2]))
        assert found.places.keys() <= document.keys()


def test_no_model_that_reads_is_asked_about_images_or_several_passages():
    plain = template("extractive-qa").plain()
    plain["questions"][0]["many"] = True
    assert question_of_task(as_kind(task_from_plain(plain))) is None
    plain = template("sentiment").plain()
    plain["source"].append({"key": "foto", "name": "Foto", "type": "image", "hosts": ["a.example.org"]})
    assert question_of_task(as_kind(task_from_plain(plain))) is None
