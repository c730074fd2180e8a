"""New prompts and variations: a writer takes a topic as often as they like, each time as an allocation of its own."""

import secrets

from django.db import transaction
from django.db.models import Max

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Concept, Draft
from annotation.core.errors import Conflict, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs.database import locked
from annotation.kinds import SlotIn
from annotation.writing.actions.writing import VARIATIONS, content_now
from validation.consensus import stages

PERSONAL = "personal"


def prompt_new(*, writer: Annotator, concept_id: int) -> Allocation:
    """A new prompt on a topic: the next numbered allocation of this writer, or the one that they have not begun."""
    project = _open_project(writer)
    with transaction.atomic():
        topic = _topic(project, concept_id)
        mine = Allocation.objects.filter(writer=writer, concept=topic)
        begun = mine.filter(state=Allocation.State.OPEN, origin=None, drafts=None).first()
        return begun or _allocation(writer, topic)


def variation_new(*, writer: Annotator, item_id: int) -> Allocation:
    """A variation of one's own prompt: an allocation whose draft holds what the prompt says, without its situation.

    One that this writer has open already comes back as it stands.
    """
    project = _open_project(writer)
    with transaction.atomic():
        origin = (
            Item.objects.select_related("project").filter(pk=item_id, author=writer, project=project).first()
        )
        if origin is None:
            raise NotFound
        if origin.stage == stages.EXCLUDED:
            raise Conflict(code="origin_excluded")
        topic = _topic(project, Concept.objects.values_list("pk", flat=True).get(questions__item=origin))
        open_one = Allocation.objects.filter(
            writer=writer, origin=origin, state=Allocation.State.OPEN
        ).first()
        if open_one is not None:
            return open_one
        allocation = _allocation(writer, topic, origin)
        stands = project.kind_spec.written(content_now(origin))
        content = SlotIn(stands.text, stands.one_sentence, more={**stands.more, PERSONAL: ""})
        Draft.objects.create(
            project=project, allocation=allocation, slot=origin.slot, content=content.to_dict()
        )
        return allocation


def _open_project(writer: Annotator) -> Project:
    project = writer.project
    if VARIATIONS not in project.kind_spec.features:
        raise NotFound
    if project.closed_at is not None:
        raise Conflict(code="closed_writing")
    return project


def _topic(project: Project, concept_id: int) -> Concept:
    """The approved topic, locked: whoever numbers its allocations waits here."""
    topic = locked(
        Concept.objects.filter(pk=concept_id, project=project, state=Concept.State.APPROVED)
    ).first()
    if topic is None:
        raise NotFound
    return topic


def _allocation(writer: Annotator, topic: Concept, origin: Item | None = None) -> Allocation:
    mine = Allocation.objects.filter(writer=writer)
    number = mine.filter(concept=topic).aggregate(most=Max("number"))["most"]
    position = mine.aggregate(last=Max("position"))["last"]
    return Allocation.objects.create(
        project_id=writer.project_id,
        concept=topic,
        writer=writer,
        origin=origin,
        number=(number or 0) + 1,
        token=secrets.token_urlsafe(18),
        position=(position or 0) + 1,
    )
