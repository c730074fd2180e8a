"""The only writers of a project's own prompts for tasks; a version is never changed, the next one says what differs."""

from django.db import transaction

from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.text.line_breaks import plain_breaks
from annotation.text.normalise import storage_problem
from exports.lm_eval.models import TaskPrompt
from exports.lm_eval.queries import newest_prompts, task_type_named
from exports.lm_eval.rules.tasks import PromptFault, check_name, check_text


def prompt_save(*, project: Project, by: User | None, task: str, name: str, text: str, seen: int = 0) -> TaskPrompt:
    """A new version of a prompt, from the next release on; `seen` is the number that was shown (0: a new prompt).

    A text that stands already makes no new version, so that a click sent twice saves once. Raises Invalid where it
    cannot be used (`fault` says why), Conflict where somebody was faster.
    """
    plain = plain_breaks(text)
    sort = task_type_named(project, task)
    if sort is None:
        raise Invalid(code="task_prompt_task", field="task")
    if storage_problem(plain):
        raise Invalid(code="text_not_storable", field="text")
    field = "text" if seen else "name"
    try:
        if not seen:
            check_name(name)
            field = "text"
        check_text(sort, plain)
    except PromptFault as fault:
        raise Invalid(code="task_prompt_wrong", field=field, fault=fault) from fault
    with transaction.atomic():
        locked(Project.objects.filter(pk=project.pk)).get()
        now = newest_prompts(project).get((task, name))
        if now is not None and not now.ended and now.text == plain:
            return now
        if seen != (now.n if now else 0):
            raise Conflict(code="task_prompt_stale" if seen else "task_prompt_name_taken", field="text")
        made = TaskPrompt(project=project, task=task, name=name, n=seen + 1, text=plain, by=by)
        return _store_version(made, "task_prompt_saved")


def prompt_end(*, project: Project, by: User | None, task: str, name: str, seen: int) -> TaskPrompt:
    """Leave a prompt out of further releases; a new version brings it back. Raises Conflict, Invalid."""
    with transaction.atomic():
        locked(Project.objects.filter(pk=project.pk)).get()
        now = newest_prompts(project).get((task, name))
        if now is None:
            raise Invalid(code="task_prompt_task", field="task")
        if now.ended:
            return now
        if seen != now.n:
            raise Conflict(code="task_prompt_stale", field="text")
        made = TaskPrompt(project=project, task=task, name=name, n=now.n + 1, text=now.text, by=by, ended=True)
        return _store_version(made, "task_prompt_ended")


def _store_version(made: TaskPrompt, verb: str) -> TaskPrompt:
    made.save(force_insert=True)
    Event.record(made.project_id, made.by, verb, task=made.task, name=made.name, n=made.n)
    return made
