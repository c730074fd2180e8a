"""A folder of tasks for lm-evaluation-harness: one file a config and prompt, and the helper that reads the rows."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

from annotation.tasks.rules.kind import as_kind
from annotation.tasks.rules.known import task_of
from annotation.text.gettext import gettext_noop
from annotation.text.language_codes import language_of
from exports.formats.release.base import Form, ReleaseFiles, configs_of
from exports.formats.rules.configs import Config
from exports.lm_eval.rules import task_docs
from exports.lm_eval.rules.task_files import FOLDER, HELPER, ConfigTasks, Task, folder_readme, make_tasks
from exports.lm_eval.rules.tasks import TaskType, question_of_task, task_type_of


def write(release: ReleaseFiles) -> None:
    """Write the tasks of every config that asks something, then what they share."""
    result = [(config, _tasks(release, config)) for config in map(_in_its_language, configs_of(release))]
    written = [(config.title, task) for config, made in result for task in made]
    if not written:
        return
    for _, task in written:
        release.put(task.path, task.text.encode())
    release.put(HELPER, Path(task_docs.__file__).read_bytes())
    release.put(f"{FOLDER}/README.md", folder_readme(written).encode())


def _in_its_language(config: Config) -> Config:
    """A team's own task is asked in the language of its texts, as far as its description has it."""
    task = task_of(config.kind.slug)
    return config if task is None else replace(config, kind=as_kind(task, config.language))


def _tasks(release: ReleaseFiles, config: Config) -> list[Task]:
    sort = task_type_of(config)
    if sort is None:
        return []
    counts, lacking = _count_documents(release, config, sort)
    part = release.parts[config.part]
    own = [
        (each["name"], each["n"], each["text"])
        for each in part.context.get("task_prompts", ())
        if each["task"] == sort.slug
    ]
    return make_tasks(
        ConfigTasks(
            config,
            part.project["slug"],
            counts,
            lacking,
            own,
            language=_language(config.language, config.register),
            target_language=_language(part.project["language"], ""),
        )
    )


def _count_documents(release: ReleaseFiles, config: Config, sort: TaskType) -> tuple[Counter[str], frozenset[str]]:
    """How many documents each split has, and the places that some of them leave empty."""
    counts, lacking = Counter[str](), set[str]()
    for split, path in config.splits.items():
        for document in task_docs.documents(sort.slug, release.iter_rows(path), question_of_task(config.kind)):
            counts[split] += 1
            lacking.update(place for place in sort.places if not str(document.get(place, "")).strip())
    return counts, frozenset(lacking)


def _language(code: str, register: str) -> str:
    result = language_of(code)
    name = (result.name if result else "") or code
    return f"{name} ({register})" if register else name


def has_tasks(release: ReleaseFiles) -> bool:
    """Whether any config asks something."""
    return any(task_type_of(config) is not None for config in configs_of(release))


FORM = Form(
    slug="lm_eval",
    title=gettext_noop("Tasks for lm-evaluation-harness"),
    help=gettext_noop("Tasks that run from anywhere, with the prompts of the papers and the project’s own."),
    write=write,
    order=70,
    applies_to=has_tasks,
)
