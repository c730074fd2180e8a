"""What a writer answers to a returned item: corrected or not, with words, and back to the lead."""

from django.db import transaction

from annotation.actions.writing import SlotIn, content_of, revise, set_findings
from annotation.db import locked
from annotation.errors import Conflict, Invalid, NotFound
from annotation.models import Annotator, Hypothesis, Item
from annotation.rules.checks import Finding
from validation.actions.review import steps
from validation.rules import stages


def resubmit_findings(*, item: Item, content: SlotIn) -> list[Finding]:
    """What the checks say of one item's new text, beside the others of its set as they stand."""
    hypothesis = Hypothesis.objects.select_related("premise").get(item=item)
    others = Hypothesis.objects.select_related("item").filter(premise=hypothesis.premise_id)
    if item.author_id is not None:
        others = others.filter(item__author=item.author_id)
    slots = {other.item.slot: SlotIn(other.text, True, other.tags) for other in others}
    found = set_findings(item.project, hypothesis.premise, {**slots, item.slot: content})
    return [finding for finding in found if finding.slot == item.slot]


def resubmit(*, writer: Annotator, item_id: int, version: int, content: SlotIn, words: str = "") -> Item:
    """Send a returned item back to the lead, its text changed or not; whether it means the same is the lead's word.

    A changed text is a revision, an unchanged one leaves a row of the review. Raises Invalid with the findings
    where a check blocks, Conflict `stale` where a lead acted meanwhile.
    """
    said = steps.words_given(words, field="words", required=False)
    with transaction.atomic():
        rows = Item.objects.select_related("project").filter(
            pk=item_id, author=writer, project=writer.project_id
        )
        item = locked(rows).first()
        if item is None:
            raise NotFound
        if item.project.closed_at is not None:
            raise Conflict(code="project_closed")
        steps.not_stale(item, version)
        if not stages.can(item.stage, stages.RESUBMIT):
            raise Conflict(code="not_from_here", stage=item.stage)
        hypothesis = Hypothesis.objects.select_related("premise").get(item=item)
        text = steps.text_given(content.text)
        if text == hypothesis.text and list(content.tags) == list(hypothesis.tags):
            steps.record(item=item, event=stages.RESUBMIT, by=writer, words=said)
            return steps.settle(item)
        changed = SlotIn(text, content.one_sentence, content.tags)
        findings = resubmit_findings(item=item, content=changed)
        if any(finding.level == "block" for finding in findings):
            raise Invalid(field="text", code="checks_block", findings=findings)
        steps.move(item, stages.RESUBMIT)
        # The lead who approves says whether it means the same; until then nobody has.
        new = content_of(hypothesis.premise.text, changed)
        revise(item=item, content=new, by=writer, event=stages.RESUBMIT, meaning="", why=said)
        return steps.settle(item)
