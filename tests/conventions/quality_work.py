"""People's work in the small world: a gold question, an item of the quiz, votes that were set aside."""

from dataclasses import replace

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests.conventions.named_objects import Things, mark
from validation.qualification.actions import quiz_item_add
from validation.quality.actions.gold import gold_add
from validation.quality.models import SetAside


def with_quality(things: Things, voter: Annotator) -> Things:
    """The same with what leads chose and did about voters; nobody else may read any of it."""
    project = Project.objects.get(slug=things.slug)
    lead = Annotator.objects.filter(project=project, is_lead=True).order_by("pk")[0]
    assert lead.user is not None
    free = Item.objects.filter(project=project, stage="written", sampled=False).order_by("pk")
    (gold, quiz) = free.values_list("pk", flat=True)[:2]
    question = gold_add(project=project, item_id=gold, accepted=["e"], by=lead.user)
    row = quiz_item_add(project=project, item_id=quiz, accepted=["e"], by=lead.user, explanation=mark("explanation"))
    act = SetAside.objects.create(project=project, annotator=voter, by=lead.user, reason=mark("aside"), items=[])
    return replace(things, voter=str(voter.pk), gold=str(question.pk), quiz_row=str(row.pk), set_aside=str(act.pk))
