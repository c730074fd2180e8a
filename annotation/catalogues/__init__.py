"""The interface's words in other languages: read out of the sources, kept in `locale/`, compiled, given to translators.

English is the source. `python -m annotation.catalogues` has the steps; docs/contributing.md says when to take which.
Only its reading of templates needs Django, and nothing of it runs while pages are served.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCALE = ROOT / "locale"
# Each language with those whose words stand in where it lacks some, nearest first; English stands behind all.
FALLBACKS = {"id": (), "su": ("id",), "jv": ("id",)}


def po_file(language: str) -> Path:
    """What translators edit."""
    return LOCALE / language / "LC_MESSAGES" / "django.po"


def mo_file(language: str) -> Path:
    """What Django reads: made from the other by `compile`, and not kept in git."""
    return po_file(language).with_suffix(".mo")
