"""What the files of a release say of its datasheet, checked: the picture's texts, and the versions of the guidelines.

Pure, from the manifest and the rows.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from exports.releases.rules import datasheet
from exports.releases.rules.verify import Check


def check_datasheet(
    parts: Iterable[Mapping[str, Any]], files: Mapping[str, Mapping[str, Any]], rows: Iterable[Mapping[str, Any]]
) -> Check | None:
    """Guidelines and pictures are those that the manifest tells of; each text of a picture is in a row.

    None for releases of before there were such files.
    """
    check = Check("guidelines and texts of the picture")
    told = [part for part in parts if datasheet.CONTEXT in part]
    if not told:
        return None
    wanted, listed = set[str](), dict[str, str]()
    for part in told:
        suffix = part.get("suffix", "")
        versions = part[datasheet.CONTEXT]["guidelines"]
        listed |= {datasheet.guideline_path(each["role"], each["n"], suffix): each["sha256"] for each in versions}
        wanted |= set(_shown_texts(part.get(datasheet.PICTURE, {}).get("content", {})))
        if datasheet.PICTURE in part:
            listed[datasheet.picture_path(suffix)] = part[datasheet.PICTURE]["sha256"]
    told_of = (f"{datasheet.GUIDELINES}/", f"{datasheet.PICTURE}.", f"{datasheet.PICTURE}_")
    there = {name: facts["sha256"] for name, facts in files.items() if name.startswith(told_of)}
    for name in sorted(listed.keys() | there):
        check.count(listed.get(name) == there.get(name), f"{name}: is not the file that the manifest tells of")
    texts = len(wanted)
    for row in rows:
        if not wanted:
            break
        wanted -= set(_texts(row))
    check.done += texts
    for text in sorted(wanted):
        check.wrong += 1
        check.faults.append(f"the picture shows a text that is in no row: {text}")
    return check


def _shown_texts(content: Mapping[str, Any]) -> Iterator[str]:
    """The texts of an item by themselves, and those of its options and fields; keys and roles are no texts."""
    for name, value in content.items():
        if isinstance(value, str) and name != "shape":
            yield value
        elif isinstance(value, list):
            yield from (str(each["text"]) for each in value if isinstance(each, dict) and "text" in each)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
