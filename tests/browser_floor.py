"""What the oldest browsers of docs/browsers.md do not have, by the data of MDN (npm: @mdn/browser-compat-data)."""

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.binaries import node, node_modules

FLOOR: dict[str, tuple[int, ...]] = {"chrome": (88,), "firefox": (85,), "safari": (14,)}
# What pages look like is held to Safari 14.1: in 14.0 there is less room between things, and all that can be done can.
LOOKS: dict[str, tuple[int, ...]] = {**FLOOR, "safari": (14, 1)}
NEVER = (9999,)


@cache
def data() -> dict[str, Any]:
    path = node_modules() / "@mdn" / "browser-compat-data" / "data.json"
    return dict(json.loads(path.read_bytes()))


def _version(statement: Any) -> tuple[int, ...]:
    """Since which version it is there without a flag, a prefix or another name."""
    versions = []
    for one in statement if isinstance(statement, list) else [statement]:
        added = one["version_added"]
        if not isinstance(added, str) or added == "preview" or {"flags", "prefix", "alternative_name"} & set(one):
            continue
        versions.append(tuple(int(part) for part in re.findall(r"\d+", added)))
    return min(versions, default=NEVER)


def lacking(*entries: dict[str, Any], floor: dict[str, tuple[int, ...]] = LOOKS) -> list[str]:
    """The browsers at the floor that have none of these, with the version that has one; none where none is known."""
    supports = [entry["__compat"]["support"] for entry in entries if "__compat" in entry]
    if not supports:
        return []
    lacks = []
    for browser, oldest in floor.items():
        first = min(_version(support[browser]) if browser in support else NEVER for support in supports)
        if first > oldest:
            lacks.append(f"{browser} < {'.'.join(map(str, first)) if first != NEVER else 'any'}")
    return lacks


# --- style sheets ------------------------------------------------------------------------


@dataclass
class Rule:
    """Selectors with their declarations, and the conditions of the blocks that it stands in."""

    selectors: list[str]
    declarations: list[tuple[str, str]]
    conditions: list[str] = field(default_factory=list)


