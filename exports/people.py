"""What a release tells of its people: counts of those who agreed and took part, held against what was told before.

Frozen with the release, since what people say about themselves goes when they say so and a release stays.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from annotation.db import now
from annotation.models import Project
from annotation.rules.demographics import FIELDS, Counts, Said, Told, counted, steady
from annotation.statement import about_of, said_by
from exports.models import Release
from exports.partakers import took_part
from exports.rules.settings import SplitRules


def people_told(project: Project, rules: SplitRules) -> tuple[dict[str, Any], dict[str, Any]]:
    """The counts that a release tells; and what the next is held against, which stays in the database."""
    threshold = about_of(project).threshold
    said, before = said_by(project), _before(project)
    if said:
        there = took_part(project, rules)
        said = {person: words for person, words in said.items() if person in there}
    moment = now().isoformat()
    tables, kept = [], {}
    for name in FIELDS:
        table, remembered = _field(name, said, before.get(name), threshold)
        if table.said:
            tables.append(table.to_dict())
        if remembered is not None:
            known = before.get(name, {})
            same = (
                known.get("of") == sorted(remembered.of) and known.get("table") == remembered.table.to_dict()
            )
            kept[name] = {
                "table": remembered.table.to_dict(),
                "of": sorted(remembered.of),
                "at": known["at"] if same else moment,
            }
    return {"threshold": threshold, "fields": tables}, kept


def _field(
    name: str,
    said: Mapping[int, tuple[datetime, Mapping[str, Said]]],
    before: Mapping[str, Any] | None,
    threshold: int,
) -> tuple[Counts, Told | None]:
    """One field's table, and the one to remember."""
    words = {person: each[name] for person, (_, each) in said.items() if each[name].value}
    table = Told(counted(name, words.values(), threshold), frozenset(words))
    if before is None:
        return steady(table, None, ())
    since = datetime.fromisoformat(before["at"])
    changed = {person for person in words if said[person][0] > since}
    return steady(table, Told(Counts.from_dict(before["table"]), frozenset(before["of"])), changed)


def _before(project: Project) -> dict[str, Any]:
    """What the newest release of the project is to be held against, by field."""
    told = Release.objects.filter(project=project).order_by("-n").values_list("context__counted", flat=True)
    found: dict[str, Any] = told.first() or {}
    return found
