"""What keeps a catalogue from being released: faults, guesses, gaps, and strings that the sources have not."""

from collections.abc import Iterator

from babel.messages.catalog import Catalog

from annotation.catalogues import po_file
from annotation.catalogues.faults import faults
from annotation.catalogues.files import is_translated, key, read, strings_of, whole


def wrong(language: str) -> Iterator[str]:
    """Every translation that says something else than the English in what has to be the same, and every guess."""
    catalog = read(po_file(language), language)
    for message in catalog:
        if message.id:
            if message.fuzzy:
                yield f"{language}: “{key(message)[1][:70]}” is a guess (fuzzy)"
            for fault in faults(message.id, strings_of(message), catalog.num_plurals):
                yield f"{language}: “{key(message)[1][:70]}” {fault}"


def missing(language: str, source: Catalog) -> list[str]:
    """The strings that nobody translated into a language."""
    catalog = whole(language, source)
    return [key(message)[1] for message in catalog if message.id and not is_translated(message)]


def strays(language: str, source: Catalog) -> set[tuple[str, str]]:
    """Strings that only the sources have, or only the catalogue: `make messages` was forgotten."""
    there = {key(message) for message in read(po_file(language), language) if message.id}
    return there ^ {key(message) for message in source if message.id}
