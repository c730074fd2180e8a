"""The statements of the vote path: find an assignment, store its vote, take the next slot and assign it.

Most of them the ORM could say as well, but building them cost half of a vote's time. They run unchanged on PostgreSQL
and SQLite but for the clock and SKIP LOCKED, which SQLite does not need: a transaction there holds the whole file.
Names come from the models, values are always parameters.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

import orjson
from django.db import connection

from validation.consensus.stages import VOTING
from validation.voting.contributors import CONTRIBUTION_TABLES, took_part_sql
from validation.voting.gold_sql import SELECT_WITH_GOLD, SOURCE_TELLS_NOTHING
from validation.voting.models.assignment import SCREEN_PLACES

CANDIDATES = 8
SCREEN_PLACES_SQL = ", ".join(map(str, SCREEN_PLACES))


class Slot(NamedTuple):
    """A slot just taken from the queue, with the key of its item and the content of the revision that is shown."""

    item: int
    epoch: int
    round: int
    author: int | None
    family: int
    priority: int
    shuffle: int
    revision_n: int
    key: str
    content: str
    protocol: str
    project: int


class Offer(NamedTuple):
    """An item that somebody was just assigned, with all that its card shows."""

    token: str
    slot: Slot
    drawn_with: str
    annotator: str
    language: str


def _is_postgres() -> bool:
    return connection.vendor == "postgresql"


def now_sql(seconds: str = "") -> str:
    """The database's clock in a statement, or so many seconds later."""
    if _is_postgres():
        return "statement_timestamp()" + (f" + make_interval(secs => {seconds})" if seconds else "")
    moment = "strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now'"
    return f"{moment}, '+' || {seconds} || ' seconds')" if seconds else f"{moment})"


class HeldAssignment(NamedTuple):
    """A person's assignment and all that a vote needs to know beside it; the item's row is locked."""

    assignment: int
    state: str
    epoch: int
    seconds: float
    item: int
    item_key: str
    item_stage: str
    item_epoch: int
    item_round: int
    slots_free: int
    pending: int
    votes_n: int
    revision_n: int
    content: str | None
    annotator: int
    annotator_pseudonym: str
    target: int
    target_language: str
    buckets: int
    project: int
    project_kind: str
    drawn_with: str
    seed: str
    secret: str
    project_settings: str
    project_closed: bool
    guideline: int | None
    cursor: int | None
    positions: str | None
    recent: str | None
    family: int
    project_language: str
    target_name: str
    target_register: str
    target_ended: bool
    placed: bool
    protocol: str
    place: int
    token: str
    item_project: int
    paused: bool
    qualified: bool
    dealt: str | None
    limits: str | None
    moment: float
    item_revision: int

    @property
    def has_ended(self) -> bool:
        """Whether the item waits for no vote of this assignment any more."""
        return self.item_stage != VOTING or self.epoch != self.item_epoch


_HELD_ASSIGNMENT = """SELECT s.id, s.state, s.epoch, {seconds}, i.id, i.key, i.stage, i.epoch, i.round, i.slots_free,
  i.pending, i.votes_n, s.revision_n,
  (SELECT r.content FROM annotation_revision r WHERE r.item_id = i.id AND r.n = s.revision_n),
  a.id, a.pseudonym, l.id, l.language, l.buckets, p.id, p.kind,
  CASE WHEN s.by_secret THEN p.secret ELSE p.seed END, p.seed, p.secret, p.settings, p.closed_at IS NOT NULL,
  (SELECT g.id FROM annotation_guidelineversion g WHERE g.project_id = p.id AND g.role = 'validation'
   ORDER BY g.n DESC LIMIT 1), c.id, c.positions, c.recent,
  i.family, p.language, l.name, l.register, l.ended_at IS NOT NULL,
  NOT l.members_only OR EXISTS (SELECT 1 FROM annotation_targetmember t
    WHERE t.target_id = s.target_id AND t.annotator_id = s.annotator_id), v.rules, s.place, s.token,
  i.project_id, a.paused_at IS NOT NULL, a.qualified_at IS NOT NULL, c.dealt, d.limits, {moment}, i.revision_n
FROM validation_assignment s JOIN annotation_item i ON i.id = s.item_id
  JOIN annotation_protocolversion v ON v.id = i.protocol_id JOIN annotation_target l ON l.id = s.target_id
  JOIN annotation_annotator a ON a.id = s.annotator_id JOIN annotation_project p ON p.id = l.project_id
  JOIN annotation_user u ON u.id = a.user_id
  LEFT JOIN validation_cursor c ON c.annotator_id = a.id AND c.target_id = l.id
  LEFT JOIN validation_dealing d ON d.target_id = l.id
WHERE s.token = %s AND a.user_id = %s AND a.left_at IS NULL AND a.is_validator AND (NOT a.is_lead OR a.votes_leading)
  AND u.is_active AND NOT u.is_administrator AND p.slug = %s {lock}"""

