"""Group review: proposals about a prompt in a session, remarks on them, and withdrawing them (Kalahi §3.2)."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Q
from django.db.models.functions import Now
from django.utils.translation import gettext

from annotation.content import shapes
from annotation.content.actions.items import item_split
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Concept, Draft
from annotation.content.queries import current_content, items_sharing_text
from annotation.core.database import locked
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.models import Lineage, Remark, Session, Suggestion
from annotation.elicitation.rules.prompts import CONTEXT, PERSONAL
from annotation.kinds import SlotIn
from validation.consensus import stages
from validation.group_review import rules as suggestions
from validation.group_review.rules import SuggestionFault
from validation.voting.actions import steps
from validation.voting.actions.exclusions import bar_family
from validation.voting.actions.steps import Correction, exclude, write_revision
from validation.voting.models.vote import Verdict


def suggest(
    *,
    by: Annotator,
    session_id: int,
    item_id: int,
    form: str,
    typed: Mapping[str, str],
    words: str = "",
) -> Suggestion:
    """Propose something about a prompt in a session; who does is not asked to validate its family.

    Raises Invalid with the field where what was typed makes no proposal, Conflict where the prompt is left out.
    """
    _check_takes_part(by)
    comment = steps.checked_words(words, field="words", required=False)
    with transaction.atomic():
        session = _session(by, session_id)
        item = Item.objects.select_related("project", "target").filter(pk=item_id, project=by.project_id).first()
        if item is None:
            raise NotFound
        if item.stage == stages.EXCLUDED:
            raise Conflict(code="suggestion_left_out")
        data = _read_data(item, form, typed)
        made = Suggestion.objects.create(
            project_id=by.project_id,
            session=session,
            item=item,
            form=form,
            data=data,
            words=comment,
            revision_n=item.revision_n,
            by=by,
        )
        bar_family(annotator=by, family=item.family, target=item.target)
    return made


def remark(*, by: Annotator, session_id: int, suggestion_id: int, text: str) -> Remark:
    """Say something in the thread of a proposal, as long as it is open."""
    _check_takes_part(by)
    comment = steps.checked_words(text, field="text")
    with transaction.atomic():
        found = suggestion_in(by, session_id, suggestion_id)
        if found.state != Suggestion.State.OPEN:
            raise Conflict(code="suggestion_over")
        made = Remark.objects.create(project_id=by.project_id, suggestion=found, by=by, text=comment)
        bar_family(annotator=by, family=found.item.family, target=found.item.target)
    return made


def take_back(*, by: Annotator, session_id: int, suggestion_id: int) -> Suggestion:
    """Take back one's own proposal, as long as nobody has decided it."""
    _check_takes_part(by)
    with transaction.atomic():
        found = suggestion_in(by, session_id, suggestion_id)
        if found.by_id != by.pk:
            raise Forbidden
        close_suggestion(found, state=Suggestion.State.TAKEN_BACK, by=None, reason="")
        return found


def close_suggestion(found: Suggestion, *, state: Suggestion.State, by: Annotator | None, reason: str) -> None:
    """Only one thing becomes of a proposal, whoever is at it at once; Conflict for everybody else."""
    closed = Suggestion.objects.filter(pk=found.pk, state=Suggestion.State.OPEN).update(
        state=state, decided_by=by, decided_at=Now(), reason=reason
    )
    if not closed:
        raise Conflict(code="suggestion_over")
    found.refresh_from_db()


def suggestion_in(person: Annotator, session_id: int, suggestion_id: int) -> Suggestion:
    """A proposal of a session in this person's project."""
    rows = Suggestion.objects.select_related("item__project", "item__target", "by")
    found = rows.filter(pk=suggestion_id, session=session_id, project=person.project_id).first()
    if found is None:
        raise NotFound
    return found


