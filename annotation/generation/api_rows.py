"""What is sent and answered about machine writing."""

from typing import Any

from rest_framework import serializers

from annotation.api.wire import Body, ListQuery, Row, WholeNumberField
from annotation.generation.models import Candidate, Endpoint, GenerationRun
from annotation.generation.queries import runs as machine
from annotation.generation.rules.plans import Plan

MOST = 2**31 - 1


class Money(serializers.DecimalField):
    """An amount of money as a text, so that no digit is lost."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_digits=24, decimal_places=8, **options)


class EndpointRow(Row):
    """A server that can be asked, by its number. Its key and its address are on its page alone. Prices are of a million
    tokens."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    what = serializers.ChoiceField(Endpoint.What.values)
    model = serializers.CharField()
    has_key = serializers.SerializerMethodField()
    price_in = Money()
    price_out = Money()
    currency = serializers.CharField()
    per_minute = serializers.IntegerField()
    version = serializers.IntegerField()
    ended_at = serializers.DateTimeField(allow_null=True)

    def get_has_key(self, endpoint: Endpoint) -> bool:
        """Whether a key is kept for it."""
        return bool(endpoint.key_sealed)


class SpentRow(Row):
    """What was paid in a currency."""

    currency = serializers.CharField()
    amount = Money()


class RunStepRow(Row):
    """What a step made of the questions that came to it; `reasons` says how many were dropped for which."""

    step = serializers.CharField(source="step.slug")
    came = serializers.IntegerField()
    kept = serializers.IntegerField()
    changed = serializers.IntegerField()
    dropped = serializers.IntegerField()
    reasons = serializers.SerializerMethodField()
    calls = serializers.IntegerField(source="spent.calls")
    tokens_in = serializers.IntegerField(source="spent.tokens_in")
    tokens_out = serializers.IntegerField(source="spent.tokens_out")
    spent = serializers.SerializerMethodField()

    def get_reasons(self, row: machine.StepRow) -> dict[str, int]:
        """By the code of the reason."""
        return {drop.reason: drop.n for drop in row.dropped_by_reason}

    def get_spent(self, row: machine.StepRow) -> dict[str, str]:
        """Amounts by currency."""
        return {currency: str(amount) for currency, amount in row.spent.money.items()}


class RecipeStepRow(Row):
    """A step: the sort of endpoint that it needs (empty: none), and its parameters with their defaults."""

    step = serializers.CharField(source="slug")
    asked = serializers.CharField()
    optional = serializers.BooleanField()
    instructions = serializers.ListField(child=serializers.CharField())
    parameters = serializers.DictField(child=serializers.FloatField())


class MachineRow(Row):
    """How a project's questions are made, what it may spend, and what all its runs made so far. `budget` is null where
    nobody set one: then no endpoint with an address may be asked. `held` is kept back for answers that are awaited."""

    recipe = serializers.CharField()
    sort = serializers.CharField(help_text="What questions start from.")
    materials = serializers.IntegerField()
    steps = RecipeStepRow(many=True)
    budget = Money(allow_null=True)
    currency = serializers.CharField(allow_null=True)
    per_minute = serializers.IntegerField(allow_null=True)
    budget_set_at = serializers.DateTimeField(allow_null=True)
    spent = SpentRow(many=True)
    held = Money()
    outcomes = RunStepRow(many=True)
    states = serializers.DictField(child=serializers.IntegerField())


class LimitIn(Body):
    """What may be spent in all, and how many calls a minute are made. `seen` is `budget_set_at` of the budget that this
    one replaces, null for the first; another one is answered with 409."""

    budget = serializers.DecimalField(max_digits=14, decimal_places=4)
    currency = serializers.CharField(max_length=3)
    per_minute = WholeNumberField()
    seen = serializers.DateTimeField(default=None, allow_null=True)


