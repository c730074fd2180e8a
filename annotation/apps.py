from typing import TYPE_CHECKING

from django.apps import AppConfig
from django.utils.module_loading import import_string

if TYPE_CHECKING:
    from annotation import kinds


class AnnotationConfig(AppConfig):
    """What is declared here by path is imported when it is used: see core/declared.py."""

    name = "annotation"
    verbose_name = "Annotation"
    jobs = {
        "generate": "annotation.generation.run_batch",
        "learn_target": "annotation.translation.target_statistics",
    }
    sending_jobs = {"webhooks": "annotation.webhooks.deliver"}
    rooms = {"sessions": "annotation.elicitation.queries.open_to"}
    watches = {
        "allocations": "annotation.writing.actions.allocation.shares_lapse_all",
        "target_statistics": "annotation.translation.target_statistics.learn_grown",
    }
    submitted = {"earned": "annotation.templatetags.money.earned_words"}
    earnings = {
        "write": "annotation.pay.sources.SETS",
        "correct": "annotation.pay.sources.CORRECTIONS",
    }

    def ready(self) -> None:
        """Make the boot checks known, and where kinds are that teams describe themselves."""
        from annotation import kinds
        from annotation.core import boot  # noqa: F401

        kinds.add_finder(_own_kind)


def _own_kind(slug: str) -> "kinds.Kind | None":
    """The kind of a team's own task; what describes one is imported when the first is asked for."""
    if not slug.startswith("task-"):
        return None
    found: kinds.Kind | None = import_string("annotation.tasks.queries.kind_of")(slug)
    return found
