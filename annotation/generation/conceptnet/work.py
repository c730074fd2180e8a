"""The work file: the assertions in the wanted languages, stored on disk with the position of the reader."""

import io
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from annotation.generation.rules.conceptnet import SYNONYM, node_term, read_assertion
from annotation.text.gettext import gettext_noop
from validation.imports.rules import FileRefused
from validation.imports.rules.compression import open_bytes

FOLDER = "conceptnet"
SAVE_EVERY = 200_000
CACHE_KIB = 64 << 10
BATCH, LONGEST_LINE = 4 << 20, 1 << 20
# ConceptNet 5.7 unpacks to 10 GB; this only stops what never ends.
MOST_UNPACKED = 1 << 40
# Files name some fifty relations; one that names thousands is not ConceptNet, and its names are not all remembered.
MOST_RELATIONS, LONGEST_RELATION, OTHER_RELATIONS = 500, 60, "…"
_OTHER_FILE = gettext_noop(
    "None of the first %(lines)s lines is an assertion of ConceptNet: five columns with tabs between them "
    "(uri, relation, start, end, JSON)."
)
Relations = Mapping[str, frozenset[str]]
Progress = Callable[[int, float], None]
_Key = tuple[bytes, bytes]

_TABLES = """
CREATE TABLE IF NOT EXISTS state (one INTEGER PRIMARY KEY CHECK (one = 1), told TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS edge (language TEXT, relation TEXT, start TEXT, end TEXT);
CREATE TABLE IF NOT EXISTS synonym (language TEXT, a TEXT, b TEXT);
"""
_INDEXES = """
CREATE INDEX IF NOT EXISTS edge_forward ON edge (language, relation, start, end);
CREATE INDEX IF NOT EXISTS edge_backward ON edge (language, relation, end, start);
CREATE INDEX IF NOT EXISTS synonym_pair ON synonym (language, a, b);
"""


# --- the file of assertions, plain or gzip, in batches that end at a line's end -------------------


class LineBatch(NamedTuple):
    """Whole lines without their ends, and where the next one begins; `too_long` ones were passed over.

    `share` is how much of the file's bytes were read, whether packed or not.
    """

    lines: list[bytes]
    offset: int
    too_long: int
    whole: bool
    share: float


def read_batches(path: Path, offset: int = 0) -> Generator[LineBatch, None, None]:
    """The lines in order from an offset of the unpacked bytes; one longer than any of ConceptNet's is passed over.

    Raises FileRefused, and OSError where there is no file.
    """
    size = path.stat().st_size
    if not size:
        raise FileRefused("file_empty", gettext_noop("The file is empty."))
    with path.open("rb", buffering=BATCH) as raw:
        stream: io.BufferedReader[Any] = open_bytes(raw, size, MOST_UNPACKED).stream
        before = offset  # what is packed has to be unpacked again up to there
        while before and (chunk := stream.read(min(before, BATCH))):
            before -= len(chunk)
        rest, passing = b"", False
        while chunk := stream.read(BATCH):
            lines = (rest + chunk).split(b"\n")
            rest = lines.pop()
            if passing and lines:
                lines, passing = lines[1:], False
            elif passing:
                rest = b""
            short = [line for line in lines if len(line) <= LONGEST_LINE]
            too_long = len(lines) - len(short)
            if len(rest) > LONGEST_LINE:
                rest, passing, too_long = b"", True, too_long + 1
            offset += len(chunk)
            yield LineBatch(short, offset - len(rest), too_long, not passing, raw.tell() / size)
        if rest:
            yield LineBatch([rest], offset, 0, True, 1.0)


# --- what was read of it --------------------------------------------------------------------------


@dataclass
class LineCounts:
    """The outcome of the lines. By `language relation`: those not on the list, with the other end in another
    language, and with the same entity at both ends once senses are dropped."""

    offset: int = 0
    lines: int = 0
    malformed: int = 0
    done: bool = False
    unlisted: "Counter[str]" = field(default_factory=Counter)
    foreign: "Counter[str]" = field(default_factory=Counter)
    same: "Counter[str]" = field(default_factory=Counter)

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "LineCounts":
        values: dict[str, Any] = {name: Counter(v) if isinstance(v, dict) else v for name, v in stored.items()}
        return cls(**values)

    def by_relation(self, name: str, language: str) -> dict[str, int]:
        """One of the three, for one language, by relation in order."""
        counted: Counter[str] = getattr(self, name)
        head = f"{language} "
        return {key[len(head) :]: counted[key] for key in sorted(counted) if key.startswith(head)}


def work_path(folder: Path, file: Path, relations: Relations) -> Path:
    """Where the work on a file for these languages and relations is kept: the same file goes on, another begins."""
    size = file.stat().st_size
    digest = sha256(json.dumps([size, {tag: sorted(each) for tag, each in sorted(relations.items())}]).encode())
    with file.open("rb") as raw:
        digest.update(raw.read(1 << 20))
        raw.seek(max(0, size - (1 << 20)))
        digest.update(raw.read(1 << 20))
    return folder / FOLDER / f"{digest.hexdigest()[:24]}.sqlite3"


