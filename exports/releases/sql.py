"""The statements of a release that the ORM cannot say: freeze all items at once, and read frozen rows in pages.

Each runs unchanged on PostgreSQL and SQLite. Names are constants of this file, values are always parameters. Rows
are frozen and read in the order of their items, so that what lies together is read together, a window of ids at a
time and in no transaction, so that a long export holds nothing.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
from django.db import connection

from annotation.content.shapes import Shape
from annotation.core.database import fetch_rows
from exports.aligned.rules.rows import SourceRow
from exports.releases.rules.machine import ORIGIN, MachineItem, Run
from exports.releases.rules.rows import FrozenVote
from exports.releases.rules.splits import Outcome
from validation.voting.rules.flags import ABOUT_PEOPLE

PAGE = 2000

_FREEZE = """INSERT INTO exports_releaserow (release_id, item_id, "order", key, version, revision_n, votes_n, epoch,
  stage, round, sampled, author_label, gold, gold_from, split, label, label_source, left_out) {of_each}"""
_FROZEN = """SELECT * FROM (SELECT %s, i.id, i.shuffle, i.key, i.version, i.revision_n, i.votes_n, i.epoch,
  i.stage, i.round, i.sampled, i.author_label, i.gold, i.gold_from, '', '', '', ''
FROM annotation_item i WHERE i.project_id = %s ORDER BY i.id) frozen"""

_SAME_ROWS = '"order", key, version, revision_n, votes_n, epoch, stage, round, sampled, author_label, gold, gold_from'
_COPY = f"""INSERT INTO exports_releaserow (release_id, item_id, {_SAME_ROWS}, split, label, label_source, left_out)
SELECT %s, item_id, {_SAME_ROWS}, '', '', '', '' FROM exports_releaserow WHERE release_id = %s ORDER BY id"""  # noqa: S608
_SAME_SOURCES = """source_set, task, shape, "key", unit, unit_revision, position, label, split, data, names, texts,
  unanswerable"""
_COPY_SOURCES = f"""INSERT INTO exports_releasesource (release_id, {_SAME_SOURCES})
SELECT %s, {_SAME_SOURCES} FROM exports_releasesource WHERE release_id = %s ORDER BY id"""  # noqa: S608

# The rows of frozen source sets that are still in, each with its unit's texts as clean-up left them.
_FREEZE_SOURCES = """INSERT INTO exports_releasesource (release_id, source_set, task, shape, "key", unit, unit_revision,
  position, label, split, data, names, texts, unanswerable)
SELECT %s, s.key, s.task, s.shape, e.key, u.key, u.revision,
  e.position, e.label, e.split, e.data, e.fields, u.fields, e.unanswerable
FROM annotation_sourceentry e JOIN annotation_sourceunit u ON u.id = e.unit_id
  JOIN annotation_sourceset s ON s.id = e.source_set_id
WHERE s.project_id = %s AND s.frozen_at IS NOT NULL AND NOT e.removed AND NOT u.removed
ORDER BY s.id, e.position"""

_SOURCE_ROWS = """SELECT id, source_set, task, shape, "key", unit, unit_revision, label, split, data, names, texts,
  unanswerable, position
FROM exports_releasesource WHERE release_id = %s AND id > %s ORDER BY id LIMIT %s"""

_ROWS = """SELECT r.id, r."order", r.item_id, r.key, r.version, r.revision_n, r.votes_n, r.epoch, r.stage, r.round,
  r.sampled, r.author_label, r.gold, r.gold_from, i.author_id, i.target_id, i.origin, i.protocol_id, v.content,
  v.guideline_id, {published}, v.by_id, {columns}
FROM exports_releaserow r JOIN annotation_item i ON i.id = r.item_id
  LEFT JOIN annotation_revision v ON v.item_id = r.item_id AND v.n = r.revision_n {join}
WHERE r.release_id = %s AND r.id > %s AND r.id <= %s"""

_FIRST_AND_LAST_ID = "SELECT MIN(id), MAX(id) FROM exports_releaserow WHERE release_id = %s"

_PLAIN_COLUMNS = 21  # columns of _ROWS before who made the text, and those of the source
# Never changed, so it is that of the time when the release was frozen.
_PUBLISHED = "COALESCE((SELECT split FROM annotation_publishedsplit WHERE item_id = r.item_id), '')"

_ROWS_OF_WINDOW = """FROM exports_releaserow r {join}
WHERE r.release_id = %s AND r.id > %s AND r.id <= %s"""

# All votes of an item as one text: far less to hand over than a row a vote, and most fields are the same again and
# again. The separators stand in no field: labels are keys, and JSON escapes what is below a blank.
_FIELD_SEPARATOR, _VOTE_SEPARATOR = "\x1f", "\x1e"
_VOTE = " || %s || ".join(
    (
        "v.n",
        "v.epoch",
        "v.round",
        "v.annotator_id",
        "v.label",
        "v.answers",
        "COALESCE(CAST(CAST(v.unsure AS INTEGER) AS TEXT), '')",
        "COALESCE(CAST(CAST(v.ambiguous AS INTEGER) AS TEXT), '')",
        "v.revision_n",
        "COALESCE(CAST(v.guideline_id AS TEXT), '')",
        "COALESCE(CAST(v.withdrawn_version AS TEXT), '')",
        "v.withdrawn_why",
        "{comment}",
    )
)
# Item by item: a join of both tables is planned as if a page were a third of them, and then reads every vote.
_VOTES = """SELECT r.item_id,
  (SELECT {joined}({vote}, %s) FROM validation_vote v WHERE v.item_id = r.item_id AND v.n <= r.votes_n)
