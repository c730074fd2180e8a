from django.apps import AppConfig


class ExportsConfig(AppConfig):
    name = "exports"
    verbose_name = "Exports"

    def ready(self) -> None:
        """Make the jobs known, the check of releases, who answers no evaluation, and whose rooms are open to whom."""
        from annotation.views import nav
        from exports import building, evaluating, integrity, registers  # noqa: F401
        from exports.baselines import access
        from exports.sources import job  # noqa: F401

        nav.opens("baselines", access.sees)
        nav.opens("answers", access.waits_for)