def _split(text: str, at: str) -> list[str]:
    """The parts between commas or the like that stand in no brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == at and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def rules_of(sheet: str, conditions: tuple[str, ...] = ()) -> Iterator[Rule]:
    """Every rule of a style sheet, in its order."""
    text = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    place = 0
    while (opening := text.find("{", place)) >= 0:
        head, depth, closing = text[place:opening].strip(), 1, opening + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[closing], 0)
            closing += 1
        body = text[opening + 1 : closing - 1]
        if head.startswith("@") and not head.startswith("@font-face"):
            yield from rules_of(body, (*conditions, head))
        else:
            pairs = [part.partition(":") for part in _split(body, ";")]
            declarations = [(name.strip(), value.strip()) for name, _, value in pairs]
            yield Rule(_split(head, ","), declarations, list(conditions))
        place = closing


def _selector_lacks(selector: str) -> dict[str, list[str]]:
    known = data()["css"]["selectors"]
    found = {}
    for name in re.findall(r"::?([a-z][a-z-]*)", re.sub(r'"[^"]*"|\[[^\]]*\]', "", selector)):
        if name in known and (lacks := lacking(known[name])):
            found[f":{name}"] = lacks
    return found


@cache
def _types() -> dict[str, list[dict[str, Any]]]:
    """Functions of values by name, wherever the data have them."""
    found: dict[str, list[dict[str, Any]]] = {}

    def walk(entries: dict[str, Any]) -> None:
        for name, entry in entries.items():
            if name != "__compat" and isinstance(entry, dict):
                found.setdefault(name, []).append(entry)
                walk(entry)

    walk(data()["css"]["types"])
    return found


def _value_lacks(name: str, value: str) -> dict[str, list[str]]:
    """What a value names that is younger: a function, a keyword of this property, a unit."""
    known, words = data()["css"]["properties"].get(name, {}), re.sub(r"\"[^\"]*\"|--[\w-]+", "", value)
    entries = {f"{word}()": _types().get(word, []) for word in re.findall(r"([a-z][\w-]*)\(", words)}
    entries |= {
        word: [known[word]] for word in re.findall(r"(?<![\w.#-])[a-z][a-z-]*(?![\w(-])", words) if word in known
    }
    units = {f"{kind}{unit}" for kind, unit in re.findall(r"\d([dsl]?)(v[hwib]|vmin|vmax)\b", words) if kind}
    entries |= {unit: _types().get("viewport_percentage_units_dynamic", []) for unit in units}
    return {word: lacks for word, found in entries.items() if (lacks := lacking(*found))}


def _guarded(rule: Rule) -> bool:
    return any(condition.startswith("@supports") for condition in rule.conditions)


def style_faults(sheet: str, harmless: dict[str, str]) -> list[str]:
    """What a sheet asks of a browser that one at the floor has not and does not do without.

    A selector stands in a rule of its own, which is left out whole; a value behind a plain one of its property, or
    inside @supports; a property is `harmless`, or inside @supports.
    """
    faults = []
    for rule in rules_of(sheet):
        for condition in rule.conditions:
            kind = condition.split("(")[0].split()[0].lstrip("@")
            entry = data()["css"]["at-rules"].get(kind, {})
            if (lacks := lacking(entry)) and kind not in harmless:
                faults.append(f"@{kind}: {lacks}")
            if kind == "media" and re.search(r"[<>]", condition):
                faults.append(f"{condition}: a range")
        young = [_selector_lacks(selector) for selector in rule.selectors]
        names = {name for found in young for name in found}
        if names and not _guarded(rule) and (not all(young) or not names <= set(harmless)):
            faults.append(f"{', '.join(rule.selectors)}: {young}")
        if not _guarded(rule) and not (names and all(young)):
            faults += _declaration_faults(rule, harmless)
    return faults


def _declaration_faults(rule: Rule, harmless: dict[str, str]) -> list[str]:
    faults, plain = [], set()
    for name, value in rule.declarations:
        if "{" in name + value:
            faults.append(f"{rule.selectors[0]}: nested rules")
            continue
        if name.startswith("-") and not name.startswith("--"):
            continue  # one engine's own
        lacks = lacking(data()["css"]["properties"].get(name, {}))
        if lacks and name not in harmless and not name.startswith("--"):
            faults.append(f"{rule.selectors[0]} {name}: {lacks}")
        young = {word for word in _value_lacks(name, value) if word not in harmless}
        if not young:
            plain.add(name)
        elif name not in plain or name.startswith("--"):  # the value of a variable is not read before it is used
            faults.append(f"{rule.selectors[0]} {name}: {value}: {_value_lacks(name, value)}")
    return faults


# --- scripts -----------------------------------------------------------------------------


@cache
def _members() -> dict[str, list[dict[str, Any]]]:
    """Members of the browser's objects and of the language's, by name."""
    found: dict[str, list[dict[str, Any]]] = {}
    for owner in (data()["api"], data()["javascript"]["builtins"]):
        for entries in owner.values():
            for name, entry in entries.items():
                if isinstance(entry, dict) and name != "__compat":
                    found.setdefault(name.removesuffix("_static"), []).append(entry)
    return found


def _name_lacks(name: str) -> list[str]:
    known = {**data()["javascript"]["builtins"], **data()["api"]}
    owner, dot, member = name.rpartition(".")
    if not dot:
        return lacking(known[name], floor=FLOOR) if name in known else []
    if owner in known:
        entry = known[owner].get(f"{member}_static") or known[owner].get(member)
        return lacking(entry, floor=FLOOR) if entry else []
    return lacking(*_members().get(member, []), floor=FLOOR)


def script_faults(paths: list[Path]) -> dict[str, str]:
    """What scripts use without looking for it first, though a browser at the floor has it not; and their syntax."""
    program = [node(), str(Path(__file__).parent / "node" / "names.mjs"), str(node_modules()), *map(str, paths)]
    answers = json.loads(subprocess.run(program, capture_output=True, text=True, check=True).stdout)
    faults = {}
    for path, answer in answers.items():
        if "fault" in answer:
            faults[Path(path).name] = answer["fault"]
        for name in answer.get("used", []):
            if lacks := _name_lacks(name):
                faults[f"{Path(path).name} {name}"] = ", ".join(lacks)
        # A parser takes them for a pattern and a text like any other; Safari before 16.4 stops reading the whole file.
        for pattern, name, since in ((r"\(\?<[=!]", "(?<", "safari < 16.4"), (r":has\(", ":has", "chrome < 105")):
            if re.search(pattern, Path(path).read_text(encoding="utf-8")):
                faults[f"{Path(path).name} {name}"] = since
    return faults
