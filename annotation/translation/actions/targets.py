"""Targets of a translation project: who works for them, and the units that are dealt or taken in them."""

import secrets
from collections.abc import Collection, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.content.queries import items_with_open_votes
from annotation.core import public_pages
from annotation.core.actions.contributors import refuse_judge
from annotation.core.database import is_duplicate, locked
from annotation.core.errors import Conflict, Forbidden, Invalid, clean_typed
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.core.rules.draws import draw
from annotation.text import word_list
from annotation.text.normalise import storage_problem
from annotation.text.word_list import WordListError
from annotation.translation.models import TargetMember
from annotation.translation.queries.targets import units_free
from annotation.translation.rules import target_lines
from annotation.translation.rules.target_lines import TargetLine
from annotation.writing.rules.allocation import PURPOSE, spread_premises
from validation.consensus.protocol import Protocol

LONGEST_DESCRIPTION = 4_000


def target_create(
    *,
    project: Project,
    language: str,
    register: str = "",
    name: str = "",
    description: str = "",
    words: Sequence[tuple[str, str]] = (),
    by: User | None = None,
) -> Target:
    """A further target. Its key is made of language and register and is for good; Conflict where it is there.

    An empty name is filled in from ISO 639-3. Raises Invalid for a language that is not there, with what to do.
    """
    read = target_lines.read_target(language, register.strip(), name.strip())
    if isinstance(read, str):
        raise Invalid(read, field="language", code="target_wrong")
    with transaction.atomic():
        fresh = Project.lock(project.pk)
        try:
            with transaction.atomic():
                target = _target(
                    fresh, read, clean_typed(description, "description", LONGEST_DESCRIPTION), _words(words)
                )
                target.save(force_insert=True)
        except IntegrityError as error:
            if not is_duplicate(error):
                raise
            raise Conflict(field="language", code="target_taken") from error
        Event.record(fresh, by, "target_created", target=target.key)
    target.project = project
    return target


def targets_add(*, project: Project, text: str, by: User | None = None) -> list[Target]:
    """Many targets at once, one a line (`code`, or `code, register`): all of them, or none.

    Raises Invalid with the `faults`, each with the number of its line, where a line names no further target.
    """
    with transaction.atomic():
        fresh = Project.lock(project.pk)
        taken = set(fresh.targets.values_list("key", flat=True))
        read, faults = target_lines.parse(text, taken, fresh.language)
        if faults:
            raise Invalid(field="lines", code="target_lines_wrong", faults=faults)
        if not read:
            raise Invalid(field="lines", code="target_lines_missing")
        targets = Target.objects.bulk_create([_target(fresh, each) for each in read])
        Event.objects.bulk_create(
            Event(project=fresh, actor=by, verb="target_created", data={"target": target.key}) for target in targets
        )
    return targets


def target_change(
    *,
    target: Target,
    name: str,
    register: str,
    description: str,
    words: Sequence[tuple[str, str]],
    version: int,
    by: User | None = None,
) -> Target:
    """What a target is called and explained by; its language and key stay.

    Raises Conflict for a page that is behind, with what stands now as `current`, and for a register that another
    target of the language has.
    """
    read = target_lines.read_target(target.language, register.strip(), name.strip())
    if isinstance(read, str):
        raise Invalid(read, field="register", code="target_wrong")
    wanted = {
        "name": read.name,
        "register": read.register,
        "description": clean_typed(description, "description", LONGEST_DESCRIPTION),
        "words": _words(words),
    }
    with transaction.atomic():
        Project.lock(target.project_id)
        fresh = locked(Target.objects.filter(pk=target.pk)).select_related("project").get()
        if fresh.version != version:
            raise Conflict(code="target_stale", current=fresh)
        others = Target.objects.filter(project=fresh.project_id, language=fresh.language).exclude(pk=fresh.pk)
        if others.filter(register__iexact=read.register).exists():
            raise Conflict(field="register", code="target_taken")
        changed = {field: _before_and_after(fresh, field, value) for field, value in wanted.items()}
        changed = {field: pair for field, pair in changed.items() if getattr(fresh, field) != wanted[field]}
        if changed:
            Target.objects.filter(pk=fresh.pk).update(**wanted, version=version + 1)
            Event.record(fresh.project_id, by, "target_changed", target=fresh.key, changed=changed)
            fresh.refresh_from_db()
    return fresh


def target_ended(*, target: Target, ended: bool, by: User | None = None) -> bool:
    """End a target, or open it again: nobody is given anything new in one that is ended, and nothing is lost.

    Twice is once; whether anything changed. Raises ClosesPages where public pages show votes on what is voted on again.
    """
    with transaction.atomic():
        fresh = locked(Target.objects.filter(pk=target.pk)).get()
        if (fresh.ended_at is not None) == ended:
            return False
        if not ended:
            public_pages.close_pages(items_with_open_votes(Item.objects.filter(target=fresh)), by=by)
        Target.objects.filter(pk=fresh.pk).update(ended_at=Now() if ended else None)
        Event.record(fresh.project_id, by, "target_ended" if ended else "target_reopened", target=fresh.key)
    return True


