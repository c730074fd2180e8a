"""Targets of a translation project: a language, or one register of it, and who works for them."""

import re
from collections.abc import Collection, Sequence

from django.db import IntegrityError, transaction

from annotation.actions.judges import refuse_judge
from annotation.db import locked
from annotation.errors import Conflict, Invalid
from annotation.models import Annotator, Event, Lane, LanePlace, Project, User
from validation.rules.protocol import Protocol

LANGUAGE = re.compile(r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")


def target_create(
    *,
    project: Project,
    language: str,
    register: str = "",
    name: str = "",
    description: str = "",
    words: Sequence[tuple[str, str]] = (),
    by: User | None = None,
) -> Lane:
    """A further target. Its key is made of language and register and is for good; Conflict where it is there."""
    if not LANGUAGE.match(language):
        raise Invalid(field="language", code="language_unknown")
    key = target_key(language, register)
    with transaction.atomic():
        fresh = locked(Project.objects.filter(pk=project.pk)).get()
        newest = fresh.protocols.order_by("-n")[0]
        buckets = len(Protocol.from_dict(newest.rules).rounds) + 1
        try:
            with transaction.atomic():
                lane = Lane.objects.create(
                    project=fresh,
                    key=key,
                    language=language,
                    register=register,
                    name=name,
                    description=description,
                    words=[list(pair) for pair in words],
                    buckets=buckets,
                )
        except IntegrityError as error:
            raise Conflict(field="language", code="target_taken") from error
        Event.objects.create(project=fresh, actor=by, verb="target_created", data={"target": key})
    return lane


def target_key(language: str, register: str) -> str:
    """How files and addresses call a target: `jv-ngoko`."""
    plain = re.sub(r"[^a-z0-9]+", "-", register.casefold()).strip("-")
    return "-".join(part for part in (language.lower(), plain) if part)[:40]


def places_set(*, annotator: Annotator, lanes: Collection[Lane], by: User | None = None) -> None:
    """Say for which targets somebody works; what they have in hand for others stays theirs."""
    with transaction.atomic():
        locked(Annotator.objects.filter(pk=annotator.pk)).get()
        held = LanePlace.objects.filter(annotator=annotator)
        held.exclude(lane__in=lanes).delete()
        there = set(held.values_list("lane_id", flat=True))
        new = [lane for lane in lanes if lane.pk not in there and lane.project_id == annotator.project_id]
        refuse_judge(annotator.project, annotator.user, new)
        LanePlace.objects.bulk_create([LanePlace(lane=lane, annotator=annotator) for lane in new])
        data = {"annotator": annotator.pseudonym, "targets": sorted(lane.key for lane in lanes)}
        Event.objects.create(project_id=annotator.project_id, actor=by, verb="targets", data=data)
