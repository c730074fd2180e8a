"""New prompts and variations: a writer takes a topic as often as they like, each time as a share of its own."""

import secrets

from django.db import transaction
from django.db.models import Max

from annotation.content.models.item import Item
from annotation.content.models.source import Concept, Draft, Share
from annotation.core.errors import Conflict, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs.database import locked
from annotation.kinds import SlotIn
from annotation.writing.actions.writing import VARIATIONS, content_now
from validation.consensus import stages

PERSONAL = "personal"


def prompt_new(*, writer: Annotator, concept_id: int) -> Share:
    """A new prompt on a topic: the next numbered share of this writer, or the one that they have not begun."""
    project = _open_project(writer)
    with transaction.atomic():
        topic = _topic(project, concept_id)
        mine = Share.objects.filter(writer=writer, concept=topic)
        begun = mine.filter(state=Share.State.OPEN, origin=None, drafts=None).first()
        return begun or _share(writer, topic)


def variation_new(*, writer: Annotator, item_id: int) -> Share:
    """A variation of one's own prompt: a share whose draft holds what the prompt says, without its situation.

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
        open_one = Share.objects.filter(writer=writer, origin=origin, state=Share.State.OPEN).first()
        if open_one is not None:
            return open_one
        share = _share(writer, topic, origin)
        stands = project.kind_spec.written(content_now(origin))
        content = SlotIn(stands.text, stands.one_sentence, more={**stands.more, PERSONAL: ""})
        Draft.objects.create(project=project, share=share, slot=origin.slot, content=content.to_dict())
        return share


def _open_project(writer: Annotator) -> Project:
    project = writer.project
    if VARIATIONS not in project.kind_spec.features:
        raise NotFound
    if project.closed_at is not None:
        raise Conflict(code="closed_writing")
    return project


def _topic(project: Project, concept_id: int) -> Concept:
    """The approved topic, locked: whoever numbers its shares waits here."""
    topic = locked(
        Concept.objects.filter(pk=concept_id, project=project, state=Concept.State.APPROVED)
    ).first()
    if topic is None:
        raise NotFound
    return topic


def _share(writer: Annotator, topic: Concept, origin: Item | None = None) -> Share:
    mine = Share.objects.filter(writer=writer)
    number = mine.filter(concept=topic).aggregate(most=Max("number"))["most"]
    position = mine.aggregate(last=Max("position"))["last"]
    return Share.objects.create(
        project_id=writer.project_id,
        concept=topic,
        writer=writer,
        origin=origin,
        number=(number or 0) + 1,
        token=secrets.token_urlsafe(18),
        position=(position or 0) + 1,
    )
