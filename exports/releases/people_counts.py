"""What a release tells of its people: counts of those who agreed and took part, held against all that was told before.

Frozen with the release, since what people say about themselves goes when they say so and a release stays.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q

from annotation.core.models.project import Project
from annotation.datasheet.queries import about_of, said_by
from annotation.datasheet.rules import (
    FIELDS,
    Counts,
    Earlier,
    Said,
    Told,
    counted,
    steady,
)
from annotation.jobs import queue as jobs
from annotation.jobs.database import now
from exports.releases.contributors import took_part
from exports.releases.models import Release
from exports.releases.rules.settings import SplitRules


class Kept(NamedTuple):
    """A table that a release told, of whom, and when it was counted first."""

    told: Told
    at: str


def people_told(project: Project, rules: SplitRules) -> tuple[dict[str, Any], dict[str, Any]]:
    """The counts that a release tells; and of whom they are, which stays in the database for later ones."""
    threshold = about_of(project).threshold
    said, before = said_by(project), _before(project)
    if said:
        there = took_part(project, rules)
        said = {person: words for person, words in said.items() if person in there}
    moment = now().isoformat()
    tables, kept = [], {}
    for name in FIELDS:
        table, of = _field(name, said, before[name], threshold)
        if of is not None:
            tables.append(table.to_dict())
            at = next((earlier.at for earlier in before[name] if earlier.told == of), moment)
            kept[name] = {"table": of.table.to_dict(), "of": sorted(of.of), "at": at}
    return {"threshold": threshold, "fields": tables}, kept


def _field(
    name: str,
    said: Mapping[int, tuple[datetime, Mapping[str, Said]]],
    before: Sequence[Kept],
    threshold: int,
) -> tuple[Counts, Told | None]:
    """One field's table, and which one that is of those that were told, or the new one."""
    words = {person: each[name] for person, (_, each) in said.items() if each[name].value}
    table = Told(counted(name, words.values(), threshold), frozenset(words))
    earlier = []
    for was in before:
        since = datetime.fromisoformat(was.at)
        earlier.append(Earlier(was.told, {person for person in words if said[person][0] > since}))
    return steady(table, earlier)


def _before(project: Project) -> dict[str, list[Kept]]:
    """Every table that releases of the project told, alone or as a part, by field and in their order.

    Those that are still being built are among them, those that failed are not: nobody reads these.
    """
    waiting = Q(job__state__in=jobs.UNFINISHED) | Q(whole__job__state__in=jobs.UNFINISHED)
    read = Q(state=Release.State.READY) | Q(waiting, state=Release.State.FROZEN)
    columns = ("context__counted", "context__about__people__fields")
    rows = Release.objects.filter(read, project=project).order_by("n").values_list(*columns)
    found: dict[str, list[Kept]] = {name: [] for name in FIELDS}
    for kept, tables in rows:
        for name in {table["field"] for table in tables or ()} & {*(kept or {})}:
            told = Told(Counts.from_dict(kept[name]["table"]), frozenset(kept[name]["of"]))
            one = Kept(told, kept[name]["at"])
            # Told once more it is the last one.
            found[name] = [*(each for each in found[name] if each != one), one]
    return found
