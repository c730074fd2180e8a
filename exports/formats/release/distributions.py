"""Label distributions: of each item all votes on its released text beside the one gold label (ChaosNLI's form).

What counts for gold and what came beyond the decision is one person's word alike; a vote on an earlier text, or
one that was taken back or voided, is not of this text. The author's label stands beside the votes, not among them.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import groupby
from typing import Any

import orjson

from annotation.text.gettext import gettext_noop
from exports.formats.release.base import LABEL_COUNT, Form, Part, ReleaseFiles, vote_file
from exports.formats.release.base import SOFT_LABELS as FOLDER
from exports.formats.rules.configs import path_of
from exports.formats.writers import Sink
from exports.releases.rules.rows import EXTRA
from exports.releases.rules.soft_labels import NAME, SoftLabels, has_label_votes

_FURTHER_COLUMNS = (
    *("label", "label_source", "gold_label", "author_label", "answer_creator"),
    *("answerKey", "best_answer"),
)


def by_item(votes: Iterable[Mapping[str, Any]], key: str) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """The votes of each item, as they stand together in their file."""
    for item, mine in groupby(votes, lambda vote: str(vote[key])):
        yield item, list(mine)


def distribution(
    row: Mapping[str, Any],
    votes: Sequence[Mapping[str, Any]],
    labels: Sequence[str],
    key: str,
    soft: SoftLabels | None = None,
) -> dict[str, Any] | None:
    """How often each label was given; `labels` are counted even where nobody gave them. None without a vote."""
    mine = [vote for vote in votes if vote["counted"] or vote["not_counted_because"] == EXTRA]
    given = Counter(str(vote["label"]) for vote in mine)
    if not mine:
        return None
    counts = dict.fromkeys(labels, 0) | {label: given[label] for label in sorted(given)}
    return {
        key: row[key],
        **{name: row[name] for name in _FURTHER_COLUMNS if name in row},
        LABEL_COUNT: counts,
        "votes": len(mine),
        "entropy": entropy(list(counts.values())),
        **(soft.columns(row, mine, counts) if soft else {}),
        "unsure": _count_marked(mine, "unsure"),
        "ambiguous": _count_marked(mine, "ambiguous"),
        "split": row.get("split", ""),
    }


def _count_marked(votes: Sequence[Mapping[str, Any]], name: str) -> int | None:
    """How many votes are marked so; None where that is not known of one."""
    marks = [vote[name] for vote in votes]
    return None if None in marks else sum(marks)


def entropy(counts: Sequence[int]) -> float:
    """In bits, to four places: 0 where all say the same."""
    whole = sum(counts)
    result = -math.fsum(n / whole * math.log2(n / whole) for n in counts if n)
    return abs(round(result, 4))


def write(release: ReleaseFiles) -> None:
    """The files of every project whose voters choose among labels."""
    for part in release.parts:
        if has_label_votes(part.kind):
            _write(release, part)


def notes(release: ReleaseFiles) -> dict[str, str]:
    """By file that was written what its labels rest on."""
    found: dict[str, str] = {}
    for part in release.parts:
        note = part.counts.get(NAME, {}).get("note", "")
        names = (f"{FOLDER}/{path_of(split, part.suffix)}" for split in part.counts.get("splits", ()))
        found |= {name: f"Votes of each item by label, {note}." for name in names if note and name in release.files}
    return found


def _write(release: ReleaseFiles, part: Part) -> None:
    votes, kind, soft = vote_file(part), part.kind, SoftLabels(part.context["protocols"])
    if votes not in release.files or not release.is_public(votes):
        return
    labels = [] if kind.question.own_options else [kind.export.spell(key) for key in kind.question.label_keys]
    rows = {
        split: release.iter_rows(path)
        for split in part.counts.get("splits", ())
        if (path := path_of(split, part.suffix)) in release.files and release.is_public(path)
    }
    with ExitStack() as stack:
        sinks: dict[str, Sink] = {}
        for item, mine in by_item(release.iter_rows(votes), kind.export.id_column):
            split = mine[0]["split"]
            if split not in rows:
                continue
            # An item without a vote has no place here: its row is passed over.
            row = next(each for each in rows[split] if each[kind.export.id_column] == item)
            made = distribution(row, mine, labels, kind.export.id_column, soft)
            if made is not None:
                if split not in sinks:
                    sinks[split] = stack.enter_context(release.sink(f"{FOLDER}/{path_of(split, part.suffix)}"))
                sinks[split].append(orjson.dumps(made, option=orjson.OPT_APPEND_NEWLINE), 1)


FORM = Form(
    slug="distributions",
    title=gettext_noop("Label distributions"),
    help=gettext_noop(
        "Of every item all votes by label, beside its gold label, as JSON Lines; where the protocol stops early "
        "also those to use instead."
    ),
    write=write,
    order=20,  # before the forms that write them as tables
    applies_to=lambda release: any(has_label_votes(part.kind) for part in release.parts),
)
