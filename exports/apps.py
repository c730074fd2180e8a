from django.apps import AppConfig


class ExportsConfig(AppConfig):
    name = "exports"
    verbose_name = "Exports"

    def ready(self) -> None:
        """Make known: jobs, the check of releases, who answers no evaluation, who enters which room, the last step."""
        from annotation.views import nav
        from exports import building, evaluating, integrity, registers  # noqa: F401
        from exports.access import releasing
        from exports.baselines import access
        from exports.sources import job  # noqa: F401
        from validation import checklist

        checklist.ends_with(releasing)
        nav.opens("baselines", access.sees)
        nav.opens("answers", access.waits_for)
