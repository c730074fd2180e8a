"""Releases of several presets, and a forger: who changes files of one, and makes all that follows from them anew."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
import pyarrow
from django.db import transaction
from django.test import override_settings
from pyarrow import parquet

from annotation import presets
from annotation.content.models.item import Item
from annotation.core.models.project import Project
from exports.releases.actions import release_freeze
from exports.releases.models import Release
from exports.releases.rewrite import Rewriting, file_facts
from exports.releases.rules.settings import default_rules, layout_of
from tests import factory, review, translations
from tests.annotation.tasks.items import make_task_project, write_items_file
from tests.exports import machine
from tests.exports.aligned import world as aligned
from tests.exports.releases.test_arising import run_whole
from tests.exports.releases.test_every_preset import project_with_items, vote_on_everything
from tests.exports.world import build, folder, staged
from tests.validation.imports_run import import_items
from validation.review.actions.corrections import correct
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.votes import vote_cast

Row = dict[str, Any]


def _own_task(path: Path) -> Project:
    project = make_task_project("sentiment")
    assert import_items(project.slug, write_items_file("sentiment", path))[0] == 0
    review.decide()
    for _ in range(2):
        voter, target = factory.member(project, "validator"), project.targets.get()
        assert voter.user_id is not None
        while (claimed := assignment_claim(annotator=voter, target=target, spacing=0)) is not None:
            vote_cast(user_id=voter.user_id, slug=project.slug, token=claimed.token, ballot=Ballot("positive"))
    review.decide()
    return project


def _voted(preset: str, path: Path) -> Project:
    project = project_with_items(presets.get(preset), path, votes=False)
    vote_on_everything(project)
    return project


def _imported(path: Path) -> Project:
    return project_with_items(presets.get("idcsqa"), path, votes=True)


def _translations(path: Path) -> Project:
    at = aligned.project_with_sets({"pair": translations.pair_rows(4), "passage": translations.passage_rows()})
    aligned.approve_everything(at)
    return at.project


# A project of each, and the rules that its release has besides its preset's.
WORLDS: dict[str, tuple[Callable[[Path], Project], dict[str, str]]] = {
    "pairs": (lambda path: staged(slug="own").project, {"no_gold": "test", "comments": "yes"}),
    "questions": (lambda path: _voted("idcsqa", path), {}),
    "imported": (_imported, {}),
    "judged": (lambda path: _voted("mcsqa", path), {}),
    "prompts": (lambda path: _voted("kalahi", path), {}),
    "audits": (lambda path: run_whole().project, {"no_gold": "test", "not_sampled": "train"}),
    "task": (_own_task, {}),
    "translations": (_translations, {}),
}


def _generated(path: Path) -> Project:
    """Questions that a run made, judged by people; a lead corrected some."""
    project = machine.questions_project(6)
    machine.judge_questions(project)
    lead = factory.member(project, "lead")
    for item in Item.objects.filter(project=project, stage="settled").order_by("key")[:2]:
        correct(
            lead=lead,
            item_id=item.pk,
            version=item.version,
            field="option-B",
            text=f"é {item.key}",
            meaning="same",
            words="Ejaan.",
        )
    return project


# Further releases, of every form, of which values are changed at random too.
FURTHER: dict[str, tuple[Callable[[Path], Project], dict[str, str]]] = {
    "expert": (lambda path: _voted("indonli-expert", path), {}),
    "lay": (lambda path: _voted("indonli-lay", path), {"strict": "no"}),
    "adapted": (lambda path: _voted("llm-adapt", path), {}),
    "by-a-model": (lambda path: _voted("llm-gen", path), {}),
    "generated": (_generated, {}),
    "hidden": (lambda path: staged(slug="own").project, {"hidden_test": "yes", "no_gold": "test"}),
}


@contextmanager
def _taken_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def build_releases(path: Path) -> dict[str, Path]:
    """A release of each with every form (`pairs`) and one of JSON Lines only (`pairs-plain`), by name."""
    folders = {}
    for name, (make, changes) in (WORLDS | FURTHER).items():
        room = path / f"{name}-work"
        room.mkdir()
        with override_settings(MUFAKAT_DATA_DIR=room / "data", REDIS_URL=""), _taken_back():
            project = make(room)
            usual = default_rules(layout_of(project.kind_spec.shape), project.rules.release)
            wanted = {name: "", **({f"{name}-plain": "none"} if name in WORLDS else {})}
            for called, forms in wanted.items():
                release = release_freeze(project=project, rules=usual.changed({**changes, "forms": forms}), by=None)
                folders[called] = shutil.copytree(folder(build(release)), path / called)
                # Each is the first one: none tells what changed since the other.
                Release.objects.filter(pk=release.pk).update(state=Release.State.FAILED)
        shutil.rmtree(room)
    return folders


@dataclass
class Forged:
    """A copy of a release in a forger's hands."""

    at: Path

    @property
    def manifest(self) -> Row:
        manifest: Row = json.loads((self.at / "manifest.json").read_bytes())
        return manifest

    def rows(self, name: str) -> list[Row]:
        return [json.loads(line) for line in (self.at / name).read_bytes().splitlines()]

    def put(self, name: str, rows: list[Row]) -> None:
        (self.at / name).write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))

    def change(self, name: str, change: Callable[[Row], Any], which: Callable[[Row], Any] = lambda row: True) -> None:
        """Change the first row of a file that is as asked."""
        rows = self.rows(name)
        change(next(row for row in rows if which(row)))
        self.put(name, rows)

    def tell(self, change: Callable[[Row], Any]) -> None:
        """Change the manifest."""
        manifest = self.manifest
        change(manifest)
        self._store(manifest)

    def replace(self, name: str, old: str, new: str) -> None:
        """Change words of a file."""
        text = (self.at / name).read_text(encoding="utf-8")
        assert old in text, name
        (self.at / name).write_bytes(text.replace(old, new, 1).encode())

    def hash_again(self) -> None:
        """Have manifest, Croissant and card give bytes and SHA-256 of the files as they are now."""
        manifest = self.manifest
        there = {path.relative_to(self.at).as_posix() for path in self.at.rglob("*") if path.is_file()}
        listed = {name: facts for name, facts in manifest["files"].items() if name in there}
        listed |= {name: {"rows": 0} for name in there - listed.keys() - {"manifest.json"}}
        for name in sorted(listed, key=lambda name: (name == "README.md", name == "croissant.json")):
            if name == "croissant.json":
                self._hash_in_croissant(listed)
            counted = file_facts(self.at / name)
            rows = counted["rows"] or listed[name]["rows"]
            listed[name] = {**counted, "rows": rows}
        self._store({**manifest, "files": {name: listed[name] for name in sorted(listed)}})

    def _hash_in_croissant(self, listed: Row) -> None:
        described = json.loads((self.at / "croissant.json").read_bytes())
        for file in described["distribution"]:
            if file["@id"] in listed:
                file["sha256"] = listed[file["@id"]]["sha256"]
                file["contentSize"] = f"{listed[file['@id']]['bytes']} B"
        data = orjson.dumps(described, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        (self.at / "croissant.json").write_bytes(data)

    def write_again(self) -> None:
        """Have our own writers make everything that follows from rows and manifest: nothing contradicts them then."""
        manifest = self.manifest
        with TemporaryDirectory() as room:
            forger = Rewriting(self.at, Path(room), manifest)
            stored = {}
            for path in sorted(self.at.rglob("*")):
                name = path.relative_to(self.at).as_posix()
                if path.is_file() and name in manifest["files"] and forger.is_stored(name):
                    stored[name] = file_facts(path)
                    forger.link(name)
            forger.write(stored, manifest["software"]["version"])
            for name in forger.whole["files"].keys() - stored.keys():
                shutil.copyfile(Path(room) / name, self.at / name)
            self._store(forger.whole)

    def _store(self, manifest: Row) -> None:
        data = orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        (self.at / "manifest.json").write_bytes(data)


def change_anything(of: Forged, draws: Any) -> str:
    """Change one value of one file of the release, and hash everything again; where that was."""
    files = {path: path.read_bytes() for path in sorted(of.at.rglob("*")) if path.is_file()}
    while True:
        path = draws.choice(list(files))
        place = _CHANGES.get(path.suffix, _change_text)(path, draws)
        of.hash_again()
        # Tables without rows have no value, and sizes and hashes of files are made anew.
        if path.read_bytes() != files[path]:
            return f"{path.relative_to(of.at).as_posix()}: {place}"


def _change_text(path: Path, draws: Any) -> str:
    """Another sign in place of a letter or digit."""
    text = path.read_text(encoding="utf-8")
    if not text:
        return "nothing"
    at = draws.choice([n for n, sign in enumerate(text) if sign.isalnum()])
    sign = _other(text[at], draws)
    path.write_bytes(f"{text[:at]}{sign}{text[at + 1 :]}".encode())
    return f"{text[max(0, at - 20) : at]}[{text[at]}→{sign}]"


def _other(value: Any, draws: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + draws.choice([-1, 1])
    if value is None:
        return draws.choice(["x", 1])
    if not value:
        return "x"
    at = draws.randrange(len(value))
    return value[:at] + draws.choice([sign for sign in "abcdefgh12345" if sign != value[at]]) + value[at + 1 :]


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values that hold no others."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    parts = list(inside)
    if not parts:
        yield path
    for name, held in parts:
        yield from _leaves(held, (*path, name))


def _change_value(held: Any, draws: Any) -> str:
    """Change a value somewhere inside."""
    place = draws.choice(list(_leaves(held)))
    for name in place[:-1]:
        held = held[name]
    before = held[place[-1]]
    held[place[-1]] = "x" if isinstance(before, (list, dict)) else _other(before, draws)
    return ".".join(map(str, place))


def _change_json(path: Path, draws: Any) -> str:
    held = json.loads(path.read_bytes())
    if path.name == "manifest.json":
        # Hashes are made again anyway.
        others = {name: value for name, value in held.items() if name != "files"}
        place = _change_value(others, draws)
        held |= others
    else:
        place = _change_value(held, draws)
    path.write_bytes(orjson.dumps(held, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return place


def _change_rows(path: Path, draws: Any) -> str:
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    if not rows:
        return "nothing"
    place = _change_value(rows, draws)
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return place


def _change_parquet(path: Path, draws: Any) -> str:
    table = parquet.read_table(path)
    rows = table.to_pylist()
    if not rows:
        return "nothing"
    place = _change_value(rows, draws)
    try:
        changed = pyarrow.Table.from_pylist(rows, schema=table.schema)
    except (pyarrow.ArrowException, TypeError):
        return _change_parquet(path, draws)
    if changed.equals(table):
        return _change_parquet(path, draws)
    parquet.write_table(changed, path, compression="zstd", store_schema=False)
    return place


_CHANGES: dict[str, Callable[[Path, Any], str]] = {
    ".json": _change_json,
    ".jsonl": _change_rows,
    ".parquet": _change_parquet,
}
