from django.apps import AppConfig


class ValidationConfig(AppConfig):
    """What is declared here by path is imported when it is used: see annotation/core/declared.py."""

    name = "validation"
    verbose_name = "Validation"
    jobs = {
        "import": "validation.imports.job",
        "documents": "validation.imports.document_job",
        "insights": "validation.insights.jobs",
        "model_votes": "validation.model_votes.actions",
        "notices": "validation.notices.jobs",
        "review_many": "validation.review.actions.many",
        "set_aside": "validation.quality.actions.set_aside",
        "recheck_target": "validation.voting.actions.check_findings",
    }
    earnings = {
        "vote": "validation.voting.earnings.VOTES",
        "assess": "validation.review.earnings.ASSESSMENTS",
        "quiz": "validation.qualification.earnings.QUIZZES",
        "writerquiz": "validation.qualification.earnings.WRITERS_QUIZZES",
    }
    integrity = {"validation": "validation.integrity.checks"}
    watches = {
        "sources": "validation.translation.actions.sources_watch",
        "insights": "validation.insights.actions.insights_nightly",
        "notices": "validation.notices.actions.notices_watch",
        "gold": "validation.quality.actions.gold.gold_watch",
        "quiz": "validation.qualification.actions.quiz_watch",
        "repeats": "validation.quality.actions.repeats.repeats_watch",
    }
    rooms = {
        "quality": "validation.quality.queries.open_to",
        "studies": "validation.studies.queries.studies.open_to",
    }
    narrows = {"against": "validation.model_votes.queries.against_people"}
    studies = {
        "diagnostic": "validation.studies.types.diagnostic.TYPE",
        "rating": "validation.studies.types.rating.TYPE",
        "comparison": "validation.studies.types.comparison.TYPE",
        "label-check": "validation.studies.types.label_check.TYPE",
    }
    eligibility = {"studies": "validation.studies.eligibility"}
