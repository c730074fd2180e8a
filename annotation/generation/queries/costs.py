"""What machine-written questions cost, people and model together, beside those that people wrote (domain.md §5).

Amounts of people are for administrators, as everywhere; leads read what was done. Currencies are never added together.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Case, F, QuerySet, Sum, When

from annotation.content.models.item import Item
from annotation.core.access import Membership, memberships
from annotation.core.errors import Forbidden, NotFound
from annotation.core.models.project import Project
from annotation.generation.models import Call, StepResult
from annotation.generation.queries import runs as machine
from annotation.generation.queries.outcomes import LEVEL, counts_as_kept
from annotation.generation.queries.runs import Told
from annotation.generation.rules.recipes.base import Step
from annotation.pay.models import LedgerEntry
from annotation.pay.rules import sums
from validation.consensus import stages

Money = Mapping[str, Decimal]
# What a person-written question counts as: handed in and not left out.
GONE = (stages.EXCLUDED, stages.NO_CONSENSUS, stages.RETURNED, stages.SUBMITTED)
CHUNK = 2000
# A reversal takes its units back too.
_UNITS = Sum(Case(When(reverses=None, then=F("units")), default=-F("units")))


@dataclass(frozen=True)
class ModelCost:
    """What the model's calls of one step came to."""

    step: Step
    calls: int
    tokens: int
    money: Money


@dataclass(frozen=True)
class PeopleCost:
    """What people did for machine-written questions by one action; `money` is empty for leads."""

    action: str
    unit: str
    units: int
    money: Money


@dataclass(frozen=True)
class Cost:
    """All that a project's questions took, and how many of them are kept."""

    model: list[ModelCost]
    people: list[PeopleCost]
    kept: int

    @property
    def model_money(self) -> Money:
        return sums(pair for row in self.model for pair in row.money.items())

    @property
    def people_money(self) -> Money:
        return sums(pair for row in self.people for pair in row.money.items())

    @property
    def money(self) -> Money:
        return sums([*self.model_money.items(), *self.people_money.items()])

    def each(self, money: Money) -> Money:
        """An amount for each kept question; empty where none is kept."""
        return {currency: amount / self.kept for currency, amount in money.items()} if self.kept else {}

    @property
    def per_question(self) -> Money:
        return self.each(self.money)


def of_project(membership: Membership, told: Told | None = None) -> Cost:
    """What the project's machine-written questions cost, by step and by what people did."""
    if not membership.sees_all:
        raise Forbidden
    told = told or machine.of_project(membership.project)
    model = [ModelCost(row.step, row.spent.calls, row.spent.tokens, row.spent.money) for row in told.rows]
    made = LedgerEntry.objects.filter(project=membership.project, item__origin=Item.Origin.MACHINE)
    return Cost(model, _people(made, amounts=membership.is_administrator), told.people.in_all)


def _people(entries: QuerySet[LedgerEntry], *, amounts: bool) -> list[PeopleCost]:
    grouped = (
        entries.order_by("action", "unit")
        .values_list("action", "unit", "currency")
        .annotate(units=_UNITS, earned=Sum("amount"))
    )
    units: Counter[tuple[str, str]] = Counter()
    money: dict[tuple[str, str], dict[str, Decimal]] = defaultdict(dict)
    for action, unit, currency, n, earned in grouped:
        units[action, unit] += n
        if amounts and earned:
            money[action, unit][currency] = earned
    return [PeopleCost(action, unit, n, money[action, unit]) for (action, unit), n in units.items()]


# --- beside what people wrote -----------------------------------------------------------------


def others(membership: Membership) -> list[Project]:
    """The projects whose cost may stand beside this one's: that pay, where people write, and that the viewer runs."""
    if not membership.is_administrator:
        return []
    return [
        other.project
        for other in memberships(membership.user)
        if other.project.pays and other.project.pk != membership.project.pk and not other.project.rules.recipe
    ]


def written(membership: Membership, slug: str) -> tuple[Project, Cost]:
    """A project of questions that people wrote, and what those cost. NotFound for one that may not stand here."""
    project = next((each for each in others(membership) if each.slug == slug), None)
    if project is None:
        raise NotFound
    entries = LedgerEntry.objects.filter(project=project).exclude(item__origin=Item.Origin.MACHINE)
    kept = Item.objects.filter(project=project, origin=Item.Origin.WRITTEN).exclude(stage__in=GONE).count()
    return project, Cost([], _people(entries, amounts=True), kept)


# --- question by question ---------------------------------------------------------------------


@dataclass(frozen=True)
class QuestionCost:
    """What one question took: its share of the calls of each step, and what people earned with it."""

    key: str
    kept: bool
    steps: Mapping[str, Money]
    people: Money


def by_question(membership: Membership) -> Iterator[QuestionCost]:
    """Every item that the project's runs made, with its part of each call: what several share is parted evenly."""
    if not membership.is_administrator:
        raise Forbidden
    calls, shared = _calls(membership.project), _shared(membership.project)
    earned = _earned(membership.project)
    reviewed = machine.is_reviewed(membership.project.rules.recipe)
    items = Item.objects.filter(project=membership.project, candidate__isnull=False).order_by("pk")
    rows = items.annotate(level=LEVEL).values_list(
        "pk", "key", "candidate__pk", "stage", "gold", "author_label", "level"
    )
    for page in _pages(rows):
        asked = StepResult.objects.filter(candidate__in=[row[2] for row in page])
        steps: dict[int, dict[str, list[tuple[str, Decimal]]]] = defaultdict(lambda: defaultdict(list))
        for candidate, step, numbers in asked.values_list("candidate", "step", "calls"):
            parts = [(calls[n][0], calls[n][1] / shared[n]) for n in numbers if n in calls]
            steps[candidate][step] += parts
        for pk, key, candidate, *told in page:
            money = {step: sums(parts) for step, parts in steps[candidate].items()}
            yield QuestionCost(key, counts_as_kept(*told, reviewed=reviewed), money, earned[pk])


def _pages(rows: QuerySet[Item, Any]) -> Iterator[list[Any]]:
    """The rows in order, a page at a time and in no transaction."""
    last = 0
    while page := list(rows.filter(pk__gt=last)[:CHUNK]):
        yield page
        last = page[-1][0]


def _calls(project: Project) -> dict[int, tuple[str, Decimal]]:
    """Every call of the project that cost something: its currency and its cost."""
    paid = Call.objects.filter(project=project, cost__gt=0).exclude(state=Call.State.ASKED)
    return {pk: (currency, cost) for pk, currency, cost in paid.values_list("pk", "currency", "cost")}


def _shared(project: Project) -> Counter[int]:
    """How many questions a call was for."""
    found: Counter[int] = Counter()
    asked = StepResult.objects.filter(run__project=project).exclude(calls=[])
    for numbers in asked.values_list("calls", flat=True).iterator(chunk_size=CHUNK):
        found.update(numbers)
    return found


def _earned(project: Project) -> dict[int, dict[str, Decimal]]:
    """What people earned with each machine-written item, by currency."""
    found: dict[int, dict[str, Decimal]] = defaultdict(dict)
    entries = LedgerEntry.objects.filter(project=project, item__origin=Item.Origin.MACHINE).order_by()
    for item, currency, amount in entries.values_list("item", "currency").annotate(earned=Sum("amount")):
        if amount:
            found[item][currency] = amount
    return found
