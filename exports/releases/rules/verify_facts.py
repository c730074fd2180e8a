"""What a manifest says of its project beside counts, held to what the database allows and to its other values.

Pure.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from annotation.datasheet.rules import THRESHOLD
from exports.releases.rules.verify import Check

ROLES = ("validation", "writing")
_SHA256 = re.compile(r"[0-9a-f]{64}")
# What counts repeat of each target.
_OF_TARGET = ("language", "register", "name")


def check_facts(part: Mapping[str, Any], released: Collection[str]) -> Check:
    """Guidelines, ids left out, targets, files that were imported; `released` are the ids of rows."""
    check = Check("facts of the manifest, beside each other")
    for right, fault in (*_guidelines(part), *_left_out(part, released), *_targets(part), *_imports(part)):
        check.count(right, fault)
    if people := part.get("about", {}).get("people"):
        least = people["threshold"]
        check.count(least >= THRESHOLD, f"groups of people: at least {least} each; never under {THRESHOLD}")
    return check


def _guidelines(part: Mapping[str, Any]) -> Iterator[tuple[bool, str]]:
    """Versions of each role are numbered from 1 on, without a gap."""
    numbers: dict[str, list[int]] = {}
    for version in part["guidelines"]:
        numbers.setdefault(version["role"], []).append(version["n"])
    for role, found in numbers.items():
        yield role in ROLES, f"guidelines: nobody has the role {role}"
        right = sorted(found) == list(range(1, len(found) + 1))
        yield right, f"guidelines of {role}: numbered {', '.join(map(str, found))}"


def _left_out(part: Mapping[str, Any], released: Collection[str]) -> Iterator[tuple[bool, str]]:
    """No item is left out twice, or left out and released."""
    ids = [key for keys in part.get("left_out", {}).values() for key in keys]
    yield len({*ids}) == len(ids), "an item is left out twice"
    both = sorted({*ids} & {*released})
    yield not both, f"{', '.join(both[:3])}: left out, and there is a row of it"
    lengths = {len(key) for key in ids} | {len(key) for key in released}
    made_here = [key for key in ids if not re.fullmatch(r"[0-9a-f]{20}", key)]
    yield lengths != {20} or not made_here, f"{', '.join(made_here[:3])}: no id of a release"


def _targets(part: Mapping[str, Any]) -> Iterator[tuple[bool, str]]:
    """What is said of a target is what its counts say."""
    if "targets" not in part or "targets" not in part["counts"]:
        return
    stated = {target["key"]: target for target in part["targets"]}
    for row in part["counts"]["targets"]:
        target = stated.get(row["target"], {})
        same = all(target.get(name) == row[name] for name in _OF_TARGET if name in row)
        yield same, f"{row['target']}: its counts name another language, register or name"


def _imports(part: Mapping[str, Any]) -> Iterator[tuple[bool, str]]:
    """Of each file that was imported."""
    for file in part.get("imports", ()):
        digest, rows = file["sha256"], file["rows"]
        yield digest is None or bool(_SHA256.fullmatch(digest)), f"{file['name']}: {digest} is no SHA-256"
        yield min(rows.values()) >= 0, f"{file['name']}: it has {rows} rows"
        left = [name for name in file["columns_left"] if name in file["columns"].values()]
        yield not left, f"{file['name']}: its columns {', '.join(left)} were read, and left aside"