FROM exports_releaserow r
WHERE r.release_id = %s AND r.id > %s AND r.id <= %s AND r.votes_n > 0"""
_MOST_KEPT = 50_000
# What a vote says of a mark; nothing where it is not known.
_MARK_VALUES: Mapping[str, bool | None] = {"1": True, "0": False, "": None}

# When the rows of a release stood as they do: a version without withdrawn rows has those of the release before.
_FROZEN_AT = "(SELECT COALESCE(frozen_at, at) FROM exports_release WHERE id = r.release_id)"

# A flag without a step is distinguished from a later one by its time.
_FLAGS = """SELECT f.item_id, f.code {within}""".format(
    within=_ROWS_OF_WINDOW.format(
        join="JOIN validation_flag f ON f.item_id = r.item_id AND f.version <= r.version "
        "AND (f.closed_version IS NULL OR f.closed_version > r.version) "
        f"AND f.at <= {_FROZEN_AT}"
    )
)

# Which release is no constant to the planner: one that its statistics do not know has rows all the same.
_EARLIER = """SELECT item_id, split, label, revision_n, votes_n FROM exports_releaserow
WHERE release_id = (SELECT CAST(%s AS BIGINT)) AND item_id {listed}"""

_RECORD_OUTCOMES = """UPDATE exports_releaserow SET split = %s, label = %s, label_source = %s, left_out = %s
WHERE id {listed}"""

# What a machine's items began as, where they are from, and whether their choices were looked at before it was frozen.
_OPTIONS_ASSESSED = f"""EXISTS (SELECT 1 FROM validation_assessment a WHERE a.item_id = r.item_id AND a.part = 'options'
  AND a.at <= {_FROZEN_AT})"""  # noqa: S608
_MACHINE = """SELECT r.item_id, w.content, w.author_label, w.event, {looked}, m.key, m.split, m.data, c.run_id
{within} AND i.origin = %s""".format(
    looked=_OPTIONS_ASSESSED,
    within=_ROWS_OF_WINDOW.format(
        join="JOIN annotation_item i ON i.id = r.item_id "
        "JOIN annotation_revision w ON w.item_id = r.item_id AND w.n = 1 "
        "LEFT JOIN annotation_candidate c ON c.item_id = r.item_id "
        "LEFT JOIN annotation_material m ON m.id = c.material_id"
    ),
)

# A frozen row as `Frozen` has it, and what a machine wrote of one: plain, as they are kept aside.
FrozenRow = tuple[Any, ...]
MachineRow = tuple[Any, ...]
# Rows with an id above the first and up to the second.
Window = tuple[int, int]


def freeze_rows(projects: Mapping[int, int]) -> None:
    """Put down every item of these projects, by the release that each is of: in one statement, which sees all of them
    as they stand at one moment."""
    of_each = " UNION ALL ".join([_FROZEN] * len(projects))
    with connection.cursor() as cursor:
        cursor.execute(_FREEZE.format(of_each=of_each), [n for pair in projects.items() for n in pair])


def freeze_sources(*, release: int, project: int) -> None:
    """Put down the project's source rows as they stand, in one statement: what clean-up changes later is not in it."""
    with connection.cursor() as cursor:
        cursor.execute(_FREEZE_SOURCES, [release, project])


def copy_rows(*, release: int, of: int) -> None:
    """Put down the rows and sources of an earlier release once more, as they stood then."""
    with connection.cursor() as cursor:
        cursor.execute(_COPY, [release, of])
        cursor.execute(_COPY_SOURCES, [release, of])


def source_rows(release: int) -> Iterator[SourceRow]:
    """The source rows of a release; the texts of a unit are one object for all of its rows."""
    last, texts = -1, dict[str, dict[str, str]]()
    while page := fetch_rows(_SOURCE_ROWS, [release, last, PAGE]):
        for (
            pk,
            source_set,
            task,
            shape,
            key,
            unit,
            revision,
            label,
            split,
            data,
            names,
            fields,
            open_,
            place,
        ) in page:
            last = pk
            if unit not in texts:
                texts[unit] = {str(each["key"]): str(each["text"]) for each in orjson.loads(fields)}
            further, named = orjson.loads(data), orjson.loads(names)
            columns = (source_set, task, shape, key, unit, revision, label, split)
            yield SourceRow(*columns, further, named, texts[unit], bool(open_), place)


