from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Annotation"

    def ready(self) -> None:
        """Make the boot checks known, and the jobs of this app to whoever runs jobs."""
        from annotation.core import boot  # noqa: F401
        from annotation.generation import run_batch as generation  # noqa: F401
        from annotation.translation import target_statistics as learning  # noqa: F401
