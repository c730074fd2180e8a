"""Documents that snippets are cut from: storing files and starting a job; the result is an ordinary import.

The snippets are written as JSON Lines and kept as a file of premises, which the ordinary import shows, tries out and
takes in.
"""

import contextlib
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from django.db import transaction
from django.utils.translation import gettext

from annotation.content.models.source import Premise
from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.files import scratch, storage
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import, ImportRow, Job
from annotation.text.normalise import storage_problem
from validation.imports.actions import (
    FOLDER,
    not_stored_error,
    remove_files,
    shown_name,
    stored_names,
    write_file,
)
from validation.imports.pipeline import format_of
from validation.imports.rules.cells import LONGEST_EXTRA
from validation.imports.rules.documents import ENDINGS, DocumentDefaults, documents, file_ending
from validation.imports.rules.snippets import Report, SnippetRules, TakenSnippet, sample_snippets
from validation.imports.wikitext_reader import WikitextReader

KIND = "documents"
MOST_FILES = 100

SentFile = tuple[str, Iterable[bytes]]
"""A file as it is sent: its name, and its bytes."""


class SnippetRequest(NamedTuple):
    """Which snippets are asked for, and what is said of all documents."""

    rules: SnippetRules
    about: DocumentDefaults = DocumentDefaults()

    @classmethod
    def kept(cls, taken: Import) -> "SnippetRequest":
        """As it stands with an import."""
        return cls(SnippetRules(**taken.mapping["rules"]), DocumentDefaults(**taken.mapping["about"]))

    def to_dict(self) -> dict[str, Any]:
        """As an import keeps it."""
        return {
            "rules": {name: getattr(self.rules, name) for name in RULE_FIELDS},
            "about": self.about._asdict(),
        }


RULE_FIELDS = tuple(SnippetRules.__dataclass_fields__)


def takes_documents(project: Project) -> bool:
    """Whether what writers start from can be cut from documents here."""
    return format_of(project.kind_spec.file_format).allows_snippets


def documents_keep(*, project: Project, by: User | None, files: Sequence[SentFile], wish: SnippetRequest) -> Import:
    """Keep files of documents, and begin to cut snippets from them. Raises Invalid for what cannot be read."""
    if not takes_documents(project):
        raise Conflict(code="documents_unlike")
    if not 0 < len(files) <= MOST_FILES:
        message = gettext("Choose files of documents: at most %(most)s at once.") % {"most": MOST_FILES}
        raise Invalid(message, field="documents", code="documents_files")
    for name, _ in files:
        if file_ending(shown_name(name)) not in ENDINGS:
            message = gettext("%(name)s is no file of documents: they end in %(endings)s, also with .gz or .bz2.")
            params = {"name": shown_name(name), "endings": ", ".join(ENDINGS)}
            raise Invalid(message % params, field="documents", code="document_ending")
    key = secrets.token_hex(16)
    names = [f"{FOLDER}/{key}-{place}" for place in range(len(files))]
    try:
        digests = _store_files(names, files)
        with transaction.atomic():
            shown = [shown_name(name) for name, _ in files]
            taken = Import.objects.create(
                project=project,
                by=by,
                name=shown[0] if len(shown) == 1 else f"{shown[0]} +{len(shown) - 1}",
                path=key,
                what=Import.What.DOCUMENTS,
                mapping={"files": shown, "sha256": digests, **wish.to_dict()},
            )
            documents_start(taken=taken, by=by, wish=wish)
    except OSError as error:
        raise not_stored_error(error) from error
    except BaseException:
        for name in names:
            with contextlib.suppress(OSError):
                storage().delete(name)
        raise
    return taken


def _store_files(names: Sequence[str], files: Sequence[SentFile]) -> list[str]:
    """Put the files into the store under these names; their SHA-256."""
    digests, written = [], 0
    for name, (_, chunks) in zip(names, files, strict=True):
        path = scratch() / secrets.token_hex(16)
        try:
            digests.append(write_file(path, chunks, written))
            written += path.stat().st_size
            storage().put(name, path)
        finally:
            path.unlink(missing_ok=True)
    return digests


def documents_start(*, taken: Import, by: User | None, wish: SnippetRequest) -> Job:
    """Cut snippets by these rules; those of an earlier look that nobody began to take in go.

    Raises Conflict while they are being cut, Invalid where the files are gone.
    """
    for said in wish.about:
        if len(said) > LONGEST_EXTRA or storage_problem(said):
            raise Invalid(gettext("This is too long."), field="about", code="documents_about")
    if not all(storage().exists(name) for name in stored_names(taken)):
        raise Invalid(gettext("The file is missing; send it again."), field="documents", code="file_gone")
    with transaction.atomic():
        fresh = locked(Import.objects.select_related("job").filter(pk=taken.pk)).get()
        if fresh.job is not None and fresh.job.state in jobs.UNFINISHED:
            raise Conflict(code="import_started")
        _remove_earlier(fresh)
        seed = wish.rules.seed.strip() or taken.project.seed
        fresh.mapping = {**fresh.mapping, **wish._replace(rules=replace(wish.rules, seed=seed)).to_dict()}
        fresh.job = jobs.enqueue(kind=KIND, project=taken.project, by=by, args={"import": taken.pk})
        fresh.save(update_fields=["job", "mapping"])
        Event.record(taken.project, by, "documents", **{"import": taken.pk, "name": taken.name})
    return fresh.job


def _remove_earlier(taken: Import) -> None:
    """The snippets of an earlier look, where nobody has begun to take them in."""
    for old in Import.objects.filter(pk=taken.mapping.get("snippets", 0), job=None):
        ImportRow.objects.filter(source=old).delete()
        remove_files(old)
        old.delete()


# --- the look itself ----------------------------------------------------------------------


def cut_snippets(
    *,
    project: Project,
    files: Sequence[tuple[Path, str]],
    wish: SnippetRequest,
    by_hand: Mapping[str, str] | None = None,
    passed: Callable[[int], None] = lambda n: None,
) -> Report:
    """Cut snippets from files; nothing is stored. `passed` hears how many documents were read. Raises FileRefused."""
    report = Report()

    def everything() -> Iterator[Any]:
        for path, name in files:
            for document in documents(path, name, wish.about, report, by_hand):
                yield document
                passed(report.documents)

    there = Premise.objects.filter(project=project).values_list("text", flat=True)
    premises = there.iterator(chunk_size=2000)
    with WikitextReader() as reader:
        return sample_snippets(
            everything(),
            wish.rules,
            project.language,
            premises,
            report,
            plain_text=reader.plain_text,
            passed=passed,
        )


def snippet_lines(taken: Sequence[TakenSnippet]) -> Iterator[bytes]:
    """The snippets as JSON Lines, as an import of premises reads them."""
    for document, snippet in taken:
        row = {
            "premise": snippet.text,
            "sentence_class": snippet.sentence_class,
            "document": document.key,
            "source": document.source,
            "topics": document.topic,
            "licence": document.licence,
        }
        yield orjson.dumps({name: value for name, value in row.items() if value}) + b"\n"


def provenance(wish: SnippetRequest, report: Report, files: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """How the snippets came about, as their import and the releases keep it."""
    counts = report.counts()
    return {"rules": wish.rules.to_dict(), "seed": wish.rules.seed, "counts": counts, "files": list(files)}
