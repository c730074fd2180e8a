"""A folder of tasks for lm-evaluation-harness: one file a config and prompt, and the helper that reads the rows."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_noop

from annotation.text.language_codes import language_of
from exports.formats.release.base import Form, Told
from exports.formats.release.tables import configs_of
from exports.formats.rules.configs import Config
from exports.lm_eval.rules import task_docs
from exports.lm_eval.rules.task_files import FOLDER, HELPER, Asked, Task, guide, tasks
from exports.lm_eval.rules.tasks import Sort, sort_of


def write(told: Told) -> None:
    """Write the tasks of every config that asks something, then what they share."""
    found = [(config, _tasks(told, config)) for config in configs_of(told)]
    written = [(config.title, task) for config, made in found for task in made]
    if not written:
        return
    for _, task in written:
        told.put(task.path, task.text.encode())
    told.put(HELPER, Path(task_docs.__file__).read_bytes())
    told.put(f"{FOLDER}/README.md", guide(written).encode())


def _tasks(told: Told, config: Config) -> list[Task]:
    sort = sort_of(config)
    if sort is None:
        return []
    counts, lacking = _counted(told, config, sort)
    part = told.parts[config.part]
    own = [
        (each["name"], each["n"], each["text"])
        for each in part.context.get("task_prompts", ())
        if each["task"] == sort.slug
    ]
    return tasks(
        Asked(
            config,
            part.project["slug"],
            counts,
            lacking,
            own,
            language=_language(config.language, config.register),
            into=_language(part.project["language"], ""),
        )
    )


def _counted(told: Told, config: Config, sort: Sort) -> tuple[Counter[str], frozenset[str]]:
    """How many documents each split has, and the places that some of them leave empty."""
    counts, lacking = Counter[str](), set[str]()
    for split, path in config.splits.items():
        for document in task_docs.documents(sort.slug, _rows(told, path)):
            counts[split] += 1
            lacking.update(place for place in sort.places if not str(document.get(place, "")).strip())
    return counts, frozenset(lacking)


def _rows(told: Told, path: str) -> Iterator[dict[str, Any]]:
    for page in told.rows(path):
        yield from page


def _language(code: str, register: str) -> str:
    found = language_of(code)
    name = (found.name if found else "") or code
    return f"{name} ({register})" if register else name


def fits(told: Told) -> bool:
    """Whether any config asks something."""
    return any(sort_of(config) is not None for config in configs_of(told))


FORM = Form(
    slug="lm_eval",
    title=gettext_noop("Tasks for lm-evaluation-harness"),
    help=gettext_noop("Tasks that run from anywhere, with the prompts of the papers and the project’s own."),
    write=write,
    order=70,
    fits=fits,
)
