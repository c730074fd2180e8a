"""Further forms of a release: they read the JSON Lines in the folder, and write files beside them.

Forms see files, never the database: whoever has the release can make them again. Bytes are the same for the same
release, so nothing here knows the time, the number of the release, or the order of a set.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from annotation.kinds import Kind
from exports.formats.rules.configs import ENDING, Config, PartIn, configs, library_split_names, path_of
from exports.formats.writers import Sink, write_bytes
from exports.releases.rules.settings import SplitRules

if TYPE_CHECKING:
    import pyarrow

PAGE = 2000


@dataclass(frozen=True)
class Part:
    """One project of a release: its files end in `_suffix` where it has one (`test_lay.jsonl`).

    `project` has slug, name, kind and language; `context` is what was frozen beside the rows (`about` among it),
    `counts` what the card tells.
    """

    project: Mapping[str, Any]
    kind: Kind
    suffix: str
    rules: SplitRules
    context: Mapping[str, Any]
    counts: Mapping[str, Any]


@dataclass(frozen=True)
class ReleaseFiles:
    """A release that is being written. `files` are its files so far, by name: rows, bytes and sha256; forms add theirs.

    `is_public` is whether a file may be handed to everybody: what is not is in no other form. `card_sections` are the
    lines that forms have for the card.
    """

    folder: Path
    parts: tuple[Part, ...]
    software: str
    files: dict[str, dict[str, Any]]
    tick: Callable[[], None] = lambda: None
    is_public: Callable[[str], bool] = field(default=lambda name: True)
    schemas: dict[str, "pyarrow.Schema"] = field(default_factory=dict)  # of files of rows, learnt once
    card_sections: list[str] = field(default_factory=list)

    def lines(self, name: str) -> Iterator[list[bytes]]:
        """The lines of a JSON Lines file of the release, a page at a time."""
        with (self.folder / name).open("rb") as lines:
            while page := list(islice(lines, PAGE)):
                yield page
                self.tick()

    def rows(self, name: str) -> Iterator[list[dict[str, Any]]]:
        """Its rows, a page at a time."""
        return map(parse_lines, self.lines(name))

    def iter_rows(self, name: str) -> Iterator[dict[str, Any]]:
        """Its rows, one after another."""
        return chain.from_iterable(self.rows(name))

    @contextmanager
    def sink(self, name: str) -> Iterator[Sink]:
        """A new file of the release, to append bytes to; its facts are noted once it is closed."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with Sink(path) as sink:
            yield sink
        self.files[name] = sink.facts()

    def put(self, name: str, data: bytes, rows: int = 0) -> None:
        """A small file, whole."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self.files[name] = write_bytes(path, data, rows)


def parse_lines(lines: list[bytes]) -> list[dict[str, Any]]:
    """The rows of these lines."""
    rows: list[dict[str, Any]] = orjson.loads(b"[" + b",".join(lines) + b"]")
    return rows


@dataclass(frozen=True)
class Form:
    """One form: its name in the rules, what it is (shown as help), and what writes its files.

    `card_metadata` gives values for the block of YAML at the head of the card. `applies_to` says whether it means
    anything for a release. Lower `order` is written first.
    """

    slug: str
    title: str
    help: str
    write: Callable[[ReleaseFiles], None]
    order: int = 50
    applies_to: Callable[[ReleaseFiles], bool] = lambda release: True
    card_metadata: Callable[[ReleaseFiles], Mapping[str, Any]] | None = None


def write_forms(release: ReleaseFiles, forms: list[Form]) -> dict[str, Any]:
    """Write every form that fits; what stands at the head of the card."""
    head: dict[str, Any] = {}
    for form in forms:
        if form.applies_to(release):
            form.write(release)
            head |= form.card_metadata(release) if form.card_metadata else {}
            release.tick()
    return head


# --- tables ----------------------------------------------------------------------------


def configs_of(release: ReleaseFiles) -> list[Config]:
    """Its configs; a file that is not open to everybody is in none."""
    parts = [
        PartIn(
            kind=part.kind,
            language=part.project["language"],
            register=_register(release, part.suffix, list(part.counts.get("splits", ()))),
            suffix=part.suffix,
            counts=part.counts,
            context=part.context,
            open_qa=part.rules.open_qa,
        )
        for part in release.parts
    ]
    return configs(parts, [name for name in release.files if release.is_public(name)])


def _register(release: ReleaseFiles, suffix: str, splits: list[str]) -> str:
    """The register of a project with one target: its rows say it, each the same."""
    for name in (path_of(split, suffix) for split in splits):
        if name in release.files and release.files[name]["rows"]:
            return str(next(release.rows(name))[0].get("register", ""))
    return ""


# Where distributions of labels lie, and the columns of their counts.
SOFT_LABELS, LABEL_COUNT, FIRST_VOTES = "distributions", "label_count", "first_votes"


def vote_file(part: Part) -> str:
    """The votes of a project."""
    return path_of("votes", part.suffix)


def soft_label_files(release: ReleaseFiles, part: Part) -> dict[str, str]:
    """The distributions of a project, by the split as libraries call it."""
    splits = list(part.counts.get("splits", ()))
    named = {split: f"{SOFT_LABELS}/{path_of(split, part.suffix)}" for split in splits}
    loaded = library_split_names(splits)
    return {loaded[split]: path for split, path in named.items() if path in release.files}


def own_split_names(release: ReleaseFiles) -> dict[str, str]:
    """The names of splits on the card by what libraries call them, with their project's suffix where there are more."""
    result: dict[str, str] = {}
    for part in release.parts:
        end = f"_{part.suffix}" if part.suffix else ""
        loaded = library_split_names(list(part.counts.get("splits", ())))
        result |= {f"{name}{end}": f"{split}{end}" for split, name in loaded.items()}
    return result


@dataclass(frozen=True)
class Table:
    """Files with the same columns: the splits of a config, or one file by itself (`votes.jsonl`)."""

    files: tuple[str, ...]
    schema: "pyarrow.Schema"


def tables(release: ReleaseFiles) -> Iterator[Table]:
    """Every table with a row, and votes; what is not open to everybody is in none."""
    configs = [tuple(config.splits.values()) for config in configs_of(release)]
    configs += [files for part in release.parts if (files := tuple(soft_label_files(release, part).values()))]
    taken = {name for files in configs for name in files}
    alone = [
        (name,) for name in release.files if name not in taken and name.endswith(ENDING) and release.is_public(name)
    ]
    from exports.formats.rules.columns import RECORDS, VOTE, schema_of

    records = RECORDS.union(*(part.kind.export.records for part in release.parts))
    if not any(part.kind.question.has_free_answers for part in release.parts):
        records |= {LABEL_COUNT, FIRST_VOTES}
    votes = {vote_file(part): part.kind.export.id_column for part in release.parts}

    for files in [*configs, *alone]:
        if files[0] not in release.schemas:
            pages = (page for name in files for page in release.rows(name))
            schema = schema_of(pages, records)
            if not schema.names and files[0] in votes:
                # Nobody voted: the columns that every vote has.
                schema = schema_of([[{votes[files[0]]: "", **VOTE}]])
            release.schemas.update(dict.fromkeys(files, schema))
        if release.schemas[files[0]].names:
            yield Table(files, release.schemas[files[0]])


def path_in_folder(name: str, folder: str) -> str:
    """A file of another form, by the file of JSON Lines that it is made of: `test.jsonl` is `csv/test.csv`."""
    return f"{folder}/{name.removesuffix(ENDING)}.{folder}"