# What an item `i` must be for somebody to be given it who has no part in its family.
OPEN_TO_CONDITION = """(i.author_id IS NULL OR i.author_id <> {who})
    AND NOT EXISTS (SELECT 1 FROM validation_assignment s WHERE s.item_id = i.id AND s.annotator_id = {who}
      AND (s.state IN ('barred', 'skipped') OR s.epoch = i.epoch AND s.state IN ('open', 'done')))
    AND NOT EXISTS (SELECT 1 FROM annotation_allocation h WHERE h.writer_id = {who} AND h.state = 'open'
      AND h.concept_id = i.family)"""

_SELECT_FROM_BUCKET = """SELECT * FROM (SELECT i.id, i.priority, i.shuffle, i.family FROM annotation_item i
  WHERE i.target_id = %({target})s AND i.priority = {priority} AND i.slots_free > 0 AND i.shuffle > %(at{priority})s
    AND {apart} AND {open_to}
  ORDER BY i.shuffle LIMIT {limit}) b{priority}"""

_TAKE_SLOT = """UPDATE annotation_item SET slots_free = slots_free - 1, opened_at = COALESCE(opened_at, {now})
WHERE id = (SELECT i.id FROM annotation_item i JOIN ({buckets}) c ON c.id = i.id
  WHERE i.slots_free > 0
  ORDER BY {gold}c.priority DESC, c.shuffle LIMIT 1 {lock})
RETURNING id, epoch, round, author_id, family, priority, shuffle, revision_n, key, (SELECT r.content
  FROM annotation_revision r WHERE r.item_id = annotation_item.id AND r.n = annotation_item.revision_n),
  (SELECT v.rules FROM annotation_protocolversion v WHERE v.id = annotation_item.protocol_id), project_id"""

_OPEN_ASSIGNMENT = """INSERT INTO validation_assignment
  (project_id, target_id, item_id, annotator_id, author_id, epoch, round, revision_n, state, token, until,
   opened_at, reason, by_secret, place)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, {state}, %s, {until}, {now}, '', %s, %s)
{conflict} RETURNING id, state"""

_OR_NOTHING = "ON CONFLICT DO NOTHING"
_OR_REOPEN = """ON CONFLICT (item_id, annotator_id) DO UPDATE SET epoch = excluded.epoch,
  round = excluded.round, revision_n = excluded.revision_n,
  state = excluded.state, token = excluded.token, until = excluded.until, opened_at = excluded.opened_at, reason = '',
  by_secret = excluded.by_secret, place = excluded.place
WHERE validation_assignment.state = 'expired'
  OR (validation_assignment.state = 'done' AND validation_assignment.epoch < excluded.epoch)"""

_FINISH_ASSIGNMENT = "UPDATE validation_assignment SET state = 'done' WHERE id = %s AND state = 'open'"

_SHOW_NEXT = """UPDATE validation_assignment SET place = 0, opened_at = {now}, until = {until}
WHERE token = %s AND annotator_id = %s AND state = 'open' AND place IN ({screen})
  AND until > {now} AND EXISTS (SELECT 1 FROM annotation_item i
  WHERE i.id = validation_assignment.item_id AND i.stage = 'voting' AND i.epoch = validation_assignment.epoch
    AND i.revision_n = validation_assignment.revision_n)"""

_INSERT_VOTE = """INSERT INTO validation_vote
  (project_id, item_id, annotator_id, n, epoch, round, revision_n, guideline_id, label, answers, unsure, ambiguous,
   comment, client_id, seconds, imported, surplus, withdrawn_why, withdrawn_reason)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, '', '') RETURNING id"""

