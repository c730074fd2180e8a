from django.apps import AppConfig


class ExportsConfig(AppConfig):
    name = "exports"
    verbose_name = "Exports"

    def ready(self) -> None:
        """Make the job known, and the check of releases."""
        from exports import building, integrity  # noqa: F401
