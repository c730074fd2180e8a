from django.apps import AppConfig


class ValidationConfig(AppConfig):
    name = "validation"
    verbose_name = "Validation"

    def ready(self) -> None:
        """Make the jobs of this app known to whoever runs jobs."""
        from validation.actions import checking  # noqa: F401
        from validation.imports import job  # noqa: F401
