"""Our own statistics beside those of well-kept libraries, on drawn votes and on the published ones."""

import json
import random
from itertools import combinations

import numpy as np
import pytest

from tests.data import DATA, needs_data
from tests.validation.consensus.ballots import simulated
from validation.insights.rules import agreement, coefficients, mace, pairwise
from validation.insights.rules.tallies import Ballots, tally
from validation.model_votes.rules import EPSILONS, alternative_annotator_test

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
    found = pairwise.kappas_of_pairs(pairwise.pair_votes(votes))
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
    ours = coefficients.intervals(tally(votes.item, votes.label, 3))["percent"]
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.006)


def annotated(seed: int, right: float) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Labels of five people by item and person, and a model's, which gives the true label so often."""
    draw = random.Random(seed)
    people: dict[str, dict[str, str]] = {}
    model: dict[str, str] = {}

    def said(true: str, share: float) -> str:
        return true if draw.random() < share else draw.choice("enc")

    for n in range(100):
        true = draw.choice("enc")
        people[f"i{n}"] = {f"W{k}": said(true, 0.6 + k / 12) for k in range(5) if draw.random() < 0.8}
        if n % 10:
            model[f"i{n}"] = said(true, right)
    return people, model


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("seed", range(12))
def test_the_alternative_annotator_test(seed: int, epsilon: float) -> None:
    """By SciPy's t-test and statsmodels' Benjamini–Yekutieli, on shares of agreement written down anew (Calderon et al.
    2025, section 3: the score of an annotation is the share of the other people who give it)."""
    from scipy import stats
    from statsmodels.stats.multitest import multipletests

    people, model = annotated(seed, right=0.4 + seed / 20)
    found = alternative_annotator_test(people, model, epsilon)
    names = sorted({who for given in people.values() for who in given})
    ps, advantages = [], []
    for who in names:
        machine, person = [], []
        for item in (item for item, given in people.items() if who in given and item in model):
            others = [label for other, label in people[item].items() if other != who]
            if others:
                machine.append(np.mean([label == model[item] for label in others]))
                person.append(np.mean([label == people[item][who] for label in others]))
        won, lost = np.array(machine) >= np.array(person), np.array(person) >= np.array(machine)
        ps.append(stats.ttest_1samp(lost.astype(float) - won, epsilon, alternative="less").pvalue)
        advantages.append(won.mean())
    rejected = multipletests(ps, alpha=0.05, method="fdr_by")[0]
    assert [each.name for each in found.people] == names
    assert [each.p for each in found.people] == pytest.approx(ps, rel=1e-9, abs=1e-12)
    assert [each.won for each in found.people] == rejected.tolist()
    assert found.winning_rate == pytest.approx(rejected.mean())
    assert found.advantage == pytest.approx(np.mean(advantages))
