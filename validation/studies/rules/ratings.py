"""Rating models' outputs: who rates which output, and the result (Kalahi Appendix I).

A seeded sample of prompts with every model's output; fixed groups of three raters, each output for one group; seven
yes/no criteria, each decided by a majority of the group (protocol `rating-3`). Pure; every draw goes by the seed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from annotation.core.rules.draws import draw, order
from annotation.text.gettext import gettext_noop
from validation.insights.rules.agreement import (
    Figure,
    alpha_with_interval,
    mean_pairwise_kappa,
    percent_agreement,
)
from validation.studies.rules.criteria import Fault

SAMPLE_SIZE, GROUP_SIZE = 60, 3
YES = "yes"
MESSAGES: Mapping[str, str] = {
    "output_twice": gettext_noop("%(model)s has two outputs for the prompt %(prompt)s."),
    "sample_short": gettext_noop("%(wanted)d prompts are to be drawn, and %(there)d have an output of every model."),
    "raters_uneven": gettext_noop("%(raters)d raters do not make groups of %(size)d."),
    "rated_twice": gettext_noop("%(rater)s has rated the output %(output)s twice."),
}


class RatingFault(Fault):
    """What keeps outputs from being dealt out or counted."""

    messages = MESSAGES


class Output(NamedTuple):
    """What a model wrote for a prompt, by its key."""

    key: str
    prompt: str
    model: str


class PromptSample(NamedTuple):
    """The sample: its prompts in drawn order, their outputs, and the models that prompts ignored lack."""

    prompts: tuple[str, ...]
    outputs: tuple[Output, ...]
    incomplete: Mapping[str, tuple[str, ...]]


class Group(NamedTuple):
    """Raters who rate the same outputs, and those outputs' keys."""

    raters: tuple[str, ...]
    outputs: tuple[str, ...]


def sample(outputs: Iterable[Output], seed: str, size: int = SAMPLE_SIZE) -> PromptSample:
    """Draw prompts that have an output of every model, with all their outputs. Raises RatingFault."""
    by_prompt: dict[str, dict[str, Output]] = {}
    for output in outputs:
        if by_prompt.setdefault(output.prompt, {}).setdefault(output.model, output) is not output:
            raise RatingFault("output_twice", model=output.model, prompt=output.prompt)
    models = {model for of in by_prompt.values() for model in of}
    lacking = {prompt: tuple(sorted(models - of.keys())) for prompt, of in sorted(by_prompt.items())}
    complete = [prompt for prompt, missing in lacking.items() if not missing]
    if len(complete) < size:
        raise RatingFault("sample_short", wanted=size, there=len(complete))
    drawn = order(seed, "rated-prompt", complete)[:size]
    return PromptSample(
        tuple(drawn),
        tuple(by_prompt[prompt][model] for prompt in drawn for model in sorted(models)),
        {prompt: missing for prompt, missing in lacking.items() if missing},
    )


def deal_outputs(outputs: Sequence[Output], raters: Sequence[str], seed: str, size: int = GROUP_SIZE) -> list[Group]:
    """Put raters into fixed groups and deal the outputs to them. Raises RatingFault where people are left over.

    Every output goes to one group; groups differ by at most one output in all, and by one of each model, so that no
    model is judged by the sterner group only.
    """
    people = order(seed, "rater", set(raters))
    if not people or len(people) % size:
        raise RatingFault("raters_uneven", raters=len(people), size=size)
    teams = [people[start : start + size] for start in range(0, len(people), size)]
    dealt: list[list[str]] = [[] for _ in teams]
    turns = sorted(outputs, key=lambda each: (each.model, draw(seed, "rated-output", each.key), each.key))
    for number, output in enumerate(turns):
        dealt[number % len(teams)].append(output.key)
    return [Group(tuple(team), tuple(sorted(keys))) for team, keys in zip(teams, dealt, strict=True)]


class RaterBallot(NamedTuple):
    """What one rater said about one output: `yes` or `no` for each criterion. `prompt` is what the output answers."""

    output: str
    model: str
    rater: str
    answers: Mapping[str, str]
    prompt: str = ""


class Count(NamedTuple):
    """For how many of a model's rated outputs a majority says yes (Table 17)."""

    yes: int
    outputs: int


class CriterionAgreement(NamedTuple):
    """How far raters agree on one criterion, over the outputs that were rated so far."""

    percent: Figure
    alpha: Figure
    kappa: Figure


class Tally(NamedTuple):
    """Counts by model and criterion over the outputs that their whole group rated; `waiting` counts the others."""

    models: tuple[str, ...]
    criteria: tuple[str, ...]
    counts: Mapping[tuple[str, str], Count]
    agreement: Mapping[str, CriterionAgreement]
    waiting: int


def tally(ballots: Iterable[RaterBallot], criteria: Sequence[str], size: int = GROUP_SIZE) -> Tally:
    """Count by model and criterion where more than half of the group says yes. Raises RatingFault."""
    rated: dict[tuple[str, str], dict[str, Mapping[str, str]]] = {}
    prompts: dict[tuple[str, str], str] = {}
    for ballot in ballots:
        by_rater = rated.setdefault((ballot.model, ballot.output), {})
        prompts[ballot.model, ballot.output] = ballot.prompt or ballot.output
        if ballot.rater in by_rater:
            raise RatingFault("rated_twice", rater=ballot.rater, output=ballot.output)
        by_rater[ballot.rater] = ballot.answers
    done: Counter[str] = Counter()
    yes: Counter[tuple[str, str]] = Counter()
    for (model, _), by_rater in rated.items():
        if len(by_rater) < size:
            continue
        done[model] += 1
        for criterion in criteria:
            given = sum(answers.get(criterion) == YES for answers in by_rater.values())
            yes[model, criterion] += 2 * given > size
    models = tuple(sorted({model for model, _ in rated}))
    return Tally(
        models,
        tuple(criteria),
        {(model, each): Count(yes[model, each], done[model]) for model in models for each in criteria},
        {
            criterion: _criterion_agreement(criterion, list(rated.values()), list(prompts.values()))
            for criterion in criteria
        },
        len(rated) - done.total(),
    )


def _criterion_agreement(
    criterion: str, rated: Sequence[Mapping[str, Mapping[str, str]]], prompts: Sequence[str]
) -> CriterionAgreement:
    rows = [{rater: answers.get(criterion) for rater, answers in sorted(by_rater.items())} for by_rater in rated]
    units = [tuple(row.values()) for row in rows]
    return CriterionAgreement(percent_agreement(units), alpha_with_interval(units, prompts), mean_pairwise_kappa(rows))
