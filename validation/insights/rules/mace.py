"""MACE (Hovy et al. 2013): the reliability of each person and the labels of items, from the votes alone.

A vote either says what is true, or its giver guesses, in a way of their own that has nothing to do with the item.
Variational EM with the paper's priors: Beta(0.5, 0.5) for knowing, Dirichlet(10) for the ways of guessing, all labels
alike; several starts near even, of which the likeliest stands.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from validation.insights.rules.generators import generator
from validation.insights.rules.tallies import Ballots, Tick, no_tick

Floats = npt.NDArray[np.float64]
STARTS, STEPS, NOISE = 10, 50, 0.5
KNOWING_PRIOR, GUESSING_PRIOR = 0.5, 10.0
# Steps that move the likelihood by less than this share of it are not worth their time.
CLOSE_ENOUGH = 1e-9


class Fitted(NamedTuple):
    """`truth` (item, label) is how likely each label is; `competence` of each person how likely they know."""

    truth: Floats
    competence: Floats
    likelihood: float


class _Model(NamedTuple):
    knows: Floats
    guesses: Floats
    guess: Floats


def fit(ballots: Ballots, seed: str, *, starts: int = STARTS, steps: int = STEPS, tick: Tick = no_tick) -> Fitted:
    """Estimate by variational EM from so many seeded starts. Each vote needs a person."""
    random, best = generator(seed, "mace"), None
    for _ in range(starts):
        found = _fit_from(ballots, _start(ballots, random), steps, tick)
        if best is None or found.likelihood > best.likelihood:
            best = found
    assert best is not None  # noqa: S101 - there is at least one start
    return best


def _start(ballots: Ballots, random: np.random.Generator) -> _Model:
    spam = 1 + NOISE * random.random((ballots.people, 2))
    guess = 1 + NOISE * random.random((ballots.people, ballots.labels))
    spam /= spam.sum(axis=1, keepdims=True)
    return _Model(spam[:, 1], spam[:, 0], guess / guess.sum(axis=1, keepdims=True))


def _fit_from(ballots: Ballots, model: _Model, steps: int, tick: Tick) -> Fitted:
    truth, counts, likelihood = _expect(ballots, model)
    for _ in range(steps):
        tick()
        before = likelihood
        model = _maximise(*counts)
        truth, counts, likelihood = _expect(ballots, model)
        if abs(likelihood - before) < CLOSE_ENOUGH * abs(likelihood):
            break
    return Fitted(truth, model.knows, likelihood)


def _expect(ballots: Ballots, model: _Model) -> tuple[Floats, tuple[Floats, Floats], float]:
    """How likely each label is; how often each person knew, and guessed which label; the likelihood."""
    n, people, k = ballots.items, ballots.people, ballots.labels
    item, person_label = ballots.item.astype(np.int64), ballots.person.astype(np.int64) * k + ballots.label
    guessed = model.guesses[ballots.person] * model.guess.ravel()[person_label]
    knew = model.knows[ballots.person]
    # A label that was not said is only possible where it was guessed: that part is the same for every label.
    logs = np.bincount(item * k + ballots.label, np.log1p(knew / guessed), n * k).reshape(n, k)
    most = logs.max(axis=1, keepdims=True)
    truth = np.exp(logs - most)
    sums = truth.sum(axis=1, keepdims=True)
    likelihood = float(np.log(guessed).sum() + (most + np.log(sums)).sum() - n * np.log(k))
    truth /= sums
    known = truth[item, ballots.label] * knew / (guessed + knew)
    knowing: Floats = np.bincount(ballots.person, known, people).astype(float)
    guessing: Floats = np.bincount(person_label, 1 - known, people * k).astype(float).reshape(people, k)
    return truth, (knowing, guessing), likelihood


def _maximise(knowing: Floats, guessing: Floats) -> _Model:
    """The variational step: the exponents of the expected logarithms under the posteriors."""
    knew, guessed = knowing + KNOWING_PRIOR, guessing.sum(axis=1) + KNOWING_PRIOR
    whole, ways = digamma(knew + guessed), guessing + GUESSING_PRIOR
    guess = np.exp(digamma(ways) - digamma(ways.sum(axis=1, keepdims=True)))
    return _Model(np.exp(digamma(knew) - whole), np.exp(digamma(guessed) - whole), guess)


def digamma(x: Floats) -> Floats:
    """The logarithmic derivative of gamma, for x > 0: shifted above 10, then its asymptotic series (13 digits)."""
    found, at = np.zeros_like(x), np.array(x, dtype=float)
    for _ in range(10):
        small = at < 10
        found -= np.where(small, 1 / at, 0)
        at = np.where(small, at + 1, at)
    square = 1 / (at * at)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    return np.asarray(found + np.log(at) - 0.5 / at - series)
