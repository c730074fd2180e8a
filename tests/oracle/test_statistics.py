"""Our own statistics beside those of well-kept libraries, on drawn votes and on the published ones."""

import json
from itertools import combinations

import numpy as np
import pytest

from tests.data import DATA, needs_data
from tests.validation.consensus.ballots import simulated
from validation.insights.rules import agreement, bootstrap, mace, pairwise
from validation.insights.rules.tallies import Ballots, tally

pytestmark = pytest.mark.oracle
LABELS = "ABCDE"


def drawn(seed: int) -> Ballots:
    """Votes of four people who err differently."""
    return simulated(seed, items=90)


def published() -> Ballots:
    """Five answers to each of the published questions."""
    rows = json.loads((DATA / "idcsqa/human_gen_ind.json").read_text(encoding="utf-8"))
    votes = np.array(
        [
            (item, int(who[1:]) - 1, LABELS.index(label))
            for item, row in enumerate(rows)
            for who, label in row["answers"].items()
        ]
    )
    return Ballots(votes[:, 0], votes[:, 1], votes[:, 2], len(rows), 6, 5)


def counts_of(votes: Ballots) -> np.ndarray:
    flat = votes.item * votes.labels + votes.label
    return np.bincount(flat, minlength=votes.items * votes.labels).reshape(votes.items, votes.labels)


def check_fleiss(votes: Ballots) -> None:
    from statsmodels.stats import inter_rater

    ours = agreement.fleiss_kappa(tally(votes.item, votes.label, votes.labels).units(LABELS[: votes.labels]))
    assert ours.value == pytest.approx(inter_rater.fleiss_kappa(counts_of(votes)), abs=1e-12)


def check_cohen(votes: Ballots) -> None:
    from sklearn import metrics

    said = np.full((votes.people, votes.items), -1)
    said[votes.person, votes.item] = votes.label
    found = pairwise.pairs_of(pairwise.cross(votes))
    for one, other in combinations(range(votes.people), 2):
        both = (said[one] >= 0) & (said[other] >= 0)
        theirs = metrics.cohen_kappa_score(said[one][both], said[other][both])
        mine = found.kappas[(found.people == (one, other)).all(axis=1)]
        assert mine.tolist() == pytest.approx([theirs], abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_fleiss_is_that_of_statsmodels(seed: int) -> None:
    check_fleiss(drawn(seed))


@pytest.mark.parametrize("seed", range(5))
def test_cohen_is_that_of_scikit_learn(seed: int) -> None:
    check_cohen(drawn(seed))


@needs_data
@pytest.mark.data
def test_the_published_questions() -> None:
    votes = published()
    check_fleiss(votes)
    check_cohen(votes)


def test_digamma_is_that_of_scipy() -> None:
    from scipy import special

    points = np.concatenate([np.linspace(1e-3, 20, 4000), 10.0 ** np.arange(2, 9)])
    assert mace.digamma(points) == pytest.approx(special.digamma(points), rel=1e-10, abs=1e-12)


def test_the_interval_is_that_of_scipy() -> None:
    """Percent agreement is a mean over items, which scipy resamples one by one."""
    from scipy import stats

    votes = drawn(3)
    counts = counts_of(votes)
    shares = (counts * (counts - 1)).sum(axis=1) / (4 * 3)
    theirs = stats.bootstrap(
        (shares,), np.mean, n_resamples=4000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    ours = bootstrap.intervals(tally(votes.item, votes.label, 3), "seed", "p", draws=4000)["percent"]
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.006)
