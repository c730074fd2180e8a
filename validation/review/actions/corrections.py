"""Corrections of a text by a lead, and decisions on those that validators proposed (rulings 6, 7)."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, F, Q
from django.db.models.functions import Now

from annotation.content.models.item import Hypothesis, Item
from annotation.content.models.source import Premise
from annotation.content.queries import current_content, items_sharing_text, project_items, without_asked
from annotation.core.access import Membership
from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.kinds import text_at, with_text
from annotation.kinds.rendered_texts import MEDIA_WIDGETS
from annotation.text.normalise import text_hash
from validation.voting.actions import steps
from validation.voting.actions.steps import Correction, write_revision
from validation.voting.models.review import Proposal
from validation.voting.models.vote import Vote


@dataclass(frozen=True)
class AffectedCounts:
    """What a correction of a premise touches: every pair of it, and the votes that stand on them."""

    pairs: int
    votes: int


def count_affected(*, item: Item, membership: Membership) -> AffectedCounts:
    """Count the items that share a text with this one, and the standing votes on them that the viewer may read."""
    texts = item.project.kind_spec.presentation.texts
    standing = Q(item__votes__withdrawn_at=None, item__votes__epoch=F("item__epoch"))
    if membership.is_voting_lead:
        standing &= Q(item__in=project_items(membership))
    if any(text.shared for text in texts):
        found = Hypothesis.objects.filter(premise__hypotheses__item=item).aggregate(
            pairs=Count("pk", distinct=True), votes=Count("item__votes", filter=standing, distinct=True)
        )
        return AffectedCounts(found["pairs"], found["votes"])
    field = next((text.key for text in texts if text.is_shared_in_family), "")
    if not field:
        return AffectedCounts(1, 0)
    rows = Item.objects.select_related("project").filter(project=item.project_id, family=item.family)
    items = items_sharing_text(item, list(rows), field)
    votes = Vote.objects.filter(item__in=items, withdrawn_at=None, epoch=F("item__epoch"))
    return AffectedCounts(len(items), without_asked(votes, membership).count())


def correct(
    *, lead: Annotator, item_id: int, version: int, field: str, text: str, meaning: str, words: str = ""
) -> Item:
    """Correct a text of the item. On the same meaning votes stay; on a new one validation starts again.

    A shared text (the premise) is corrected once, for every pair of it. Whoever corrected does not vote on it.
    """
    with transaction.atomic():
        return _correct(lead, item_id, version, _read_correction(field, text, meaning, words), None)


def proposal_accept(
    *, lead: Annotator, item_id: int, version: int, proposal_id: int, meaning: str, words: str = ""
) -> Item:
    """Make a proposed correction the text; its proposer does not vote on the item any more."""
    with transaction.atomic():
        proposal = _proposal(lead, item_id, proposal_id)
        change = _read_correction(proposal.field, proposal.text, meaning, words)
        item = _correct(lead, item_id, version, change, proposal)
        _decide_proposal(proposal, lead, Proposal.State.ACCEPTED, change.words)
        return item


def proposal_decline(*, lead: Annotator, item_id: int, version: int, proposal_id: int, words: str = "") -> Item:
    """Leave the text as it is. The flag stays until the lead approves the item."""
    with transaction.atomic():
        item = steps.lead_item(lead=lead, item_id=item_id, version=version)
        comment = steps.checked_words(words, field="words", required=False)
        _decide_proposal(_proposal(lead, item_id, proposal_id), lead, Proposal.State.DECLINED, comment)
        return item


def _proposal(lead: Annotator, item_id: int, proposal_id: int) -> Proposal:
    found = Proposal.objects.filter(pk=proposal_id, item=item_id, project=lead.project_id).first()
    if found is None:
        raise NotFound
    return found


def _decide_proposal(proposal: Proposal, lead: Annotator, state: Proposal.State, words: str) -> None:
    """Only one decision is taken on a proposal, even by two leads at once."""
    taken = Proposal.objects.filter(pk=proposal.pk, state=Proposal.State.OPEN).update(
        state=state, decided_by=lead, decided_at=Now(), words=words
    )
    if not taken:
        raise Conflict(code="proposal_over")


def _read_correction(field: str, text: str, meaning: str, words: str) -> Correction:
    comment = steps.checked_words(words, field="words", required=False)
    return Correction(field, steps.checked_text(text), steps.checked_meaning(meaning), comment)


def _correct(lead: Annotator, item_id: int, version: int, change: Correction, proposal: Proposal | None) -> Item:
    found = Item.objects.select_related("project").filter(pk=item_id, project=lead.project_id).first()
    if found is None:
        raise NotFound
    kind = found.project.kind_spec
    # An image is another item's, not another wording.
    files = {key for key, widget in kind.presentation.widgets.items() if widget in MEDIA_WIDGETS}
    texts = {text.key: text for text in kind.correctable_texts(current_content(found)) if not text.derived}
    texts = {key: text for key, text in texts.items() if key not in files}
    if change.field not in texts:
        raise Invalid(field="field", code="field_unknown")
    if texts[change.field].shared:
        return _correct_shared(lead, found, version, change, proposal)
    if texts[change.field].is_shared_in_family:
        return _correct_family(lead, found, version, change, proposal)
    item = steps.lead_item(lead=lead, item_id=item_id, version=version)
    content = current_content(item)
    if text_at(content, change.field) == change.text:
        raise Invalid(field="text", code="text_same")
    new = kind.authoring.derive(with_text(content, change.field, change.text))
    return write_revision(lead, item, new, change, proposal)


def _correct_shared(lead: Annotator, found: Item, version: int, change: Correction, proposal: Proposal | None) -> Item:
    """One revision of the premise and one of each pair; the lead's answer holds for all of them (ruling 7)."""
    premise = locked(Premise.objects.filter(hypotheses__item=found)).get()
    rows = Item.objects.select_related("project").filter(hypothesis__premise=premise).order_by("pk")
    items = {item.pk: item for item in locked(rows)}
    for item in items.values():
        steps.check_lead_may_act(lead, item)
    chosen = items[found.pk]
    steps.check_not_stale(chosen, version)
    if premise.text == change.text:
        raise Invalid(field="text", code="text_same")
    Premise.objects.filter(pk=premise.pk).update(
        text=change.text, text_hash=text_hash(change.text), revision=F("revision") + 1
    )
    for item in items.values():
        write_revision(lead, item, with_text(current_content(item), change.field, change.text), change, proposal)
    return chosen


def _correct_family(lead: Annotator, found: Item, version: int, change: Correction, proposal: Proposal | None) -> Item:
    """One revision of each item of the family that has the text: the context of prompts (ruling 7)."""
    rows = Item.objects.select_related("project").filter(project=found.project_id, family=found.family)
    items = items_sharing_text(found, list(locked(rows.order_by("pk"))), change.field)
    for item in items:
        steps.check_lead_may_act(lead, item)
    chosen = next(item for item in items if item.pk == found.pk)
    steps.check_not_stale(chosen, version)
    if text_at(current_content(chosen), change.field) == change.text:
        raise Invalid(field="text", code="text_same")
    kind = found.project.kind_spec
    for item in items:
        new = kind.authoring.derive(with_text(current_content(item), change.field, change.text))
        write_revision(lead, item, new, change, proposal)
    return chosen
