"""What is in a writer's hands."""

from annotation.content.models.source import Allocation
from annotation.core.errors import first_or_not_found
from annotation.core.models.member import Annotator

ALLOCATION_RELATIONS = ("premise", "concept", "unit__source_set", "target", "project", "writer", "origin")


def allocation(annotator: Annotator, token: str) -> Allocation:
    """One of the writer's own premises, by its token."""
    return first_or_not_found(
        Allocation.objects.select_related(*ALLOCATION_RELATIONS).filter(
            writer=annotator, token=token, project=annotator.project_id
        )
    )
