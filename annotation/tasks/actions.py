"""Projects with a task of their own: made from a description, which is then changed by new versions."""

from typing import Any

from django.db import transaction
from django.db.models import Max

from annotation.content.models.item import Item
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Event
from annotation.core.models.project import GuidelineVersion, Project, TaskVersion
from annotation.core.models.user import User
from annotation.presets import Preset
from annotation.projects.actions.projects import project_create
from annotation.tasks.queries import task_of_project
from annotation.tasks.rules.changes import Change, changes, invalidating_changes
from annotation.tasks.rules.guidelines import guideline
from annotation.tasks.rules.known import remember
from annotation.tasks.rules.question import localised_text
from annotation.tasks.rules.reading import slug_of
from annotation.tasks.rules.task import Task

PRESET = "task"
# Where an item that is imported ready is put; what writers wrote and nobody voted on is for training.
RELEASE_READY, RELEASE_WRITTEN = "task", "task-written"


def task_project_create(*, slug: str, name: str = "", task: Task, by: User | None = None, **more: Any) -> Project:
    """A project with a task of its own, and the first version of its description; `more` as `project_create` has it."""
    language = more.pop("language", "") or task.language
    preset = Preset(
        slug=PRESET,
        name=localised_text(task.name, "en"),
        description=localised_text(task.description, "en"),
        kind=remember(task),
        language=task.language,
        protocol="",
        share=task.share,
        release=RELEASE_WRITTEN if task.authoring else RELEASE_READY,
        writing_guideline="task-writing",
        validation_guideline="task-validation",
        settings={},
    )
    guidelines = {GuidelineVersion.Role.VALIDATION.value: task.guidelines or guideline(task, language)}
    with transaction.atomic():
        project = project_create(
            slug=slug,
            name=name or localised_text(task.name, language)[:200],
            preset=preset,
            language=language,
            by=by,
            protocol=more.pop("protocol", None) or task.protocol.protocol(),
            guidelines=guidelines,
            **more,
        )
        TaskVersion.objects.create(project=project, n=1, kind=project.kind, description=task.plain(), by=by)
    return project


def task_publish(*, project: Project, task: Task, by: User | None = None, version: int | None = None) -> list[Change]:
    """A new version of the description; the changes that it brings. The same again changes nothing.

    Raises Conflict where items are there that would not hold for it, and NotFound where the kind is built in.
    """
    with transaction.atomic():
        fresh = Project.lock(project.pk, closed="project_closed")
        if version is not None and fresh.version != version:
            raise Conflict(code="stale")
        old = task_of_project(fresh)
        if old is None:
            raise NotFound
        if slug_of(old) == slug_of(task):
            return []
        if Item.objects.filter(project=fresh).exists() and (broken := invalidating_changes(old, task)):
            changes_text = "; ".join(f"{change.path} {change.words}" for change in broken)
            raise Invalid(changes_text, field="task", code="task_breaks_votes")
        fresh.kind = remember(task)
        fresh.version += 1
        fresh.save(update_fields=["kind", "version"])
        last = fresh.tasks.aggregate(n=Max("n"))["n"] or 0
        TaskVersion.objects.create(project=fresh, n=last + 1, kind=fresh.kind, description=task.plain(), by=by)
        found = changes(old, task)
        Event.record(fresh, by, "task_published", n=last + 1, changes=[change.path for change in found])
    project.refresh_from_db()
    return found
