"""All items or all votes of a project as lines of JSON: read window by window, so that no project is held in memory."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import orjson

from annotation.content import queries as content_queries
from annotation.content import shapes
from annotation.core.access import Membership
from annotation.jobs.bulk import any_of
from validation.voting.models.review import Flag
from validation.voting.models.vote import Vote

WINDOW = 2000
OPTIONS = orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE
# What is unknown where the column holds an empty text.
NULL_IF_EMPTY = ("author_label", "gold", "gold_from", "withdrawn_why", "withdrawn_reason")
ITEM = {
    "key": "key",
    "target": "target__key",
    "origin": "origin",
    "author": "author__pseudonym",
    "author_label": "author_label",
    "stage": "stage",
    "version": "version",
    "revision": "revision_n",
    "epoch": "epoch",
    "round": "round",
    "votes": "votes_n",
    "sampled": "sampled",
    "gold": "gold",
    "gold_answers": "gold_answers",
    "gold_from": "gold_from",
    "doubt": "doubt",
    "returns": "returns",
    "at": "at",
}
VOTE = {
    "n": "n",
    "annotator": "annotator__pseudonym",
    "label": "label",
    "answers": "answers",
    "unsure": "unsure",
    "ambiguous": "ambiguous",
    "comment": "comment",
    "seconds": "seconds",
    "epoch": "epoch",
    "round": "round",
    "revision": "revision_n",
    "imported": "imported",
    "surplus": "surplus",
    "at": "cast_at",
    "withdrawn_at": "withdrawn_at",
    "withdrawn_why": "withdrawn_why",
    "withdrawn_reason": "withdrawn_reason",
}


def _windows(membership: Membership, *columns: str) -> Iterator[list[tuple[Any, ...]]]:
    """The items that the viewer may look at, by key, so many at a time; each with its primary key first."""
    items, behind = content_queries.reviewable(membership).order_by("pk"), 0
    while rows := list(items.filter(pk__gt=behind).values_list("pk", *columns)[:WINDOW]):
        yield rows
        behind = rows[-1][0]


def _line(names: tuple[str, ...], values: tuple[Any, ...]) -> dict[str, Any]:
    line = dict(zip(names, values, strict=True))
    for name in NULL_IF_EMPTY:
        if line.get(name) == "":
            line[name] = None
    return line


def item_lines(membership: Membership) -> Iterator[bytes]:
    """Each item as lists have it."""
    shape = shapes.get(membership.project.kind_spec.shape)
    names = tuple(ITEM)
    for rows in _windows(membership, *ITEM.values()):
        ids: Any = any_of([row[0] for row in rows])
        present, flags = shape.current_contents(ids), defaultdict[int, list[str]](list)
        found = Flag.objects.filter(item__in=ids, closed_at=None).order_by("pk")
        for pk, code in found.values_list("item", "code"):
            flags[pk].append(code)
        yield b"".join(
            orjson.dumps(
                {**_line(names, row[1:]), "flags": flags.get(row[0], []), "content": present[row[0]]},
                option=OPTIONS,
            )
            for row in rows
        )


def vote_lines(membership: Membership) -> Iterator[bytes]:
    """Each vote as lists have it, with the key of its item before it."""
    names = ("item", *VOTE)
    for rows in _windows(membership, "key"):
        keys = dict(rows)
        votes = Vote.objects.filter(item__in=any_of(keys)).order_by("item", "n")
        yield b"".join(
            orjson.dumps(_line(names, (keys[item], *vote)), option=OPTIONS)
            for item, *vote in votes.values_list("item", *VOTE.values())
        )
