"""A recorded run: what a model would have said to it, kept as calls, so that it can be replayed without any endpoint.

Walks the recipe as a run does, with answers from the demo's own files; the run itself then finds every call answered.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from annotation.generation.llm import asking as calls
from annotation.generation.llm import reading
from annotation.generation.models import Endpoint, GenerationBatch, GenerationRun
from annotation.generation.rules import batches as carrying
from annotation.generation.rules import recipes
from annotation.generation.rules.plans import Plan, PlannedStep
from annotation.generation.rules.recipes.base import DROPPED, Answered, Ask, Work
from annotation.generation.run_batch import messages_of

# What stands in for a tokenizer: letters a token, as usual of English and Indonesian.
LETTERS_A_TOKEN = 4
Says = Callable[[str, Ask], str]


def run_record(run: GenerationRun, says: Says) -> None:
    """Keep an answer to all that the run will ask; `says` is told the step and what is asked."""
    recipe, plan = recipes.get(run.recipe), Plan.from_json(run.plan)
    frame = plan.frame(run.seed)
    for batch in run.batches.order_by("n"):
        works = _works(run, plan, batch)
        for planned in plan.steps:
            step = recipe.step(planned.slug)
            asks, sound, _ = carrying.asks_of(step, frame, works)
            answered = [_answered(run, planned, ask, says) for ask in asks]
            outcomes = carrying.outcomes_of(step, frame, sound, answered)
            works = [
                replace(work, content=outcomes[work.key].content)
                for work in sound
                if outcomes[work.key].state != DROPPED
            ]


def _works(run: GenerationRun, plan: Plan, batch: GenerationBatch) -> Sequence[Work]:
    recipe, frame = recipes.get(run.recipe), plan.frame(run.seed)
    materials = {row.material for row in batch.candidates.select_related("material").order_by("pk")}
    return [
        work
        for row in sorted(materials, key=lambda row: row.position)
        for work in recipe.begin(frame, row.key, row.group, row.data)
    ]


def _answered(run: GenerationRun, planned: PlannedStep, ask: Ask, says: Says) -> Answered:
    endpoint = Endpoint.objects.get(pk=planned.endpoint or 0)
    messages, text = messages_of(planned, ask), says(planned.slug, ask)
    digest = calls.digest_of(endpoint, planned.parameters, messages)
    if not calls.kept(run.project_id, [digest]):
        asked = sum(len(message["content"]) for message in messages)
        calls.record(
            run=run,
            step=planned.slug,
            endpoint=endpoint,
            parameters=planned.parameters,
            messages=messages,
            text=text,
            tokens=(asked // LETTERS_A_TOKEN, len(text) // LETTERS_A_TOKEN),
        )
    return Answered(ask, reading.read(ask.answer, text))
