"""Ambonese Malay: what it is called."""

from annotation.text.languages.base import Language

LANGUAGE = Language(code="abs", names=("Ambonese", "Ambon", "Ambon Malay"))
