"""Everything in a release that its JSON Lines and its manifest give, written again by the writers of the build.

Further forms, card and manifest are compared byte by byte: Parquet files by their contents where another version of
pyarrow wrote them. Another version of Mufakat may write other words and other columns: of what it wrote the values that
both versions write are compared, and the rest is named.
"""

import csv
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path
from typing import Any

import orjson

from annotation import kinds
from annotation.core.rules.version import RELEASE
from annotation.tasks.rules.reading import task_file
from exports.formats import release as forms
from exports.formats.release import csv as csv_form
from exports.formats.release import parquet
from exports.formats.release.base import SOFT_LABELS, configs_of
from exports.formats.rules.configs import ENDING, RAW, path_of
from exports.formats.writers import Sink
from exports.lm_eval.rules.task_files import FOLDER as TASKS
from exports.lm_eval.rules.task_files import OWN_SOURCE
from exports.releases.rules import card, changes, datasheet, diagnostic, hidden, manifest, signature
from exports.releases.rules.card_check import COPIES
from exports.releases.rules.media import media_pack_name
from exports.releases.rules.settings import SplitRules
from exports.releases.rules.splits import REASONS
from exports.releases.rules.unchecked import TEXTS
from exports.releases.rules.verify import Check
from exports.releases.rules.verify_datasheet import check_datasheet

README, MANIFEST = "README.md", "manifest.json"
# What a part of the manifest holds that a build has as the release's context.
_CONTEXT = (
    *("protocols", "guidelines", "about", "imports", "sources", "targets", "replaces", "human"),
    *(datasheet.CONTEXT, datasheet.PICTURE),
)
_FACTS_ON_CARD = re.compile(r"`manifest\.json` has the SHA-256 `([0-9a-f]{64})`")
OF_ANOTHER_VERSION = (
    "of what Mufakat {} made, as this is {}: tasks and code for lm-evaluation-harness, the words and figures of the "
    "card, leakage.json, baselines.json, croissant.json, columns that only one of both writes, sections of the manifest"
)
# Files of every row, whose values every version writes alike.
_OF_ROWS = (f"{csv_form.FOLDER}/", f"{parquet.FOLDER}/", f"{SOFT_LABELS}/")


def known_rules(published: Mapping[str, Any]) -> SplitRules:
    """The rules of a manifest that this version knows; a manifest gives only those that mean something for the kind."""
    known = SplitRules().to_dict()
    return SplitRules.from_dict({name: value for name, value in published.items() if name in known})


# What draws the picture of a kind's card from what the manifest tells of it.
Draw = Callable[[str, Mapping[str, Any]], bytes]


def check_rewritten(
    folder: Path, published: Mapping[str, Any], software: str = RELEASE, draw: Draw | None = None
) -> tuple[list[Check], list[str]]:
    """Write further forms, card and manifest again and compare them; what cannot be compared, in words."""
    with tempfile.TemporaryDirectory(prefix="mufakat-verify-") as room:
        return Rewriting(folder, Path(room), published, software, draw).compare()


def _is_public(name: str) -> bool:
    return not hidden.is_hidden(name)


@dataclass(frozen=True)
class _Again(forms.ReleaseFiles):
    """A release that is written again; `settle` gives the facts of each file as the others are to have them."""

    settle: Callable[[str, dict[str, Any]], dict[str, Any]] = lambda name, facts: facts

    @contextmanager
    def sink(self, name: str) -> Iterator[Sink]:
        with super().sink(name) as sink:
            yield sink
        self.files[name] = self.settle(name, self.files[name])


