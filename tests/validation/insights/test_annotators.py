"""Dawid-Skene and MACE: the published cases to the digits that were printed, and votes whose truth is known."""

import numpy as np
import pytest

from tests.validation.consensus.ballots import anaesthetists, simulated, vote_columns, words
from validation.insights.rules import dawid_skene, mace

# Dawid & Skene 1979: Table 2, how frequent the four classes are; Table 3, the error rates of observer 1; Table 4, the
# classes of the first six patients.
PRIOR = [0.40, 0.42, 0.11, 0.07]
FIRST = [[0.89, 0.11, 0, 0], [0.07, 0.88, 0.05, 0], [0, 0.34, 0.66, 0], [0, 0, 0.56, 0.44]]
CLASSES = [0, 3, 1, 1, 1, 1]


def test_dawid_and_skenes_own_patients() -> None:
    found = dawid_skene.fit(anaesthetists())
    assert np.round(found.prior, 2).tolist() == PRIOR
    assert np.round(found.errors[0], 2).tolist() == FIRST
    assert np.round(found.truth[:6], 2).tolist() == np.eye(4)[CLASSES].tolist()


def test_the_columns_say_what_the_papers_equations_say() -> None:
    """Equations 2.3 to 2.5 written out over every patient, observer and class, as many steps."""
    votes = simulated(11, items=40)
    n, people, k = votes.items, votes.people, votes.labels
    counts = np.zeros((n, people, k))
    np.add.at(counts, (votes.item, votes.person, votes.label), 1)
    truth = counts.sum(axis=1) / counts.sum(axis=(1, 2))[:, None]
    for _ in range(5):
        prior = truth.mean(axis=0)
        errors = np.einsum("ij,ipl->pjl", truth, counts)
        errors /= errors.sum(axis=2, keepdims=True)
        truth = prior * np.prod(errors[None] ** counts[:, :, None, :], axis=(1, 3))
        truth /= truth.sum(axis=1, keepdims=True)
    assert dawid_skene.fit(votes, most_steps=5).truth == pytest.approx(truth)


def test_maces_own_words() -> None:
    """The competence and the distributions that its documentation prints."""
    found = mace.fit(words(), "any seed")
    printed = [
        0.8820970950608722,
        0.7904155783217401,
        0.6598575839917008,
        0.8822161621354134,
        0.0311406235482,
    ]
    assert found.competence.tolist() == pytest.approx(printed, abs=1e-9)
    assert found.truth.max(axis=1).tolist() == pytest.approx(
        [0.9997443833265887, 0.9999961943848287, 0.9990184050335877, 0.9994950838119411, 0.9997443833265887],
        abs=1e-9,
    )
    assert found.truth.argmax(axis=1).tolist() == [0, 1, 2, 1, 0]


def test_who_errs_most_is_relied_on_least() -> None:
    votes, truth = simulated(7), np.arange(300) % 3
    skene, hovy = dawid_skene.fit(votes, smoothing=0.01), mace.fit(votes, "seed", starts=2)
    for found in (skene.truth, hovy.truth):
        assert (found.argmax(axis=1) == truth).mean() > 0.95
    assert np.argsort(-skene.accuracy).tolist() == np.argsort(-hovy.competence).tolist() == [0, 1, 2, 3]
    # Who errs says the truth by chance in a third of the cases.
    assert skene.accuracy[0] == pytest.approx(0.95 + 0.05 / 3, abs=0.03)


def test_the_same_votes_and_seed_give_the_same() -> None:
    votes = simulated(3, items=30)
    assert mace.fit(votes, "a").competence.tolist() == mace.fit(votes, "a").competence.tolist()


def test_somebody_without_votes_is_known_by_nothing() -> None:
    found = dawid_skene.fit(vote_columns([(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1)], 2, 3, 2))
    assert found.errors[2].tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert found.accuracy.tolist() == [1, 1, 0.5]


def test_smoothing_calls_nobody_unfailing() -> None:
    found = dawid_skene.fit(vote_columns([(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1)], 2, 2, 2), smoothing=0.01)
    assert found.accuracy.max() < 1


def test_a_sign_of_life_at_each_step() -> None:
    seen: list[int] = []
    skene = dawid_skene.fit(simulated(2, items=30), tick=lambda: seen.append(1))
    assert len(seen) == skene.steps
    mace.fit(simulated(2, items=30), "seed", starts=2, steps=3, tick=lambda: seen.append(2))
    assert seen.count(2) == 6


def test_no_votes_at_all() -> None:
    assert dawid_skene.fit(vote_columns([], 0, 0, 2)).prior.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("x", "value"),
    [
        (1.0, -0.5772156649015329),
        (0.5, -1.9635100260214235),
        (10.0, 2.251752589066721),
        (1e-3, -1000.5755719318),
    ],
)
def test_digamma(x: float, value: float) -> None:
    assert mace.digamma(np.array([x]))[0] == pytest.approx(value, rel=1e-10)
