"""Kinds of teams' own tasks: found by the hash of their description, and kept in memory, since a hash never changes."""

from django.utils.translation import get_language

from annotation.core.models.project import Project, TaskVersion
from annotation.kinds import Kind
from annotation.tasks.rules.kind import as_kind
from annotation.tasks.rules.reading import PREFIX, of_plain, slug_of, written
from annotation.tasks.rules.task import Task

MOST_KEPT = 1000
_known: dict[str, Task] = {}
_kinds: dict[tuple[str, str], Kind] = {}


def remember(task: Task) -> str:
    """Make a description known to this process, stored or not; the slug of its kind."""
    slug = slug_of(task)
    if len(_known) >= MOST_KEPT:
        _known.clear()
        _kinds.clear()
    _known[slug] = task
    return slug


def task_of(slug: str) -> Task | None:
    """The description with this hash; None where no project has, or had, it."""
    if not slug.startswith(PREFIX):
        return None
    if slug not in _known:
        stored = TaskVersion.objects.filter(kind=slug).values_list("description", flat=True).first()
        if stored is None:
            return None
        remember(of_plain(stored))
    return _known[slug]


def task_in(project: Project) -> Task | None:
    """The description of a project; None where its kind is built in."""
    return task_of(project.kind)


def kind_of(slug: str) -> Kind | None:
    """The kind with this slug in the language of who asks; None where no description has it."""
    language = get_language() or "en"
    kind = _kinds.get((slug, language))
    if kind is None and (task := task_of(slug)) is not None:
        kind = _kinds[slug, language] = as_kind(task, language)
    return kind


def described(project: Project) -> str:
    """The description of a project's task in YAML; empty where its kind is built in."""
    task = task_in(project)
    return "" if task is None else written(task)
