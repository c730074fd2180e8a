"""How well people answer, as the studies of a project measured it until a release is frozen."""

from typing import Any

from annotation.core.models.project import Project
from exports.releases.rules.gold_origins import share_with_interval
from validation.studies.models import Study
from validation.studies.study_types import all_study_types


def human_accuracies(project: Project) -> list[dict[str, Any]]:
    """Every finished study of the project that says how often people are right, in sums."""
    types, told = all_study_types(), []
    studies = Study.objects.filter(derived_from=project).select_related("project", "derived_from")
    for study in studies.order_by("kind", "n"):
        found = types[study.kind].accuracy(study) if study.kind in types else None
        if found is not None and found.items:
            told.append(
                {
                    "study": study.kind,
                    "n": study.n,
                    "people": found.people,
                    "sources": list(found.sources),
                    "right": share_with_interval(found.right, found.items),
                }
            )
    return told
