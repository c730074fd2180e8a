"""Dawid and Skene (1979): the error rates of people and the labels of items, from the votes alone, by EM.

Each person has a matrix of errors: given that an item is truly j, how often they say l (equations 2.3 to 2.5 of the
paper). The first guess is each item's shares of votes (3.1). Nothing is known of the truth: a person who errs like
most of the others seems to be right.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from validation.insights.rules.tallies import Ballots, Tick, no_tick

Floats = npt.NDArray[np.float64]
MOST_STEPS = 100
CLOSE_ENOUGH = 1e-6
_LEAST = 1e-300


class Fitted(NamedTuple):
    """`truth` (item, label) is how likely each label is, `prior` how frequent, `errors` (person, true, said)."""

    truth: Floats
    prior: Floats
    errors: Floats
    steps: int

    @property
    def accuracy(self) -> Floats:
        """How often each person says what is true, over items as frequent as they are."""
        return np.asarray(np.einsum("pjj,j->p", self.errors, self.prior))


def fit(ballots: Ballots, *, smoothing: float = 0.0, most_steps: int = MOST_STEPS, tick: Tick = no_tick) -> Fitted:
    """Estimate by EM until no label's likelihood moves by more than a millionth, at most so many steps.

    `smoothing` is added to every cell of every person's matrix before it is made into rates: 0 is the paper's own
    estimate, a little keeps somebody with three votes from being called unfailing. Each vote needs a person.
    """
    truth = _shares(ballots)
    prior, errors = rates(ballots, truth, smoothing)
    steps, moved = 0, 1.0
    while steps < most_steps and moved > CLOSE_ENOUGH:
        tick()
        before, truth = truth, _truth(ballots, prior, errors)
        prior, errors = rates(ballots, truth, smoothing)
        steps, moved = steps + 1, float(np.abs(truth - before).max(initial=0))
    return Fitted(truth, prior, errors, steps)


def _shares(ballots: Ballots) -> Floats:
    """Each item's shares of votes."""
    n, k = ballots.items, ballots.labels
    counts = np.bincount(ballots.item.astype(np.int64) * k + ballots.label, minlength=n * k).reshape(n, k)
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


def rates(ballots: Ballots, truth: Floats, smoothing: float) -> tuple[Floats, Floats]:
    """How frequent each label is, and everybody's matrix, given how likely each item's labels are."""
    people, k = ballots.people, ballots.labels
    person_label = ballots.person.astype(np.int64) * k + ballots.label
    errors = np.empty((people, k, k))
    for true in range(k):
        weights = truth[ballots.item, true]
        errors[:, true, :] = np.bincount(person_label, weights, people * k).reshape(people, k)
    errors += smoothing
    sums = errors.sum(axis=2, keepdims=True)
    # Who never met an item of a label has no rates for it: all alike, so that they say nothing.
    errors = np.divide(errors, sums, out=np.full_like(errors, 1 / k), where=sums > 0)
    return truth.mean(axis=0) if len(truth) else np.full(k, 1 / k), errors


def _truth(ballots: Ballots, prior: Floats, errors: Floats) -> Floats:
    """How likely each label of each item is, given the rates (equation 2.5)."""
    logs = np.log(np.maximum(errors, _LEAST))
    found = np.empty((ballots.items, ballots.labels))
    for true in range(ballots.labels):
        found[:, true] = np.bincount(ballots.item, logs[ballots.person, true, ballots.label], ballots.items)
    found += np.log(np.maximum(prior, _LEAST))
    found -= found.max(axis=1, keepdims=True)
    np.exp(found, out=found)
    found /= found.sum(axis=1, keepdims=True)
    return found
