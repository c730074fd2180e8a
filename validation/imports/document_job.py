"""The job that cuts snippets from documents: what comes of it is an import of premises that nobody has begun."""

from typing import Any

from django.db import transaction

from annotation.core.errors import Invalid
from annotation.jobs.models import Import
from annotation.jobs.queue import Handle, handles
from validation.imports.actions import import_keep, stored_path
from validation.imports.documents import KIND, Wish, lines, look, provenance
from validation.imports.outcome import words
from validation.imports.rules import FileRefused

STEP = 200


@handles(KIND)
def run_documents(handle: Handle) -> dict[str, Any]:
    """Read the documents, draw the snippets, and keep them as a file of premises; what it returns are the counts."""
    taken = Import.objects.select_related("project", "by").get(pk=handle.job.args["import"])
    wish, path, names = Wish.kept(taken), stored_path(taken), taken.mapping["files"]

    def passed(n: int) -> None:
        if n % STEP == 0:
            handle.progress(n)

    try:
        files = [(path / str(place), name) for place, name in enumerate(names)]
        report = look(project=taken.project, files=files, wish=wish, passed=passed)
    except FileRefused as refused:
        raise Invalid(words(refused), code=refused.code) from None
    told = {"name": taken.name, "examples": report.examples, **report.counts()}
    if not report.taken:
        return told
    files_told = [
        {"name": name, "sha256": digest} for name, digest in zip(names, taken.mapping["sha256"], strict=True)
    ]
    with transaction.atomic():
        handle.fence()
        snippets = import_keep(
            project=taken.project,
            by=taken.by,
            name=f"{taken.name} snippets.jsonl",
            chunks=lines(report.taken),
            told={"documents": provenance(wish, report, files_told)},
        )
        taken.mapping = {**taken.mapping, "snippets": snippets.pk}
        taken.save(update_fields=["mapping"])
    return {**told, "snippets": snippets.pk}
