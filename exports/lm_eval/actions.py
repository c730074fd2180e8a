"""The only writers of a project's own prompts for tasks; a version is never changed, the next one says what differs."""

from django.db import transaction

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs.database import locked
from annotation.text.normalise import storable
from exports.lm_eval.models import TaskPrompt
from exports.lm_eval.queries import newest, sorts
from exports.lm_eval.rules.tasks import PromptFault, Sort, check_name, check_text


def prompt_save(
    *, project: Project, by: User | None, task: str, name: str, text: str, seen: int = 0
) -> TaskPrompt:
    """A new version of a prompt, from the next release on; `seen` is the number that was shown (0: a new prompt).

    A text that stands already makes no new version, so that a click sent twice saves once. Raises Invalid where it
    cannot be used (`fault` says why), Conflict where somebody was faster.
    """
    said = text.replace("\r\n", "\n").replace("\r", "\n")
    _check(_sort(project, task), name, said, new=not seen)
    with transaction.atomic():
        locked(Project.objects.filter(pk=project.pk)).get()
        now = newest(project).get((task, name))
        if now is not None and not now.ended and now.text == said:
            return now
        if seen != (now.n if now else 0):
            raise Conflict(code="task_prompt_stale" if seen else "task_prompt_name_taken", field="text")
        return _next(project, by, task, name, said, now, ended=False)


def prompt_end(*, project: Project, by: User | None, task: str, name: str, seen: int) -> TaskPrompt:
    """Leave a prompt out of further releases; a new version brings it back. Raises Conflict, Invalid."""
    with transaction.atomic():
        locked(Project.objects.filter(pk=project.pk)).get()
        now = newest(project).get((task, name))
        if now is None:
            raise Invalid(code="task_prompt_task", field="task")
        if now.ended:
            return now
        if seen != now.n:
            raise Conflict(code="task_prompt_stale", field="text")
        return _next(project, by, task, name, now.text, now, ended=True)


def _next(
    project: Project,
    by: User | None,
    task: str,
    name: str,
    text: str,
    now: TaskPrompt | None,
    *,
    ended: bool,
) -> TaskPrompt:
    made = TaskPrompt.objects.create(
        project=project, task=task, name=name, n=(now.n if now else 0) + 1, text=text, ended=ended, by=by
    )
    data = {"task": task, "name": name, "n": made.n}
    if ended:
        Event.objects.create(project=project, actor=by, verb="task_prompt_ended", data=data)
    else:
        Event.objects.create(project=project, actor=by, verb="task_prompt_saved", data=data)
    return made


def _sort(project: Project, task: str) -> Sort:
    found = next((sort for sort in sorts(project) if sort.slug == task), None)
    if found is None:
        raise Invalid(code="task_prompt_task", field="task")
    return found


def _check(sort: Sort, name: str, text: str, *, new: bool) -> None:
    if storable(text):
        raise Invalid(code="text_not_storable", field="text")
    field = "name"
    try:
        if new:
            check_name(name)
        field = "text"
        check_text(sort, text)
    except PromptFault as fault:
        raise Invalid(code="task_prompt_wrong", field=field, fault=fault) from fault