def windows(release: int) -> Iterator[Window]:
    """Windows that hold every frozen row, none of them more than a page.

    The ids of a release follow one another but where two were frozen at once. Windows, and not so many rows behind
    the last: for those the planner of a large table starts processes of their own, page by page.
    """
    ((first, last),) = fetch_rows(_FIRST_AND_LAST_ID, [release])
    if first is not None:
        yield from ((start, start + PAGE) for start in range(first - 1, last, PAGE))


def record_outcomes(outcome: Outcome, rows: list[int]) -> None:
    """Write one outcome to these rows."""
    listed, ids = _any_of(rows)
    with connection.cursor() as cursor:
        cursor.execute(_RECORD_OUTCOMES.format(listed=listed), [*outcome[:4], ids])


def _any_of(ids: list[int]) -> tuple[str, Any]:
    """How to say "one of these", and its parameter: the ids go as one, not as thousands."""
    if connection.vendor == "postgresql":
        return "= ANY(%s)", ids
    return "IN (SELECT value FROM json_each(%s))", orjson.dumps(ids).decode()


def frozen_rows(release: int, shape: Shape, window: Window, *, published: bool = False) -> list[FrozenRow]:
    """The frozen rows of a window, in any order; with the splits that they were published in where these are read."""
    columns = {"columns": shape.source_columns, "published": _PUBLISHED if published else "''"}
    rows = fetch_rows(_ROWS.format(join=shape.source_join, **columns), [release, *window])
    return [(*row[:_PLAIN_COLUMNS], row[_PLAIN_COLUMNS + 1 :], row[_PLAIN_COLUMNS]) for row in rows]


def machine_rows(release: int, window: Window) -> dict[int, MachineRow]:
    """What a machine wrote of those rows, by item."""
    return {row[0]: row[1:] for row in fetch_rows(_MACHINE, [release, *window, ORIGIN])}


def parse_machine_row(row: Sequence[Any], runs: Mapping[int, Run]) -> MachineItem:
    """What `machine_rows` gives for an item, read."""
    content, label, began, looked, material, split, data, run = row
    first, source = orjson.loads(content), orjson.loads(data or "{}")
    return MachineItem(first, label, began, bool(looked), material or "", split or "", source, runs.get(run))


class Votes:
    """Reads the votes of frozen rows; equal votes are one object."""

    def __init__(self, release: int, *, comments: bool) -> None:
        postgresql = connection.vendor == "postgresql"
        quoted = "CAST(to_json(v.comment) AS TEXT)" if postgresql else "json_quote(v.comment)"
        joined = "string_agg" if postgresql else "group_concat"
        vote = _VOTE.format(comment=quoted if comments else "''")
        self.statement = _VOTES.format(joined=joined, vote=vote)
        self.release = release
        self._known: dict[str, FrozenVote] = {}
        self._lists: dict[str, list[FrozenVote]] = {}

    def votes_by_item(self, window: Window) -> dict[int, str]:
        """Every vote that the rows of a window held when they were frozen, by item, as `parse_votes` takes them."""
        params = [*([_FIELD_SEPARATOR] * _VOTE.count("%s")), _VOTE_SEPARATOR, self.release, *window]
        return dict(fetch_rows(self.statement, params))

    def parse_votes(self, votes: str) -> Sequence[FrozenVote]:
        """An item's votes, in any order."""
        known, lists = self._known, self._lists
        if votes in lists:
            return lists[votes]
        if len(known) + len(lists) > _MOST_KEPT:
            known.clear()
            lists.clear()
        lists[votes] = [known.get(text) or self._read(text) for text in votes.split(_VOTE_SEPARATOR)] if votes else []
        return lists[votes]

    def _read(self, text: str) -> FrozenVote:
        n, epoch, rnd, who, label, answers, unsure, ambiguous, revision, guideline, gone, why, comment = text.split(
            _FIELD_SEPARATOR
        )
        vote = FrozenVote(
            int(n),
            int(epoch),
            int(rnd),
            int(who),
            label,
            answers,
            _MARK_VALUES[unsure],
            _MARK_VALUES[ambiguous],
            orjson.loads(comment) if comment else "",
            int(revision),
            int(guideline) if guideline else None,
            int(gone) if gone else None,
            why,
        )
        self._known[text] = vote
        return vote


def open_flags(release: int, window: Window) -> dict[int, list[str]]:
    """The codes of the flags that were open on those rows; of none that is about a person."""
    flags: dict[int, list[str]] = defaultdict(list)
    for item, code in fetch_rows(_FLAGS, [release, *window]):
        if code not in ABOUT_PEOPLE:
            flags[item].append(code)
    for codes in flags.values():
        codes.sort()  # not by the database, whose collation may differ
    return flags


def earlier_rows(release: int, items: list[int]) -> dict[int, tuple[Any, ...]]:
    """The same items in an earlier release, each as `Earlier` has it."""
    listed, ids = _any_of(items)
    return {row[0]: row[1:] for row in fetch_rows(_EARLIER.format(listed=listed), [release, ids])}
