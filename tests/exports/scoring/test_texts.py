"""Texts of models: our figures are those of sacrebleu and rouge-score, and their intervals hold them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF

from exports.scoring import texts

PAIRS = [
    ("Ibu membeli mangga di pasar.", "Ibu beli mangga di pasar."),
    ("Udan wis telung dina.", "Hujan sudah tiga hari."),
    ("Aya nu anyar, teu?", "Aya nu anyar, teu?"),
    ("ꦲꦏ꧀ꦱꦫ Jawa", "aksara Jawa"),
    ("Tidak ada.", ""),
] * 4
written = st.lists(
    st.tuples(st.text("abc .,", max_size=20).map(lambda text: f"{text}a"), st.text("abc .,", max_size=20))
)


def test_the_figures_of_the_libraries() -> None:
    from rouge_score.rouge_scorer import RougeScorer

    sources = np.arange(len(PAIRS))
    found = texts.text_measures(PAIRS, sources)
    rights, said = [right for right, _ in PAIRS], [text for _, text in PAIRS]
    theirs = CHRF(word_order=2).corpus_score(said, [rights]).score
    assert 100 * found["chrf"].value == pytest.approx(theirs, abs=1e-9)
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], tokenizer=texts.Tokens())
    for name, of in texts.ROUGE.items():
        mean = sum(scorer.score(right, text)[of].fmeasure for right, text in PAIRS) / len(PAIRS)
        assert found[name].value == pytest.approx(mean, abs=1e-12)
    for each in found.values():
        assert each.low is not None
        assert each.high is not None
        assert each.low < each.value < each.high
        assert each.n == len(PAIRS)
    # Equal texts of one source are one.
    low, few = found["chrf"].low, texts.text_measures(PAIRS, sources % 5)["chrf"].low
    assert low is not None
    assert few is not None
    assert few < low


@given(written.filter(bool))
def test_summed_counts_give_what_sacrebleu_gives(pairs: list[tuple[str, str]]) -> None:
    metric = CHRF(word_order=2)
    rights, said = [right for right, _ in pairs], [text for _, text in pairs]
    counts = np.array(metric._extract_corpus_statistics(said, [rights]), dtype=float).sum(axis=0)
    assert 100 * float(texts.chrf_of(counts)) == pytest.approx(metric.corpus_score(said, [rights]).score, abs=1e-9)


def test_one_text() -> None:
    assert texts.chrf_of_text("Ada.", "Ada.") == pytest.approx(1)
    assert texts.chrf_of_text("Ada.", "") == 0
