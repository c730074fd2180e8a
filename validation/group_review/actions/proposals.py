"""Group review: what a session proposes about a prompt, what is said about it, and taking it back (Kalahi §3.2)."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.models import Remark, Session, Suggestion
from annotation.writing.actions.writing import content_now
from validation.consensus import stages
from validation.group_review import rules as suggestions
from validation.group_review.rules import SuggestionFault
from validation.review.actions import steps
from validation.voting.actions.exclusions import bar_family


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
    _takes_part(by)
    said = steps.words_given(words, field="words", required=False)
    with transaction.atomic():
        session = _session(by, session_id)
        item = (
            Item.objects.select_related("project", "target").filter(pk=item_id, project=by.project_id).first()
        )
        if item is None:
            raise NotFound
        if item.stage == stages.EXCLUDED:
            raise Conflict(code="suggestion_left_out")
        data = _data(item, form, typed)
        made = Suggestion.objects.create(
            project_id=by.project_id,
            session=session,
            item=item,
            form=form,
            data=data,
            words=said,
            revision_n=item.revision_n,
            by=by,
        )
        bar_family(annotator=by, family=item.family, target=item.target)
    return made


def remark(*, by: Annotator, session_id: int, suggestion_id: int, text: str) -> Remark:
    """Say something in the thread of a proposal, as long as it is open."""
    _takes_part(by)
    said = steps.words_given(text, field="text")
    with transaction.atomic():
        found = suggestion_in(by, session_id, suggestion_id)
        if found.state != Suggestion.State.OPEN:
            raise Conflict(code="suggestion_over")
        made = Remark.objects.create(project_id=by.project_id, suggestion=found, by=by, text=said)
        bar_family(annotator=by, family=found.item.family, target=found.item.target)
    return made


def take_back(*, by: Annotator, session_id: int, suggestion_id: int) -> Suggestion:
    """Take back one's own proposal, as long as nobody has decided it."""
    _takes_part(by)
    with transaction.atomic():
        found = suggestion_in(by, session_id, suggestion_id)
        if found.by_id != by.pk:
            raise Forbidden
        close(found, state=Suggestion.State.TAKEN_BACK, by=None, reason="")
        return found


def close(found: Suggestion, *, state: Suggestion.State, by: Annotator | None, reason: str) -> None:
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


def _takes_part(person: Annotator) -> None:
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


def _data(item: Item, form: str, typed: Mapping[str, str]) -> dict[str, Any]:
    """What is proposed, read by the rules; a text that cannot be stored or stand under the id is refused here."""
    for name, text in typed.items():
        steps.words_given(text, field=name, required=False)
    content = content_now(item)
    try:
        data = suggestions.read(form, typed, content)
    except SuggestionFault as fault:
        raise Invalid(field=fault.field, code=fault.code) from fault
    if form == suggestions.COMBINE:
        data["other"] = other_of(item, data["other"]).key
    if not item.project.kind_spec.agrees(
        item.key, suggestions.applied(content, suggestions.changes(form, data))
    ):
        raise Invalid(field="", code="key_unlike")
    return data


def other_of(item: Item, key: str) -> Item:
    """The prompt that another is combined with; Invalid where there is none, or it is left out."""
    rows = Item.objects.filter(project=item.project_id, key=key).exclude(pk=item.pk)
    found = rows.exclude(stage=stages.EXCLUDED).first()
    if found is None:
        raise Invalid(field="other", code="other_missing")
    return found
