"""Makasar: what it is called."""

from annotation.text.languages.base import Language

LANGUAGE = Language(code="mak", names=("Makassar", "Makassarese", "Makasarese"))
