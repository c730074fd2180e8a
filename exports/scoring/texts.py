"""Texts that models write against the right ones: chrF++ of sacrebleu, ROUGE of rouge-score, with bootstrap intervals.

For jobs only. chrF++ is that of the whole (Popović 2017; letters in ones to sixes, words in ones and twos, beta 2),
which sacrebleu computes from counts that add up: so its draws are sums of counts. ROUGE is the mean F1 of the items
(Lin 2004), over our tokens: rouge-score's own know ASCII alone.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from annotation.text.tokens import tokens
from exports.scoring.measures import MeasuredFigure, mean_measure, with_interval
from validation.insights.rules.bootstrap import AT_ONCE, DRAWS, Floats, generator

if TYPE_CHECKING:
    from sacrebleu.metrics.chrf import CHRF

CHRF_NAME, ROUGE = "chrf", {"rouge_1": "rouge1", "rouge_2": "rouge2", "rouge_l": "rougeL"}


class Tokens:
    """Our tokens, as rouge-score asks for them."""

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text, punctuation marks among them."""
        return tokens(text)


@cache
def _chrf() -> "CHRF":
    from sacrebleu.metrics.chrf import CHRF

    return CHRF(word_order=2)


@cache
def _rouge() -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(list(ROUGE.values()), tokenizer=Tokens())


def chrf_of_text(right: str, said: str) -> float:
    """chrF++ of one text, from 0 to 1."""
    return float(_chrf().sentence_score(said, [right]).score) / 100


def rouge_l_of_text(right: str, said: str) -> float:
    """ROUGE-L (F1) of one text, from 0 to 1."""
    return float(_rouge().score(right, said)[ROUGE["rouge_l"]].fmeasure)


def text_measures(pairs: Sequence[tuple[str, str]], seed: str) -> dict[str, MeasuredFigure]:
    """chrF++ and ROUGE-1, -2 and -L of (right, said), from 0 to 1; an empty text is wrong throughout."""
    rights, said = [right for right, _ in pairs], [text for _, text in pairs]
    counts = np.array(_chrf()._extract_corpus_statistics(said, [rights]), dtype=float)
    found = {CHRF_NAME: with_interval(float(chrf_of(counts.sum(axis=0))), _bootstrap_scores(counts, seed), len(pairs))}
    scores = [_rouge().score(right, text) for right, text in pairs]
    for name, theirs in ROUGE.items():
        found[name] = mean_measure([float(each[theirs].fmeasure) for each in scores], seed, name)
    return found


def chrf_of(counts: Floats) -> Floats:
    """chrF from counts [..., order x (said, right, shared)], from 0 to 1, as sacrebleu computes it."""
    theirs = _chrf()
    said, right, shared = (counts[..., place::3] for place in range(3))
    there = (said > 0) & (right > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(there, shared / said, 0.0).sum(axis=-1) / there.sum(axis=-1)
        recall = np.where(there, shared / right, 0.0).sum(axis=-1) / there.sum(axis=-1)
        factor = theirs.beta**2
        score = (1 + factor) * precision * recall / (factor * precision + recall)
    return np.asarray(np.where(np.isfinite(score), score, 0.0))


def _bootstrap_scores(counts: Floats, seed: str) -> Floats:
    """chrF of as many draws of the items."""
    random, n = generator(seed, CHRF_NAME), len(counts)
    step = max(1, AT_ONCE // n)
    parts = [
        chrf_of(random.multinomial(n, np.full(n, 1 / n), size=min(step, DRAWS - begin)) @ counts)
        for begin in range(0, DRAWS, step)
    ]
    return np.concatenate(parts)
