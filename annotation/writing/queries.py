"""What is in a writer's hands."""

from annotation.content.models.source import Allocation
from annotation.core.errors import one
from annotation.core.models.member import Annotator

ALLOCATION_WITH = ("premise", "concept", "unit__source_set", "target", "project", "writer", "origin")


def allocation(annotator: Annotator, token: str) -> Allocation:
    """One of the writer's own premises, by its token."""
    return one(
        Allocation.objects.select_related(*ALLOCATION_WITH).filter(
            writer=annotator, token=token, project=annotator.project_id
        )
    )
