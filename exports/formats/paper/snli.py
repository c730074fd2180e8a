"""SNLI's form: both sentences, the labels with the author's first, and what the votes settled on."""

from collections.abc import Iterable, Iterator

from annotation.kinds import Kind
from exports.formats.paper.base import DumpedItem, Format, Piece, json_lines


def write(kind: Kind, items: Iterable[DumpedItem]) -> Iterator[Piece]:
    """A line a pair."""
    return json_lines(
        {
            "annotator_labels": [
                kind.export.spell(item.author_label) if item.author_label else None,
                *(kind.export.spell(vote["label"]) for vote in item.votes),
            ],
            "captionID": item.source,
            "gold_label": kind.export.spell(item.gold),
            "pairID": item.key,
            "sentence1": item.content["premise"],
            "sentence2": item.content["hypothesis"],
        }
        for item in items
    )


FORMATS = (Format("snli", "SNLI's form, JSON Lines with the labels, the author's first", ("pairs",), write),)
