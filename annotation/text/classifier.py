"""Telling a text's class without its source: a small linear classifier, cross-validated (IndoNLI §5.2).

Multinomial logistic regression over hashed words and pairs of neighbouring words, trained by AdaGrad in an order that
the caller draws. The same rows in the same order give the same figures. NumPy is imported where it is used: web
processes read the threshold, and compute nothing.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    import numpy as np

# A prediction counts as certain from here on: of the answers that are so sure about four in five are right.
SURE_PROBABILITY = 0.8
FOLDS = 5
# Below so many texts nothing can be learnt: nothing is said.
LEAST_TEXTS = 100
BUCKETS = 1 << 18
# More texts than these add nothing to what is learnt from short texts, only hours.
MOST_TRAINED = 100_000
# A small set is gone through as often as so many steps take.
_EPOCHS, _STEPS, _BATCH, _RATE, _DECAY = 3, 57, 64, 0.35, 1e-4
_BIAS = 0


@dataclass(frozen=True)
class Features:
    """The features of texts, one text after another: those of text i are buckets[starts[i]:starts[i + 1]]."""

    buckets: "np.ndarray"
    starts: "np.ndarray"

    def __len__(self) -> int:
        return len(self.starts) - 1


def features_of(texts: Iterable[Sequence[str]]) -> Features:
    """Hash the words of each text, and each pair of neighbours, into buckets; a text's each feature once."""
    import numpy as np

    flat, starts = array("i"), array("q", [0])
    for words in texts:
        buckets = {_bucket(word) for word in words}
        buckets |= {_bucket(f"{left} {right}") for left, right in pairwise(words)}
        flat.append(_BIAS)
        flat.extend(sorted(buckets))
        starts.append(len(flat))
    return Features(np.frombuffer(flat, dtype=np.int32), np.frombuffer(starts, dtype=np.int64))


def _bucket(feature: str) -> int:
    return 1 + crc32(feature.encode("utf-8", "surrogatepass")) % (BUCKETS - 1)


def cross_validated(
    features: Features,
    classes: "np.ndarray",
    folds: "np.ndarray",
    count: int,
    tick: Callable[[], None] = lambda: None,
    *,
    precision: str = "float32",
) -> "np.ndarray":
    """How probable each of `count` classes is for each text, by a classifier that learnt from the other folds.

    With the `precision` float64 another processor's last digit makes no difference. A class below zero is not learnt
    from, and a fold below zero is in none. Raises ValueError where a fold leaves nothing to learn from.
    """
    import numpy as np

    probable = np.zeros((len(features), count), dtype=precision)
    for fold in range(FOLDS):
        train = np.flatnonzero((folds != fold) & (classes >= 0))[:MOST_TRAINED]
        if not len(train):
            raise ValueError("a fold leaves nothing to learn from")
        weights = _train_weights(features, classes, train, np.zeros((BUCKETS, count), dtype=precision), tick)
        asked = np.flatnonzero(folds == fold)
        for begin in range(0, len(asked), 10_000):
            page = asked[begin : begin + 10_000]
            probable[page] = _probabilities(weights, *_feature_rows(features, page))
            tick()
    return probable


def _train_weights(
    features: Features,
    classes: "np.ndarray",
    train: "np.ndarray",
    weights: "np.ndarray",
    tick: Callable[[], None],
) -> "np.ndarray":
    """The weights, which come in as zeros, by what these texts teach."""
    import numpy as np

    count = weights.shape[1]
    seen = np.full_like(weights, 1e-6)
    for _ in range(max(_EPOCHS, -(-_STEPS * _BATCH // len(train)))):
        for begin in range(0, len(train), _BATCH):
            tick()
            page = train[begin : begin + _BATCH]
            flat, bounds, scale = _feature_rows(features, page)
            wrong = _probabilities(weights, flat, bounds, scale)
            wrong[np.arange(len(page)), classes[page]] -= 1
            each = np.repeat(wrong * scale[:, None].astype(wrong.dtype), np.diff(np.append(bounds, len(flat))), axis=0)
            some, place = np.unique(flat, return_inverse=True)
            slope = np.stack(
                [np.bincount(place, weights=each[:, k], minlength=len(some)) for k in range(count)], axis=1
            ).astype(weights.dtype) / len(page)
            slope += _DECAY * weights[some]
            seen[some] += slope**2
            weights[some] -= _RATE * slope / np.sqrt(seen[some])
    return weights


def _feature_rows(features: Features, page: "np.ndarray") -> "tuple[np.ndarray, np.ndarray, np.ndarray]":
    """The buckets of some texts, where each begins among them, and what each text's features weigh."""
    import numpy as np

    begins, sizes = features.starts[page], features.starts[page + 1] - features.starts[page]
    bounds = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    flat = features.buckets[np.repeat(begins - bounds, sizes) + np.arange(sizes.sum())]
    return flat, bounds, 1 / np.sqrt(sizes)


def _probabilities(
    weights: "np.ndarray", flat: "np.ndarray", bounds: "np.ndarray", scale: "np.ndarray"
) -> "np.ndarray":
    import numpy as np

    scores = np.add.reduceat(weights[flat], bounds, axis=0) * scale[:, None].astype(weights.dtype)
    scores -= scores.max(axis=1, keepdims=True)
    shares: np.ndarray = np.exp(scores)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares
