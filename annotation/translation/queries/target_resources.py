"""What is known of a target, fetched for the checks of one translation.

Autosave asks every few seconds: two small statements, and what was learnt is read once a process and kept until the
job learns anew.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from django.db.models import Case, F, JSONField, When

from annotation.core.models.project import Target
from annotation.text.language_codes import language_of
from annotation.text.length_ratios import Lengths
from annotation.text.letter_trigrams import Letters
from annotation.translation.models import TargetStatistics
from annotation.translation.rules.target_resources import TargetResources, Words

LENGTHS, LETTERS = "lengths", "letters"
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
    learnt = TargetStatistics.objects.filter(project=target.project_id).values_list(
        "target_id", "what", "pk", "at"
    )
    known = {(target_id, what): (pk, at) for target_id, what, pk, at in learnt}
    letters: dict[int | None, Letters] = {
        target_id: _letters(pk, at) for (target_id, what), (pk, at) in known.items() if what == LETTERS
    }
    own, mine = next(row for row in targets if row.pk == target.pk), base(target.language)
    others = {
        row.title: letters[row.pk] for row in targets if row.pk in letters and base(row.language) != mine
    }
    if None in letters and base(own.source) != mine:
        others[_name(own.source)] = letters[None]
    lengths = known.get((target.pk, LENGTHS))
    return TargetResources(
        source_language=own.source,
        language=own.language,
        register=own.register,
        words=own.words,
        others=_registers(own, targets),
        lengths=_lengths(*lengths) if lengths else Lengths(),
        letters=letters.get(target.pk, Letters()),
        other_letters=others,
    )


def base(language: str) -> str:
    """A language without region, script or register: what letters can tell from another."""
    return language.replace("_", "-").partition("-")[0].casefold()


def _name(language: str) -> str:
    known = language_of(language)
    return known.name if known and known.name else language


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


def _registers(own: _Target, targets: Iterable[_Target]) -> dict[str, Words]:
    """The lists of the language's other registers that are still worked on, by name."""
    others = [row for row in targets if row.pk != own.pk and row.language == own.language and not row.ended]
    return {row.register: row.words for row in sorted(others, key=lambda each: each.register)}


def _data(pk: int) -> dict[str, Any]:
    data: dict[str, Any] = TargetStatistics.objects.values_list("data", flat=True).get(pk=pk)
    return data


@lru_cache(maxsize=MOST_KEPT)
def _letters(pk: int, at: datetime) -> Letters:
    return Letters.from_json(_data(pk))


@lru_cache(maxsize=MOST_KEPT)
def _lengths(pk: int, at: datetime) -> Lengths:
    return Lengths.from_json(_data(pk))
