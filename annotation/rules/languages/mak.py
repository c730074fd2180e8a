"""Makasar: what it is called."""

from annotation.rules.languages.base import Language

LANGUAGE = Language(code="mak", names=("Makassar", "Makassarese", "Makasarese"))
