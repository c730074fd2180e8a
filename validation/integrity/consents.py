"""What people said about themselves is kept only while they agree to it, and for nobody whose account is deleted."""

from collections.abc import Iterator

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from annotation.core.models.project import Project
from annotation.datasheet.actions import forget
from annotation.datasheet.models import Consent, Demographics
from validation.integrity.base import Breach

INVARIANT = "C1"


def check_consents(project: Project | None, repair: bool) -> Iterator[Breach]:
    """Answers without an agreement that its giver has not ended; mended by deleting them."""
    agreed = Consent.objects.filter(annotator=OuterRef("annotator"), ended_at=None)
    left = Demographics.objects.filter(~Exists(agreed) | Q(annotator__user__deleted_at__isnull=False))
    if project is not None:
        left = left.filter(annotator__project=project)
    for said in left.select_related("annotator__project").order_by("pk").iterator(chunk_size=100):
        place = said.annotator
        if repair:
            with transaction.atomic():
                forget([place])
        yield Breach(
            INVARIANT, place.project.slug, place.pseudonym, "personal answers", "kept", "deleted", repair
        )
