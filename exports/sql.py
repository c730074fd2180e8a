"""The statements of a release that the ORM cannot say: freeze all items at once, and read frozen rows in pages.

Each runs unchanged on PostgreSQL and SQLite. Names are constants of this file, values are always parameters. Rows
are read by keyset on (order, id), a page at a time and in no transaction, so that a long export holds nothing.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
from django.db import connection

from exports.rules.aligned import SourceRow
from exports.rules.changes import Earlier
from exports.rules.machine import ORIGIN, Machine, Run
from exports.rules.rows import Frozen, FrozenVote
from exports.rules.splits import Outcome

PAGE = 2000

_FREEZE = """INSERT INTO exports_releaserow (release_id, item_id, "order", key, version, revision_n, votes_n, epoch,
  stage, round, sampled, author_label, gold, gold_from, split, label, label_source, left_out)
SELECT %s, i.id, i.shuffle, i.key, i.version, i.revision_n, i.votes_n, i.epoch,
  i.stage, i.round, i.sampled, i.author_label, i.gold, i.gold_from, '', '', '', ''
FROM annotation_item i WHERE i.project_id = %s ORDER BY i.shuffle"""

# Where the source of an item stands, by the shape of its kind: a join, and (key, class, document or category, extra).
SOURCES: Mapping[str, tuple[str, str]] = {
    "pair": (
        "LEFT JOIN annotation_hypothesis h ON h.item_id = r.item_id "
        "LEFT JOIN annotation_premise p ON p.id = h.premise_id",
        "p.key, p.sentence_class, p.document, p.extra",
    ),
    "qa": (
        "LEFT JOIN annotation_qapair q ON q.item_id = r.item_id "
        "LEFT JOIN annotation_concept c ON c.id = q.concept_id",
        "c.key, '', c.category, c.extra",
    ),
    "units": (
        "LEFT JOIN annotation_translation t ON t.item_id = r.item_id "
        "LEFT JOIN annotation_sourceunit u ON u.id = t.unit_id LEFT JOIN annotation_sourceset s "
        "ON s.id = u.source_set_id",
        "u.key, '', s.key, s.origin",
    ),
}

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

_STANDINGS = """SELECT r.id, r."order", i.lane_id, r.stage, r.sampled, r.gold, r.gold_from, v.content
FROM exports_releaserow r JOIN annotation_item i ON i.id = r.item_id
  LEFT JOIN annotation_revision v ON v.item_id = r.item_id AND v.n = r.revision_n
WHERE r.release_id = %s AND (r."order", r.id) > (%s, %s) ORDER BY r."order", r.id LIMIT %s"""

_ROWS = """SELECT r.id, r."order", r.item_id, r.key, r.version, r.revision_n, r.votes_n, r.epoch, r.stage, r.round,
  r.sampled, r.author_label, r.gold, r.gold_from, i.author_id, i.lane_id, i.origin, i.protocol_id, v.content,
  v.guideline_id, v.by_id, {columns}
FROM exports_releaserow r JOIN annotation_item i ON i.id = r.item_id
  LEFT JOIN annotation_revision v ON v.item_id = r.item_id AND v.n = r.revision_n {join}
WHERE r.release_id = %s AND (r."order", r.id) > (%s, %s) ORDER BY r."order", r.id LIMIT %s"""

_PLAIN = 20  # columns of _ROWS before who made the text, and those of the source

_WITHIN = """FROM exports_releaserow r {join}
WHERE r.release_id = %s AND (r."order", r.id) > (%s, %s) AND (r."order", r.id) <= (%s, %s)"""

# All votes of an item as one text: far less to hand over than a row a vote, and most fields are the same again and
# again. The separators stand in no field: labels are keys, and JSON escapes what is below a blank.
_BETWEEN, _AFTER = "\x1f", "\x1e"
_VOTE = " || %s || ".join(
    (
        "v.n",
        "v.epoch",
        "v.round",
        "v.annotator_id",
        "v.label",
        "v.answers",
        "CAST(v.unsure AS INTEGER)",
        "CAST(v.ambiguous AS INTEGER)",
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
WHERE r.release_id = %s AND (r."order", r.id) > (%s, %s) AND (r."order", r.id) <= (%s, %s) AND r.votes_n > 0
ORDER BY r."order", r.id LIMIT {page}"""
_MOST_KEPT = 50_000

