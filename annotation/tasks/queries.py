"""Kinds of teams' own tasks: found by the hash of their description, and kept in memory, since a hash never changes."""

from django.utils.translation import get_language

from annotation.core.models.project import Project, TaskVersion
from annotation.kinds import Kind
from annotation.tasks.rules.kind import as_kind
from annotation.tasks.rules.reading import SLUG_PREFIX, slug_of, task_as_yaml, task_from_plain
from annotation.tasks.rules.task import Task

MOST_KEPT = 1000
_tasks_by_slug: dict[str, Task] = {}
_kinds: dict[tuple[str, str], Kind] = {}


def remember(task: Task) -> str:
    """Make a description known to this process, stored or not; the slug of its kind."""
    slug = slug_of(task)
    if len(_tasks_by_slug) >= MOST_KEPT:
        _tasks_by_slug.clear()
        _kinds.clear()
    _tasks_by_slug[slug] = task
    return slug


def task_of(slug: str) -> Task | None:
    """The description with this hash; None where no project has, or had, it."""
    if not slug.startswith(SLUG_PREFIX):
        return None
    if slug not in _tasks_by_slug:
        stored = TaskVersion.objects.filter(kind=slug).values_list("description", flat=True).first()
        if stored is None:
            return None
        remember(task_from_plain(stored, stored=True))
    return _tasks_by_slug[slug]


def task_of_project(project: Project) -> Task | None:
    """The description of a project; None where its kind is built in."""
    return task_of(project.kind)


def kind_of(slug: str) -> Kind | None:
    """The kind with this slug in the language of who asks; None where no description has it."""
    language = get_language() or "en"
    kind = _kinds.get((slug, language))
    if kind is None and (task := task_of(slug)) is not None:
        kind = _kinds[slug, language] = as_kind(task, language)
    return kind


def task_yaml_of_project(project: Project) -> str:
    """The description of a project's task in YAML; empty where its kind is built in."""
    task = task_of_project(project)
    return "" if task is None else task_as_yaml(task)
