"""Concepts: taken in many at once (imported, typed, taken over), or proposed, reviewed and changed one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from django.db import transaction
from django.utils.text import slugify

from annotation.content.models.source import Concept
from annotation.core.database import locked
from annotation.core.errors import Conflict, Forbidden, Invalid, clean_typed, first_or_not_found
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.elicitation.rules.sessions import LONGEST_SOURCE
from annotation.text.near_words import near_equal
from annotation.text.normalise import storage_problem, text_hash

LONGEST_CATEGORY = 120
LONGEST_CONCEPT = 300
LONGEST_KEY = 180


@dataclass(frozen=True)
class ConceptIn:
    """A concept as it comes in; an empty `key` is made from the shared key, or from the category and the text.

    `parallel` is its wording in the other language; `extra` holds what the file names beside.
    """

    key: str
    category: str
    text: str
    shared_key: str = ""
    parallel: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


def concept_key(category: str, text: str) -> str:
    """The key of a concept that comes without one: readable, and the same on every machine."""
    return f"{slugify(category)[:40] or 'concept'}-{text_hash(category + chr(10) + text)[:12]}"


def concepts_add(*, target: Target, rows: Sequence[ConceptIn], by: User | None = None) -> list[Concept]:
    """Store approved concepts; each row's concept comes back in the rows' order.

    One that the category has already (id-csqa §4.2: unique) is given back as it stands. A key or shared key that
    belongs to another concept raises Conflict, what cannot be stored Invalid; then nothing is stored.
    """
    with transaction.atomic():
        Project.lock(target.project_id)
        there = ConceptIndex(target)
        concepts = [there.place(row) for row in rows]
        Concept.objects.bulk_create(there.new, batch_size=2000)
        if by is not None and there.new:
            Event.record(target.project_id, by, "concepts_added", n=len(there.new))
    return concepts


@dataclass(frozen=True)
class NearDuplicates:
    """A concept that somebody typed, and those of its category that are nearly the same."""

    text: str
    others: tuple[str, ...]


def concepts_add_typed(
    *, target: Target, category: str, texts: Sequence[str], by: User, source: str = "", sure: bool = False
) -> tuple[int, int]:
    """Add what a lead typed; how many are new, and how many the category had already.

    Nearly equal ones raise Invalid `concept_near` with both wordings, unless the lead is `sure`.
    """
    extra = with_source({}, source)
    rows = [ConceptIn("", category, text, extra=extra) for text in texts if text.strip()]
    if not rows:
        raise Invalid(field="text", code="concept_text_missing")
    with transaction.atomic():
        lock_open_project(target.project)
        if not sure:
            refuse_near_duplicates(target, category, [row.text for row in rows])
        before = Concept.objects.filter(target=target).count()
        concepts_add(target=target, rows=rows, by=by)
        new = Concept.objects.filter(target=target).count() - before
    return new, len(rows) - new


def with_source(extra: Mapping[str, Any], source: str) -> dict[str, Any]:
    """What is kept beside a concept, with where it comes from (domain.md §6); an empty source is none."""
    words = clean_typed(" ".join(source.split()), "source", LONGEST_SOURCE)
    rest = {name: value for name, value in extra.items() if name != "source"}
    return {**rest, "source": words} if words else rest


def lock_open_project(project: Project) -> Project:
    """The project, locked: its concepts are compared with each other. Conflict where it is closed."""
    return Project.lock(project.pk, closed="concepts_closed")


def refuse_near_duplicates(target: Target, category: str, texts: Sequence[str], *, but: int = 0) -> None:
    """Raise Invalid where the category has, or the texts hold, nearly equal ones; `but` is the one being changed."""
    there = Concept.objects.filter(target=target, category=category.strip()).exclude(pk=but)
    known = list(there.order_by("text").values_list("text", flat=True))
    near = []
    for text in (each.strip() for each in texts):
        # The very same is no question: it is there already.
        others = [other for other in near_equal(text, known) if text_hash(other) != text_hash(text)]
        if others and text_hash(text) not in map(text_hash, known):
            near.append(NearDuplicates(text, tuple(others)))
        if text not in known:
            known.append(text)
    if near:
        raise Invalid(field="text", code="concept_near", near=near)


def concepts_take_over(*, source: Project, into: Project, by: User) -> int:
    """Give a project the approved concepts of another language's project under the same shared keys; how many.

    Their wording there stands as `parallel`, and as the text until the writers fill in their own. Those that came
    before are left alone, so running it again adds only new ones.
    """
    with transaction.atomic():
        list(locked(Project.objects.filter(pk__in=[source.pk, into.pk]).order_by("pk")))
        lock_open_project(into)
        target = into.targets.order_by("pk")[0]
        there, new = ConceptIndex(target), 0
        for concept in _concepts_with_shared_keys(source):
            new += there.share(concept)
        Concept.objects.bulk_create(there.new, batch_size=2000)
        Concept.objects.bulk_update(there.linked, ["shared_key", "parallel"], batch_size=500)
        if new:
            Event.record(into, by, "concepts_taken_over", n=new, **{"from": source.slug})
    return new


def _concepts_with_shared_keys(project: Project) -> list[Concept]:
    """The project's approved concepts, each with a shared key: its own key where it had none."""
    concepts = list(Concept.objects.filter(project=project, state=Concept.State.APPROVED).order_by("pk"))
    taken = set(Concept.objects.filter(project=project).values_list("shared_key", flat=True))
    unnamed = [concept for concept in concepts if not concept.shared_key]
    for concept in unnamed:
        key = concept.key if concept.key not in taken else concept_key(concept.category, concept.text)
        concept.shared_key = key
    Concept.objects.bulk_update(unnamed, ["shared_key"], batch_size=500)
    return concepts