# A flag that no step came with is told from a later one by its time.
_FLAGS = """SELECT f.item_id, f.code {within}""".format(
    within=_WITHIN.format(
        join="JOIN validation_flag f ON f.item_id = r.item_id AND f.version <= r.version "
        "AND (f.closed_version IS NULL OR f.closed_version > r.version) "
        "AND f.at <= (SELECT at FROM exports_release WHERE id = r.release_id)"
    )
)

_TEXTS = """SELECT r.id, r."order", r.key, r.stage, r.sampled, r.gold, r.author_label, i.origin, v.content
FROM exports_releaserow r JOIN annotation_item i ON i.id = r.item_id
  LEFT JOIN annotation_revision v ON v.item_id = r.item_id AND v.n = r.revision_n
WHERE r.release_id = %s AND (r."order", r.id) > (%s, %s) AND r.stage IN ({stages})
ORDER BY r."order", r.id LIMIT %s"""

_EARLIER = """SELECT item_id, split, label, revision_n, votes_n FROM exports_releaserow
WHERE release_id = %s AND "order" > %s AND "order" <= %s"""

_PUT_DOWN = """UPDATE exports_releaserow SET split = %s, label = %s, label_source = %s, left_out = %s
WHERE id {listed}"""

# What a machine's items began as, where they are from, and whether their choices were looked at before it was frozen.
_LOOKED = """EXISTS (SELECT 1 FROM validation_assessment a WHERE a.item_id = r.item_id AND a.part = 'options'
  AND a.at <= (SELECT at FROM exports_release WHERE id = r.release_id))"""
_MACHINE = """SELECT r.item_id, w.content, w.author_label, w.event, {looked}, m.key, m.split, m.data, c.run_id
{within} AND i.origin = %s""".format(
    looked=_LOOKED,
    within=_WITHIN.format(
        join="JOIN annotation_item i ON i.id = r.item_id "
        "JOIN annotation_revision w ON w.item_id = r.item_id AND w.n = 1 "
        "LEFT JOIN annotation_candidate c ON c.item_id = r.item_id "
        "LEFT JOIN annotation_material m ON m.id = c.material_id"
    ),
)

Key = tuple[int, int]
FIRST: Key = (-1, -1)


class Dealt(NamedTuple):
    """Where a row stands, as far as deals read it."""

    key: str
    stage: str
    sampled: bool
    gold: str
    author_label: str
    origin: str


def freeze_rows(*, release: int, project: int) -> int:
    """Put down every item of the project as it stands, in one statement; how many there are."""
    with connection.cursor() as cursor:
        cursor.execute(_FREEZE, [release, project])
        return int(cursor.rowcount)


def freeze_sources(*, release: int, project: int) -> None:
    """Put down the project's source rows as they stand, in one statement: what clean-up changes later is not in it."""
    with connection.cursor() as cursor:
        cursor.execute(_FREEZE_SOURCES, [release, project])


def source_rows(release: int) -> Iterator[SourceRow]:
    """The source rows of a release; the texts of a unit are one object for all of its rows."""
    last, texts = -1, dict[str, dict[str, str]]()
    while page := fetch(_SOURCE_ROWS, [release, last, PAGE]):
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
            told = (source_set, task, shape, key, unit, revision, label, split)
            yield SourceRow(*told, further, named, texts[unit], bool(open_), place)


def standings(release: int) -> Iterator[tuple[int, tuple[str, bool, str, str], dict[str, Any]]]:
    """Lane, (stage, sampled, gold, gold from) and content of every row."""
    last = FIRST
    while page := fetch(_STANDINGS, [release, *last, PAGE]):
        for _, _, lane, stage, sampled, gold, gold_from, content in page:
            yield lane, (stage, bool(sampled), gold, gold_from), orjson.loads(content or "{}")
        last = (page[-1][1], page[-1][0])


