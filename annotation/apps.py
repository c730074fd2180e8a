from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    """What is declared here by path is imported when it is used: see core/declared.py."""

    name = "annotation"
    verbose_name = "Annotation"
    jobs = {
        "generate": "annotation.generation.run_batch",
        "learn_target": "annotation.translation.target_statistics",
        "webhooks": "annotation.webhooks.deliver",
    }

    def ready(self) -> None:
        """Make the boot checks known."""
        from annotation.core import boot  # noqa: F401