@dataclass
class Rewriting:
    """One attempt: the files that people's work gives lie in `room` as links, the others are written beside them.

    Without `draw`, which needs the pages of the platform, the picture of the card is taken as it is.
    """

    folder: Path
    room: Path
    published: Mapping[str, Any]
    software: str = RELEASE
    draw: Draw | None = None
    foreign: set[str] = field(default_factory=set)

    def compare(self) -> tuple[list[Check], list[str]]:
        """Write, then compare file by file."""
        listed, version = self.published["files"], self.published["software"]["version"]
        stored = {name: facts for name, facts in listed.items() if self.is_stored(name)}
        facts = Check("numbers of rows and bytes of files")
        for name in stored:
            if (self.folder / name).is_file():
                self.link(name)
                counted = file_facts(self.folder / name)
                facts.count(counted == stored[name], f"{name}: {stored[name]}; counted {counted}")
        written = self.write(stored, version)
        same = version == self.software
        check = Check(
            "further forms, card and manifest, written again" if same else "rows in further forms, read again"
        )
        unchecked = [] if same else [OF_ANOTHER_VERSION.format(version, self.software)]
        for name, facts_again in written.items():
            if name not in listed:
                check.count(not same, f"{name}: is not in the release, and its rules give it")
            elif same or name.startswith(_OF_ROWS):
                check.count(*self._is_same(name, facts_again, same))
        for name in sorted(listed.keys() - stored.keys() - written.keys()):
            check.count(False, f"{name}: nothing in the release gives it")
        if same:
            again = orjson.loads(orjson.dumps(self.whole))
            differ = sorted(key for key in again.keys() | self.published if again.get(key) != self.published.get(key))
            check.count(not differ, f"{MANIFEST}: written again it has other {', '.join(differ)}")
            data = orjson.dumps(self.whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
            as_written = (self.folder / MANIFEST).read_bytes() == data
            check.count(as_written, f"{MANIFEST}: written again it has other bytes")
        else:
            words = (self.folder / README).read_text(encoding="utf-8")
            check.count(f"Mufakat {version}" in words, f"{README}: is not of Mufakat {version}")
            stated = _FACTS_ON_CARD.search(words)
            right = stated is None or stated[1] == manifest.facts_sha256(self.published)
            check.count(right, f"{README}: it repeats another manifest")
        unplaced = Check("files of rows that the rules name")
        for name in stored:
            unplaced.count(name in self.expected, f"{name}: no rule of the release gives such a file")
        told = check_datasheet(self._parts(), listed, self._rows(stored))
        return [facts, unplaced, check, *([told] if told else [])], unchecked + self._unchecked(stored)

    def _rows(self, stored: Iterable[str]) -> Iterator[Mapping[str, Any]]:
        """Every row of the open files of rows."""
        for name in stored:
            if name.endswith(ENDING) and not hidden.is_hidden(name) and (self.folder / name).is_file():
                with (self.folder / name).open("rb") as lines:
                    yield from map(orjson.loads, lines)

    def is_stored(self, name: str) -> bool:
        """Whether a file holds what people gave, or needs an earlier release; the others follow from those."""
        parts = self._parts()
        suffixes = [part.get("suffix", "") for part in parts]
        other = {changes.FILE, *map(task_file, suffixes), *map(media_pack_name, suffixes)}
        other |= set() if self.draw else set(map(datasheet.picture_path, suffixes))
        if name in other or hidden.is_hidden(name) or name.startswith(f"{datasheet.GUIDELINES}/"):
            return True
        made = {path_of(diagnostic.NAME, suffix) for suffix in suffixes}
        return name.endswith(ENDING) and name not in made and not name.startswith(f"{SOFT_LABELS}/")

    def _parts(self) -> list[Mapping[str, Any]]:
        return list(self.published.get("parts", [self.published]))

    def link(self, name: str) -> None:
        path = self.room / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to((self.folder / name).resolve())

    def write(self, stored: Mapping[str, Any], version: str) -> dict[str, dict[str, Any]]:
        """Write everything that follows; the facts of what was written."""
        parts = tuple(self._part(part) for part in self._parts())
        # What changed is written behind the further forms, which do not list it.
        late = {
            name: facts for name, facts in stored.items() if name in (changes.FILE, hidden.hidden_path(changes.FILE))
        }
        files = {name: facts for name, facts in stored.items() if name not in late}
        shown = _Again(self.room, parts, version, files, is_public=_is_public, settle=self._settle)
        self.expected = set(_names_of_rules(shown, self._parts())) | {
            name for name in stored if not name.endswith(ENDING)
        }
        for part in parts:
            if self.draw and (drawn := part.context.get(datasheet.PICTURE)):
                shown.put(datasheet.picture_path(part.suffix), self.draw(part.kind.slug, drawn))
        head = forms.write_forms(shown, forms.named_forms(parts[0].rules.forms))
        files |= late
        signed = {name: self.published[name] for name in (signature.FIELD,) if name in self.published}
        described = [
            {
                "project": part.project,
                "suffix": part.suffix,
                "rules": published["rules"],
                "context": {**part.context, **signed, "unfinished": published["unfinished_sets"]},
                "counts": part.counts,
                "left_out": published.get("left_out", {}),
            }
            for part, published in zip(parts, self._parts(), strict=True)
        ]
        text = card.card(
            parts=described,
            files=files,
            reasons=REASONS,
            software=version,
            head=head,
            further=shown.card_sections,
            facts=manifest.facts_sha256(manifest.manifest(parts=described, files={}, software=version)),
        )
        with shown.sink(README) as sink:
            sink.append(text.encode(), 0)
        self.whole = manifest.manifest(parts=described, files=files, software=version)
        return {name: facts for name, facts in files.items() if name not in stored}

    def _part(self, part: Mapping[str, Any]) -> forms.Part:
        """One project as the writers of further forms see it."""
        suffix, kind = part.get("suffix", ""), kinds.get(part["project"]["kind"])
        context = {name: part[name] for name in _CONTEXT if name in part}
        # What an expert said and prompts of the project's own stand in no other file than those that are made of them.
        tags = self.folder / path_of(diagnostic.NAME, suffix)
        if tags.is_file():
            rows = map(orjson.loads, tags.read_bytes().splitlines())
            tags_by_item = {str(row[kind.export.id_column]): row[diagnostic.TAGS] for row in rows}
            context[diagnostic.CONTEXT] = {"tags": tags_by_item}
        prompts = sorted(self._prompts(part["project"]["slug"]), key=lambda each: (each["task"], each["name"]))
        if prompts:
            context["task_prompts"] = prompts
        rules = known_rules(part["rules"])
        return forms.Part(part["project"], kind, suffix, rules, context, part["counts"])

    def _prompts(self, project: str) -> Iterator[dict[str, Any]]:
        """The prompts of a project's own, read from their tasks, each once."""
        seen = set()
        for path in sorted((self.folder / TASKS).glob("*.yaml")):
            _, _, text = path.read_text(encoding="utf-8").partition("\n")
            if not self._is_own_prompt(f"{TASKS}/{path.name}") or not path.stem.startswith(f"{project}_"):
                continue
            lines = (line.split(": ", 1) for line in text.splitlines() if ": !function " not in line)
            values = {name: json.loads(value) for name, value in lines}
            tags = [tag for tag in values["tag"] if values["task"].startswith(f"{tag}_")]
            name = values["task"].removeprefix(f"{max(tags, key=len)}_")
            prompt = values["dataset_kwargs"]["sort"], name
            if prompt not in seen:
                seen.add(prompt)
                n = int(values["metadata"]["version"])
                yield {"task": prompt[0], "name": name, "n": n, "text": values["doc_to_text"]}

    def _is_own_prompt(self, name: str) -> bool:
        with (self.folder / name).open("rb") as lines:
            return lines.readline().rstrip().endswith(f"Prompt: {OWN_SOURCE}.".encode())

    def _is_same(self, name: str, again: Mapping[str, Any], same: bool) -> tuple[bool, str]:
        """Whether a file is the one that was written again, and if not, why."""
        fault = f"{name}: written again it is another file"
        if same or again == self.published["files"][name]:
            return again == self.published["files"][name], fault
        return _alike(_contents(self.folder / name), _contents(self.room / name)), fault

    def _settle(self, name: str, again: dict[str, Any]) -> dict[str, Any]:
        """The facts of a file that was written again: of a Parquet file by another version of pyarrow, with the same
        rows and types, its own, as the files that describe it have them."""
        there = self.published["files"].get(name)
        if not name.endswith(f".{parquet.FOLDER}") or there in (None, again) or not (self.folder / name).is_file():
            return again
        from pyarrow import parquet as reader

        try:
            old, new = (reader.ParquetFile(path / name) for path in (self.folder, self.room))
            with old, new:
                alike = old.read().equals(new.read(), check_metadata=True)
                another = old.metadata.created_by != new.metadata.created_by
        except (OSError, ValueError):
            return again
        if not (alike and another):
            return again
        self.foreign.add(name)
        return {**file_facts(self.folder / name), "rows": again["rows"]}

    def _unchecked(self, stored: Mapping[str, Any]) -> list[str]:
        """What nothing else in the release repeats, so that nobody can tell whether it was changed."""
        copied = any(name.startswith(COPIES) for name in self.published["files"])
        notes = [TEXTS] if copied else []
        single = [] if copied else ["rows and votes"]
        single += [f"{hidden.FOLDER}/"] if any(map(hidden.is_hidden, stored)) else []
        if single:
            notes.append(
                f"values of {' and of '.join(single)} that stand there once, as no CSV or Parquet repeats them: texts "
                "that people typed (items, sources, comments), documents, premises, categories, topics and groups, "
                "revisions and numbers of votes; the card has the SHA-256 of these files, made by whoever made the card"
            )
        if self.foreign:
            notes.append("bytes of Parquet files by another version of pyarrow: rows and types in them were compared")
        if any(name.startswith(f"{TASKS}/") and self._is_own_prompt(name) for name in self.published["files"]):
            notes.append("prompts of the project's own for lm-evaluation-harness: their tasks are made of them")
        if not self.draw and any(datasheet.PICTURE in part for part in self._parts()):
            notes.append("the picture of the card, which manage.py verify_release draws again")
        if any(name.startswith(f"{datasheet.GUIDELINES}/") for name in stored):
            notes.append(f"{datasheet.GUIDELINES}/, the words of the guidelines")
        if changes.FILE in stored or hidden.hidden_path(changes.FILE) in stored:
            notes.append(f"what {changes.FILE} says of the earlier release; it is the file that the card names")
        return notes


def _names_of_rules(shown: forms.ReleaseFiles, published: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The files of rows that the rules of a release give, whether they are there or not."""
    for config in configs_of(shown):
        yield from config.splits.values()
    for part in published:
        names = ["votes", "audits", *part["counts"].get("splits", ())]
        names += [f"{RAW}/{name}" for name in names]
        hides = bool(part["rules"].get("hidden_test"))
        for name in (*names, hidden.IDS, hidden.LEFT_OUT):
            if hides:
                yield path_of(hidden.hidden_path(name), part.get("suffix", ""))
            if name not in (hidden.IDS, hidden.LEFT_OUT):
                yield path_of(name, part.get("suffix", ""))


def file_facts(path: Path) -> dict[str, Any]:
    """Rows, bytes and SHA-256 of a file of the release, counted again."""
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    rows = 0
    if path.name.endswith(ENDING):
        with path.open("rb") as lines:
            rows = sum(1 for _ in lines)
    elif path.suffix == ".zip":
        from zipfile import ZipFile

        with ZipFile(path) as packed:
            rows = len(packed.namelist())
    return {"rows": rows, "bytes": path.stat().st_size, "sha256": digest}


def _contents(path: Path) -> Any:
    """What a file holds, as plain values."""
    if path.suffix == f".{parquet.FOLDER}":
        from pyarrow import parquet as reader

        return reader.read_table(path).to_pylist()
    if path.suffix == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def _alike(one: Any, other: Any) -> bool:
    """Whether values are equal, in objects as far as both have the name."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(_alike(one[name], other[name]) for name in one.keys() & other.keys())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    return bool(one == other)
