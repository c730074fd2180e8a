from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Annotation"

    def ready(self) -> None:
        """Make the boot checks known."""
        from annotation import boot  # noqa: F401
