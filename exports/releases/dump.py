"""A plain dump of a project's items as they are: read by pages, written piece by piece, renamed when it is whole."""

import contextlib
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from annotation.content import shapes
from annotation.content.models.item import Item, Revision
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs.bulk import any_of
from exports.formats.paper import DumpedItem, Format
from exports.releases.models import Release, ReleaseRow
from validation.voting.models.vote import Vote

PAGE = 1000
_ITEM = ("pk", "key", "epoch", "author_id", "author_label", "gold", "revision_n", "target__key", "round")


def dumped_items(project: Project, *, raw: bool = False) -> Iterator[DumpedItem]:
    """Every item in the order in which it came, with the standing votes of its epoch; a page at a time.

    `raw`: with its first text and the answer that this had, whatever was corrected since.
    """
    names = dict(Annotator.objects.filter(project=project).values_list("pk", "pseudonym"))
    shape, release = shapes.get(project.kind_spec.shape), _newest_release(project)
    of_source = (shape.text_class_path, f"{shape.source_path}__extra") if shape.text_class_path else ()
    items, columns = (
        Item.objects.filter(project=project).order_by("pk"),
        (*_ITEM, f"{shape.source_path}__key", *of_source),
    )
    page: list[tuple[Any, ...]]
    last = 0
    while page := list(items.filter(pk__gt=last).values_list(*columns)[:PAGE]):
        last = page[-1][0]
        contents = _contents({row[0]: 1 if raw else row[6] for row in page})
        votes, splits = _votes({row[0]: row[2] for row in page}, names), _splits(release, page)
        for pk, key, _, author, author_label, gold, _, target, rounds, source, *more in page:
            content, label = contents[pk]
            label, name = label if raw else author_label, names.get(author or 0, "")
            about = rounds, *(more or ("", {})), splits.get(pk, ""), project.preset
            yield DumpedItem(key, source or "", content, name, label, gold, votes[pk], target, *about)


def _newest_release(project: Project) -> Release | None:
    """The newest release that is ready."""
    return Release.objects.filter(project=project, state=Release.State.READY).order_by("-n").first()


def _splits(release: Release | None, page: Sequence[tuple[Any, ...]]) -> dict[int, str]:
    """The splits of a page's items in a release; those that are in none are left out."""
    if release is None:
        return {}
    rows = ReleaseRow.objects.filter(release=release, item__in=any_of([row[0] for row in page]))
    return dict(rows.exclude(split="").values_list("item_id", "split"))


def _contents(revisions: dict[int, int]) -> dict[int, tuple[dict[str, Any], str]]:
    """Contents as these revisions have them, whole, with names that no typed column keeps; and their author labels."""
    result = Revision.objects.filter(item__in=any_of(revisions))
    rows = result.values_list("item_id", "n", "content", "author_label")
    return {pk: (content, label) for pk, n, content, label in rows if revisions[pk] == n}


def _votes(epochs: dict[int, int], names: dict[int, str]) -> dict[int, list[dict[str, Any]]]:
    votes: dict[int, list[dict[str, Any]]] = defaultdict(list)
    standing = Vote.objects.filter(item__in=any_of(epochs), withdrawn_at=None).order_by("n")
    columns = ("item_id", "epoch", "annotator_id", "label", "unsure", "answers", "comment")
    for item, epoch, annotator, label, unsure, answers, comment in standing.values_list(*columns):
        if epoch == epochs[item]:
            votes[item].append(
                {
                    "annotator": names[annotator],
                    "label": label,
                    "unsure": unsure,
                    "answers": answers,
                    "comment": comment,
                }
            )
    return votes


def items_dump(*, project: Project, form: Format, out: Path, raw: bool = False) -> tuple[int, int]:
    """Write every item of the project in this form; how many rows and bytes. The file is there whole, or as it was.

    `raw`: as each was first written.
    """
    with tempfile.NamedTemporaryFile(dir=out.parent, prefix=f".{out.name}.", suffix=".part", delete=False) as file:
        part = Path(file.name)
        try:
            items = dumped_items(project, raw=raw)
            rows = size = 0
            for piece in form.write(project.kind_spec, items):
                size += file.write(piece.data)
                rows += piece.rows
            file.flush()
            os.fsync(file.fileno())
            part.chmod(0o644)
            part.replace(out)
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
    return rows, size
