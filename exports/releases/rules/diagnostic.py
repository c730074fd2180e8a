"""The diagnostic set in a release: IndoNLI's columns, each item with the phenomena that an expert confirmed. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotation.kinds import Kind

NAME = "diagnostic"
CONTEXT, TAGS = "diagnostic", "inference_phenomena"


def tags_in(context: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """The confirmed tags by item, as a release's context holds them; none where the project has no set."""
    found: Mapping[str, Sequence[str]] = context.get(CONTEXT, {}).get("tags", {})
    return found


def with_released_ids(context: Mapping[str, Any], id_of: Callable[[str], str]) -> dict[str, Any]:
    """The context of a release with the set's items under the ids that its rows have."""
    if CONTEXT not in context:
        return dict(context)
    held = context[CONTEXT]
    tags = {id_of(key): found for key, found in held["tags"].items()}
    return {**context, CONTEXT: {**held, "tags": tags}}


def diagnostic_rows(
    kind: Kind, rows: Iterable[Mapping[str, Any]], tags: Mapping[str, Sequence[str]]
) -> Iterator[dict[str, Any]]:
    """Those of a release's rows that are in the set: id, texts, label (where the file tells it) and phenomena."""
    texts = [text.key for text in kind.presentation.texts if text.shown]
    wanted = (kind.export.id_column, *texts, "label", "split")
    for row in rows:
        found = tags.get(str(row.get(kind.export.id_column, "")))
        if found is not None:
            yield {name: row[name] for name in wanted if name in row} | {TAGS: list(found)}
