"""A task's description as scripts send it."""

from typing import Any

from rest_framework import serializers

from annotation.tasks.rules.reading import TaskRefused, read, task_from_plain
from annotation.tasks.rules.task import Task


class TaskField(serializers.JSONField):
    """A description as an object of JSON, or as a text in YAML; each problem names its field."""

    def to_internal_value(self, data: Any) -> Task:  # type: ignore[override]
        """Raises ValidationError."""
        try:
            return read(data) if isinstance(data, str) else task_from_plain(data)
        except TaskRefused as refusal:
            raise serializers.ValidationError(_by_field(refusal.problems)) from None


def _by_field(problems: list[str]) -> dict[str, list[serializers.ErrorDetail]]:
    """Sentences by the path that they begin with."""
    found: dict[str, list[serializers.ErrorDetail]] = {}
    for problem in problems:
        path, colon, words = problem.partition(": ")
        named = bool(colon) and " " not in path and path != "task"
        detail = serializers.ErrorDetail(words if named else problem, "task_wrong")
        found.setdefault(path if named else "non_field_errors", []).append(detail)
    return found