class ConceptIndex:
    """What a target holds, so that many rows are compared with it and with each other in one query."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.new: list[Concept] = []
        self.linked: list[Concept] = []
        present = list(Concept.objects.filter(target=target))
        self._texts = {(each.category, each.text_hash): each for each in present}
        self._keys = {each.key for each in present}
        self._shared = {each.shared_key for each in present if each.shared_key}

    def place(self, row: ConceptIn) -> Concept:
        """The concept of a row: the one that stands, or a new one, kept in `new` until it is stored."""
        check_row(row)
        category, text = row.category.strip(), row.text.strip()
        same = self._texts.get((category, text_hash(text)))
        if same is not None:
            return same
        key = row.key or row.shared_key or self.free_key(category, text)
        if key in self._keys:
            raise Conflict(field="key", code="concept_key_taken", key=key)
        if row.shared_key and row.shared_key in self._shared:
            raise Conflict(field="shared_key", code="concept_key_taken", key=row.shared_key)
        made = Concept(
            project_id=self.target.project_id,
            target=self.target,
            key=key,
            category=category,
            text=text,
            text_hash=text_hash(text),
            shared_key=row.shared_key,
            parallel=row.parallel.strip(),
            extra=dict(row.extra),
        )
        self._texts[(category, made.text_hash)] = made
        self._keys.add(key)
        self._shared.add(row.shared_key)
        self.new.append(made)
        return made

    def share(self, concept: Concept) -> bool:
        """Take another project's concept over, or link the same one that stands here; whether anything was done."""
        if concept.shared_key in self._shared:
            return False
        same = self._texts.get((concept.category, concept.text_hash))
        if same is not None:
            if same.shared_key:
                return False
            same.shared_key, same.parallel = concept.shared_key, concept.text
            self._shared.add(concept.shared_key)
            self.linked.append(same)
            return True
        key = concept.shared_key
        if key in self._keys:
            key = self.free_key(concept.category, concept.text)
        self.place(ConceptIn(key, concept.category, concept.text, concept.shared_key, concept.text))
        return True

    def free_key(self, category: str, text: str) -> str:
        """The key of what is typed; one whose text was changed since holds the key that its first text gave it."""
        key = concept_key(category, text)
        return next(each for n in count() if (each := f"{key}-{n}" if n else key) not in self._keys)


def check_row(row: ConceptIn) -> None:
    """Raise Invalid for what is missing, too long or no text; `field` says where."""
    limits = (
        ("category", row.category, LONGEST_CATEGORY),
        ("text", row.text, LONGEST_CONCEPT),
        ("parallel", row.parallel, LONGEST_CONCEPT),
        ("key", row.key, LONGEST_KEY),
        ("shared_key", row.shared_key, LONGEST_KEY),
    )
    for name, value, longest in limits:
        if storage_problem(value) or len(value) > longest:
            raise Invalid(field=name, code="text_not_storable")
        if name in ("category", "text") and not value.strip():
            raise Invalid(field=name, code=f"concept_{name}_missing")


State = Concept.State
LONGEST_WORDS = 2_000


