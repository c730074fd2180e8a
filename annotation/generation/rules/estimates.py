"""What a run of machine writing will cost, about: from what earlier runs took, or from the length of its instructions.

An estimate, never a promise: what holds a run is the project's budget.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from annotation.generation.rules.recipes.base import Step

# Letters a token has, about, and how long an answer is where nobody was asked yet.
LETTERS_A_TOKEN, TOKENS_ANSWERED = 4, 80
MILLION = 1_000_000


@dataclass(frozen=True)
class StepCost:
    """One step: calls for each question that comes to it, tokens of a call, and the share that it lets through.

    Prices are for a million tokens (of endpoints that do not chat: a million letters).
    """

    step: Step
    calls_each: float
    tokens_in: float
    tokens_out: float
    left_share: float
    price_in: Decimal
    price_out: Decimal
    currency: str


@dataclass(frozen=True)
class StepEstimate:
    """What a step will take: questions that come to it, calls, and money."""

    step: Step
    questions: int
    calls: int
    tokens: int
    amount: Decimal
    currency: str


def unseen(letters: int, instructions: int, *, chats: bool) -> tuple[float, float, float]:
    """Calls a question, tokens sent and tokens answered of a step that was never done, by its instructions' length.

    One call for each instruction of the step. An endpoint that does not chat counts letters.
    """
    if not chats:
        return 1.0, 200.0, 200.0
    each = max(instructions, 1)
    return float(each), letters / each / LETTERS_A_TOKEN, float(TOKENS_ANSWERED)


def estimate(questions: float, steps: Iterable[StepCost]) -> list[StepEstimate]:
    """What the steps will take, one after the other, when so many questions are begun."""
    found, come = [], questions
    for each in steps:
        calls = come * each.calls_each
        money = Decimal(str(calls * each.tokens_in)) * each.price_in
        money += Decimal(str(calls * each.tokens_out)) * each.price_out
        tokens, amount = round(calls * (each.tokens_in + each.tokens_out)), money / MILLION
        found.append(StepEstimate(each.step, round(come), round(calls), tokens, amount, each.currency))
        come *= each.left_share
    return found