_COUNT_VOTE = "UPDATE annotation_item SET pending = %s, slots_free = %s, votes_n = %s{due} WHERE id = %s"
_FREE_SLOT = "UPDATE annotation_item SET slots_free = slots_free + 1 WHERE id = %s"
_KEEP_POSITION = "UPDATE validation_cursor SET positions = %s, recent = %s{dealt} WHERE id = %s"


@lru_cache(maxsize=2)
def _held_statement(postgres: bool) -> str:
    seconds = "EXTRACT(EPOCH FROM statement_timestamp() - s.opened_at)"
    if not postgres:
        seconds = "(julianday('now') - julianday(s.opened_at)) * 86400"
    moment = "EXTRACT(EPOCH FROM statement_timestamp())" if postgres else "(julianday('now') - 2440587.5) * 86400"
    # Not the item's key: what only refers to it (an approval of pay) neither waits nor is waited for.
    lock = "FOR NO KEY UPDATE OF i" if postgres else ""
    return _HELD_ASSIGNMENT.format(seconds=seconds, moment=moment, lock=lock)


def held_assignment(cursor: Any, *, user: int, slug: str, token: str) -> HeldAssignment | None:
    """The assignment of this token, if it is this person's and they may still vote there; locks its item.

    `placed`: they work for the item's target, where that is its members' alone.
    """
    cursor.execute(_held_statement(_is_postgres()), [token, user, slug])
    row = cursor.fetchone()
    return HeldAssignment._make(row) if row else None


def finish_assignment(cursor: Any, assignment: int) -> bool:
    """Whether the assignment was open; it is done now."""
    cursor.execute(_FINISH_ASSIGNMENT, [assignment])
    return bool(cursor.rowcount)


def bring_next_to_screen(annotator: int, token: str, seconds: int) -> bool:
    """Whether the assignment is open still, its item waits for it with the same text, and it is on the screen now."""
    with connection.cursor() as cursor:
        statement = _SHOW_NEXT.format(now=now_sql(), until=now_sql("%s"), screen=SCREEN_PLACES_SQL)
        cursor.execute(statement, [seconds, token, annotator])
        return bool(cursor.rowcount)


def vote_insert(
    cursor: Any,
    held: HeldAssignment,
    *,
    label: str,
    answers: Mapping[str, Any],
    unsure: bool,
    ambiguous: bool,
    comment: str,
    client_id: UUID | None,
) -> int:
    """Store a vote at this assignment as the item's next one; its key."""
    values = (
        held.item_project,
        held.item,
        held.annotator,
        held.votes_n + 1,
        held.item_epoch,
        held.item_round,
        held.revision_n,
        held.guideline,
        label,
        orjson.dumps(dict(answers)).decode(),
        unsure,
        ambiguous,
        comment,
        client_id and (client_id if _is_postgres() else client_id.hex),
        # How long a card that was taken along lay there says nothing about how long it took.
        None if held.place else max(0.0, float(held.seconds)),
        False,
        False,
    )
    cursor.execute(_INSERT_VOTE, values)
    return int(cursor.fetchone()[0])


def count_vote(cursor: Any, held: HeldAssignment, *, slots_free: int) -> bool:
    """Count a vote at its item; whether it was the last that the item waits for, so that it is due."""
    last = held.pending == 1
    statement = _COUNT_VOTE.format(due=f", due_at = {now_sql()}" if last else "")
    cursor.execute(statement, (held.pending - 1, slots_free, held.votes_n + 1, held.item))
    return last


def slot_free(cursor: Any, item: int) -> None:
    """Give a slot back that was taken in this transaction."""
    cursor.execute(_FREE_SLOT, [item])


def position_keep(
    cursor: Any,
    pk: int,
    *,
    positions: Mapping[str, int],
    recent: Sequence[int],
    dealt: Mapping[str, Any] | None = None,
) -> None:
    """How far this person has come in each bucket of the queue, the families just shown, the cards that they had."""
    kept = [orjson.dumps(dict(positions)).decode(), orjson.dumps(list(recent)).decode()]
    if dealt is not None:
        kept.append(orjson.dumps(dealt).decode())
    counted = f", dealt = %s, dealt_at = {now_sql()}" if dealt is not None else ""
    cursor.execute(_KEEP_POSITION.format(dealt=counted), (*kept, pk))


