"""Sessions: a group that meets on a day, to be asked first or to review prompts (Kalahi §3, Appendix B)."""

from datetime import date

from django.db import transaction

from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.models.session import Session
from annotation.elicitation.rules.sessions import purposes
from annotation.jobs.database import locked
from annotation.text.normalise import storable

LONGEST_NAME = 120
LONGEST_WORDS = 2000


def session_create(
    *, lead: Annotator, purpose: str, name: str, held_on: date, participants: str = ""
) -> Session:
    """Make a session; who took part is told of the group as a whole, no personal data is needed.

    Raises Forbidden for who is no lead, Invalid where the name is missing or taken.
    """
    if not lead.is_lead or lead.left_at is not None:
        raise Forbidden(code="not_a_lead")
    if purpose not in purposes(lead.project.kind_spec.features):
        raise NotFound
    called, told = " ".join(name.split()), participants.replace("\r\n", "\n").strip()
    if not called:
        raise Invalid(field="name", code="session_name_missing")
    if storable(called) or len(called) > LONGEST_NAME:
        raise Invalid(field="name", code="text_not_storable")
    if storable(told) or len(told) > LONGEST_WORDS:
        raise Invalid(field="participants", code="text_not_storable")
    with transaction.atomic():
        project = locked(Project.objects.filter(pk=lead.project_id)).get()
        if project.closed_at is not None:
            raise Conflict(code="closed_group")
        same = Session.objects.filter(project=project, purpose=purpose, name__iexact=called)
        if same.exists():
            raise Invalid(field="name", code="session_name_taken")
        return Session.objects.create(
            project=project, purpose=purpose, name=called, held_on=held_on, participants=told, by=lead
        )
