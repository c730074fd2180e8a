"""Texts that models write against the right ones: chrF++ of sacrebleu, ROUGE of rouge-score, with intervals by source.

For jobs only. chrF++ is that of the whole (Popović 2017; letters in ones to sixes, words in ones and twos, beta 2),
which sacrebleu computes from counts that add up: so each source can be left out (the jackknife). ROUGE is the mean
F1 of the items (Lin 2004), over our tokens: rouge-score's own know ASCII alone.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from annotation.text.tokens import tokens
from exports.scoring.measures import MeasuredFigure, mean_measure, with_ends
from validation.insights.rules.clusters import FEWEST_SOURCES, Ends, Floats, jackknife_interval
from validation.insights.rules.tallies import Ints

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


def text_measures(pairs: Sequence[tuple[str, str]], source: Ints) -> dict[str, MeasuredFigure]:
    """chrF++ and ROUGE-1, -2 and -L of (right, said), from 0 to 1; an empty text is wrong throughout."""
    rights, said = [right for right, _ in pairs], [text for _, text in pairs]
    counts = np.array(_chrf()._extract_corpus_statistics(said, [rights]), dtype=float)
    found = {CHRF_NAME: with_ends(float(chrf_of(counts.sum(axis=0))), _interval(counts, source), len(pairs))}
    scores = [_rouge().score(right, text) for right, text in pairs]
    for name, theirs in ROUGE.items():
        found[name] = mean_measure([float(each[theirs].fmeasure) for each in scores], source)
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


def _interval(counts: Floats, source: Ints) -> Ends | None:
    """chrF of all texts but those of each source in turn."""
    codes = np.unique(source, return_inverse=True)[1]
    of_source = np.zeros((int(codes.max()) + 1, counts.shape[1]))
    np.add.at(of_source, codes, counts)
    whole = counts.sum(axis=0)
    if len(of_source) < FEWEST_SOURCES:
        return None
    ends = jackknife_interval(float(chrf_of(whole)), chrf_of(whole - of_source).tolist(), FEWEST_SOURCES)
    return ends and Ends(max(ends.low, 0.0), min(ends.high, 1.0))