def _target(project: Project, read: TargetLine, description: str = "", words: Sequence[Sequence[str]] = ()) -> Target:
    newest = project.protocols.order_by("-n")[0]
    return Target(
        project=project,
        key=read.key,
        language=read.language,
        register=read.register,
        name=read.name,
        members_only=True,
        description=description,
        words=[list(pair) for pair in words],
        buckets=len(Protocol.from_stored(newest.rules).rounds) + 1,
    )


def _words(words: Sequence[tuple[str, str]]) -> list[list[str]]:
    """The word list as it is stored; what no page can have sent is refused by the same rule."""
    try:
        return [list(pair) for pair in word_list.parse(word_list.text_of(words))]
    except WordListError as error:
        raise Invalid(str(error), field="words", code="word_list_wrong") from error


def _before_and_after(target: Target, field: str, value: Any) -> list[Any]:
    """A change as the audit keeps it: before and after; of words how many."""
    before = getattr(target, field)
    return [len(before), len(value)] if field == "words" else [before, value]


# --- who works where --------------------------------------------------------------------


def targets_by_keys(project: Project, keys: Collection[str]) -> list[Target]:
    """The project's targets of these keys; Invalid where one is not there."""
    known = [key for key in keys if not storage_problem(key)]
    named = list(Target.objects.filter(project=project, key__in=known))
    if len(named) != len(set(keys)):
        raise Invalid(field="targets", code="target_unknown")
    return named


def target_members_set(*, annotator: Annotator, targets: Collection[Target], by: User | None = None) -> list[Target]:
    """Say for which targets somebody works; what they have in hand for others stays theirs. Gives those they left."""
    with transaction.atomic():
        locked(Annotator.objects.filter(pk=annotator.pk)).get()
        held = TargetMember.objects.filter(annotator=annotator).select_related("target")
        there = {place.target_id: place.target for place in held}
        wanted = [target for target in targets if target.project_id == annotator.project_id]
        new = [target for target in wanted if target.pk not in there]
        left = [target for pk, target in there.items() if pk not in {target.pk for target in wanted}]
        refuse_judge(annotator.project, annotator.user, targets=new)
        if new or left:
            held.filter(target__in=left).delete()
            TargetMember.objects.bulk_create([TargetMember(target=target, annotator=annotator) for target in new])
            keys = sorted(target.key for target in wanted)
            Event.record(annotator.project_id, by, "targets", annotator=annotator.pseudonym, targets=keys)
    return left


def target_members_add(*, annotator: Annotator, keys: Collection[str], by: User | None = None) -> None:
    """Somebody works for these targets too; a target that is not there any more is left out."""
    more = Target.objects.filter(project=annotator.project_id, key__in=keys)
    present = Target.objects.filter(members__annotator=annotator)
    target_members_set(annotator=annotator, targets=[*present, *more.exclude(pk__in=present.values("pk"))], by=by)


def distribute_units(target: Target, names: Sequence[str], size: int) -> dict[str, list[int]]:
    """Translators of the target to the units that they are given, in their order of work; all sets spread evenly.

    Nobody gets back what they skipped or let lapse; an ended target gives nothing. The caller has locked the project.
    """
    here = TargetMember.objects.filter(target=target, target__ended_at=None, annotator__pseudonym__in=names)
    names = sorted(here.values_list("annotator__pseudonym", flat=True))
    free = {key: (pk, group) for pk, key, group in units_free(target).values_list("pk", "key", "source_set__key")}
    had = set(
        Allocation.objects.filter(target=target, writer__pseudonym__in=names).values_list(
            "unit__key", "writer__pseudonym"
        )
    )
    rows = [(key, group, key) for key, (_, group) in free.items()]
    dealt = spread_premises(rows, names, size, target.project.seed)
    return {name: [free[key][0] for key in keys if (key, name) not in had] for name, keys in dealt.items()}


def units_take(*, writer: Annotator, target: Target) -> int:
    """A translator with nothing to do takes the next units of a target, in drawn order; how many they got.

    Raises Forbidden for who does not translate into it. Two at once never take the same unit.
    """
    with transaction.atomic():
        project = Project.lock(target.project_id)
        if not writer.is_writer or not TargetMember.objects.filter(annotator=writer, target=target).exists():
            raise Forbidden
        open_ones = writer.allocations.filter(state=Allocation.State.OPEN, target=target)
        if project.closed_at is not None or target.ended_at is not None or open_ones.exists():
            return 0
        had = writer.allocations.filter(target=target, unit=OuterRef("pk"))
        free = list(units_free(target).filter(~Exists(had)).values_list("pk", "key"))
        free.sort(key=lambda each: (draw(project.seed, f"{PURPOSE}:{target.key}", each[1]), each[1]))
        given = [pk for pk, _ in free[: project.rules.take_size]]
        Allocation.objects.bulk_create(allocations_of_units(writer, target, given))
    return len(given)


def allocations_of_units(writer: Annotator, target: Target, units: Sequence[int]) -> list[Allocation]:
    """Allocations to be stored, behind those that the translator has already."""
    last = writer.allocations.aggregate(n=Max("position"))["n"] or 0
    return [
        Allocation(
            project_id=target.project_id,
            writer=writer,
            unit_id=unit,
            target=target,
            token=secrets.token_urlsafe(18),
            position=position,
        )
        for position, unit in enumerate(units, start=last + 1)
    ]
