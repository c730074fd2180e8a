"""Ambonese Malay: what it is called."""

from annotation.rules.languages.base import Language

LANGUAGE = Language(code="abs", names=("Ambonese", "Ambon", "Ambon Malay"))
