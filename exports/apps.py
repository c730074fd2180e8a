from django.apps import AppConfig


class ExportsConfig(AppConfig):
    name = "exports"
    verbose_name = "Exports"

    def ready(self) -> None:
        """Make the jobs known, the check of releases, and who answers no evaluation."""
        from exports import building, evaluating, integrity, registers  # noqa: F401
        from exports.sources import job  # noqa: F401