def concept_propose(
    *, writer: Annotator, target: Target, category: str, text: str, source: str = "", sure: bool = False
) -> Concept:
    """A writer proposes a concept; it waits for a lead before anybody writes for it (domain.md §5).

    Invalid `concept_near` names nearly equal ones, unless the writer is `sure`; Conflict where it is there already.
    """
    category, text = _check_texts(category, text)
    with transaction.atomic():
        lock_open_project(target.project)
        known = Concept.objects.filter(target=target)
        if known.exists() and not known.filter(category=category).exists():
            raise Invalid(field="category", code="concept_category_unknown")
        _refuse_same(target, category, text)
        if not sure:
            refuse_near_duplicates(target, category, [text])
        made = Concept.objects.create(
            project_id=target.project_id,
            target=target,
            key=ConceptIndex(target).free_key(category, text),
            category=category,
            text=text,
            text_hash=text_hash(text),
            state=State.PROPOSED,
            proposed_by=writer,
            extra=with_source({}, source),
        )
        _record_event(made, writer.user, "concept_proposed")
    return made


def concept_review(
    *, project: Project, concept_id: int, by: User, version: int, approve: bool, words: str = ""
) -> Concept:
    """A lead approves a concept, or returns it with words; nobody reviews what they proposed.

    An approved one can be given to writers; one that a writer has, or that questions were written for, stays.
    """
    words = clean_typed(words, "words", LONGEST_WORDS, missing="" if approve else "words_missing")
    with transaction.atomic():
        concept = _lock_concept(project, concept_id, version)
        if concept.proposed_by is not None and concept.proposed_by.user_id == by.pk:
            # No lead reviews what they wrote (domain.md §2).
            raise Conflict(code="own_concept")
        if approve and concept.state == State.APPROVED:
            raise Conflict(code="concept_decided")
        if not approve and (concept.allocations.exists() or concept.questions.exists()):
            raise Conflict(code="concept_in_use")
        concept.state = State.APPROVED if approve else State.RETURNED
        concept.words = "" if approve else words
        return _save_and_record(concept, by, "concept_approved" if approve else "concept_returned")


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

    Without a `source` the one that it has stays. What says the same as before makes no version.
    """
    with transaction.atomic():
        concept = _lock_concept(project, concept_id, version)
        before = _wording_of(concept)
        if source is not None:
            concept.extra = with_source(concept.extra, source)
        _change_wording(concept, category, text, parallel, sure)
        if _wording_of(concept) == before:
            return concept
        return _save_and_record(concept, by, "concept_changed")


def concept_propose_again(
    *, writer: Annotator, concept_id: int, version: int, text: str, sure: bool = False
) -> Concept:
    """Whoever proposed a concept changes it, until a lead approved it; it is proposed again."""
    with transaction.atomic():
        concept = _lock_concept(writer.project, concept_id, version)
        if concept.proposed_by_id != writer.pk:
            raise Forbidden
        if concept.state == State.APPROVED:
            raise Conflict(code="concept_decided")
        _change_wording(concept, concept.category, text, concept.parallel, sure)
        concept.state = State.PROPOSED
        return _save_and_record(concept, writer.user, "concept_proposed")


def _check_texts(category: str, text: str, parallel: str = "") -> tuple[str, str]:
    check_row(ConceptIn("", category, text, parallel=parallel))
    return category.strip(), text.strip()


def _lock_concept(project: Project, concept_id: int, version: int) -> Concept:
    """The concept, locked after its project; Conflict where the page that was sent is behind."""
    lock_open_project(project)
    concept = first_or_not_found(
        locked(Concept.objects.filter(pk=concept_id, project=project)).select_related("target", "proposed_by")
    )
    if concept.version != version:
        raise Conflict(code="stale", current=concept)
    return concept


def _wording_of(concept: Concept) -> tuple[object, ...]:
    return concept.category, concept.text, concept.parallel, concept.extra


def _change_wording(concept: Concept, category: str, text: str, parallel: str, sure: bool) -> None:
    category, text = _check_texts(category, text, parallel)
    _refuse_same(concept.target, category, text, but=concept.pk)
    if not sure and (category, text) != (concept.category, concept.text):
        refuse_near_duplicates(concept.target, category, [text], but=concept.pk)
    concept.category, concept.text, concept.parallel = category, text, parallel.strip()
    concept.text_hash = text_hash(text)


def _refuse_same(target: Target, category: str, text: str, *, but: int = 0) -> None:
    there = Concept.objects.filter(target=target, category=category, text_hash=text_hash(text))
    if there.exclude(pk=but).exists():
        raise Conflict(field="text", code="concept_exists")


def _save_and_record(concept: Concept, by: User | None, verb: str) -> Concept:
    concept.version += 1
    concept.save()
    _record_event(concept, by, verb)
    return concept


def _record_event(concept: Concept, by: User | None, verb: str) -> None:
    data = {"category": concept.category, "text": concept.text, "words": concept.words}
    Event.record(concept.project_id, by, verb, concept=concept.key, **data)
