"""What scores on a release without understanding anything: chance, the most frequent label, a classifier without the
source. Pure, from rows of the release, so that whoever has the files can count again.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

from annotation.kinds import Kind
from annotation.text.classifier import LEAST_TEXTS
from exports.releases.rules.gold_origins import percent, share_with_interval
from exports.releases.rules.markdown import plain, table

_PLACES = 4


class Asked(Protocol):
    """A row with its label, and the labels that it may have."""

    @property
    def id(self) -> str: ...
    @property
    def gold(self) -> str: ...
    @property
    def options(self) -> tuple[str, ...]: ...


def content_of(kind: Kind, row: Mapping[str, Any]) -> dict[str, Any]:
    """A row's texts as the kind's `partial_input` reads them, from the field's own names of columns."""
    options = [dict(each) for each in row.get("responses", ())]
    if not options and "choices" in row:
        pairs = zip(row["choices"]["label"], row["choices"]["text"], strict=True)
        role = kind.question.judged_role
        options = [{"key": key, "text": text, "role": role if key == row.get("label") else ""} for key, text in pairs]
    source = row.get("question_concept") or row.get("topic") or ""
    return {**row, "options": options, "concept": source, "context": (row.get("parts") or {}).get("context", "")}


def report(kind: Kind, splits: Mapping[str, Sequence[Asked]], right: Mapping[str, bool]) -> dict[str, Any]:
    """Each split's figures; `right` says of rows whether the classifier was."""
    alone = kind.partial_input
    return {
        "source_free": alone.name if alone and right else None,
        "splits": {
            name: _of_split(rows, right, key_tells=kind.question.key_tells_role) for name, rows in splits.items()
        },
    }


def _of_split(rows: Sequence[Asked], right: Mapping[str, bool], *, key_tells: bool) -> dict[str, Any]:
    labels = Counter(row.gold for row in rows)
    label, most = min(labels.items(), key=lambda pair: (-pair[1], pair[0]))
    chance = sum((Fraction(1, len(row.options)) for row in rows), Fraction()) / len(rows)
    known = [right[row.id] for row in rows if row.id in right]
    return {
        "rows": len(rows),
        "chance": round(float(chance), _PLACES),
        "most_frequent": None if key_tells else {"label": label, **share_with_interval(most, len(rows))},
        "source_free": share_with_interval(sum(known), len(known)) if known else None,
    }


def card_section(reports: Mapping[str, Mapping[str, Any]], own_names: Mapping[str, str]) -> list[str]:
    """The card's words on the reports by config; `own_names` are the splits' names on the card."""
    lines = ["## Baselines", "", "What needs no understanding (`baselines.json`), with intervals of 95 % (Wilson):", ""]
    for config, told in reports.items():
        name = told["source_free"]
        frequent = (
            ["the most frequent label"] if any(split["most_frequent"] for split in told["splits"].values()) else []
        )
        heads = ["split", "rows", "chance", *frequent, *([plain(name)] if name else [])]
        if len(reports) > 1:
            lines += [f"`{config}`:", ""]
        lines += [*table(heads, [_cells(own_names.get(at, at), split) for at, split in told["splits"].items()]), ""]
        if not frequent:
            lines += ["Every key names the role of its option, so that the most frequent label says nothing.", ""]
        lines.append(
            "The last column is a linear classifier of words and pairs of words, which learns from all splits above "
            "and answers in five folds: no row is answered by what was learnt from another of its source."
            if name
            else f"A classifier without the source was not asked: fewer than {LEAST_TEXTS} texts, or none that can be "
            "read alone."
        )
        lines.append("")
    return lines


def _cells(name: str, split: Mapping[str, Any]) -> list[object]:
    most = split["most_frequent"]
    cells: list[object] = [
        name,
        split["rows"],
        f"{100 * split['chance']:.1f} %",
        *([f"{plain(most['label'])}: {_told(most)}"] if most else []),
    ]
    alone = split["source_free"]
    return [*cells, _told(alone)] if alone else cells


def _told(share: Mapping[str, Any]) -> str:
    return percent(share)
