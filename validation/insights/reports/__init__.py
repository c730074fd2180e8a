"""What leads see of how a set is made: the registry walks its own folder; another insight is one more file."""

import importlib
import pkgutil
from functools import cache

from django.db.models import prefetch_related_objects

from annotation.core.models.project import Project
from validation.insights.reports.base import Chart, Column, Insight, Table, TableRows

__all__ = ["Chart", "Column", "Insight", "Table", "TableRows", "all_insights", "applicable_to", "get"]


@cache
def _registry() -> dict[str, Insight]:
    found: dict[str, Insight] = {}
    for module in pkgutil.iter_modules(__path__):
        insight = getattr(importlib.import_module(f"{__name__}.{module.name}"), "INSIGHT", None)
        if insight is not None:
            found[insight.slug] = insight
    return found


def all_insights() -> list[Insight]:
    """Every insight, in the order in which pages list them."""
    return sorted(_registry().values(), key=lambda each: (each.order, each.slug))


def applicable_to(project: Project) -> list[Insight]:
    """Those that mean something for this project, with what means something there of each."""
    prefetch_related_objects([project], "protocols")  # several ask which protocols there are
    found = (each for each in all_insights() if each.applies_to(project))
    return [each if project.kind_spec.has_author_labels else each.without_author() for each in found]


def get(slug: str) -> Insight:
    """The insight of that slug; KeyError where there is none."""
    return _registry()[slug]
