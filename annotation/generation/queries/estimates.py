"""The estimated cost of a run of machine writing, from earlier runs or from the length of its instructions.

An estimate, never a promise: what holds a run is the project's budget.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from annotation.core.models.project import Project
from annotation.generation.models import Endpoint
from annotation.generation.queries.runs import StepRow, report_of_project
from annotation.generation.rules import instructions
from annotation.generation.rules.recipes.base import CHAT, Frame, Recipe, Step
from annotation.pay.rules import sum_by_currency

# Letters a token has, about, and how long an answer is where nobody was asked yet.
LETTERS_A_TOKEN, TOKENS_ANSWERED = 4, 80
MILLION = 1_000_000


@dataclass(frozen=True)
class StepEstimate:
    """What a step will take: questions that come to it, calls, tokens, and money."""

    step: Step
    questions: int
    calls: int
    tokens: int
    amount: Decimal
    currency: str


@dataclass(frozen=True)
class Estimate:
    """What a run will take, step by step, and in all; `unseen` where no earlier run says how long answers are."""

    steps: list[StepEstimate]
    money: Mapping[str, Decimal]
    unseen: bool


def estimate(project: Project, recipe: Recipe, endpoints: Mapping[str, Endpoint], count: int) -> Estimate:
    """What the steps that ask these endpoints will take, one after the other, when so many materials are begun."""
    rows = {row.step.slug: row for row in report_of_project(project).rows}
    first = project.materials.filter(sort=recipe.sort).order_by("position", "pk").first()
    come: float = count
    if first:
        frame = Frame(project.language, project.language, project.rules.place, project.seed, project.rules)
        come *= len(recipe.build_works(frame, first.key, first.group, first.data))
    steps, unseen = [], False
    for step in recipe.steps:
        if step.slug in endpoints:
            row, endpoint = rows[step.slug], endpoints[step.slug]
            unseen = unseen or not row.spent.calls
            steps.append(_estimate_step(come, row, endpoint))
            come *= row.left / row.came if row.came else 1.0
    return Estimate(steps, sum_by_currency((each.currency, each.amount) for each in steps), unseen)


def _estimate_step(come: float, row: StepRow, endpoint: Endpoint) -> StepEstimate:
    """A step when so many questions come to it. Prices are for a million tokens, of what does not chat letters."""
    spent, step = row.spent, row.step
    if spent.calls and row.came:
        each = spent.calls / row.came
        sent, answered = spent.tokens_in / spent.calls, spent.tokens_out / spent.calls
    elif step.asked == CHAT:
        # One call for each instruction of the step.
        letters = sum(len(instructions.default_text(name)) for name in step.instructions)
        each = float(max(len(step.instructions), 1))
        sent, answered = letters / each / LETTERS_A_TOKEN, float(TOKENS_ANSWERED)
    else:
        each, sent, answered = 1.0, 200.0, 200.0
    calls = come * each
    money = Decimal(str(calls * sent)) * endpoint.price_in + Decimal(str(calls * answered)) * endpoint.price_out
    tokens, amount = round(calls * (sent + answered)), money / MILLION
    return StepEstimate(step, round(come), round(calls), tokens, amount, endpoint.currency)
