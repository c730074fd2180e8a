"""What a release tells reviewers of how its project's data were made: days, pay and findings, as they are when frozen.

Nothing here names anybody; figures of people's pay are of at least the smallest group of people that a release counts.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import sha256
from statistics import median
from typing import Any

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet
from django.utils import translation

from annotation import kinds
from annotation.content.models.item import Item
from annotation.core.database import fetch_rows
from annotation.core.models.project import GuidelineVersion, Project
from annotation.datasheet.queries import about_in_release, about_of
from annotation.datasheet.rules import THRESHOLD
from annotation.pay.earnings import Scope
from annotation.pay.models import Rate
from exports.releases.rules.datasheet import FINDINGS, MEASURED, RATES, guideline_bytes, missing_answers
from validation.consensus import translation_review as reviewing
from validation.insights.models import Insight
from validation.voting.models.vote import Vote

# What an action of voting earned beside the time on its card, by person and currency.
_HOURLY = """SELECT e.annotator_id, r.currency, SUM(e.amount), SUM(v.seconds), COUNT(*) FROM earning e
  JOIN annotation_rate r ON r.id = e.rate_id AND r.action = 'vote'
  JOIN validation_vote v ON e.key = 'vote:' || v.id
  WHERE e.n = 1 AND v.seconds > 0 GROUP BY e.annotator_id, r.currency ORDER BY 1, 2"""


def datasheet_facts(project: Project, *, findings: bool) -> dict[str, Any]:
    """The facts, as plain values; `findings` unless labels of the release are hidden."""
    return {
        "asked": _asked(project),
        "card": _card(project),
        "collection": _collection(project),
        "pay": _pay(project),
        "findings": list(_findings(project)) if findings else None,
        "guidelines": [
            {"role": role, "n": n, "on": _day(at), "sha256": sha256(guideline_bytes(text)).hexdigest()}
            for role, n, at, text in _guidelines(project)
        ],
    }


def missing_now(project: Project) -> list[str]:
    """What the card of a release frozen now says is missing, of what can be answered before: names of fields."""
    about = about_in_release(project)
    imports = Item.objects.filter(_is_imported(), project=OuterRef("pk"))
    measured = Insight.objects.filter(project=OuterRef("pk"), slug__in={slug for slug, _ in FINDINGS})
    paid = Rate.objects.filter(project=OuterRef("pk"))
    imported, has_findings, pays = (
        Project.objects.filter(pk=project.pk).values_list(Exists(imports), Exists(measured), Exists(paid)).get()
    )
    names = missing_answers(about, imported=imported)
    names += [] if pays or about["statement"].get("annotator_demographic") else [RATES]
    return names if has_findings else [*names, MEASURED]


def _asked(project: Project) -> dict[str, Any]:
    """What people were shown and asked, in English where there is any."""
    with translation.override("en"):
        kind = kinds.get(project.kind)
        questions, labels = kind.question.questions, kind.question.labels
        return {
            "title": kind.export.title or kind.slug,
            "texts": [
                *(str(text.name) for text in kind.presentation.texts if text.shown),
                *(["the choices"] if kind.question.own_options or kind.question.choices else []),
                *(["the given answer"] if kind.question.judged_role else []),
            ],
            "questions": [str(each.text) for each in questions] or [str(kind.question.text)],
            "labels": [] if questions or kind.question.own_options else [str(each.name) for each in labels],
        }


def _card(project: Project) -> dict[str, Any]:
    """What a voter's card has besides the item, by the project's settings."""
    reviewed = reviewing.FEATURE in project.kind_spec.features
    errors = [list(error) for error in project.error_types] if reviewed else []
    return {"corrections": reviewed or project.rules.corrections, "errors": errors}


def _day(moment: datetime) -> str:
    return moment.astimezone(UTC).date().isoformat()


def _guidelines(project: Project) -> QuerySet[Any, tuple[str, int, datetime, str]]:
    rows = project.guidelines.order_by("role", "n")
    if not project.kind_spec.has_writers:
        rows = rows.exclude(role=GuidelineVersion.Role.WRITING)
    return rows.values_list("role", "n", "at", "text")


def _is_imported() -> Q:
    """Items that files brought; what a machine wrote here was a candidate first."""
    return Q(origin=Item.Origin.IMPORTED) | Q(origin=Item.Origin.MACHINE, candidate=None)


def _collection(project: Project) -> dict[str, Any]:
    """The first and last days of writing and of voting here, by UTC, and how much was imported ready."""
    imported = _is_imported()
    wrote = Item.objects.filter(project=project).aggregate(
        first=Min("at", filter=~imported), last=Max("at", filter=~imported), imported=Count("pk", filter=imported)
    )
    here = Q(imported=False)
    voted = Vote.objects.filter(item__project=project).aggregate(
        first=Min("cast_at", filter=here), last=Max("cast_at", filter=here), imported=Count("pk", filter=~here)
    )
    spans = {
        name: [_day(found["first"]), _day(found["last"])] if found["first"] else None
        for name, found in (("writing", wrote), ("voting", voted))
    }
    seconds = Vote.objects.filter(item__project=project, imported=False, seconds__gt=0).order_by("seconds")
    return {**spans, "imported_items": wrote["imported"], "imported_votes": voted["imported"]} | _card_time(seconds)


def _card_time(votes: QuerySet[Vote]) -> dict[str, Any]:
    """The median time on a card, and of how many votes it is known."""
    n = votes.count()
    middle = [float(each or 0) for each in votes.values_list("seconds", flat=True)[max(n - 1, 0) // 2 : n // 2 + 1]]
    return {"seconds": round(median(middle), 1) if n else None, "timed_votes": n}


def _pay(project: Project) -> dict[str, Any]:
    """Every rate that was set, and what voting earned an hour of time on cards, where enough people voted for pay."""
    columns = ("target__key", "action", "unit", "amount", "currency", "at")
    rates = [
        {"target": target or "", "action": action, "unit": unit, "amount": _plain(amount), "currency": currency}
        | {"from": _day(at)}
        for target, action, unit, amount, currency, at in Rate.objects.filter(project=project)
        .order_by("pk")
        .values_list(*columns)
    ]
    if not rates:
        return {"rates": [], "hourly": []}
    least = max(about_of(project).threshold, THRESHOLD)
    hourly: dict[str, list[tuple[float, int]]] = {}
    scope = Scope.of_project(project)
    for _, currency, amount, seconds, votes in fetch_rows(f"{scope.statement} {_HOURLY}", scope.params):
        hourly.setdefault(currency, []).append((float(amount) * 3600 / float(seconds), votes))
    found = [
        {"currency": currency, "people": len(each), "votes": sum(votes for _, votes in each)}
        | {"median": round(median(rate for rate, _ in each), 2)}
        for currency, each in sorted(hourly.items())
        if len(each) >= least
    ]
    return {"rates": rates, "hourly": found, "least": least}


def _plain(amount: Decimal) -> str:
    return f"{amount.normalize():f}"


def _findings(project: Project) -> Iterator[dict[str, Any]]:
    """The rows of Insights that tell where labels can be guessed, as they were last computed."""
    stored = Insight.objects.filter(project=project, slug__in={slug for slug, _ in FINDINGS})
    tables: Mapping[str, Any] = {each.slug: each for each in stored}
    for (slug, table), (columns, most) in FINDINGS.items():
        if slug in tables and (rows := tables[slug].tables.get(table, {}).get("rows")):
            seen: Counter[Any] = Counter()
            kept = []
            for row in rows:
                if all(row.get(name) is not None for name in columns) and seen[row.get("label")] < most:
                    seen[row.get("label")] += 1
                    kept.append({name: row[name] for name in columns})
            if kept:
                yield {"insight": slug, "table": table, "items": tables[slug].items, "rows": kept}
