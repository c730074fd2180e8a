"""People in projects: places, roles, pseudonyms."""

from django.db import transaction

from annotation.db import locked
from annotation.errors import Conflict, Invalid
from annotation.models import Annotator, Event, Project, User


def pseudonym_next(project: Project) -> str:
    """The next free `W01`, `W02`, …; the caller has locked the project."""
    taken = set(Annotator.objects.filter(project=project).values_list("pseudonym", flat=True))
    number = len(taken) + 1
    while f"W{number:02d}" in taken:
        number += 1
    return f"W{number:02d}"


def annotator_add(
    *,
    project: Project,
    user: User,
    writer: bool = False,
    validator: bool = False,
    lead: bool = False,
    by: User | None = None,
) -> Annotator:
    """Give a person a place in a project, or change their roles there; the pseudonym stays the same for ever.

    Lead and validator exclude each other, also over time; administrators see everything and so never vote.
    """
    if not (writer or validator or lead):
        raise Invalid(field="roles", code="roles_missing")
    if validator and (lead or user.is_administrator):
        raise Invalid(field="roles", code="roles_exclude")
    with transaction.atomic():
        locked(Project.objects.filter(pk=project.pk)).get()
        place = Annotator.objects.filter(project=project, user=user).first()
        if place is None:
            place = Annotator(project=project, user=user, pseudonym=pseudonym_next(project))
        if validator and place.has_led:
            raise Conflict(code="roles_exclude")
        before = {"writer": place.is_writer, "validator": place.is_validator, "lead": place.is_lead}
        place.is_writer, place.is_validator, place.is_lead = writer, validator, lead
        place.has_led, place.left_at = place.has_led or lead, None
        place.save()
        after = {"writer": writer, "validator": validator, "lead": lead}
        Event.objects.create(
            project=project,
            actor=by,
            verb="roles",
            data={"annotator": place.pseudonym, "before": before, "after": after},
        )
    return place
