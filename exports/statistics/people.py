"""The rows of people in a release: by target, and by ethnicity and domicile, never of a group too small to hide in."""

from typing import Any, NamedTuple

from django.db.models import F, Q, QuerySet

from annotation.core.models.member import Annotator
from annotation.datasheet.queries import about_of, demographics_by_member
from annotation.datasheet.rules import CrossTable, StatedAnswer, cross_tabulate
from annotation.text.gettext import gettext_noop
from exports.releases.models import Release, ReleaseRow
from exports.statistics.models import ReleaseStatistics
from validation.insights.reports.vote_columns import is_unnamed_import

Row = dict[str, Any]
OTHERS = gettext_noop("others")


class PeopleRows(NamedTuple):
    """The rows of both tables, the genders that have a column, and what later ones are held against."""

    people: list[Row]
    genders: list[str]
    crossed: list[Row]
    kept: Row


def people_of(release: Release, names: dict[int, str]) -> PeopleRows:
    """Count people who took part; `names` are the targets'. Compared with published tables to protect people."""
    by_target = _contributors(release)
    said = {person: words for person, (_, words) in demographics_by_member(release.project).items()}
    threshold = about_of(release.project).threshold
    of_targets = [
        (StatedAnswer(names[target], said[person]["gender"].least), said[person]["gender"])
        for target, people in by_target.items()
        for person in people
        if person in said
    ]
    there = set().union(*by_target.values()) & said.keys() if by_target else set()
    of_places = [(said[person]["ethnicity"], said[person]["domicile"]) for person in sorted(there)]
    cells = {
        "gender": _plain(cross_tabulate(of_targets, threshold)),
        "crossed": _plain(cross_tabulate(of_places, threshold)),
    }
    kept = _safe_counts(release, {"of": sorted(there), "cells": cells}, threshold)
    told = kept["cells"]
    genders = sorted({word for _, word, _ in told["gender"]["cells"]})
    rows: list[Row] = [
        {"target": names[target], "people": len(people)}
        | {f"is:{word}": n for where, word, n in told["gender"]["cells"] if where == names[target]}
        for target, people in sorted(by_target.items(), key=lambda each: names[each[0]])
    ]
    return PeopleRows(rows, genders, _rows(told["crossed"]), kept)


def _contributors(release: Release) -> dict[int, set[int]]:
    """The people of each target's released items, by the ids of their places; place-holders are nobody."""
    rows = release.rows.filter(left_out="")
    pairs = [
        *rows.filter(item__author__isnull=False).values_list("item__target", "item__author").distinct(),
        *_counted_votes(rows).values_list("item__target", "item__votes__annotator").distinct(),
    ]
    there = Annotator.objects.filter(pk__in={person for _, person in pairs})
    unknown = {
        pk for pk, name, given in there.values_list("pk", "pseudonym", "imported") if is_unnamed_import(name, given)
    }
    found: dict[int, set[int]] = {}
    for target, person in pairs:
        if person not in unknown:
            found.setdefault(target, set()).add(person)
    return found


def _counted_votes(rows: QuerySet[ReleaseRow]) -> QuerySet[ReleaseRow]:
    """A row for each vote that counted when the rows were frozen: what came or went since changes no release."""
    stood = Q(item__votes__withdrawn_version=None) | Q(item__votes__withdrawn_version__gt=F("version"))
    return rows.filter(stood, item__votes__n__lte=F("votes_n"))


def _plain(told: CrossTable) -> Row:
    return {"cells": [list(cell) for cell in told.cells], "others": told.others, "least": told.least}


_NO_COUNTS: Row = {"cells": [], "others": 0, "least": 0}


def _safe_counts(release: Release, now: Row, threshold: int) -> Row:
    """What is told: the new counts, the last ones where the two together would give somebody away, or none where
    somebody whom those count is to be counted no more."""
    earlier = ReleaseStatistics.objects.filter(release__project=release.project).exclude(people={}).order_by("at")
    before = [people for people in earlier.values_list("people", flat=True) if people["of"]]
    if all(_is_safe_beside(now, was, threshold) for was in before):
        return now
    last = before[-1]
    if set(last["of"]) <= set(now["of"]):
        return dict(last)
    return {"of": [], "cells": {"gender": _NO_COUNTS, "crossed": _NO_COUNTS}}


def _is_safe_beside(now: Row, was: Row, threshold: int) -> bool:
    moved = len(set(now["of"]) ^ set(was["of"]))
    return moved >= threshold if moved else now["cells"] == was["cells"]


def _rows(told: Row) -> list[Row]:
    rows: list[Row] = [{"ethnicity": one, "domicile": other, "n": n} for one, other, n in told["cells"]]
    if rows and told["others"]:
        rows.append({"ethnicity": OTHERS, "domicile": "", "n": told["others"]})
    return rows
