"""Documents out of files: a text, rows of JSON Lines, JSON or CSV, or a Wikipedia-like dump, packed or not.

Nothing here knows a database. A file that cannot be read raises `FileRefused`; a document that cannot be read, is too
long or no article is counted in the report, and the reading goes on.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from annotation.core.rules.os_errors import os_reason
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import storage_problem
from validation.imports.rules.cells import LONGEST_ID, Cells, read_joined_text
from validation.imports.rules.columns import ColumnMapping, Columns
from validation.imports.rules.compression import open_bytes
from validation.imports.rules.problems import FileRefused, Problem, RowRefused
from validation.imports.rules.records import open_source
from validation.imports.rules.snippets import Document, Report

LONGEST_DOCUMENT = 500_000
# Unpacked: the dump of a large Wikipedia. Uploads are bounded by UPLOAD_MAX_BYTES and by how far texts can be packed.
MOST_UNPACKED = 64 << 30
TEXT_ENDINGS = (".txt", ".text")
_PACKED_ENDINGS = (".gz", ".bz2")
ENDINGS = (*TEXT_ENDINGS, ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".xml")

_ALIASES: Mapping[str, tuple[str, ...]] = {
    "text": ("text", "content", "body", "article", "isi", "teks", "paragraphs"),
    "document": ("document", "document_id", "doc_id", "id", "url", "title", "judul"),
    "source": ("source", "sumber", "publisher"),
    "topic": ("topic", "topics", "category", "kategori", "genre"),
    "licence": ("licence", "license", "lisensi"),
}
_HELP: Mapping[str, str] = {
    "text": gettext_noop("The text of the document. Needed."),
    "document": gettext_noop("What the document is called; its place in the file where there is none."),
    "source": gettext_noop("Kept with each snippet."),
    "topic": gettext_noop("Kept with each snippet."),
    "licence": gettext_noop("Kept with each snippet."),
}


def _missing_field(mapping: ColumnMapping, columns: str) -> FileRefused | None:
    if "text" in mapping:
        return None
    message = gettext_noop("No column is taken for the text: say which one it is. The columns: %(columns)s.")
    return FileRefused("document_unmapped", message, columns=columns)


DOCUMENTS = Columns(
    _ALIASES, _HELP, lambda found, by_name: None, _missing_field, fields_read=lambda mapping: list(mapping)
)


class DocumentDefaults(NamedTuple):
    """What is said of all documents of an import where their files do not say it."""

    source: str = ""
    topic: str = ""
    licence: str = ""


class _Reader(Cells[Document]):
    """Reads a row as a document."""

    def _item(self, n: int, data: Mapping[str, Any]) -> Document:
        text = self._value(data, "text")
        if isinstance(text, list) and all(isinstance(each, str) for each in text):
            text = "\n\n".join(text)
        if not isinstance(text, str):
            raise RowRefused("missing", "text", gettext_noop("The text is missing."))
        source, topic, licence = (read_joined_text(self._value(data, name), name) for name in DocumentDefaults._fields)
        return Document(self._id(data, "document", in_addresses=False) or str(n), text, source, topic, licence)


def file_ending(name: str) -> str:
    """What a file's name ends in, without what it is packed with."""
    endings = [each.lower() for each in Path(name).suffixes if each.lower() not in _PACKED_ENDINGS]
    return endings[-1] if endings else ""


def documents(
    path: Path, name: str, about: DocumentDefaults, report: Report, by_hand: Mapping[str, str] | None = None
) -> Iterator[Document]:
    """The documents of one file; what cannot be one is counted in the report. Raises FileRefused."""
    ending = file_ending(name)
    try:
        if ending in TEXT_ENDINGS:
            found = _text_documents(path, name)
        elif ending == ".xml":
            found = _dump_documents(path, report)
        elif ending in ENDINGS:
            found = _rows(path, name, report, by_hand)
        else:
            message = gettext_noop("%(name)s is no file of documents: they end in %(endings)s, also with .gz or .bz2.")
            raise FileRefused("document_ending", message, name=name, endings=", ".join(ENDINGS))
        for document in found:
            if fit := _usable_document(document, about, report):
                yield fit
    except OSError as error:
        message = gettext_noop("The file cannot be read: %(why)s.")
        raise FileRefused("file_unreadable", message, why=os_reason(error)) from None


def _usable_document(document: Document, about: DocumentDefaults, report: Report) -> Document | None:
    """The document with what is said of all; None where it is empty, too long or cannot be stored."""
    reason = ""
    if len(document.text) > LONGEST_DOCUMENT:
        reason = "too_long"
    elif not document.text.strip():
        reason = "empty"
    elif storage_problem(document.text) or storage_problem(document.key):
        reason = "unreadable"
    if reason:
        report.documents += 1
        report.count_document(reason, document.key)
        return None
    key = " ".join(document.key.split())[-LONGEST_ID:]
    said = {name: getattr(document, name) or getattr(about, name) for name in DocumentDefaults._fields}
    return document._replace(key=key, **said)


def _text_documents(path: Path, name: str) -> Iterator[Document]:
    """A file of text is one document; one that is not UTF-8 is refused."""
    with path.open("rb") as raw:
        opened = open_bytes(raw, path.stat().st_size, dumps=True)
        data = opened.stream.read(4 * LONGEST_DOCUMENT + 1)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as bad:
        if len(data) <= 4 * LONGEST_DOCUMENT:
            message = gettext_noop("Byte %(place)s (0x%(byte)s) is not UTF-8; save the file as UTF-8.")
            raise FileRefused("not_utf8", message, place=bad.start + 1, byte=f"{data[bad.start]:02x}") from None
        text = " " * (LONGEST_DOCUMENT + 1)
    yield Document(name, text.replace("\r\n", "\n"))


def _rows(path: Path, name: str, report: Report, by_hand: Mapping[str, str] | None) -> Iterator[Document]:
    source = open_source(path, name)
    guess = DOCUMENTS.guess(source.columns)
    reader = _Reader(DOCUMENTS.validated({**guess, **(by_hand or {})}, source.columns))
    for record in source.records():
        document = reader.read(record)
        if isinstance(document, Problem):
            report.documents += 1
            report.count_document("unreadable", f"{name}:{record.n}")
        else:
            yield document


def _dump_documents(path: Path, report: Report) -> Iterator[Document]:
    from validation.imports.rules.wikitext import pages

    with path.open("rb") as raw:
        opened = open_bytes(raw, path.stat().st_size, MOST_UNPACKED, dumps=True)
        for page in pages(opened.stream, LONGEST_DOCUMENT):
            if isinstance(page, Problem):
                report.documents += 1
                report.count_document("unreadable")
            elif not page.is_article or page.leads_on or page.long:
                report.documents += 1
                if page.long:
                    report.count_document("too_long", page.title)
                else:
                    report.count_document("no_article")
            else:
                yield Document(page.title or page.id, page.text, wikitext=True)
