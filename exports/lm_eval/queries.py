"""A project's own prompts for the tasks of its releases: for pages, and for freezing a release."""

from typing import Any

from annotation.core.models.project import Project
from exports.lm_eval.models import TaskPrompt
from exports.lm_eval.rules.tasks import TaskType, task_types_of


def task_types(project: Project) -> list[TaskType]:
    """The sorts of task that releases of the project may hold."""
    shapes = sorted(set(project.source_sets.values_list("shape", flat=True)))
    return task_types_of(project.kind_spec, shapes, open_qa=True, sentences=True)


def task_type_named(project: Project, task: str) -> TaskType | None:
    """The sort of task of this name, where releases of the project may hold it."""
    return next((sort for sort in task_types(project) if sort.slug == task), None)


def newest_prompts(project: Project) -> dict[tuple[str, str], TaskPrompt]:
    """The newest version of every prompt by task and name, those that were ended among them."""
    rows = TaskPrompt.objects.filter(project=project).order_by("task", "name", "n")
    return {(row.task, row.name): row for row in rows}


def prompt_versions(project: Project, task: str, name: str) -> list[TaskPrompt]:
    """Every version of one prompt, the first one first."""
    result = TaskPrompt.objects.select_related("by").filter(project=project, task=task, name=name)
    return list(result.order_by("n"))


def release_context(project: Project) -> dict[str, Any]:
    """What a release of the project freezes: the prompts in use, if there are any."""
    rows = [row for row in newest_prompts(project).values() if not row.ended]
    prompts = [{"task": row.task, "name": row.name, "n": row.n, "text": row.text} for row in rows]
    prompts.sort(key=lambda prompt: (prompt["task"], prompt["name"]))
    return {"task_prompts": prompts} if prompts else {}
