"""Three invented models through every measure, beside scikit-learn, SciPy, sacrebleu and rouge-score."""

from collections import Counter

import numpy as np
import pytest

from exports.predictions import results
from exports.predictions.rules import LABEL, PROBABILITIES, TEXT, Answer, AskedRow
from exports.scoring import measures

pytestmark = pytest.mark.oracle
LABELS = ("entailment", "neutral", "contradiction")
N = 240


def rows() -> list[AskedRow]:
    """Rows with five labels of people each, of which most are gold."""
    random = np.random.default_rng(7)
    made = []
    for n in range(N):
        given = random.choice(LABELS, size=5, p=random.dirichlet((1, 1, 1)))
        people = {str(label): int(times) for label, times in Counter(given).items()}
        gold = max(sorted(people), key=lambda label: people[label])
        made.append(AskedRow(f"r{n}", "test", gold, LABELS, people=people))
    return made


def model(seed: int, skill: float) -> dict[str, Answer]:
    random = np.random.default_rng(seed)
    found: dict[str, Answer] = {}
    for row in rows():
        told = random.dirichlet((1, 1, 1)) * (1 - skill) + skill * np.array([name == row.gold for name in LABELS])
        said: dict[str, float] = dict(zip(LABELS, told.tolist(), strict=True))
        found[row.id] = {PROBABILITIES: said, LABEL: max(said, key=lambda label: said[label])}
    return found


@pytest.mark.parametrize(("seed", "skill"), [(1, 0.0), (2, 0.3), (3, 0.9)])
def test_labels_and_distributions(seed: int, skill: float) -> None:
    from scipy.spatial import distance
    from sklearn import metrics

    asked, given = rows(), model(seed, skill)
    found = results.results(asked, given, [], labels=LABELS, seed="s")["splits"]["test"]
    gold, said = [row.gold for row in asked], [given[row.id][LABEL] for row in asked]
    figures = {name: figure["value"] for name, figure in found["figures"].items()}
    assert figures["accuracy"] == pytest.approx(metrics.accuracy_score(gold, said), abs=1e-12)
    assert figures["macro_f1"] == pytest.approx(metrics.f1_score(gold, said, average="macro"), abs=1e-12)
    ours = [[found["confusion"].get(right, {}).get(other, 0) for other in LABELS] for right in LABELS]
    assert ours == metrics.confusion_matrix(gold, said, labels=list(LABELS)).tolist()
    people = np.array([[row.people.get(name, 0) / 5 for name in LABELS] for row in asked])
    shares = np.array([[given[row.id][PROBABILITIES][name] for name in LABELS] for row in asked])
    # A row of each label, weighted by how many people gave it, is cross-entropy against their distribution.
    truth = np.tile(np.arange(3), N)
    loss = metrics.log_loss(truth, np.repeat(shares, 3, axis=0), sample_weight=people.ravel(), labels=[0, 1, 2])
    assert figures["cross_entropy"] == pytest.approx(loss, abs=1e-9)
    near = [distance.cityblock(one, other) for one, other in zip(people, shares, strict=True)]
    assert figures["manhattan"] == pytest.approx(np.mean(near), abs=1e-12)
    apart = [distance.jensenshannon(one, other, base=2) ** 2 for one, other in zip(people, shares, strict=True)]
    assert figures["jsd"] == pytest.approx(np.mean(apart), abs=1e-9)


def test_two_models_beside_scipy() -> None:
    """The interval of a difference between two models and its p-value, as near as drawn ones come."""
    from scipy import stats

    asked = rows()
    first, second = (results.outcomes_of(asked, model(seed, skill)) for seed, skill in ((2, 0.3), (3, 0.9)))
    gaps = np.array([first[row.id] - second[row.id] for row in asked])
    ours = measures.compare_models(list(first.values()), list(second.values()), np.arange(N), "s")
    theirs = stats.bootstrap((gaps,), np.mean, n_resamples=5000, method="percentile", rng=np.random.default_rng(1))
    assert ours.difference == pytest.approx(gaps.mean())
    ends = theirs.confidence_interval
    assert (ours.low, ours.high) == pytest.approx((ends.low, ends.high), abs=0.015)
    test = stats.permutation_test((gaps,), np.mean, permutation_type="samples", rng=np.random.default_rng(1))
    assert ours.p == pytest.approx(test.pvalue, abs=0.01)


def test_written_texts() -> None:
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics.chrf import CHRF

    words = ["ibu", "ayah", "pergi", "ke", "pasar", "membeli", "mangga", "dan", "nasi", "kemarin"]
    random = np.random.default_rng(11)
    texts = [" ".join(random.choice(words, size=8)) for _ in range(80)]
    asked = [AskedRow(f"t{n}", "translation-su", "", (), reference=text) for n, text in enumerate(texts)]
    for skill in (0.2, 0.6, 1.0):
        said = [" ".join(word if random.random() < skill else "lain" for word in text.split()) for text in texts]
        given = {f"t{n}": {TEXT: text} for n, text in enumerate(said)}
        figures = results.results(asked, given, [], labels=(), seed="s")["splits"]["translation-su"]["figures"]
        chrf = CHRF(word_order=2).corpus_score(said, [texts]).score
        assert 100 * figures["chrf"]["value"] == pytest.approx(chrf, abs=1e-9)
        # Of ASCII alone, the library's own words are ours.
        scorer = RougeScorer(["rougeL"])
        mean = np.mean([scorer.score(right, text)["rougeL"].fmeasure for right, text in zip(texts, said, strict=True)])
        assert figures["rouge_l"]["value"] == pytest.approx(mean, abs=1e-12)
        if skill == 1:
            assert figures["chrf"]["value"] == pytest.approx(1)
