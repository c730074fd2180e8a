from django.apps import AppConfig


class ValidationConfig(AppConfig):
    name = "validation"
    verbose_name = "Validation"

    def ready(self) -> None:
        """Make the jobs of this app known to whoever runs jobs, and to whom its rooms are open."""
        from annotation.views import nav
        from validation import comparing
        from validation.actions import checking  # noqa: F401
        from validation.imports import job  # noqa: F401
        from validation.insights import working  # noqa: F401

        nav.opens("compare", comparing.waits_for)
