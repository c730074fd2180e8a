"""The cost of machine-written questions, people and model, compared with human-written ones (domain.md §5).

Amounts of people are for administrators, as everywhere; leads read what was done. Currencies are never added together.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from annotation.content.models.item import Item
from annotation.core.access import Membership, memberships
from annotation.core.errors import Forbidden, NotFound
from annotation.core.models.project import Project
from annotation.generation.models import Call, StepResult
from annotation.generation.queries import runs as machine
from annotation.generation.queries.outcomes import LEVEL, counts_as_kept
from annotation.pay import earnings
from annotation.pay.earnings import EntryFilter, Scope
from annotation.pay.rules import sum_by_currency
from validation.consensus import stages

Money = Mapping[str, Decimal]
# What a person-written question counts as: handed in and not left out.
DROPPED_STAGES = (stages.EXCLUDED, stages.NO_CONSENSUS, stages.RETURNED, stages.SUBMITTED)
CHUNK = 2000
MACHINE = EntryFilter("i.origin = %s", (Item.Origin.MACHINE,))
BY_PEOPLE = EntryFilter("(i.origin IS NULL OR i.origin <> %s)", (Item.Origin.MACHINE,))


@dataclass(frozen=True)
class CostRow:
    """What the model's calls of one step came to, or what people did by one action; leads read no people's money."""

    name: str
    unit: str
    units: int
    tokens: int
    money: Money
    title: str = ""


@dataclass(frozen=True)
class Cost:
    """All that a project's questions took, and how many of them are kept."""

    model: list[CostRow]
    people: list[CostRow]
    kept: int

    @property
    def money(self) -> Money:
        return sum_by_currency(pair for row in (*self.model, *self.people) for pair in row.money.items())

    def each(self, money: Money) -> Money:
        """An amount for each kept question; empty where none is kept."""
        return {currency: amount / self.kept for currency, amount in money.items()} if self.kept else {}

    @property
    def rows(self) -> list[tuple[CostRow, Money]]:
        """Every row with its amount for each kept question."""
        return [(row, self.each(row.money)) for row in (*self.model, *self.people)]

    @property
    def per_question(self) -> Money:
        return self.each(self.money)


def of_project(membership: Membership) -> Cost:
    """What the project's machine-written questions cost, by step and by what people did."""
    if not membership.sees_all:
        raise Forbidden
    report = machine.report_of_project(membership.project)
    model = [
        CostRow(row.step.slug, "", row.spent.calls, row.spent.tokens, row.spent.money, row.step.name)
        for row in report.rows
    ]
    people = _people_costs(membership.project, MACHINE, amounts=membership.is_administrator)
    return Cost(model, people, report.people.in_all)


def _people_costs(project: Project, which: EntryFilter, *, amounts: bool) -> list[CostRow]:
    """What people did, by action and unit."""
    units: Counter[tuple[str, str]] = Counter()
    money: dict[tuple[str, str], dict[str, Decimal]] = defaultdict(dict)
    for row in earnings.sum_entries(Scope.of_project(project), ["r.action", "r.unit", "r.currency"], which):
        action, unit, currency = row.by
        units[action, unit] += row.units
        if amounts and row.amount:
            money[action, unit][currency] = row.amount
    return [CostRow(action, unit, n, 0, money[action, unit]) for (action, unit), n in units.items()]


# --- beside what people wrote -----------------------------------------------------------------


def comparable_projects(membership: Membership) -> list[Project]:
    """The projects whose cost may stand beside this one's: that pay, where people write, and that the viewer runs."""
    if not membership.is_administrator:
        return []
    return [
        other.project
        for other in memberships(membership.user)
        if other.project.pays and other.project.pk != membership.project.pk and not other.project.rules.recipe
    ]


def cost_of_written_project(membership: Membership, slug: str) -> tuple[Project, Cost]:
    """A project of questions that people wrote, and what those cost. NotFound for one that may not stand here."""
    project = next((each for each in comparable_projects(membership) if each.slug == slug), None)
    if project is None:
        raise NotFound
    kept = Item.objects.filter(project=project, origin=Item.Origin.WRITTEN).exclude(stage__in=DROPPED_STAGES).count()
    return project, Cost([], _people_costs(project, BY_PEOPLE, amounts=True), kept)


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
    project = membership.project
    paid = Call.objects.filter(project=project, cost__gt=0).exclude(state=Call.State.ASKED)
    calls = {pk: (currency, cost) for pk, currency, cost in paid.values_list("pk", "currency", "cost")}
    shared: Counter[int] = Counter()
    asked = StepResult.objects.filter(run__project=project).exclude(calls=[])
    for numbers in asked.values_list("calls", flat=True).iterator(chunk_size=CHUNK):
        shared.update(numbers)
    earned = _earned_by_item(project)
    reviewed = machine.is_reviewed(project.rules.recipe)
    items = Item.objects.filter(project=project, candidate__isnull=False).order_by("pk")
    columns = ("pk", "key", "candidate__pk", "stage", "gold", "author_label", "level")
    rows, last = items.annotate(level=LEVEL).values_list(*columns), 0
    # A page at a time and in no transaction.
    while page := list(rows.filter(pk__gt=last)[:CHUNK]):
        last = page[-1][0]
        results = StepResult.objects.filter(candidate__in=[row[2] for row in page])
        steps: dict[int, dict[str, list[tuple[str, Decimal]]]] = defaultdict(lambda: defaultdict(list))
        for candidate, step, numbers in results.values_list("candidate", "step", "calls"):
            parts = [(calls[n][0], calls[n][1] / shared[n]) for n in numbers if n in calls]
            steps[candidate][step] += parts
        for pk, key, candidate, *outcome in page:
            money = {step: sum_by_currency(parts) for step, parts in steps[candidate].items()}
            yield QuestionCost(key, counts_as_kept(*outcome, reviewed=reviewed), money, earned[pk])


def _earned_by_item(project: Project) -> dict[int, dict[str, Decimal]]:
    """What people earned with each machine-written item, by currency."""
    earned: dict[int, dict[str, Decimal]] = defaultdict(dict)
    for row in earnings.sum_entries(Scope.of_project(project), ["e.item_id", "r.currency"], MACHINE):
        if row.amount:
            item, currency = row.by
            earned[item][currency] = row.amount
    return earned
