"""The remaining work in targets, and the data of a target for the checks of one translation.

Autosave asks every few seconds: two small statements, and what was learnt is read once a process and kept until the
job learns anew.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from django.db.models import Case, Count, Exists, F, JSONField, OuterRef, QuerySet, When

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.content.models.units import SourceUnit, Translation
from annotation.content.queries import ACCEPTED_STAGES, contents
from annotation.core.models.member import Annotator
from annotation.core.models.project import Target
from annotation.text.language_codes import language_of
from annotation.text.length_ratios import LengthStatistics
from annotation.text.letter_trigrams import LetterStatistics
from annotation.translation.models import TargetMember, TargetStatistics
from annotation.translation.rules.target_resources import TargetResources, Words


def units_live(project_id: int) -> QuerySet[SourceUnit]:
    """What a project translates: the units of frozen sets, as clean-up left them."""
    return SourceUnit.objects.filter(project=project_id, source_set__frozen_at__isnull=False, removed=False)


def units_free(target: Target) -> QuerySet[SourceUnit]:
    """What nobody has in hand for a target and nobody translated."""
    held = Allocation.objects.filter(unit=OuterRef("pk"), target=target, state__in=Allocation.IN_HAND)
    done = Translation.objects.filter(unit=OuterRef("pk"), target=target)
    return units_live(target.project_id).filter(~Exists(held), ~Exists(done))


@dataclass(frozen=True)
class TargetWork:
    """One target as somebody who works for it sees it: whether there is more, and never how much.

    `open` are the texts that they have in hand. Where `is_member` is false they work for it no more, or it was ended:
    they finish what they have.
    """

    target: Target
    open: int
    more: bool
    is_member: bool

    @property
    def can_take_texts(self) -> bool:
        """Whether they can take the next texts."""
        return self.is_member and self.more and not self.open


def works_of(annotators: Collection[int]) -> dict[int, list[TargetWork]]:
    """People (by their places' keys) to their targets, in order of the key: two statements, however many targets.

    `more`: a unit that they were never given.
    """
    at = {(row.annotator_id, row.target_id): row for row in _workplaces(annotators)}
    held = Allocation.objects.filter(writer__in=annotators, state=Allocation.State.OPEN, target__isnull=False)
    counted = held.values_list("writer", "target").annotate(n=Count("pk")).order_by()
    in_hand = {(writer, target): n for writer, target, n in counted}
    targets = {row.target_id: row.target for row in at.values()}
    gone = {target for _, target in in_hand} - targets.keys()
    if gone:
        targets |= Target.objects.in_bulk(gone)
    works: dict[int, list[TargetWork]] = defaultdict(list)
    for key in {*at, *in_hand}:
        row = at.get(key)
        more = bool(row and getattr(row, "more", False))
        works[key[0]].append(TargetWork(targets[key[1]], in_hand.get(key, 0), more, row is not None))
    return {person: sorted(rows, key=lambda each: each.target.key) for person, rows in works.items()}


def _workplaces(annotators: Collection[int]) -> QuerySet[TargetMember]:
    """Where people work, with whether there is more to translate."""
    here = {"unit": OuterRef("pk"), "target": OuterRef(OuterRef("target"))}
    given = Allocation.objects.filter(**here)
    held, had = (
        given.filter(state__in=Allocation.IN_HAND),
        given.filter(writer=OuterRef(OuterRef("annotator"))),
    )
    free = SourceUnit.objects.filter(
        ~Exists(held),
        ~Exists(had),
        ~Exists(Translation.objects.filter(**here)),
        project=OuterRef("target__project"),
        source_set__frozen_at__isnull=False,
        removed=False,
    )
    return (
        TargetMember.objects.filter(annotator__in=annotators, target__ended_at=None)
        .select_related("target")
        .annotate(more=Exists(free))
    )


def work_of(annotator: Annotator) -> list[TargetWork]:
    """The targets of one person."""
    return works_of([annotator.pk]).get(annotator.pk, [])


LENGTHS, LETTERS = "lengths", "letters"
Statistics = TypeVar("Statistics", LengthStatistics, LetterStatistics)
# Two rows a target: a project of 22 targets, and some more.
MOST_KEPT = 96


class _Target(NamedTuple):
    """What checks ask of each target of the project."""

    pk: int
    language: str
    register: str
    title: str
    words: Words
    ended: bool
    source: str


def resources_of(target: Target | None) -> TargetResources | None:
    """The resources of a target; None in kinds without targets."""
    if target is None:
        return None
    targets = _targets(target)
    learnt = TargetStatistics.objects.filter(project=target.project_id).values_list("target_id", "what", "pk", "at")
    rows = {(target_id, what): (pk, at) for target_id, what, pk, at in learnt}
    letters: dict[int | None, LetterStatistics] = {
        target_id: _load_statistics(LetterStatistics, pk, at)
        for (target_id, what), (pk, at) in rows.items()
        if what == LETTERS
    }
    own, mine = next(row for row in targets if row.pk == target.pk), base_language(target.language)
    others = {
        row.title: letters[row.pk] for row in targets if row.pk in letters and base_language(row.language) != mine
    }
    if None in letters and base_language(own.source) != mine:
        known = language_of(own.source)
        others[(known.name if known else "") or own.source] = letters[None]
    lengths = rows.get((target.pk, LENGTHS))
    return TargetResources(
        source_language=own.source,
        language=own.language,
        register=own.register,
        words=own.words,
        others=_other_registers(own, targets),
        lengths=_load_statistics(LengthStatistics, *lengths) if lengths else LengthStatistics(),
        letters=letters.get(target.pk, LetterStatistics()),
        other_letters=others,
    )


def base_language(language: str) -> str:
    """A language without region, script or register: what letters can tell from another."""
    return language.replace("_", "-").partition("-")[0].casefold()


def _targets(target: Target) -> list[_Target]:
    """Every target of the project by its key; word lists of the target's language only."""
    listed = Case(When(language=target.language, then=F("words")), default=None, output_field=JSONField())
    rows = Target.objects.filter(project=target.project_id).order_by("key").annotate(listed=listed)
    columns = ("pk", "language", "register", "name", "listed", "ended_at", "project__language")
    return [
        _Target(
            pk,
            language,
            register,
            Target(language=language, register=register, name=name).title,
            tuple((word, meaning) for word, meaning in words or ()),
            ended is not None,
            source,
        )
        for pk, language, register, name, words, ended, source in rows.values_list(*columns)
    ]


def _other_registers(own: _Target, targets: Iterable[_Target]) -> dict[str, Words]:
    """The lists of the language's other registers that are still worked on, by name."""
    others = [row for row in targets if row.pk != own.pk and row.language == own.language and not row.ended]
    return {row.register: row.words for row in sorted(others, key=lambda each: each.register)}


@lru_cache(maxsize=MOST_KEPT)
def _load_statistics(model: type[Statistics], pk: int, at: datetime) -> Statistics:
    """What was learnt, as it stood at a moment."""
    return model.from_json(TargetStatistics.objects.values_list("data", flat=True).get(pk=pk))


def settled_in_other_targets(annotator: Annotator, allocation: Allocation) -> list[tuple[Item, dict[str, Any]]]:
    """The settled translations of an allocation's unit in other targets, with their content, by the target's key.

    Without those of targets in which this person reviews: should one be opened again, they would have seen it.
    """
    if allocation.unit_id is None:
        return []
    items = Item.objects.filter(
        translation__unit=allocation.unit_id, project=allocation.project_id, stage__in=ACCEPTED_STAGES
    )
    items = items.exclude(target=allocation.target_id)
    if annotator.is_validator:
        items = items.exclude(target__members__annotator=annotator)
    found = sorted(items.select_related("target", "project"), key=lambda item: item.target.key)
    present = contents(found)
    return [(item, present[item.pk]) for item in found]
