from django.apps import AppConfig


class ExportsConfig(AppConfig):
    name = "exports"
    verbose_name = "Exports"

    def ready(self) -> None:
        """Make the jobs known, and the check of releases."""
        from exports import building, integrity, registers  # noqa: F401
        from exports.sources import job  # noqa: F401
