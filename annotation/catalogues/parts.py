"""Untranslated strings as files that several translators take at the same time, and their work taken back in."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message

from annotation.catalogues import FALLBACKS
from annotation.catalogues.faults import faults
from annotation.catalogues.files import is_translated, message_key, strings_of


def message_id(message: Message) -> str:
    """A short name for a string, the same in every language and as long as its English stays."""
    return hashlib.sha256("\x04".join(message_key(message)).encode()).hexdigest()[:12]


def entry_for_translator(message: Message, others: Mapping[str, Mapping[tuple[str, str], Message]]) -> dict[str, Any]:
    """A string as a translator gets it, with what other languages say (`id_`); `translation` is to be filled in."""
    counted = not isinstance(message.id, str)
    translations = {
        name: strings_of(messages[message_key(message)])[-1]
        for name, messages in others.items()
        if message_key(message) in messages
    }
    return {
        "id": message_id(message),
        "msgid": message.id[0] if counted else message.id,
        "plural": message.id[1] if counted else None,
        "context": message.context,
        "references": list(dict.fromkeys(place for place, _ in message.locations)),
        "comment": " ".join(message.auto_comments) or None,
        **{f"{name}_": string for name, string in translations.items()},
        "translation": "",
    }


def export(catalog: Catalog, language: str, parts: int, others: Mapping[str, Catalog]) -> Iterator[str]:
    """What is not translated, in the order of the sources, as so many files of about as much English each."""
    translated = {
        name: {message_key(each): each for each in others[name] if each.id and is_translated(each)}
        for name in FALLBACKS[language]
        if name in others
    }
    open_ones = [message for message in catalog if message.id and not is_translated(message)]
    entries = [entry_for_translator(message, translated) for message in open_ones]
    whole, size = sum(map(_size, entries)), 0
    shares: list[list[dict[str, Any]]] = [[] for _ in range(parts)]
    for each in entries:
        shares[size * parts // whole].append(each)
        size += _size(each)
    for share in shares:
        yield json.dumps(share, ensure_ascii=False, indent=1) + "\n"


def _size(entry: Mapping[str, Any]) -> int:
    return len(entry["plural"] or entry["msgid"])


def take_translations(catalog: Catalog, files: Iterable[Path]) -> Iterator[tuple[str, str, str]]:
    """Put translations into the catalogue; each that is wrong stays out: its file, its English and why.

    A `translation` is a string, or for what is counted a list of as many as the language has forms (a string where
    there is one). Empty ones are passed over.
    """
    known = {message_id(message): message for message in catalog if message.id}
    for path in files:
        for given in json.loads(path.read_text(encoding="utf-8")):
            string, english = given.get("translation") or "", str(given.get("msgid", ""))[:70]
            if not string:
                continue
            message = known.get(given["id"])
            if message is None:
                yield path.name, english, "is no string of the interface any more"
                continue
            if message.pluralizable and isinstance(string, str):
                string = [string]
            wrong = list(faults(message.id, string, catalog.num_plurals))
            yield from ((path.name, english, fault) for fault in wrong)
            if not wrong:
                message.string = tuple(string) if message.pluralizable else string
                message.flags.discard("fuzzy")
