"""The counts of people in a release: those who agreed and took part, compared with all earlier published counts.

Frozen with the release, since what people say about themselves goes when they say so and a release stays.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.db.models import F, Q

from annotation.content.models.item import Item
from annotation.core.database import now
from annotation.core.models.project import Project
from annotation.datasheet.queries import about_of, demographics_by_member
from annotation.datasheet.rules import (
    FIELDS,
    EarlierTable,
    FieldCounts,
    PublishedTable,
    StatedAnswer,
    consistent_counts,
    count_field,
)
from annotation.jobs import queue as jobs
from exports.aligned.rules import missing
from exports.releases.models import Release, ReleaseRow
from exports.releases.rules.settings import ALIGNED, SplitRules, layout_of
from exports.releases.rules.splits import ItemStanding, place_item
from validation.voting.models.vote import Vote

_COLUMNS = ("stage", "sampled", "gold", "gold_from")
# Which label an item has does not matter here, only that it may have one.
_SOME_LABEL = "?"


def contributors(project: Project, rules: SplitRules) -> set[int]:
    """Who wrote, or votes on, an item that the rules put into a split, by the ids of their places.

    What keeps items apart (an equal premise in test, a row that another target lacks) is settled later, by the build:
    whoever has nothing else in a release is counted all the same.
    """
    items = Item.objects.filter(project=project)
    if rules.targets:
        items = items.filter(target__key__in=rules.targets.split())
    standings = items.values_list(*_COLUMNS).order_by().distinct()
    kept = [Q(**dict(zip(_COLUMNS, each, strict=True))) for each in standings if _is_kept(project, rules, each)]
    if not kept:
        return set()
    released = items.filter(reduce(or_, kept))
    authors = released.filter(author__isnull=False).values_list("author", flat=True).order_by().distinct()
    voters = Vote.objects.filter(item__in=released.values("pk"), withdrawn_at=None, imported=False)
    return {*authors, *voters.values_list("annotator", flat=True).order_by().distinct()}


def contributors_of(release: Release) -> set[int]:
    """Who wrote an item that is in a split of a release, or voted on one."""
    rows = ReleaseRow.objects.filter(release=release).exclude(split="")
    voted = Vote.objects.filter(item__release_rows__in=rows, n__lte=F("item__release_rows__votes_n"), imported=False)
    authors = rows.filter(item__author__isnull=False).values_list("item__author", flat=True)
    return {*authors.order_by().distinct(), *voted.values_list("annotator", flat=True).order_by().distinct()}


def _is_kept(project: Project, rules: SplitRules, standing: tuple[str, bool, str, str]) -> bool:
    """Whether the rules leave an item of this standing in, by itself."""
    kind = project.kind_spec
    if layout_of(kind.shape) == ALIGNED:
        return missing.judge_translation(rules, kind.question.label_keys[0], *standing).state == missing.READY
    stage, sampled, gold, _ = standing
    return not place_item(
        rules, ItemStanding(stage, sampled, gold, "", _SOME_LABEL), kind.question.accepting_label
    ).left_out


class TableOfRelease(NamedTuple):
    """A table that a release published, the people counted, and when it was counted first."""

    published: PublishedTable
    at: str


def count_people(
    project: Project, rules: SplitRules, again: Release | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The counts of people in a release; and the people counted, stored to compare later counts with them.

    `again` is the release whose rows it has, where they were frozen before.
    """
    threshold = about_of(project).threshold
    answers, before = demographics_by_member(project), _earlier_tables(project)
    if answers:
        there = contributors(project, rules) if again is None else contributors_of(again)
        answers = {person: words for person, words in answers.items() if person in there}
    moment = now().isoformat()
    tables, kept = [], {}
    for name in FIELDS:
        table, of = _field_table(name, answers, before[name], threshold)
        if of is not None:
            tables.append(table.to_dict())
            at = next((earlier.at for earlier in before[name] if earlier.published == of), moment)
            kept[name] = {"table": of.table.to_dict(), "of": sorted(of.of), "at": at}
    return {"threshold": threshold, "fields": tables}, kept


def _field_table(
    name: str,
    answers: Mapping[int, tuple[datetime, Mapping[str, StatedAnswer]]],
    before: Sequence[TableOfRelease],
    threshold: int,
) -> tuple[FieldCounts, PublishedTable | None]:
    """One field's table, and which of the published tables it is, or the new one."""
    words = {person: each[name] for person, (_, each) in answers.items() if each[name].value}
    table = PublishedTable(count_field(name, words.values(), threshold), frozenset(words))
    earlier = []
    for was in before:
        since = datetime.fromisoformat(was.at)
        earlier.append(EarlierTable(was.published, {person for person in words if answers[person][0] > since}))
    return consistent_counts(table, earlier)


def _earlier_tables(project: Project) -> dict[str, list[TableOfRelease]]:
    """Every table that releases of the project told, alone or as a part, by field and in their order.

    Those that are still being built are among them, those that failed are not: nobody reads these.
    """
    waiting = Q(job__state__in=jobs.UNFINISHED) | Q(whole__job__state__in=jobs.UNFINISHED)
    read = Q(state=Release.State.READY) | Q(waiting, state=Release.State.FROZEN)
    columns = ("context__counted", "context__about__people__fields")
    rows = Release.objects.filter(read, project=project).order_by("n").values_list(*columns)
    found: dict[str, list[TableOfRelease]] = {name: [] for name in FIELDS}
    for kept, tables in rows:
        for name in {table["field"] for table in tables or ()} & {*(kept or {})}:
            earlier_counts = PublishedTable(FieldCounts.from_dict(kept[name]["table"]), frozenset(kept[name]["of"]))
            one = TableOfRelease(earlier_counts, kept[name]["at"])
            # PublishedTable again it is the last one.
            found[name] = [*(each for each in found[name] if each != one), one]
    return found
