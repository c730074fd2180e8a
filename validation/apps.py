from django.apps import AppConfig


class ValidationConfig(AppConfig):
    name = "validation"
    verbose_name = "Validation"

    def ready(self) -> None:
        """Make the jobs of this app known to whoever runs jobs, and to whom its rooms are open."""
        from annotation.ui import navigation as nav
        from validation.imports import job  # noqa: F401
        from validation.insights import jobs as working  # noqa: F401
        from validation.review.actions import check_findings as checking  # noqa: F401
        from validation.studies.queries import comparisons as comparing

        nav.opens("compare", comparing.waits_for)
