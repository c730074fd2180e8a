from django.apps import AppConfig


class ValidationConfig(AppConfig):
    """What is declared here by path is imported when it is used: see annotation/core/declared.py."""

    name = "validation"
    verbose_name = "Validation"
    jobs = {
        "import": "validation.imports.job",
        "insights": "validation.insights.jobs",
        "recheck_target": "validation.review.actions.check_findings",
    }
    integrity = {"validation": "validation.integrity.checks"}
    rooms = {"compare": "validation.studies.queries.comparisons.waits_for"}
