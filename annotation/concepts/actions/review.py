"""One concept: proposed by a writer, approved or returned with words by a lead, changed by either."""

from django.db import transaction

from annotation.concepts.actions.intake import (
    ConceptIn,
    Shelf,
    project_open,
    refuse_near,
    row_check,
    sourced,
)
from annotation.content.models.source import Concept
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.jobs.database import locked
from annotation.text.normalise import storable
from annotation.writing.actions.allocation import text_hash

State = Concept.State
LONGEST_WORDS = 2_000


def concept_propose(
    *, writer: Annotator, target: Target, category: str, text: str, source: str = "", sure: bool = False
) -> Concept:
    """A writer proposes a concept; it waits for a lead before anybody writes for it (domain.md §5).

    Invalid `concept_near` names nearly equal ones, unless the writer is `sure`; Conflict where it is there already.
    """
    category, text = _checked(category, text)
    with transaction.atomic():
        project_open(target.project)
        known = Concept.objects.filter(target=target)
        if known.exists() and not known.filter(category=category).exists():
            raise Invalid(field="category", code="concept_category_unknown")
        _refuse_same(target, category, text)
        if not sure:
            refuse_near(target, category, [text])
        made = Concept.objects.create(
            project_id=target.project_id,
            target=target,
            key=Shelf(target).free_key(category, text),
            category=category,
            text=text,
            text_hash=text_hash(text),
            state=State.PROPOSED,
            proposed_by=writer,
            extra=sourced({}, source),
        )
        _log(made, writer.user, "concept_proposed")
    return made


def concept_review(
    *, project: Project, concept_id: int, by: User, version: int, approve: bool, words: str = ""
) -> Concept:
    """A lead approves a concept, or returns it with words; nobody reviews what they proposed.

    An approved one can be given to writers; one that a writer has, or that questions were written for, stays.
    """
    if not approve and not words.strip():
        raise Invalid(field="words", code="words_missing")
    if storable(words) or len(words) > LONGEST_WORDS:
        raise Invalid(field="words", code="text_not_storable")
    with transaction.atomic():
        concept = _fresh(project, concept_id, version)
        _not_own(concept, by)
        if approve and concept.state == State.APPROVED:
            raise Conflict(code="concept_decided")
        if not approve and (concept.allocations.exists() or concept.questions.exists()):
            raise Conflict(code="concept_in_use")
        concept.state = State.APPROVED if approve else State.RETURNED
        concept.words = "" if approve else words.strip()
        return _keep(concept, by, "concept_approved" if approve else "concept_returned")


def concept_change(
    *,
    project: Project,
    concept_id: int,
    by: User,
    version: int,
    category: str,
    text: str,
    parallel: str = "",
    source: str | None = None,
    sure: bool = False,
) -> Concept:
    """A lead changes a concept; its state stays. Questions that were written keep the wording that they have.

    Without a `source` the one that it has stays.
    """
    with transaction.atomic():
        concept = _fresh(project, concept_id, version)
        if source is not None:
            concept.extra = sourced(concept.extra, source)
        _reword(concept, category, text, parallel, sure)
        return _keep(concept, by, "concept_changed")


def concept_propose_again(
    *, writer: Annotator, concept_id: int, version: int, text: str, sure: bool = False
) -> Concept:
    """Whoever proposed a concept changes it, until a lead approved it; it is proposed again."""
    with transaction.atomic():
        concept = _fresh(writer.project, concept_id, version)
        if concept.proposed_by_id != writer.pk:
            raise Forbidden
        if concept.state == State.APPROVED:
            raise Conflict(code="concept_decided")
        _reword(concept, concept.category, text, concept.parallel, sure)
        concept.state = State.PROPOSED
        return _keep(concept, writer.user, "concept_proposed")


def _checked(category: str, text: str, parallel: str = "") -> tuple[str, str]:
    row_check(ConceptIn("", category, text, parallel=parallel))
    return category.strip(), text.strip()


def _fresh(project: Project, concept_id: int, version: int) -> Concept:
    """The concept, locked after its project; Conflict where the page that was sent is behind."""
    project_open(project)
    concept = (
        locked(Concept.objects.filter(pk=concept_id, project=project))
        .select_related("target", "proposed_by")
        .first()
    )
    if concept is None:
        raise NotFound
    if concept.version != version:
        raise Conflict(code="stale", current=concept)
    return concept


def _reword(concept: Concept, category: str, text: str, parallel: str, sure: bool) -> None:
    category, text = _checked(category, text, parallel)
    _refuse_same(concept.target, category, text, but=concept.pk)
    if not sure and (category, text) != (concept.category, concept.text):
        refuse_near(concept.target, category, [text], but=concept.pk)
    concept.category, concept.text, concept.parallel = category, text, parallel.strip()
    concept.text_hash = text_hash(text)


def _refuse_same(target: Target, category: str, text: str, *, but: int = 0) -> None:
    there = Concept.objects.filter(target=target, category=category, text_hash=text_hash(text))
    if there.exclude(pk=but).exists():
        raise Conflict(field="text", code="concept_exists")


def _not_own(concept: Concept, by: User) -> None:
    """No lead reviews what they wrote (domain.md §2)."""
    if concept.proposed_by is not None and concept.proposed_by.user_id == by.pk:
        raise Conflict(code="own_concept")


def _keep(concept: Concept, by: User | None, verb: str) -> Concept:
    concept.version += 1
    concept.save()
    _log(concept, by, verb)
    return concept


def _log(concept: Concept, by: User | None, verb: str) -> None:
    data = {
        "concept": concept.key,
        "category": concept.category,
        "text": concept.text,
        "words": concept.words,
    }
    Event.objects.create(project_id=concept.project_id, actor=by, verb=verb, data=data)