def put_down(outcome: Outcome, ids: list[int]) -> None:
    """Write one outcome to these rows; the ids go as one parameter, not as thousands."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_PUT_DOWN.format(listed="= ANY(%s)"), [*outcome[:4], ids])
        else:
            listed = "IN (SELECT value FROM json_each(%s))"
            cursor.execute(_PUT_DOWN.format(listed=listed), [*outcome[:4], orjson.dumps(ids).decode()])


def fetch(statement: str, params: list[Any]) -> list[tuple[Any, ...]]:
    """Run one statement and give its rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def frozen_page(release: int, shape: str, after: Key) -> list[Frozen]:
    """The next page of frozen rows in drawn order; empty behind the last."""
    join, columns = SOURCES[shape]
    statement = _ROWS.format(join=join, columns=columns)
    rows = fetch(statement, [release, *after, PAGE])
    return [Frozen._make((*row[:_PLAIN], row[_PLAIN + 1 :], row[_PLAIN])) for row in rows]


def machine_of(release: int, after: Key, upto: Key, runs: Mapping[int, Run]) -> dict[int, Machine]:
    """What a machine wrote of those rows, by item."""
    found = {}
    rows = fetch(_MACHINE, [release, *after, *upto, ORIGIN])
    for item, content, label, began, looked, material, split, data, run in rows:
        first, source = orjson.loads(content), orjson.loads(data or "{}")
        told = (bool(looked), material or "", split or "", source, runs.get(run))
        found[item] = Machine(first, label, began, *told)
    return found


class Votes:
    """Reads the votes of frozen rows; equal votes are one object."""

    def __init__(self, release: int, *, comments: bool) -> None:
        postgresql = connection.vendor == "postgresql"
        quoted = "CAST(to_json(v.comment) AS TEXT)" if postgresql else "json_quote(v.comment)"
        joined = "string_agg" if postgresql else "group_concat"
        vote = _VOTE.format(comment=quoted if comments else "''")
        self.statement = _VOTES.format(joined=joined, vote=vote, page=PAGE)
        self.release = release
        self._known: dict[str, FrozenVote] = {}

    def of(self, after: Key, upto: Key) -> dict[int, list[FrozenVote]]:
        """Every vote that the rows after `after` up to `upto` held when they were frozen, by item, in any order."""
        params = [*([_BETWEEN] * _VOTE.count("%s")), _AFTER, self.release, *after, *upto]
        known, read = self._known, self._read
        if len(known) > _MOST_KEPT:
            known.clear()
        return {
            item: [known.get(told) or read(told) for told in votes.split(_AFTER)]
            for item, votes in fetch(self.statement, params)
        }

    def _read(self, told: str) -> FrozenVote:
        n, epoch, rnd, who, label, answers, unsure, ambiguous, revision, guideline, gone, why, comment = (
            told.split(_BETWEEN)
        )
        vote = FrozenVote(
            int(n),
            int(epoch),
            int(rnd),
            int(who),
            label,
            answers,
            unsure == "1",
            ambiguous == "1",
            orjson.loads(comment) if comment else "",
            int(revision),
            int(guideline) if guideline else None,
            int(gone) if gone else None,
            why,
        )
        self._known[told] = vote
        return vote


def flags_of(release: int, after: Key, upto: Key) -> dict[int, list[str]]:
    """The codes of the flags that were open on those rows."""
    flags: dict[int, list[str]] = defaultdict(list)
    for item, code in fetch(_FLAGS, [release, *after, *upto]):
        flags[item].append(code)
    for codes in flags.values():
        codes.sort()  # not by the database, whose collation may differ
    return flags


def dealt_rows(release: int, stages: Sequence[str]) -> Iterator[tuple[Dealt, dict[str, Any]]]:
    """What deals read of every row of these stages, and its content."""
    statement, last = _TEXTS.format(stages=", ".join(["%s"] * len(stages))), FIRST
    while page := fetch(statement, [release, *last, *stages, PAGE]):
        for row in page:
            facts = Dealt(row[2], row[3], bool(row[4]), row[5], row[6], row[7])
            yield facts, orjson.loads(row[8] or "{}")
        last = (page[-1][1], page[-1][0])


def earlier(release: int, after: Key, upto: Key) -> dict[int, Earlier]:
    """The same items in an earlier release: an item keeps its drawn order for ever.

    By page and without a join: to the planner's statistics a release that was just frozen has no rows.
    """
    rows = fetch(_EARLIER, [release, after[0], upto[0]])
    return {row[0]: Earlier._make(row[1:]) for row in rows}
