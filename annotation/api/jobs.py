"""How long work is shown over the API: by every view that begins or reads some."""

from typing import Any

from rest_framework import serializers

from annotation.api.wire import Row
from annotation.jobs.models import Job

# Whose error and result leads of the project read too.
READ_BY_LEADS = "import"


class JobRow(Row):
    """Long work. `error` and `result` are for who started it and administrators; of imports for leads too."""

    id = serializers.IntegerField()
    kind = serializers.CharField()
    project = serializers.CharField(source="project.slug", default=None, allow_null=True)
    state = serializers.ChoiceField(Job.State.values)
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    error = serializers.CharField(allow_null=True)
    result = serializers.DictField(allow_null=True)
    at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)

    def to_representation(self, job: Job) -> Any:
        """Without parts of a job of several projects that could reveal something about another one."""
        found = super().to_representation(job)
        user = self.context.get("user")
        if job.kind != READ_BY_LEADS and not (user and (user.is_administrator or job.by_id == user.pk)):
            found.update({name: None for name in ("error", "result") if name in found})
        return found
