from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Annotation"

    def ready(self) -> None:
        """Make the boot checks known, and the jobs of this app to whoever runs jobs."""
        from annotation import boot, generation, learning  # noqa: F401
