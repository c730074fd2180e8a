"""Label distributions: a file a split, with how often each label was voted for beside the gold label.

Votes and rows lie in one order, so both are gone through once, side by side, whatever their number.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import orjson
from django.utils.translation import gettext_noop

from annotation.kinds import Kind
from exports.formats.release.base import PAGE, Form, Part, Told
from exports.formats.rules.configs import path_of
from exports.formats.rules.distributions import by_item, distribution
from exports.releases.writers.base import Sink
from validation.consensus.translation_review import FEATURE as REVIEW

FOLDER = "distributions"


def write(told: Told) -> None:
    """The files of every project whose voters choose among labels."""
    for part in told.parts:
        if judged(part.kind):
            _write(told, part)


def judged(kind: Kind) -> bool:
    """Whether votes are labels; reviewers approve a text or send it back."""
    return REVIEW not in kind.features


def _write(told: Told, part: Part) -> None:
    votes, kind = path_of("votes", part.suffix), part.kind
    if votes not in told.files or not told.open(votes):
        return
    labels = [] if kind.own_options else [kind.spell(key) for key in kind.label_keys]
    rows = {
        split: _rows(told, path)
        for split in part.counts.get("splits", ())
        if (path := path_of(split, part.suffix)) in told.files and told.open(path)
    }
    with ExitStack() as stack:
        sinks: dict[str, Sink] = {}
        pages: dict[str, list[dict[str, Any]]] = {}
        for item, mine in by_item(_rows(told, votes), kind.id_column):
            split = mine[0]["split"]
            if split not in rows:
                continue
            # An item without a vote has no place here: its row is passed over.
            row = next(each for each in rows[split] if each[kind.id_column] == item)
            made = distribution(row, mine, labels, kind.id_column)
            if made is not None:
                if split not in sinks:
                    sinks[split] = stack.enter_context(told.sink(f"{FOLDER}/{path_of(split, part.suffix)}"))
                page = pages.setdefault(split, [])
                page.append(made)
                if len(page) >= PAGE:
                    _put(sinks[split], page)
        for split, page in pages.items():
            _put(sinks[split], page)


def _put(sink: Sink, page: list[dict[str, Any]]) -> None:
    sink.append(b"".join([orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in page]), len(page))
    page.clear()


def _rows(told: Told, path: str) -> Iterator[dict[str, Any]]:
    for page in told.rows(path):
        yield from page


FORM = Form(
    slug="distributions",
    title=gettext_noop("Label distributions"),
    help=gettext_noop("Of every item all votes by label, beside its gold label, as JSON Lines."),
    write=write,
    order=75,
    fits=lambda told: any(judged(part.kind) for part in told.parts),
)
