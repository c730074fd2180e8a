"""The card's part on imported files: how their cells were read, and which rows were drawn. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.text.sentences import CLASSES
from exports.releases.rules.markdown import plain, table

MOST_SHOWN = 50


def sections(context: Mapping[str, Any]) -> list[str]:
    """The files, what of them was left aside, and the values that were taken for others or are unknown."""
    files: Sequence[Mapping[str, Any]] = context.get("imports", ())
    if not files:
        return []
    lines = ["## Imported files", ""]
    for file in files:
        rows = file["rows"]
        lines.append(f"- {plain(file['name'])}: {rows['accepted']:,} rows stored, {rows['refused']:,} refused.")
        lines += [f"  {line}" for line in _details(file)]
    return [*lines, "", *_values(files), *_unknown(files)]


def _details(file: Mapping[str, Any]) -> list[str]:
    found = []
    if file.get("sample"):
        sample = file["sample"]
        seed = f", seed `{plain(sample['seed'])}`" if "seed" in sample else ""
        found.append(f"A sample: {sample['n']:,} of {sample['of']:,} rows that can be read{seed}.")
    if file.get("documents"):
        found.append(_documents(file["documents"]))
    if file["columns_left"]:
        found.append(f"Columns that were not stored: {plain(', '.join(file['columns_left']))}.")
    return found


def _documents(told: Mapping[str, Any]) -> str:
    """How snippets were cut from documents."""
    rules, counts = told["rules"], told["counts"]
    seed = f", seed `{plain(told['seed'])}`" if "seed" in told else ""
    shares = ", ".join(f"{name} {share} %" for name in CLASSES if (share := rules["shares"].get(name)))
    return (
        f"Snippets of {counts['documents']:,} documents ({shares}; at most {rules['per_document']} a document, "
        f"{rules['least_words']} to {rules['most_words']} words{seed})."
    )


def _values(files: Sequence[Mapping[str, Any]]) -> list[str]:
    rows = [
        [plain(column), plain(person) or "everybody", plain(value) or "nothing", plain(to) or "unknown", n]
        for file in files
        for column, person, value, to, n in file["values"]
    ]
    if not rows:
        return []
    heads = ["column", "person", "in the file", "taken for", "times"]
    return ["Values that were taken for others:", "", *table(heads, rows), ""]


def _unknown(files: Sequence[Mapping[str, Any]]) -> list[str]:
    found = [each for file in files for each in file["unknown"]]
    rows = [
        [plain(str(column)), plain(str(person)) or "–", plain(str(value)) or "nothing", n]
        for column, person, value, n in found[:MOST_SHOWN]
    ]
    if not rows:
        return []
    more = f" The first {MOST_SHOWN} of {len(found):,}:" if len(found) > MOST_SHOWN else ""
    said = f"Marks that could not be read are null in the rows.{more}"
    return [said, "", *table(["column", "person", "in the file", "times"], rows), ""]