class WorkFile:
    """A work file, opened by one process alone. `relations` are those wanted, by ConceptNet's language."""

    def __init__(self, path: Path, relations: Relations) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = path
        self.rows = sqlite3.connect(path, timeout=1, isolation_level=None)
        for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", f"cache_size = -{CACHE_KIB}"):
            self.rows.execute(f"PRAGMA {pragma}").fetchall()
        self.rows.executescript(_TABLES)
        state = self.rows.execute("SELECT told FROM state").fetchone()
        self.counts = LineCounts.of(json.loads(state[0])) if state else LineCounts()
        self._wanted = {tag.encode(): frozenset(map(str.encode, each)) for tag, each in relations.items()}
        # What was read since the last save; nearly all lines are only counted, so that is done by bytes.
        self._foreign, self._unlisted = Counter[_Key](), Counter[_Key]()
        self._edges: list[tuple[str, str, str, str]] = []
        self._synonyms: list[tuple[str, str, str]] = []

    def close(self) -> None:
        self.rows.close()

    def remove(self) -> None:
        """Close the file and give its place on the disk back."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def fill(self, file: Path, progress: Progress, every: int = SAVE_EVERY) -> None:
        """Read the file to its end from where it was last saved. Raises FileRefused."""
        counts = self.counts
        if not counts.done:
            saved = counts.lines
            with closing(read_batches(file, counts.offset)) as batches:
                for batch in batches:
                    self._take(batch.lines, batch.too_long)
                    if counts.lines and counts.malformed == counts.lines:
                        raise FileRefused("not_assertions", _OTHER_FILE, lines=counts.lines)
                    counts.offset = batch.offset
                    if batch.whole and counts.lines - saved >= every:
                        self._save()
                        saved = counts.lines
                    progress(counts.lines, batch.share)
            counts.done = True
            self._save()
        # Not before everything is there: an index that grows with each row costs more than one made at once.
        self.rows.executescript(_INDEXES)

    def _take(self, lines: list[bytes], too_long: int) -> None:
        """Sort lines into what is kept and what is only counted."""
        counts, wanted, foreign, synonym = self.counts, self._wanted, self._foreign, SYNONYM.encode()
        counts.lines += len(lines) + too_long
        counts.malformed += too_long
        for line in lines:
            assertion = read_assertion(line)
            if assertion is None:
                # A blank line says nothing, and nothing is wrong with it.
                counts.malformed += bool(line.strip())
                continue
            relation, start, end, language, other = assertion
            if language != other:
                if language in wanted:
                    foreign[language, relation] += 1
                if other in wanted:
                    foreign[other, relation] += 1
            elif language in wanted:
                listed = relation in wanted[language]
                if listed or relation == synonym:
                    self._keep(language, relation, start, end, listed=listed)
                else:
                    self._unlisted[language, relation] += 1

    def _keep(self, language: bytes, relation: bytes, start: bytes, end: bytes, *, listed: bool) -> None:
        one, other = node_term(start), node_term(end)
        if one is None or other is None:
            self.counts.malformed += 1
            return
        if not listed:
            self._unlisted[language, relation] += 1
        tag, name = language.decode(), relation.decode()
        if one == other:
            self.counts.same[f"{tag} {name}"] += listed
            return
        if listed:
            self._edges.append((tag, name, one, other))
        if name == SYNONYM:
            self._synonyms.append((tag, min(one, other), max(one, other)))

    def _save(self) -> None:
        """What was read and how far, in one transaction: after a kill both are there or neither."""
        self.rows.execute("BEGIN IMMEDIATE")
        self.rows.executemany("INSERT INTO edge VALUES (?, ?, ?, ?)", self._edges)
        self.rows.executemany("INSERT INTO synonym VALUES (?, ?, ?)", self._synonyms)
        for here, there in ((self._foreign, self.counts.foreign), (self._unlisted, self.counts.unlisted)):
            for (language, relation), n in here.items():
                key = f"{language.decode()} {relation.decode('utf-8', 'replace')[:LONGEST_RELATION]}"
                fits = key in there or len(there) < MOST_RELATIONS
                there[key if fits else f"{language.decode()} {OTHER_RELATIONS}"] += n
        state = json.dumps(vars(self.counts))
        self.rows.execute("INSERT OR REPLACE INTO state VALUES (1, ?)", (state,))
        self.rows.execute("COMMIT")
        for read_since in (self._foreign, self._unlisted, self._edges, self._synonyms):
            read_since.clear()

    def groups(self, language: str, relation: str, *, backward: bool) -> Iterator[tuple[str, list[str]]]:
        """Each source of a relation with its targets, each once, whatever the order of the lines."""
        start, end = ("end", "start") if backward else ("start", "end")
        rows = self.rows.execute(
            f"SELECT DISTINCT {start}, {end} FROM edge WHERE language = ? AND relation = ? "  # noqa: S608 - our own two names
            f"ORDER BY {start}, {end}",
            (language, relation),
        )
        source, targets = "", list[str]()
        for one, other in rows:
            if one != source and targets:
                yield source, targets
                targets = []
            source = one
            targets.append(other)
        if targets:
            yield source, targets

    def assertions(self, language: str, relation: str) -> int:
        """How many different assertions of a relation there are."""
        query = "SELECT count(*) FROM (SELECT DISTINCT start, end FROM edge WHERE language = ? AND relation = ?)"
        return int(self.rows.execute(query, (language, relation)).fetchone()[0])

    def synonyms(self, language: str, one: str, other: str) -> bool:
        """Whether two terms are Synonyms, in either direction."""
        query = "SELECT 1 FROM synonym WHERE language = ? AND a = ? AND b = ?"
        pair = (language, min(one, other), max(one, other))
        return self.rows.execute(query, pair).fetchone() is not None
