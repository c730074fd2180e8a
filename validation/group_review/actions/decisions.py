"""What becomes of a group's proposal: a lead accepts it, and the change happens, or declines it with a reason.

Locks: items by id, then the proposal, then the target or topic where something new is made. A context belongs to all
prompts of a family that have it: rewording it changes every one of them (ruling 7). Combining and splitting are about
one prompt, so there the others keep their context.
"""

import secrets
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Count, Max, Q
from django.utils.translation import gettext

from annotation.content import shapes
from annotation.content.actions.items import item_split
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Concept, Draft
from annotation.core.errors import Conflict, Forbidden
from annotation.core.models.member import Annotator
from annotation.elicitation.models import Lineage, Suggestion
from annotation.elicitation.rules.prompts import CONTEXT, PERSONAL
from annotation.jobs.database import locked
from annotation.kinds import SlotIn
from annotation.writing.actions.writing import content_now
from validation.consensus import stages
from validation.group_review import rules as suggestions
from validation.group_review.actions.proposals import close, other_of, suggestion_in
from validation.review.actions import steps
from validation.review.actions.corrections import Correction, having, revised
from validation.review.actions.decisions import exclude
from validation.voting.models.vote import Verdict


def decline(*, lead: Annotator, session_id: int, suggestion_id: int, reason: str) -> Suggestion:
    """Leave the prompt as it is, with a reason for those who proposed it."""
    said = steps.words_given(reason, field="words")
    with transaction.atomic():
        found = suggestion_in(lead, session_id, suggestion_id)
        _may_decide(lead, found)
        close(found, state=Suggestion.State.DECLINED, by=lead, reason=said)
        return found


def accept(
    *,
    lead: Annotator,
    session_id: int,
    suggestion_id: int,
    revision_n: int,
    meaning: str = "",
    reason: str = "",
) -> Suggestion:
    """Make a proposal happen. `revision_n` is the text of the prompt that the lead saw.

    `meaning` (`same` or `new`) is asked for where validation of a prompt that changes has begun. Raises Conflict
    `suggestion_over`, `suggestion_stale` or `suggestion_left_out`; the proposal is open still after each but the first.
    """
    said = steps.words_given(reason, field="words", required=False)
    with transaction.atomic():
        found = suggestion_in(lead, session_id, suggestion_id)
        _may_decide(lead, found)
        items = _lock(found)
        close(found, state=Suggestion.State.ACCEPTED, by=lead, reason=said)
        item = next(each for each in items if each.pk == found.item_id)
        found.item = item
        if item.stage == stages.EXCLUDED:
            raise Conflict(code="suggestion_left_out")
        if item.revision_n != revision_n:
            raise Conflict(code="suggestion_stale")
        if found.form == suggestions.VARIATION:
            _vary(found)
        elif found.form == suggestions.SPLIT:
            _split(lead, found, meaning)
        elif found.form == suggestions.COMBINE:
            _combine(lead, found, items, meaning)
        else:
            _reword(lead, found, items, meaning)
        return found


def _may_decide(lead: Annotator, found: Suggestion) -> None:
    """A lead who neither proposed it nor wrote the prompt, in an open project."""
    steps.lead_may(lead, found.item)
    if found.by_id == lead.pk:
        raise Forbidden(code="own_suggestion")
    if found.item.project.closed_at is not None:
        raise Conflict(code="closed_group")


def _lock(found: Suggestion) -> list[Item]:
    """The prompts that a proposal may change, locked in the order of ids."""
    wanted = Q(pk=found.item_id)
    if shares_context(found):
        wanted |= Q(family=found.item.family)
    elif found.form == suggestions.COMBINE:
        wanted |= Q(key=found.data["other"])
    rows = Item.objects.select_related("project", "author").filter(wanted, project=found.project_id)
    return list(locked(rows.order_by("pk")))


def shares_context(found: Suggestion) -> bool:
    """Whether a proposal changes a context, which belongs to all prompts of the family that have it."""
    return found.form == suggestions.REWORD and CONTEXT in found.data


# --- what each form does ------------------------------------------------------------------


def _reword(lead: Annotator, found: Suggestion, items: Sequence[Item], meaning: str) -> None:
    """A revision of the prompt, and of all that allocation its context where that changes (ruling 7)."""
    changes = suggestions.changes(found.form, found.data)
    item = found.item
    there = {text.key for text in item.project.kind_spec.texts_of(content_now(item))}
    if not there.issuperset(changes):
        raise Conflict(code="response_gone")
    others = having(item, items, CONTEXT) if shares_context(found) else [item]
    for each in others:
        steps.lead_may(lead, each)
    told = _meaning(others, meaning)
    for each in others:
        own = changes if each.pk == item.pk else {CONTEXT: changes[CONTEXT]}
        _revise(lead, each, own, told, found)


def _split(lead: Annotator, found: Suggestion, meaning: str) -> None:
    """The prompt keeps the first half, the second is a new one of the same writer with the same responses."""
    item = found.item
    kind = item.project.kind_spec
    told = _meaning([item], meaning)
    source = shapes.get(kind.shape).source_of(item)
    second = {part: str(text) for part, text in found.data[suggestions.SECOND].items()}
    content = kind.derive(suggestions.applied(content_now(item), second))
    made = item_split(origin=item, source=source, content=content, by=lead)
    _came_from(made, item, Lineage.How.SPLIT, found)
    _revise(lead, item, suggestions.changes(found.form, found.data), told, found)
    for person in (lead, found.by):
        steps.bar(made, person)


def _combine(lead: Annotator, found: Suggestion, items: Sequence[Item], meaning: str) -> None:
    """The prompt takes the joined parts, the other one is left out with a reason that names it."""
    item, key = found.item, str(found.data["other"])
    other_of(item, key)
    other = next(each for each in items if each.key == key)
    told = _meaning([item], meaning)
    words = gettext("Combined into %(key)s.") % {"key": item.key}
    exclude(lead=lead, item_id=other.pk, version=other.version, words=words)
    _came_from(item, other, Lineage.How.COMBINE, found)
    _revise(lead, item, suggestions.changes(found.form, found.data), told, found)


def _vary(found: Suggestion) -> None:
    """Give the prompt's writer a variation to write, begun with the situation that was proposed."""
    item = found.item
    topic = locked(Concept.objects.filter(questions__item=item)).get()
    writer = _writer_for(item)
    mine = Allocation.objects.filter(writer=writer)
    number = mine.filter(concept=topic).aggregate(most=Max("number"))["most"] or 0
    position = mine.aggregate(last=Max("position"))["last"] or 0
    allocation = Allocation.objects.create(
        project_id=item.project_id,
        concept=topic,
        writer=writer,
        origin=item,
        number=number + 1,
        token=secrets.token_urlsafe(18),
        position=position + 1,
    )
    stands = item.project.kind_spec.written(content_now(item))
    begun = SlotIn(stands.text, stands.one_sentence, more={**stands.more, PERSONAL: found.data[PERSONAL]})
    Draft.objects.create(
        project_id=item.project_id, allocation=allocation, slot=item.slot, content=begun.to_dict()
    )
    Suggestion.objects.filter(pk=found.pk).update(data={**found.data, "allocation": allocation.pk})
    found.refresh_from_db(fields=["data"])


def _writer_for(item: Item) -> Annotator:
    """Who wrote the prompt, or the writer with the fewest open allocations where that person is away."""
    there = Annotator.objects.filter(
        project=item.project_id, is_writer=True, left_at=None, user__isnull=False, user__is_active=True
    )
    waiting = Count("allocations", filter=Q(allocations__state=Allocation.State.OPEN))
    found = (
        there.filter(items=item).first()
        or there.annotate(waiting=waiting).order_by("waiting", "pseudonym").first()
    )
    if found is None:
        raise Conflict(code="suggestion_no_writer")
    return found


# --- what they allocation ------------------------------------------------------------------------


def began(items: Sequence[Item]) -> bool:
    """Whether validation of any of them has begun, so that votes depend on what a change means."""
    return Verdict.objects.filter(item__in=[item.pk for item in items], event=stages.OPEN).exists()


def _meaning(items: Sequence[Item], meaning: str) -> str:
    return steps.meaning_given(meaning) if began(items) else steps.SAME


def _revise(lead: Annotator, item: Item, changes: dict[str, str], meaning: str, found: Suggestion) -> None:
    """One prompt's next revision; a text that stands already makes none."""
    before = content_now(item)
    after = item.project.kind_spec.derive(suggestions.applied(before, changes))
    if after == before:
        return
    words = found.reason or found.words
    revised(lead, item, after, Correction("", "", meaning, words), None)
    steps.bar(item, found.by)
    steps.settle(item)


def _came_from(item: Item, origin: Item, how: Lineage.How, found: Suggestion) -> None:
    """Note where a prompt came from; what is noted of the two already stays."""
    row = Lineage(project_id=item.project_id, item=item, origin=origin, how=how, suggestion=found)
    Lineage.objects.bulk_create([row], ignore_conflicts=True)
