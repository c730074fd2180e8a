"""The job that cuts snippets from documents; its result is an import of premises that was not started."""

import contextlib
import time
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.core.errors import Invalid
from annotation.files import storage
from annotation.jobs.models import Import
from annotation.jobs.queue import Handle, handles
from validation.imports.actions import import_keep, stored_names
from validation.imports.documents import KIND, SnippetRequest, cut_snippets, provenance, snippet_lines
from validation.imports.outcome import problem_in_words
from validation.imports.rules import FileRefused

# Also while documents are cut: each page of a dump may take all its seconds.
SAVE_SECONDS = 3.0


@handles(KIND)
def run_documents(handle: Handle) -> dict[str, Any]:
    """Read the documents, draw the snippets, and keep them as a file of premises; what it returns are the counts."""
    taken = Import.objects.select_related("project", "by").get(pk=handle.job.args["import"])
    wish, names = SnippetRequest.kept(taken), taken.mapping["files"]

    saved_at = time.monotonic()

    def passed(n: int) -> None:
        nonlocal saved_at
        if time.monotonic() - saved_at > SAVE_SECONDS:
            handle.progress(n)
            saved_at = time.monotonic()

    try:
        with contextlib.ExitStack() as stack:
            paths = [stack.enter_context(storage().local_copy(name)) for name in stored_names(taken)]
            files = list(zip(paths, names, strict=True))
            report = cut_snippets(project=taken.project, files=files, wish=wish, passed=passed)
    except FileNotFoundError:
        raise Invalid(gettext("The file is missing; send it again."), code="file_gone") from None
    except FileRefused as refused:
        raise Invalid(problem_in_words(refused), code=refused.code) from None
    told = {
        "name": taken.name,
        "examples": report.examples,
        "documents_by_rule": report.documents_by_rule,
        **report.counts(),
    }
    if not report.taken:
        return told
    files_told = [{"name": name, "sha256": digest} for name, digest in zip(names, taken.mapping["sha256"], strict=True)]
    with transaction.atomic():
        handle.lock_claim()
        snippets = import_keep(
            project=taken.project,
            by=taken.by,
            name=f"{taken.name} snippets.jsonl",
            chunks=snippet_lines(report.taken),
            details={"documents": provenance(wish, report, files_told)},
        )
        taken.mapping = {**taken.mapping, "snippets": snippets.pk}
        taken.save(update_fields=["mapping"])
    return {**told, "snippets": snippets.pk}
