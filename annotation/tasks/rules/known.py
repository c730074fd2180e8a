"""The descriptions of teams' own tasks that this process knows, by their hash: a hash never changes."""

from collections.abc import Callable

from annotation.kinds import Kind
from annotation.tasks.rules.kind import as_kind
from annotation.tasks.rules.reading import SLUG_PREFIX, slug_of
from annotation.tasks.rules.task import Task

MOST_KEPT = 1000
_tasks_by_slug: dict[str, Task] = {}
_kinds: dict[tuple[str, str], Kind] = {}
_finders: list[Callable[[str], Task | None]] = []


def remember(task: Task) -> str:
    """Make a description known to this process, stored or not; the slug of its kind."""
    slug = slug_of(task)
    if len(_tasks_by_slug) >= MOST_KEPT:
        forget()
    _tasks_by_slug[slug] = task
    return slug


def forget() -> None:
    """Know nothing: what is asked for is found again."""
    _tasks_by_slug.clear()
    _kinds.clear()


def add_finder(find: Callable[[str], Task | None]) -> None:
    """Have `task_of` ask this for a hash that nobody told it."""
    _finders.append(find)


def task_of(slug: str) -> Task | None:
    """The description with this hash; None where nobody has it."""
    if not slug.startswith(SLUG_PREFIX):
        return None
    if slug not in _tasks_by_slug:
        for find in _finders:
            if (task := find(slug)) is not None:
                remember(task)
                return task
        return None
    return _tasks_by_slug[slug]


def kind_of(slug: str, language: str = "en") -> Kind | None:
    """The kind with this slug in a language; None where no description has it."""
    kind = _kinds.get((slug, language))
    if kind is None and (task := task_of(slug)) is not None:
        kind = _kinds[slug, language] = as_kind(task, language)
    return kind
