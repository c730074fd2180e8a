"""Earnings in one statement: the entries of the ledger, and what follows from the work done since.

An action has the rate of its moment: a target's own before the project's, 0 ends it. An action without an entry is
open, whenever it was done. One with an entry is open again by the difference where it does not stand any more, or
counts other units: that is an adjusting entry. One statement for PostgreSQL and SQLite; values are parameters.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import prefetch_related_objects

from annotation.core.database import fetch_rows
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.pay.models import Adjustment, Approval, LedgerEntry
from annotation.pay.sources import ACTION_COLUMNS, all_sources

CHUNK = 2000
EXACT = Decimal("0.0001")

_PRICE = """price AS (SELECT t.id AS target_id, r.id, r.action, r.unit, r.amount, r.at AS since,
    LEAD(r.at) OVER (PARTITION BY t.id, r.action ORDER BY r.id) AS until
  FROM annotation_rate r JOIN annotation_target t ON t.project_id = r.project_id
    AND (r.target_id IS NULL OR r.target_id = t.id)
  WHERE r.project_id IN (SELECT project_id FROM who) AND NOT (r.target_id IS NULL AND EXISTS (
    SELECT 1 FROM annotation_rate o WHERE o.target_id = t.id AND o.action = r.action AND o.id < r.id)))"""
_FROZEN = """frozen AS (SELECT l.id, l.key, l.n, l.annotator_id, l.target_id, l.item_id, l.rate_id, l.at, l.units,
    l.amount, l.approval_id
  FROM who w JOIN annotation_ledgerentry l ON l.annotator_id = w.id)"""
_ADJUSTED = """adjusted AS (SELECT a.key, a.units, a.answered_at AS at,
    ROW_NUMBER() OVER (PARTITION BY a.key ORDER BY a.answered_at DESC, a.id DESC) AS newest
  FROM who w JOIN annotation_adjustment a ON a.annotator_id = w.id WHERE a.units IS NOT NULL)"""
# One row an action, of what was done, what was approved and what was said of it. Added up, not joined: joined by keys
# that the planner knows nothing of, it compared each with each once the ledger had grown.
_STATE = """done AS (SELECT x.*, p.id AS rate_id FROM acts x JOIN price p ON p.target_id = x.target_id
    AND p.action = x.action AND x.at >= p.since AND (p.until IS NULL OR x.at < p.until)
  WHERE p.amount > 0),
state AS (SELECT key{plain} AS key, MAX(action) AS action, MAX(annotator_id) AS annotator_id,
    MAX(target_id) AS target_id, MAX(item_id) AS item_id, MAX(part) AS part, MAX(at) AS at,
    MAX(rate_id) AS rate_id, MAX(stands) AS stands,
    MAX(n) AS n, SUM(units) AS units, MAX(first) AS first, MAX(paid_rate) AS paid_rate, MAX(said) AS said,
    MAX(said_at) AS said_at
  FROM (SELECT key, action, annotator_id, target_id, item_id, part, at, rate_id, 1 AS stands, 0 AS n, 0 AS units,
      {no} AS first, {no} AS paid_rate, {no} AS said, NULLIF(at, at) AS said_at FROM done
    UNION ALL SELECT key, '', annotator_id, target_id, item_id, {no}, NULLIF(at, at), {no}, 0, n, units,
      CASE WHEN n = 1 THEN units END, rate_id, {no}, NULLIF(at, at) FROM frozen
    UNION ALL SELECT key, '', {no}, {no}, {no}, {no}, NULLIF(at, at), {no}, 0, 0, 0, {no}, {no}, units, at
      FROM adjusted WHERE newest = 1) rows
  GROUP BY 1)"""
# Materialized: what an action counts is looked up once.
_COUNTED = """counted AS MATERIALIZED (SELECT d.*, p.amount AS price, {counts} AS counts
  FROM state d JOIN annotation_rate p ON p.id = d.rate_id WHERE d.n = 0 AND d.stands = 1)"""
_DUE = """due AS (SELECT s.key, s.n + 1 AS n, s.annotator_id, s.target_id, s.item_id, r.id AS rate_id,
    r.amount AS price, CASE WHEN s.stands = 0 THEN {now} ELSE s.said_at END AS at,
    CASE WHEN s.stands = 0 THEN 0 ELSE COALESCE(s.said, s.first) END - s.units AS units
  FROM state s JOIN annotation_rate r ON r.id = s.paid_rate WHERE s.n > 0)"""
_EARNING = """earning AS (SELECT id, key, n, annotator_id, target_id, item_id, rate_id, at, units, amount, approval_id
  FROM frozen
  UNION ALL SELECT NULL, key, 1, annotator_id, target_id, item_id, rate_id, at, COALESCE(said, counts),
    {worth_counted}, NULL FROM counted WHERE counts > 0
  UNION ALL SELECT NULL, key, n, annotator_id, target_id, item_id, rate_id, at, units, {worth_due}, NULL
    FROM due WHERE units <> 0)"""
_NAME_JOINS = """JOIN annotation_annotator w ON w.id = e.annotator_id JOIN annotation_rate r ON r.id = e.rate_id
  JOIN annotation_target t ON t.id = e.target_id JOIN annotation_project p ON p.id = w.project_id"""
_ITEM = "LEFT JOIN annotation_item i ON i.id = e.item_id"
# An adjusting entry waits for no answer.
_DISPUTED = "(e.n = 1 AND e.key IN (SELECT key FROM annotation_adjustment WHERE answered_at IS NULL))"
# The public name of an entry: a number would reveal how much others did meanwhile.
_TOKEN = "md5(e.key || p.secret)"  # noqa: S105


@cache
def _named_queries(vendor: str) -> str:
    """The statement's parts behind `who`."""
    postgres = vendor == "postgresql"
    sources = all_sources()
    acts = " UNION ALL ".join(f"SELECT '{each.action}', x.* FROM ({each.rows}) x" for each in sources)  # noqa: S608
    counts = " ".join(
        f"WHEN '{each.action}' THEN CASE p.unit "
        + " ".join(f"WHEN '{unit}' THEN {counted}" for unit, counted in each.units.items())
        + " END"
        for each in sources
    )
    worth = "price * {}" if postgres else "round(price * {}, 4)"
    now = "statement_timestamp()" if postgres else "strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now')"
    return ", ".join(
        [
            _PRICE,
            f"acts(action, {', '.join(ACTION_COLUMNS)}) AS ({acts})",
            _FROZEN,
            _ADJUSTED,
            _STATE.format(no="CAST(NULL AS bigint)", plain=' COLLATE "C"' if postgres else ""),
            _COUNTED.format(counts=f"CASE d.action {counts} END"),
            _DUE.format(now=now),
            _EARNING.format(worth_counted=worth.format("COALESCE(said, counts)"), worth_due=worth.format("units")),
        ]
    )


