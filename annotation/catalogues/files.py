"""Catalogues as files: edited by translators (`.po`), merged with the sources, always written in the same form."""

import io
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from annotation.catalogues import po_file
from annotation.catalogues.reading import extract_strings

WIDTH = 110
# The languages of Indonesia have one form for any number.
PLURAL_FORMS = "nplurals=1; plural=0;"
HEADER = """\
# The interface of Mufakat in {name}. Edit the translations; `make messages` merges new strings in.
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plural}\\n"

"""


def empty_catalogue(language: str) -> Catalog:
    """A catalogue without strings. Babel knows no plural rule of most languages here."""
    catalog = Catalog(language)
    catalog.mime_headers = [("Plural-Forms", PLURAL_FORMS)]
    return catalog


def read(path: Path, language: str) -> Catalog:
    """A catalogue as it is kept; an empty one where there is no file yet."""
    if not path.exists():
        return empty_catalogue(language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def message_key(message: Message) -> tuple[str, str]:
    """What distinguishes a string from all others: its context and its English (the singular of a plural)."""
    return message.context or "", message.id if isinstance(message.id, str) else message.id[0]


def merge_catalogues(source: Catalog, kept: Catalog, language: str) -> Catalog:
    """The source's strings with the translations that the kept catalogue has for just these; nothing else stays.

    A string whose English has changed is a new one: what is guessed from a similar one is not put in its place.
    """
    translated = {message_key(message): message for message in kept if message.id}
    catalog = empty_catalogue(language)
    for message in source:
        if not message.id:
            continue
        old = translated.get(message_key(message))
        if old is None or old.pluralizable != message.pluralizable:
            old = Message(message.id, ("",) * catalog.num_plurals if message.pluralizable else "")
        catalog.add(
            message.id,
            old.string,
            locations=message.locations,
            flags=message.flags | ({"fuzzy"} if old.fuzzy else set()),
            auto_comments=message.auto_comments,
            user_comments=old.user_comments,
            context=message.context,
        )
    return catalog


def catalogue_as_bytes(catalog: Catalog) -> bytes:
    """The file: in the sources' order, with the files of each string and no line numbers, which move."""
    body = io.BytesIO()
    for message in catalog:
        # Once a file: the same place twice says nothing.
        message.locations = [(place, 0) for place in dict.fromkeys(place for place, _ in message.locations)]
    write_po(body, catalog, width=WIDTH, omit_header=True, ignore_obsolete=True, include_lineno=False)
    name = catalog.locale.english_name if catalog.locale else ""
    head = HEADER.format(name=name, language=catalog.locale_identifier, plural=PLURAL_FORMS)
    return head.encode() + body.getvalue()


def full_catalogue(language: str, source: Catalog | None = None) -> Catalog:
    """All strings of the sources, with what is translated of them."""
    return merge_catalogues(
        extract_strings() if source is None else source, read(po_file(language), language), language
    )


def is_translated(message: Message) -> bool:
    """Whether every form has words that somebody stands by."""
    return all(strings_of(message)) and not message.fuzzy


def strings_of(message: Message) -> tuple[str, ...]:
    """Every form of the translation; at least one, which may be empty."""
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ("",))


def expected_file(language: str, source: Catalog | None = None) -> bytes:
    """The language's file as it has to be; without strings while nobody has translated one (a prepared language)."""
    catalog = full_catalogue(language, source)
    return catalogue_as_bytes(catalog if any(map(is_translated, catalog)) else empty_catalogue(language))


def save_if_changed(path: Path, content: bytes) -> bool:
    """Write a file unless it is like that already; whether it was written."""
    if path.exists() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return True
