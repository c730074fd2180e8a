from django.apps import AppConfig


class ExportsConfig(AppConfig):
    name = "exports"
    verbose_name = "Exports"

    def ready(self) -> None:
        """Make known: jobs, the check of releases, who answers no evaluation, who enters which room, the last step."""
        from annotation.ui import navigation as nav
        from exports.aligned import registers  # noqa: F401
        from exports.baselines import access
        from exports.evaluation import actions as evaluating  # noqa: F401
        from exports.releases import build as building  # noqa: F401
        from exports.releases import integrity  # noqa: F401
        from exports.releases.queries import releasing
        from exports.sources import job  # noqa: F401
        from validation.overview import checklist

        checklist.ends_with(releasing)
        nav.opens("baselines", access.sees)
        nav.opens("answers", access.waits_for)