@dataclass(frozen=True)
class Scope:
    """Whose pay a statement is about: a condition on `annotation_annotator a`."""

    where: str
    params: tuple[Any, ...]

    @classmethod
    def of_project(cls, project: Project, people: Sequence[int] | None = None) -> "Scope":
        """Everybody of a project, or these people of it."""
        if people is None:
            return cls("a.project_id = %s", (project.pk,))
        marks = ", ".join(["%s"] * len(people)) or "NULL"
        return cls(f"a.project_id = %s AND a.id IN ({marks})", (project.pk, *people))

    @classmethod
    def of_person(cls, project: Project, pseudonym: str) -> "Scope":
        """One person of a project."""
        return cls("a.project_id = %s AND a.pseudonym = %s", (project.pk, pseudonym))

    @classmethod
    def of_user(cls, user: User) -> "Scope":
        """One person in all their projects, also where they left."""
        return cls("a.user_id = %s", (user.pk,))

    @property
    def statement(self) -> str:
        """What comes before each SELECT."""
        people = f"SELECT a.id, a.project_id FROM annotation_annotator a WHERE {self.where}"  # noqa: S608
        return f"WITH who AS ({people}), {_named_queries(connection.vendor)} "


@dataclass(frozen=True)
class EntryFilter:
    """Which entries of a scope: a condition on `e`, the entry, and where they are only summed on `i`, its item."""

    where: str = "1 = 1"
    params: tuple[Any, ...] = ()


ALL_ENTRIES = EntryFilter()
# What somebody earned and nobody approved, disputed or not; adjusting entries are no work.
OPEN_ENTRIES = EntryFilter("e.approval_id IS NULL AND e.n = 1 AND e.units > 0")
_DONE = "e.at >= %s AND e.at < %s"
_NO_VOTE = "e.rate_id IN (SELECT id FROM annotation_rate WHERE action <> 'vote')"


def done_between(begin: datetime, over: datetime) -> EntryFilter:
    """Done from a moment on, and before another."""
    return EntryFilter(_DONE, (_moment(begin), _moment(over)))


def done_without_votes(begin: datetime, over: datetime) -> EntryFilter:
    """The same without votes: for who must not learn that others voted."""
    return EntryFilter(f"{_DONE} AND {_NO_VOTE}", (_moment(begin), _moment(over)))


def approvable_until(until: datetime) -> EntryFilter:
    """What can be approved: done before a moment, not approved and not disputed; and every adjusting entry."""
    return EntryFilter(f"e.approval_id IS NULL AND (e.n > 1 OR e.at < %s AND NOT {_DISPUTED})", (_moment(until),))


def first_entry_of_token(token: UUID) -> EntryFilter:
    """The first entry of the action that has this token."""
    return EntryFilter(f"e.n = 1 AND {_TOKEN} = %s", (token.hex,))


def _moment(moment: datetime) -> Any:
    return connection.ops.adapt_datetimefield_value(moment)


class EntrySum(NamedTuple):
    """Entries counted together: what they have in common, how many, their units and amounts, all exact.

    `approved` and `disputed` are the parts of the amount that were approved, and that are disputed and were not.
    """

    by: tuple[Any, ...]
    entries: int
    units: int
    amount: Decimal
    approved: Decimal
    disputed: Decimal


