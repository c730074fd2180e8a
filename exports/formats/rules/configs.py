"""The configs of a release, loaded by name: one for each language and register, or task and target.

Pure. A config has a file for each split, called as the field's libraries call splits (`dev` is `validation`), and
names that are safe everywhere. Every form that hands out rows goes by these.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.kinds import Kind
from annotation.translation.rules.source_units import SHAPES
from exports.aligned.rules.rows import OPEN, SENTENCE, WHOLE
from exports.releases.rules.markdown import file_names
from exports.releases.rules.settings import SPLITS

ENDING = ".jsonl"
# Where the rows of machine-written items lie as the machine wrote them.
RAW = "raw"
# Splits as libraries call them, by what people call theirs.
_LIBRARY_NAMES: Mapping[str, str] = {
    "dev": "validation",
    "valid": "validation",
    "development": "validation",
    "training": "train",
}
_NON_WORD = re.compile(r"\W", re.ASCII)
# What libraries take for all splits together.
_RESERVED_NAME = "all"


@dataclass(frozen=True)
class Config:
    """What is loaded by one name: `splits` are its files by the split's name, in order; `part` is the project's place.

    `raw` rows are as a machine wrote them. An aligned release has `task`, `shapes` (those of its source sets), `form`
    (whole, or derived: open, sentence) and `target`, which is the file's name of a target or of the source.
    """

    name: str
    part: int
    kind: Kind
    language: str
    register: str
    splits: Mapping[str, str]
    raw: bool = False
    task: str = ""
    shapes: tuple[str, ...] = ()
    form: str = WHOLE
    target: str = ""

    @property
    def title(self) -> str:
        """What people read of it: task, language and register."""
        named = (self.task, self.language, self.register, "as the machine wrote them" if self.raw else "")
        return ", ".join(word for word in named if word)


@dataclass(frozen=True)
class PartIn:
    """What configs are made from: a project of the release, its counts and context, and the end of its file names."""

    kind: Kind
    language: str
    register: str
    suffix: str
    counts: Mapping[str, Any]
    context: Mapping[str, Any]
    open_qa: str = ""


def configs(parts: Sequence[PartIn], files: Collection[str]) -> list[Config]:
    """The configs of a release, part by part; only files that are there are in one, and none is empty-handed."""
    result: list[Config] = []
    for n, part in enumerate(parts):
        of = _aligned if "tasks" in part.counts else _by_split
        result += [config for config in of(n, part, frozenset(files)) if config.splits]
    names = file_names(config.name for config in result)
    return [replace(config, name=name) for config, name in zip(result, names, strict=True)]


def path_of(name: str, suffix: str) -> str:
    """A file of a project: its name, and what tells the project where there are several."""
    return f"{name}_{suffix}{ENDING}" if suffix else f"{name}{ENDING}"


def library_split_names(splits: Sequence[str]) -> dict[str, str]:
    """What libraries call these splits; where two would be called the same, all keep their own names."""
    usual = [_LIBRARY_NAMES.get(split.casefold(), split) for split in splits]
    names = usual if len(set(usual)) == len(usual) else list(splits)
    plain = [_NON_WORD.sub("_", name) for name in file_names(names)]
    return {split: f"{name}_" if name == _RESERVED_NAME else name for split, name in zip(splits, plain, strict=True)}


def _files(named: Mapping[str, str], files: Collection[str]) -> dict[str, str]:
    """The files that are there, by the names of their splits."""
    loaded = library_split_names(list(named))
    return {loaded[split]: path for split, path in named.items() if path in files}


def _by_split(n: int, part: PartIn, files: Collection[str]) -> Iterator[Config]:
    """One config, and one more for what a machine wrote."""
    there = part.counts["splits"]
    splits = [*(name for name in SPLITS if name in there), *(name for name in there if name not in SPLITS)]
    name = "-".join(filter(None, (part.language, part.register, part.suffix)))
    for raw in (False, True):
        folder = f"{RAW}/" if raw else ""
        named = {split: path_of(f"{folder}{split}", part.suffix) for split in splits}
        ending = f"-{RAW}" if raw else ""
        result = _files(named, files)
        yield Config(f"{name}{ending}", n, part.kind, part.language, part.register, result, raw)


def _aligned(n: int, part: PartIn, files: Collection[str]) -> Iterator[Config]:
    """A config for each task and target, the source before the targets."""
    source = {**part.counts["source"], "register": ""}
    shapes: dict[str, set[str]] = {}
    for each in part.context["sources"]:
        shapes.setdefault(each["task"], set()).add(each["shape"])
    for task in part.counts["tasks"]:
        own = tuple(sorted(shapes.get(task["derived_from"] or task["task"], ())))
        form = _row_form(task, own, part.open_qa)
        splits = [each["split"] for each in task["splits"]]
        for target in (source, *part.counts["targets"]):
            named = dict(zip(splits, paths_of_task(task["folder"], splits, target["file"]), strict=True))
            yield Config(
                "-".join(filter(None, (task["folder"], target["file"], part.suffix))),
                n,
                part.kind,
                target["language"],
                target["register"],
                _files({split: path_of(path, part.suffix) for split, path in named.items()}, files),
                task=task["task"],
                shapes=own,
                form=form,
                target=target["file"],
            )


def paths_of_task(folder: str, splits: Sequence[str], target: str) -> list[str]:
    """Where a task's files lie, without their ending: a folder a split where it has several."""
    if len(splits) < 2:
        return [f"{folder}/{target}" for _ in splits]
    return [f"{folder}/{name}/{target}" for name in file_names(splits)]


def _row_form(task: Mapping[str, Any], shapes: Sequence[str], open_qa: str) -> str:
    """Whether rows are whole, or what they are derived from is a passage's question or a premise."""
    if not task["derived_from"]:
        return WHOLE
    spans = any(SHAPES[shape].spans for shape in shapes)
    return OPEN if spans and task["task"] == open_qa else SENTENCE
