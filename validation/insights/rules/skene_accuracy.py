"""The mean accuracy that Dawid and Skene's model finds, with its intervals over sources and over people.

Over sources: what each item adds to the estimate is its score times the inverse of the information, which is the sum of
the squared scores (Berndt et al. 1974), for the errors' and the labels' rates together. Over people: those of a project
are a sample of those who could have been asked, so the spread of their accuracies with Student's t.
"""

import numpy as np

from validation.insights.rules.clusters import Ends, Estimate, Floats, interval, jackknife_interval
from validation.insights.rules.dawid_skene import Fitted, rates
from validation.insights.rules.tallies import Ballots, Ints, Tick, no_tick

# Where the squared scores take longer to add up than this many products, there is no interval over sources.
MOST_WORK = 20_000_000_000
AT_ONCE = 4_000_000
# What keeps rates of which nothing is known from making the information singular.
RIDGE = 0.05


def mean_accuracy(ballots: Ballots, fitted: Fitted, source: Ints, people: Ints, *, tick: Tick = no_tick) -> Estimate:
    """How often these people (codes) say what is true, on average; `source` is each item's.

    From rates without smoothing, which makes everybody look a little worse than they are.
    """
    if not len(people):
        return Estimate(None)
    prior, errors = rates(ballots, fitted.truth, 0.0)
    fitted = fitted._replace(prior=prior, errors=errors)
    accuracy = fitted.accuracy[people]
    n, value = len(people), float(accuracy.mean())
    without = [(value * n - one) / (n - 1) for one in accuracy.tolist()] if n > 1 else []
    over_people = jackknife_interval(value, without)
    return Estimate(value, _over_sources(ballots, fitted, source, people, value, tick), over_people)


def _over_sources(
    ballots: Ballots, fitted: Fitted, source: Ints, people: Ints, value: float, tick: Tick
) -> Ends | None:
    rates = fitted.errors[:, :, : ballots.labels]
    parameters = rates.size + ballots.labels
    if ballots.items * parameters**2 > MOST_WORK:
        return None
    information = _information(ballots, fitted, tick)
    solved = np.linalg.solve(information, _slope(fitted, people))
    of_labels, of_rates = solved[: ballots.labels], solved[ballots.labels :].reshape(rates.shape)
    centred = of_rates - (of_rates * rates).sum(axis=2, keepdims=True)
    adds = (fitted.truth - fitted.prior) @ of_labels
    for true in range(ballots.labels):
        of_votes = np.bincount(ballots.item, centred[ballots.person, true, ballots.label], ballots.items)
        adds += fitted.truth[:, true] * of_votes
    return interval(value, adds, source)


def _slope(fitted: Fitted, people: Ints) -> Floats:
    """How the mean accuracy moves with the logarithms of each label's rate and of each error's."""
    k = len(fitted.prior)
    right = np.einsum("pjj->pj", fitted.errors)
    of_prior = right[people].mean(axis=0)
    of_labels = fitted.prior * (of_prior - float(of_prior @ fitted.prior))
    of_rates = np.zeros_like(fitted.errors)
    scale = fitted.prior[None, :] * right / len(people)
    of_rates[people] = (scale[:, :, None] * (np.eye(k)[None] - fitted.errors))[people]
    return np.asarray(np.r_[of_labels, of_rates.ravel()], float)


def _information(ballots: Ballots, fitted: Fitted, tick: Tick) -> Floats:
    """The sum over items of the squares of their scores, in pages."""
    k, n = ballots.labels, ballots.people
    size = k + n * k * k
    order = np.argsort(ballots.item, kind="stable")
    item, person, label = ballots.item[order], ballots.person[order], ballots.label[order]
    found, step = RIDGE * np.eye(size), max(1, AT_ONCE // size)
    for begin in range(0, ballots.items, step):
        tick()
        truth = fitted.truth[begin : begin + step]
        scores = np.zeros((len(truth), n, k, k))
        of = slice(*np.searchsorted(item, [begin, begin + step]))
        at, who, said = item[of] - begin, person[of], label[of]
        times = truth[at][:, :, None] * (np.eye(k)[said][:, None, :] - fitted.errors[who])
        np.add.at(scores, (at, who), times)
        rows = np.concatenate([truth - fitted.prior, scores.reshape(len(truth), -1)], axis=1)
        found += rows.T @ rows
    return np.asarray(found)