def sum_entries(scope: Scope, by: Sequence[str], which: EntryFilter = ALL_ENTRIES) -> list[EntrySum]:
    """Entries by these columns, in their order: of `w`, `r`, `t`, `p`, and the entry's `e.item_id`."""
    return sum_entries_at_once(scope, (by, which))[0]


def sum_entries_at_once(scope: Scope, *asked: tuple[Sequence[str], EntryFilter]) -> list[list[EntrySum]]:
    """Several such sums in one statement: what was earned is the dear part, and is made out once for all of them."""
    wide = max(len(by) for by, _ in asked)
    sums = " UNION ALL ".join(_sums_sql(n, by, which, wide) for n, (by, which) in enumerate(asked))
    order = ", ".join(str(place + 1) for place in range(wide + 1))
    params = [each for _, which in asked for each in which.params]
    found: list[list[EntrySum]] = [[] for _ in asked]
    for n, *row in fetch_rows(f"{scope.statement} {sums} ORDER BY {order}", [*scope.params, *params]):
        names = tuple(row[: len(asked[n][0])])
        amounts = (Decimal(str(each)).quantize(EXACT) for each in row[-3:])
        found[n].append(EntrySum(names, int(row[-5]), int(row[-4]), *amounts))
    return found


def _sums_sql(n: int, by: Sequence[str], which: EntryFilter, wide: int) -> str:
    """Entries added up by what they refer to before what that is called is looked up."""
    names, own = ", ".join(by), "e.annotator_id, e.rate_id, e.target_id"
    own += ", e.item_id" if "e.item_id" in by else ""
    padded = ", ".join([*by, *["NULL"] * (wide - len(by))])
    return (
        f"SELECT {n}, {padded}, SUM(e.n), SUM(e.units), SUM(e.amount), SUM(e.approved), SUM(e.disputed) "  # noqa: S608
        f"FROM (SELECT {own}, COUNT(*) AS n, SUM(e.units) AS units, SUM(e.amount) AS amount, "
        "SUM(CASE WHEN e.approval_id IS NULL THEN 0 ELSE e.amount END) AS approved, "
        f"SUM(CASE WHEN e.approval_id IS NULL AND {_DISPUTED} THEN e.amount ELSE 0 END) AS disputed "
        f"FROM earning e {_ITEM} WHERE {which.where} GROUP BY {own}) e {_NAME_JOINS} GROUP BY {names}"
    )


def entries(
    scope: Scope,
    which: EntryFilter = ALL_ENTRIES,
    *,
    order: str = "e.at, e.key, e.n",
    page: tuple[int, int] | None = None,
) -> Iterator[LedgerEntry]:
    """Entries with `token`, `disputed` and `said`; those that nobody approved are not stored. `page` is a slice."""
    limits, bounds = ("", ()) if page is None else (" LIMIT %s OFFSET %s", (page[1] - page[0], page[0]))
    found = LedgerEntry.objects.raw(
        f"{scope.statement} SELECT e.*, {_TOKEN} AS digest, CASE WHEN {_DISPUTED} THEN 1 ELSE 0 END AS disputed "  # noqa: S608
        f"FROM earning e {_NAME_JOINS} WHERE {which.where} ORDER BY {order}{limits}",
        [*scope.params, *which.params, *bounds],
    ).iterator()
    chunk: list[LedgerEntry] = []
    for entry in found:
        chunk.append(entry)
        if len(chunk) == CHUNK:
            yield from _with_references(chunk)
            chunk = []
    yield from _with_references(chunk)


def _with_references(chunk: list[LedgerEntry]) -> list[LedgerEntry]:
    """The same with what they refer to, and what was said of their actions."""
    prefetch_related_objects(chunk, "annotator__project", "annotator__user", "target", "item", "rate", "approval")
    adjustments: dict[str, list[Adjustment]] = {each.key: [] for each in chunk}
    about = Adjustment.objects.filter(key__in=adjustments).select_related("answered_by").order_by("pk")
    for each in about if chunk else ():
        adjustments[each.key].append(each)
    for entry in chunk:
        entry.said = adjustments[entry.key]
    return chunk


class EntryList(Sequence[LedgerEntry]):
    """Entries of a scope, newest first, for a paginator: of a slice no more is read. `n` is how many there are."""

    def __init__(self, scope: Scope, which: EntryFilter, n: int) -> None:
        self.scope, self.which, self.n = scope, which, n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, slice):
            return self[place : place + 1][0]
        begin, end, _ = place.indices(self.n)
        return list(entries(self.scope, self.which, order="e.at DESC, e.key DESC, e.n DESC", page=(begin, end)))


def store_approved(scope: Scope, approval: Approval, until: datetime) -> int:
    """Write what can be approved into the ledger, in the caller's transaction; how many entries there are now."""
    which = approvable_until(until)
    names = "key, n, annotator_id, target_id, item_id, rate_id, at, units, amount"
    taken = ", ".join(f"e.{name}" for name in names.split(", "))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO annotation_ledgerentry (approval_id, {names}) "  # noqa: S608
            f"{scope.statement} SELECT CAST(%s AS bigint), {taken} FROM earning e WHERE {which.where}",
            [*scope.params, approval.pk, *which.params],
        )
        return int(cursor.rowcount)
