"""Kinds of teams' own tasks: found by the hash of their description in the database, and kept in memory."""

from django.utils.translation import get_language

from annotation.core.models.project import Project, TaskVersion
from annotation.kinds import Kind
from annotation.tasks.rules import known
from annotation.tasks.rules.known import task_of
from annotation.tasks.rules.reading import task_as_yaml, task_from_plain
from annotation.tasks.rules.task import Task

__all__ = ["kind_of", "task_of", "task_of_project", "task_yaml_of_project"]


def _stored(slug: str) -> Task | None:
    """The description with this hash; None where no project has, or had, it."""
    stored = TaskVersion.objects.filter(kind=slug).values_list("description", flat=True).first()
    return None if stored is None else task_from_plain(stored, stored=True)


known.add_finder(_stored)


def task_of_project(project: Project) -> Task | None:
    """The description of a project; None where its kind is built in."""
    return task_of(project.kind)


def kind_of(slug: str) -> Kind | None:
    """The kind with this slug in the language of who asks; None where no description has it."""
    return known.kind_of(slug, get_language() or "en")


def task_yaml_of_project(project: Project) -> str:
    """The description of a project's task in YAML; empty where its kind is built in."""
    task = task_of_project(project)
    return "" if task is None else task_as_yaml(task)
