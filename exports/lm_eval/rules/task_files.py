"""The files of a release's tasks: one a config and prompt, as lm-evaluation-harness reads it.

Pure. A file is YAML whose values are JSON, so that its bytes are the same everywhere; functions are those of the
helper beside it (exports.lm_eval.rules.task_docs), named from where the file lies, so the folder works from anywhere.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from exports.formats.rules.configs import Config
from exports.lm_eval.rules.tasks import (
    CHOOSE,
    LETTER,
    MC,
    TRANSLATE,
    WORDS,
    Prompt,
    TaskType,
    check_text,
    placeholders_of,
    question_of_task,
    task_type_of,
)
from exports.releases.rules.markdown import as_yaml, plain, template_text


@dataclass(frozen=True)
class Task:
    """A task of a release: its name, the file that it stands in, and the file's text."""

    name: str
    path: str
    text: str
    source: str


FOLDER, HELPER = "lm_eval", "lm_eval/utils.py"
OWN_SOURCE = "the project's own"
# The harness knows what is evaluated as the test, wherever it comes from.
_TEST, _EXAMPLES = ("test", "validation"), ("validation", "train")


@dataclass(frozen=True)
class ConfigTasks:
    """What a config's tasks are made from: `counts` are its documents by split, `places_lacking` places that some have
    empty.

    `project` is the short name that tasks begin with, `target_language` what is translated into; `own_prompts` are the
    project's prompts.
    """

    config: Config
    project: str
    counts: Mapping[str, int]
    places_lacking: frozenset[str] = frozenset()
    own_prompts: Sequence[tuple[str, int, str]] = ()
    language: str = ""
    target_language: str = ""


def make_tasks(asked: ConfigTasks) -> list[Task]:
    """The task of every prompt that a config's documents have all places for; none where there is no document.

    Raises PromptFault where a text would bring the harness more than its places.
    """
    sort = task_type_of(asked.config)
    splits = {split: path for split, path in asked.config.splits.items() if asked.counts.get(split)}
    if sort is None or not splits:
        return []
    first = sort.prompts[0]
    own = [replace(first, name=name, text=text, source="", needs="") for name, _, text in asked.own_prompts]
    numbers = {name: n for name, n, _ in asked.own_prompts}
    result = []
    for prompt in (*sort.prompts, *own):
        places = {prompt.needs} if prompt.source else placeholders_of(prompt.text)
        if not places & asked.places_lacking:
            result.append(_task(asked, sort, prompt, splits, numbers.get(prompt.name, 1)))
    return result


def _task(asked: ConfigTasks, sort: TaskType, prompt: Prompt, splits: Mapping[str, str], version: int) -> Task:
    project, config = template_text(asked.project), template_text(asked.config.name)
    name = f"{project}_{config}_{template_text(prompt.name)}"
    test = next((split for split in _TEST if split in splits), next(iter(splits)))
    examples = next((split for split in _EXAMPLES if split in splits and split != test), None)
    text, kind_config = prompt.text, question_of_task(asked.config.kind)
    if prompt.source:
        # Languages have a name in built-in prompts alone: what people call theirs is free text.
        names = {"{language}": template_text(asked.language), "{into}": template_text(asked.target_language)}
        text = re.sub(r"\{(?:language|into)\}", lambda found: names[found[0]], text)
    check_text(sort, text)
    values: dict[str, Any] = {
        "task": name,
        "tag": [project, f"{project}_{config}"],
        "custom_dataset": Function("load"),
        "dataset_kwargs": {
            "sort": sort.slug,
            "files": dict(splits),
            **({"asked": kind_config} if kind_config else {}),
        },
        "test_split": test,
        **({"fewshot_split": examples} if examples else {}),
        "doc_to_text": text,
        "doc_to_target": "key" if prompt.scoring_method == LETTER else "answer",
        **_answer_settings(prompt),
        "metadata": {"version": float(version)},
    }
    source = prompt.source or OWN_SOURCE
    lines = [f"# {sort.title}. Prompt: {source}.", *map(_yaml_line, values.items()), ""]
    return Task(name, f"{FOLDER}/{name}.yaml", "\n".join(lines), source)


def folder_readme(listed: Sequence[tuple[str, Task]]) -> str:
    """What the folder's README says: how to run it, and every task with the config that it is of."""
    lines = [
        "# Tasks for lm-evaluation-harness",
        "",
        "From anywhere, with the path to this folder:",
        "",
        "```",
        f"lm_eval --model hf --model_args pretrained=MODEL --include_path path/to/{FOLDER} --tasks {listed[0][1].name}",
        "```",
        "",
        "A config's tasks, and those of the whole release, have a tag by which they run together. `utils.py` reads the",
        "rows from the JSON Lines beside this folder; it needs nothing that the harness does not bring. A row without",
        "its answer is asked nowhere.",
        "",
        "| task | of | prompt |",
        "|---|---|---|",
        *(f"| `{task.name}` | {plain(title)} | {plain(task.source)} |" for title, task in listed),
        "",
    ]
    return "\n".join(lines)


class Function(str):
    """The name of a function of the helper that lies beside the tasks."""


def _metrics(*names: str) -> list[dict[str, Any]]:
    return [{"metric": name, "aggregation": "mean", "higher_is_better": True} for name in names]


def _generation_settings(stop: str, most: int) -> dict[str, Any]:
    asked = {"until": [stop], "do_sample": False, "max_gen_toks": most}
    return {"output_type": "generate_until", "generation_kwargs": asked}


def _answer_settings(prompt: Prompt) -> dict[str, Any]:
    """How the harness takes an answer to a prompt, and what it measures."""
    choice = {"output_type": "multiple_choice", "doc_to_choice": prompt.choice_form}
    if prompt.scoring_method == CHOOSE:
        names: Sequence[str] = ("acc", "acc_norm", "acc_bytes") if prompt.choice_form == "texts" else ("acc",)
        return {**choice, "metric_list": _metrics(*names)}
    if prompt.scoring_method == MC:
        return {**choice, "process_results": Function("mc"), "metric_list": _metrics("mc1", "mc2")}
    if prompt.scoring_method == TRANSLATE:
        metrics = [{"metric": name, "aggregation": name, "higher_is_better": True} for name in ("chrf", "bleu")]
        return {**_generation_settings("\n", 256), "metric_list": metrics}
    function, *names = {LETTER: ("letter", "acc"), WORDS: ("words", "exact", "holds", "f1")}[prompt.scoring_method]
    return {
        **_generation_settings("\n\n", 64),
        "process_results": Function(function),
        "metric_list": _metrics(*names),
    }


def _yaml_line(pair: tuple[str, Any]) -> str:
    """A line of YAML."""
    name, value = pair
    if isinstance(value, Function):
        return f"{name}: !function utils.{value}"
    return f"{name}: {as_yaml(json.dumps(value, ensure_ascii=False))}"