def _check_takes_part(person: Annotator) -> None:
    """Reviewers and leads, while the project is open."""
    if person.left_at is not None or not (person.is_reviewer or person.is_lead):
        raise Forbidden
    if Project.objects.filter(pk=person.project_id, closed_at__isnull=False).exists():
        raise Conflict(code="closed_group")


def _session(person: Annotator, session_id: int) -> Session:
    review = Session.Purpose.REVIEW
    found = Session.objects.filter(pk=session_id, project=person.project_id, purpose=review).first()
    if found is None:
        raise NotFound
    return found


def _read_data(item: Item, form: str, typed: Mapping[str, str]) -> dict[str, Any]:
    """What is proposed, read by the rules; a text that cannot be stored or stand under the id is refused here."""
    for name, text in typed.items():
        steps.checked_words(text, field=name, required=False)
    content = current_content(item)
    try:
        data = suggestions.read(form, typed, content)
    except SuggestionFault as fault:
        raise Invalid(field=fault.field, code=fault.code) from fault
    if form == suggestions.COMBINE:
        data["other"] = prompt_to_combine(item, data["other"]).key
    if not item.project.kind_spec.authoring.key_fits_content(
        item.key, suggestions.with_texts(content, suggestions.changes(form, data))
    ):
        raise Invalid(field="", code="key_unlike")
    return data


def prompt_to_combine(item: Item, key: str) -> Item:
    """The prompt that another is combined with; Invalid where there is none, or it is left out."""
    rows = Item.objects.filter(project=item.project_id, key=key).exclude(pk=item.pk)
    found = rows.exclude(stage=stages.EXCLUDED).first()
    if found is None:
        raise Invalid(field="other", code="other_missing")
    return found


def decline(*, lead: Annotator, session_id: int, suggestion_id: int, reason: str) -> Suggestion:
    """Leave the prompt as it is, with a reason for those who proposed it."""
    comment = steps.checked_words(reason, field="words")
    with transaction.atomic():
        found = suggestion_in(lead, session_id, suggestion_id)
        _check_may_decide(lead, found)
        close_suggestion(found, state=Suggestion.State.DECLINED, by=lead, reason=comment)
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
    comment = steps.checked_words(reason, field="words", required=False)
    with transaction.atomic():
        found = suggestion_in(lead, session_id, suggestion_id)
        _check_may_decide(lead, found)
        items = _lock_prompts(found)
        close_suggestion(found, state=Suggestion.State.ACCEPTED, by=lead, reason=comment)
        item = next(each for each in items if each.pk == found.item_id)
        found.item = item
        if item.stage == stages.EXCLUDED:
            raise Conflict(code="suggestion_left_out")
        if item.revision_n != revision_n:
            raise Conflict(code="suggestion_stale")
        if found.form == suggestions.VARIATION:
            _allocate_variation(found)
        elif found.form == suggestions.SPLIT:
            _split(lead, found, meaning)
        elif found.form == suggestions.COMBINE:
            _combine(lead, found, items, meaning)
        else:
            _reword(lead, found, items, meaning)
        return found


def _check_may_decide(lead: Annotator, found: Suggestion) -> None:
    """A lead who neither proposed it nor wrote the prompt, in an open project."""
    steps.check_lead_may_act(lead, found.item)
    if found.by_id == lead.pk:
        raise Forbidden(code="own_suggestion")
    if found.item.project.closed_at is not None:
        raise Conflict(code="closed_group")


def _lock_prompts(found: Suggestion) -> list[Item]:
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
    there = {text.key for text in item.project.kind_spec.correctable_texts(current_content(item))}
    if not there.issuperset(changes):
        raise Conflict(code="response_gone")
    others = items_sharing_text(item, items, CONTEXT) if shares_context(found) else [item]
    for each in others:
        steps.check_lead_may_act(lead, each)
    meaning_text = _check_meaning(others, meaning)
    for each in others:
        own = changes if each.pk == item.pk else {CONTEXT: changes[CONTEXT]}
        _revise(lead, each, own, meaning_text, found)


