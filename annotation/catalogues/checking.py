"""What keeps a catalogue from being released: faults, guesses, gaps, and strings that the sources have not."""

from collections.abc import Iterator

from babel.messages.catalog import Catalog

from annotation.catalogues import po_file
from annotation.catalogues.faults import faults
from annotation.catalogues.files import full_catalogue, is_translated, message_key, read, strings_of


def wrong_translations(language: str) -> Iterator[str]:
    """Every translation that says something else than the English in what has to be the same, and every guess."""
    catalog = read(po_file(language), language)
    for message in catalog:
        if message.id:
            if message.fuzzy:
                yield f"{language}: “{message_key(message)[1][:70]}” is a guess (fuzzy)"
            for fault in faults(message.id, strings_of(message), catalog.num_plurals):
                yield f"{language}: “{message_key(message)[1][:70]}” {fault}"


def missing_strings(language: str, source: Catalog) -> list[str]:
    """The strings that nobody translated into a language."""
    catalog = full_catalogue(language, source)
    return [message_key(message)[1] for message in catalog if message.id and not is_translated(message)]


def unmatched_strings(language: str, source: Catalog) -> set[tuple[str, str]]:
    """Strings that only the sources have, or only the catalogue: `make messages` was forgotten."""
    there = {message_key(message) for message in read(po_file(language), language) if message.id}
    return there ^ {message_key(message) for message in source if message.id}
