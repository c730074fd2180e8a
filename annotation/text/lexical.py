"""Lexical statistics over pairs: word overlap and words that give a label away (IndoNLI §3.3 and §5.2)."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log2

from rapidfuzz.distance import LCSseq

from annotation.text.tokens import tokens


@dataclass(frozen=True)
class Overlap:
    """How much of a hypothesis its premise has, as shares in [0, 1].

    jaccard: common token types over all token types; lcs: the longest common subsequence of tokens over the
    hypothesis' tokens; new: the hypothesis' token types that the premise lacks over its token types.
    """

    jaccard: float
    lcs: float
    new: float


@dataclass(frozen=True)
class WordScore:
    """A word's pointwise mutual information with a label, in bits, and n(word, label) of n(word)."""

    word: str
    pmi: float
    with_label: int
    in_all: int


def overlap(premise: str, hypothesis: str) -> Overlap:
    """Compare the tokens of a pair; a hypothesis without tokens shares nothing and brings nothing new."""
    given, written = tokens(premise), tokens(hypothesis)
    if not written:
        return Overlap(0.0, 0.0, 0.0)
    given_types, written_types = set(given), set(written)
    return Overlap(
        jaccard=len(given_types & written_types) / len(given_types | written_types),
        lcs=LCSseq.similarity(given, written) / len(written),
        new=len(written_types - given_types) / len(written_types),
    )


# Between so many cells a sign of life is given to who waits for the ranks.
_TICK_EACH = 10_000


def rank_words(
    cells: Mapping[tuple[str, str], int], smoothing: int = 10, tick: Callable[[], None] = lambda: None
) -> dict[str, list[WordScore]]:
    """Rank each label's words by PMI, highest first, from how often each word occurs with each label (IndoNLI Table 9).

    `smoothing` is added to every cell of (word, label); punctuation counts as a token but is not ranked.
    """
    of_word: Counter[str] = Counter()
    of_label: Counter[str] = Counter()
    for (word, label), count in cells.items():
        of_word[word] += count
        of_label[label] += count
    scored: dict[str, list[WordScore]] = {label: [] for label in of_label}
    for n, ((word, label), count) in enumerate(cells.items()):
        if not n % _TICK_EACH:
            tick()
        if word[0].isalnum() or word[0] == "_":
            value = _mutual_information(count, of_word[word], of_label, label, len(of_word), smoothing)
            scored[label].append(WordScore(word, value, count, of_word[word]))
    for scores in scored.values():
        tick()
        scores.sort(key=lambda each: (-each.pmi, each.word))
    return scored


def _mutual_information(
    both: int, word: int, of_label: Mapping[str, int], label: str, types: int, smoothing: int
) -> float:
    """Compute log2 of p(word, label) / (p(word) p(label)) with `smoothing` added to every cell."""
    row, column = smoothing * len(of_label), smoothing * types
    total = sum(of_label.values()) + smoothing * len(of_label) * types
    return log2((both + smoothing) * total / ((word + row) * (of_label[label] + column)))