def _split(lead: Annotator, found: Suggestion, meaning: str) -> None:
    """The prompt keeps the first half, the second is a new one of the same writer with the same responses."""
    item = found.item
    kind = item.project.kind_spec
    meaning_text = _check_meaning([item], meaning)
    source = shapes.get(kind.shape).source_of(item)
    second = {part: str(text) for part, text in found.data[suggestions.SECOND].items()}
    content = kind.authoring.derive(suggestions.with_texts(current_content(item), second))
    made = item_split(origin=item, source=source, content=content, by=lead)
    _record_lineage(made, item, Lineage.How.SPLIT, found)
    _revise(lead, item, suggestions.changes(found.form, found.data), meaning_text, found)
    for person in (lead, found.by):
        steps.bar_person(made, person)


def _combine(lead: Annotator, found: Suggestion, items: Sequence[Item], meaning: str) -> None:
    """The prompt takes the joined parts, the other one is left out with a reason that names it."""
    item, key = found.item, str(found.data["other"])
    prompt_to_combine(item, key)
    other = next(each for each in items if each.key == key)
    meaning_text = _check_meaning([item], meaning)
    words = gettext("Combined into %(key)s.") % {"key": item.key}
    exclude(lead=lead, item_id=other.pk, version=other.version, words=words)
    _record_lineage(item, other, Lineage.How.COMBINE, found)
    _revise(lead, item, suggestions.changes(found.form, found.data), meaning_text, found)


def _allocate_variation(found: Suggestion) -> None:
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
    stands = item.project.kind_spec.authoring.slot_from_content(current_content(item))
    begun = SlotIn(stands.text, stands.one_sentence, more={**stands.more, PERSONAL: found.data[PERSONAL]})
    Draft.objects.create(project_id=item.project_id, allocation=allocation, slot=item.slot, content=begun.to_dict())
    Suggestion.objects.filter(pk=found.pk).update(data={**found.data, "allocation": allocation.pk})
    found.refresh_from_db(fields=["data"])


def _writer_for(item: Item) -> Annotator:
    """Who wrote the prompt, or the writer with the fewest open allocations where that person is away."""
    there = Annotator.objects.filter(
        project=item.project_id, is_writer=True, left_at=None, user__isnull=False, user__is_active=True
    )
    waiting = Count("allocations", filter=Q(allocations__state=Allocation.State.OPEN))
    found = there.filter(items=item).first() or there.annotate(waiting=waiting).order_by("waiting", "pseudonym").first()
    if found is None:
        raise Conflict(code="suggestion_no_writer")
    return found


# --- what they allocation ------------------------------------------------------------------------


def has_validation_begun(items: Sequence[Item]) -> bool:
    """Whether validation of any of them has begun, so that votes depend on what a change means."""
    return Verdict.objects.filter(item__in=[item.pk for item in items], event=stages.OPEN).exists()


def _check_meaning(items: Sequence[Item], meaning: str) -> str:
    return steps.checked_meaning(meaning) if has_validation_begun(items) else steps.SAME_MEANING


def _revise(lead: Annotator, item: Item, changes: dict[str, str], meaning: str, found: Suggestion) -> None:
    """One prompt's next revision; a text that stands already makes none."""
    before = current_content(item)
    after = item.project.kind_spec.authoring.derive(suggestions.with_texts(before, changes))
    if after == before:
        return
    words = found.reason or found.words
    write_revision(lead, item, after, Correction("", "", meaning, words), None)
    steps.bar_person(item, found.by)
    steps.save_standing(item)


def _record_lineage(item: Item, origin: Item, how: Lineage.How, found: Suggestion) -> None:
    """Note where a prompt came from; what is noted of the two already stays."""
    row = Lineage(project_id=item.project_id, item=item, origin=origin, how=how, suggestion=found)
    Lineage.objects.bulk_create([row], ignore_conflicts=True)
