"""Free answers against the responses of their prompts: margins by hand, and models that are not there."""

from pathlib import Path

import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.chrf import CHRF

from exports.scoring.free_answers import BERTSCORE, BLEURT, NO_MODEL, NO_PACKAGES, UNUSABLE, missing_sentences
from exports.scoring.neural import MODEL, PACKAGES, TOKENIZER, installed_scorers
from exports.scoring.open_ended import OVERLAPS, FreeAnswer, margin_measures, margins

GOOD, BAD = ("Bawa amplop untuk tuan rumah", "Bawa kado"), ("Pulang saja", "Minta uang kepada tuan rumah")
ANSWERS = [FreeAnswer("Bawa kado", GOOD, BAD), FreeAnswer("Minta uang", GOOD, BAD), FreeAnswer("", GOOD, BAD)]


def test_a_margin_is_the_highest_of_one_side_less_the_highest_of_the_other() -> None:
    near = {("a", "x"): 0.2, ("b", "x"): 0.9, ("c", "x"): 0.4, ("c", "y"): 0.3, ("d", "y"): 0.8, ("e", "y"): 0.1}
    answers = [FreeAnswer("x", ["a", "b"], ["c"]), FreeAnswer("y", ["c"], ["d", "e"])]
    found = margins(answers, lambda pairs: [near[pair] for pair in pairs])
    assert found == pytest.approx([0.5, -0.5])
    measured = margin_measures({"chrf": found}, np.arange(2))
    assert measured["chrf_margin"].value == pytest.approx(0)
    assert measured["chrf_nearer"].value == 0.5


def test_overlaps_are_those_of_the_libraries() -> None:
    """chrF++ by sacrebleu, ROUGE-L by rouge-score; an empty answer is as far from all."""
    scorer = RougeScorer(["rougeL"])
    theirs = {
        "chrf": lambda right, said: CHRF(word_order=2).sentence_score(said, [right]).score / 100,
        "rouge_l": lambda right, said: scorer.score(right, said)["rougeL"].fmeasure,
    }
    for name, similarity in OVERLAPS.items():
        near = theirs[name]
        wanted = [
            max(near(text, each.said) for text in GOOD) - max(near(text, each.said) for text in BAD) for each in ANSWERS
        ]
        assert margins(ANSWERS, similarity) == pytest.approx(wanted, abs=1e-12)
        assert wanted[0] > 0 > wanted[1]
        assert wanted[2] == 0


def test_what_is_not_installed_is_said(tmp_path: Path) -> None:
    assert installed_scorers(tmp_path).missing == {BLEURT: NO_MODEL, BERTSCORE: NO_MODEL}
    folder = tmp_path / "models" / BLEURT
    folder.mkdir(parents=True)
    (folder / MODEL).write_bytes(b"no model")
    (folder / TOKENIZER).write_text("{}")
    found = installed_scorers(tmp_path)
    try:
        packages = [__import__(package) for package in PACKAGES]
    except ImportError:
        packages = []
    assert (found.measures, found.missing[BLEURT]) == ({}, UNUSABLE if packages else NO_PACKAGES)
    for code, words in ((NO_MODEL, "models/bleurt"), (NO_PACKAGES, "scripts/prepare run neural"), (UNUSABLE, "log")):
        (sentence,) = missing_sentences({BLEURT: code})
        assert sentence.startswith("BLEURT was not computed: ")
        assert words in sentence
