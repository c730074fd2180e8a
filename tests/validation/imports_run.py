"""Runs the corpus of hostile files through `import_items` on whatever database the settings name.

As a program, on a database with tables: `python -m tests.validation.imports_run FOLDER` prints what became of each
file, so that one run on SQLite can be laid beside one on PostgreSQL.
"""

import io
import json
import sys
from pathlib import Path
from typing import Any


def stored_content(slug: str) -> dict[str, Any]:
    """What stands in the project afterwards, without ids of rows."""
    from annotation.content.models.item import Hypothesis, Item, Option, QAPair, Revision
    from annotation.content.models.source import Concept, Premise
    from annotation.core.models.member import Annotator
    from validation.voting.models.review import Flag
    from validation.voting.models.vote import Vote

    mine = {"project__slug": slug}
    by_item = {"item__project__slug": slug}
    return {
        "premises": sorted(Premise.objects.filter(**mine).values_list("key", "text", "sentence_class", "text_hash")),
        "items": sorted(
            Item.objects.filter(**mine).values_list(
                "key", "author_label", "sampled", "stage", "votes_n", "shuffle", "words", "doubt", "pending"
            )
        ),
        "texts": sorted(Hypothesis.objects.filter(**by_item).values_list("item__key", "text", "premise__key")),
        "concepts": sorted(
            Concept.objects.filter(**mine).values_list("key", "category", "text", "shared_key", "state")
        ),
        "questions": sorted(
            QAPair.objects.filter(**by_item).values_list(
                "item__key", "question", "wording", "concept__key", "item__author__pseudonym"
            )
        ),
        "options": sorted(Option.objects.filter(**by_item).values_list("item__key", "position", "key", "text", "role")),
        "revisions": sorted(
            (key, n, event, meaning, content.get("hypothesis") or content)
            for key, n, event, meaning, content in Revision.objects.filter(**by_item).values_list(
                "item__key", "n", "event", "meaning", "content"
            )
        ),
        "votes": sorted(
            Vote.objects.filter(**by_item).values_list(
                "item__key", "n", "annotator__pseudonym", "label", "round", "surplus", "imported"
            )
        ),
        "marks": sorted(
            [key, n, unsure, ambiguous, comment, answers]
            for key, n, unsure, ambiguous, comment, answers in Vote.objects.filter(**by_item).values_list(
                "item__key", "n", "unsure", "ambiguous", "comment", "answers"
            )
            if unsure or ambiguous or comment
        ),
        "flags": sorted(
            (key, code, json.dumps(detail, sort_keys=True))
            for key, code, detail in Flag.objects.filter(**by_item).values_list("item__key", "code", "detail")
        ),
        "people": sorted(Annotator.objects.filter(**mine).values_list("pseudonym", "imported")),
    }


def import_items(slug: str, path: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """Exit code and report of the command; a traceback would be an exception here."""
    from django.core.management import call_command
    from django.core.management.base import CommandError

    out = io.StringIO()
    try:
        call_command("import_items", slug, str(path), "--json", *options, stdout=out)
        code = 0
    except CommandError as error:
        code = error.returncode
    return code, json.loads(out.getvalue())


def run_all(folder: Path) -> dict[str, Any]:
    """Each file into a project of its own: dry run, import, import again, what stands then."""
    from annotation.projects.actions.projects import project_create
    from tests.hostile_prompts import CORPUS

    found = {}
    for number, hostile in enumerate(CORPUS):
        path = folder / hostile.name
        path.write_bytes(hostile.content)
        slug = f"hostile-{number}"
        project_create(slug=slug, name=slug, preset=hostile.preset, seed="seed")
        runs = [import_items(slug, path, "--dry-run"), import_items(slug, path), import_items(slug, path)]
        found[hostile.name] = json.loads(json.dumps({"runs": runs, "stored": stored_content(slug)}))
        path.unlink()
    return found


def peak_mib() -> float:
    """The most memory that this process has held, in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) / 1024


if __name__ == "__main__":
    import django

    django.setup()
    found = run_all(Path(sys.argv[1]))
    # This process alone: what the system keeps of children counts a browser of another test too.
    print(json.dumps({**found, "peak_mib": peak_mib()}))
