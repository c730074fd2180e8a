"""Further prompts of a project's tasks, for evaluation harnesses."""

from django.conf import settings
from django.db import models

from annotation.core.models import DatedModel
from annotation.core.models.project import Project


class TaskPrompt(DatedModel):
    """A prompt under which a release's task is run, as a file of the project, beside those that Mufakat brings.

    Append-only: a changed text is the next `n` of its name. `task` names the sort of task
    (exports.lm_eval.rules.tasks). One that is `ended` is in no further release.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="task_prompts")
    task = models.CharField(max_length=40)
    name = models.CharField(max_length=40)
    n = models.PositiveIntegerField()
    text = models.TextField()
    ended = models.BooleanField(default=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "task", "name", "n"], name="task_prompt_number_once")]
