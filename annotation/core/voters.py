"""Who may vote in a project now."""

from django.db.models import Count, Q, QuerySet

from annotation.core.models.member import Annotator


def active_voters(project: int) -> QuerySet[Annotator]:
    """Members with an account who vote; on their own items nobody does."""
    return Annotator.objects.filter(project=project, is_validator=True, left_at=None, user__is_active=True)


def voters_besides_writer(project: int) -> int:
    """How many people may vote now on any item: one fewer where a writer votes as well, since not on their own."""
    writers = Count("pk", filter=Q(is_writer=True))
    voters = active_voters(project).aggregate(n=Count("pk"), writers=writers)
    return int(voters["n"] - bool(voters["writers"]))
