from django.apps import AppConfig


class ExportsConfig(AppConfig):
    """What is declared here by path is imported when it is used: see annotation/core/declared.py."""

    name = "exports"
    verbose_name = "Exports"
    jobs = {
        "predictions": "exports.predictions.job",
        "registers": "exports.aligned.registers",
        "release": "exports.releases.build",
        "release_statistics": "exports.statistics.job",
        "source_set": "exports.sources.job",
    }
    about_notes = {"releases": "exports.releases.queries.replaced_releases"}
    steps = {"release": "exports.releases.queries.releasing"}
    integrity = {"releases": "exports.releases.integrity"}
    public_pages = {"publications": "exports.public.closing.PAGES"}
    given_out = {"releases": "exports.public.given_out.given_out"}
    withdrawn = {"items": "exports.releases.withheld.withdrawn_items"}
    studies = {"baseline": "exports.baselines.study.TYPE", "evaluation": "exports.evaluation.study.TYPE"}
