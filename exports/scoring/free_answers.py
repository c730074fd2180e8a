"""Measures of free answers by their names, and why one is not there: alone in this package it is read by pages."""

from collections.abc import Mapping

from django.utils.translation import gettext

from annotation.text.gettext import gettext_noop

CHRF, ROUGE_L, BLEURT, BERTSCORE = "chrf", "rouge_l", "bleurt", "bertscore"
MEASURES: Mapping[str, str] = {CHRF: "chrF++", ROUGE_L: "ROUGE-L", BLEURT: "BLEURT", BERTSCORE: "BERTScore"}
NO_MODEL, NO_PACKAGES, UNUSABLE = "no_model", "no_packages", "unusable"
REASONS: Mapping[str, str] = {
    NO_MODEL: gettext_noop(
        "%(measure)s was not computed: no model of it is installed. An administrator of the server puts model.onnx and "
        "tokenizer.json into models/%(folder)s of the data folder."
    ),
    NO_PACKAGES: gettext_noop(
        "%(measure)s was not computed: its packages are not installed. An administrator of the server runs "
        "scripts/prepare run neural."
    ),
    UNUSABLE: gettext_noop(
        "%(measure)s was not computed: its model in models/%(folder)s cannot be used. The log of the worker says why."
    ),
}


def missing_sentences(missing: Mapping[str, str]) -> list[str]:
    """A sentence for each measure that could not be computed."""
    return [gettext(REASONS[code]) % {"measure": MEASURES[name], "folder": name} for name, code in missing.items()]