class RunRow(Row):
    """A run, by its number. `reason` says why it stands still; `until` is the step after which it stops, `following`
    the one that `:go-on` takes. `begun` and `left` count its questions."""

    n = serializers.IntegerField()
    name = serializers.CharField()
    recipe = serializers.CharField()
    state = serializers.ChoiceField(GenerationRun.State.values)
    reason = serializers.CharField()
    stepwise = serializers.BooleanField()
    until = serializers.CharField()
    following = serializers.SerializerMethodField()
    makes_items = serializers.BooleanField()
    seed = serializers.CharField()
    begun = serializers.IntegerField()
    left = serializers.IntegerField()
    at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)

    def get_following(self, run: GenerationRun) -> str | None:
        """Null: none, or the plan is of another version of the site."""
        try:
            return Plan.from_json(run.plan).next_step(run.until) or None
        except (KeyError, TypeError, ValueError):
            return None


class PinnedRow(Row):
    """What a run has pinned for a step: the endpoint's name, the model and the parameters."""

    step = serializers.CharField()
    endpoint = serializers.CharField()
    model = serializers.CharField()
    parameters = serializers.DictField()


class RunWhole(RunRow):
    """A run with what its steps made and what they cost. `done` of `total` steps of its batches are over."""

    done = serializers.IntegerField()
    total = serializers.IntegerField()
    outcomes = RunStepRow(many=True)
    states = serializers.DictField(child=serializers.IntegerField())
    pinned = PinnedRow(many=True)


class RunIn(Body):
    """A run: for each step that asks, the number of its endpoint (an optional step may be left out), and parameters
    where they are not the recipe's. `fresh`: only what no run has made items from yet."""

    name = serializers.CharField(max_length=120)
    endpoints = serializers.DictField(child=serializers.IntegerField(min_value=1, max_value=2**53), default=dict)
    parameters = serializers.DictField(
        child=serializers.DictField(child=serializers.FloatField(min_value=0, max_value=1_000_000)),
        default=dict,
    )
    count = serializers.IntegerField(min_value=1, max_value=MOST)
    fresh = serializers.BooleanField(default=True)
    seed = serializers.CharField(max_length=80, default="", allow_blank=True)
    stepwise = serializers.BooleanField(default=False)
    makes_items = serializers.BooleanField(default=True)


class EstimateIn(Body):
    """Of which endpoints, by step, and of how many sources."""

    endpoints = serializers.DictField(child=serializers.IntegerField(min_value=1, max_value=2**53))
    count = serializers.IntegerField(min_value=1, max_value=MOST)


class StepEstimateRow(Row):
    """What a step will take, about."""

    step = serializers.CharField(source="step.slug")
    questions = serializers.IntegerField()
    calls = serializers.IntegerField()
    tokens = serializers.IntegerField()
    amount = Money()
    currency = serializers.CharField()


class EstimateRow(Row):
    """What a run will take, about; `unseen`: no earlier run says how long answers are."""

    steps = StepEstimateRow(many=True)
    unseen = serializers.BooleanField()


class GoOnIn(Body):
    """The step that is done next, as `following` of the run has it: sent twice it goes on once."""

    step = serializers.CharField(max_length=40)


class CandidateRow(Row):
    """A question in the making: where it is, why it was dropped, and the key of its item where it became one."""

    id = serializers.IntegerField()
    key = serializers.CharField()
    state = serializers.ChoiceField(Candidate.State.values)
    step = serializers.CharField()
    reason = serializers.CharField()
    content = serializers.DictField()
    material = serializers.CharField(source="material.key")
    item = serializers.CharField(source="item.key", default=None, allow_null=True)


class CandidateQuery(ListQuery):
    """Which questions: in a state, dropped by a step, for a reason."""

    state = serializers.ChoiceField(Candidate.State.values, default="", allow_blank=True)
    step = serializers.CharField(default="", allow_blank=True, max_length=40)
    reason = serializers.CharField(default="", allow_blank=True, max_length=60)
