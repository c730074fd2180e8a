from django.apps import AppConfig


class ExportsConfig(AppConfig):
    """What is declared here by path is imported when it is used: see annotation/core/declared.py."""

    name = "exports"
    verbose_name = "Exports"
    jobs = {
        "registers": "exports.aligned.registers",
        "release": "exports.releases.build",
        "source_set": "exports.sources.job",
    }
    rooms = {"answers": "exports.baselines.queries.waits_for", "baselines": "exports.baselines.queries.sees"}
    steps = {"release": "exports.releases.queries.releasing"}
    integrity = {"releases": "exports.releases.integrity"}
    eligibility = {"baselines": "exports.baselines.eligibility", "evaluation": "exports.evaluation.actions"}