@lru_cache(maxsize=64)
def _take_statement(buckets: int, closed: tuple[int, ...], kept: str, wait: bool, postgres: bool) -> str:
    # Parameters have names: each is sent once, however many buckets look at it.
    recent = "<> ALL(%(recent)s::bigint[])" if postgres else "NOT IN (SELECT value FROM json_each(%(recent)s))"
    among, open_to = f"i.family {recent}", OPEN_TO_CONDITION.format(who="%(who)s")
    apart = among + (f" AND i.round NOT IN ({', '.join(map(str, closed))})" if closed else "")

    def bucket(priority: int, target: str, apart: str) -> str:
        return _SELECT_FROM_BUCKET.format(
            target=target, priority=priority, limit=CANDIDATES, apart=apart, open_to=open_to
        )

    found = " UNION ALL ".join(bucket(priority, "target", apart) for priority in range(buckets, 0, -1))
    if kept:
        unknown = among + (SOURCE_TELLS_NOTHING if kept == "gold" else "")
        found = SELECT_WITH_GOLD.format(ordinary=found, bucket=bucket(0, "gold", unknown))
    lock = "FOR NO KEY UPDATE OF i" if wait else "FOR NO KEY UPDATE OF i SKIP LOCKED"
    first = "c.priority = 0 DESC, " if kept else ""
    return _TAKE_SLOT.format(now=now_sql(), buckets=found, gold=first, lock=lock if postgres else "")


def take_slot(
    cursor: Any,
    *,
    target: int,
    annotator: int,
    buckets: int,
    positions: Mapping[str, int],
    recent: Sequence[int],
    closed: Sequence[int] = (),
    gold: int = 0,
    own: bool = False,
    due: bool = False,
    wait: bool = False,
) -> Slot | None:
    """Take one free slot beyond the cursor: later rounds first, then the drawn order (ruling 11).

    `recent` families are left out, and so is what others wrote about a concept that this person is still writing
    about (domain.md §5: two writers do not see each other's question before both are submitted). The cost does not
    grow with the queue: each bucket is read from its cursor on, past a few rows that this person has seen. A row that
    another transaction holds is passed over, or, with `wait`, waited for and looked at again. Nothing of the rounds
    `closed` is taken. `due`: first a gold question, of the target `gold` that keeps them, in its bucket 0. That has its
    cursor like every other bucket, so that one that was given back comes again when an ordinary card would. `own`: what
    is kept there are items that this person answered before.
    """
    postgres = _is_postgres()
    listed = ",".join(map(str, recent))
    least = 0 if gold else 1
    params = {f"at{priority}": positions.get(str(priority), -1) for priority in range(least, buckets + 1)} | {
        "target": target,
        "gold": gold,
        "due": due,
        "who": annotator,
        "recent": f"{{{listed}}}" if postgres else f"[{listed}]",
    }
    kept = ("own" if own else "gold") if gold else ""
    cursor.execute(_take_statement(buckets, tuple(closed), kept, wait, postgres), params)
    row = cursor.fetchone()
    return Slot._make(row) if row else None


@lru_cache(maxsize=8)
def _open_statement(barring: bool, again: bool, postgres: bool) -> str:
    state = f"CASE WHEN {took_part_sql('%s', '%s', '%s')} THEN 'barred' ELSE 'open' END" if barring else "'open'"
    conflict = _OR_REOPEN if again else _OR_NOTHING
    return _OPEN_ASSIGNMENT.format(state=state, until=now_sql("%s"), now=now_sql(), conflict=conflict)


def open_assignment(
    cursor: Any,
    *,
    target: int,
    annotator: int,
    slot: Slot,
    token: str,
    seconds: int,
    by_secret: bool,
    barring: bool = False,
    again: bool = True,
    place: int = 0,
) -> int | None:
    """Open the assignment (`again`: or one that expired, or was of an earlier epoch); None where there can be none.

    `barring`: looks whether this person took part in the item's family; then there is no assignment for them either.
    Without `again` nothing fails that another tab of the same person was faster with.
    """
    values = [
        slot.project,
        target,
        slot.item,
        annotator,
        slot.author,
        slot.epoch,
        slot.round,
        slot.revision_n,
        *([slot.project, slot.family, annotator] * len(CONTRIBUTION_TABLES) if barring else []),
        token,
        seconds,
        by_secret,
        place,
    ]
    cursor.execute(_open_statement(barring, again, _is_postgres()), values)
    row = cursor.fetchone()
    return int(row[0]) if row and row[1] == "open" else None
