"""From a filled work file to the question sets of one project, with the counts of each filter."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from annotation.generation.conceptnet.work import WorkFile
from annotation.generation.rules.conceptnet import (
    BACKWARD,
    DIRECTIONS,
    FILTERS,
    draw_sets,
    drawn_place,
    dropping_filter,
    node_uri,
    set_key,
    term_name,
)
from annotation.generation.rules.recipes.forms import SetData

_TABLE = """
DROP TABLE IF EXISTS found;
CREATE TABLE found (place INTEGER, key TEXT, relation TEXT, direction TEXT, source TEXT, a TEXT, b TEXT, c TEXT);
"""


@dataclass(frozen=True)
class SetRequest:
    """What a project wants: sets of its language and relations, how many, drawn by its seed."""

    seed: str
    language: str
    relations: tuple[str, ...]
    count: int


@dataclass
class RelationReport:
    """One relation in one direction. `few` sources have fewer than three targets, `left` targets no set to go into;
    the filters' counts and `kept` add up to `sets`."""

    relation: str
    direction: str
    assertions: int = 0
    sources: int = 0
    few: int = 0
    left: int = 0
    sets: int = 0
    words: int = 0
    letter: int = 0
    part: int = 0
    synonym: int = 0
    kept: int = 0
    drawn: int = 0


@dataclass(frozen=True)
class DrawnSet:
    """One drawn set, with its place in the drawn order."""

    key: str
    relation: str
    data: SetData


def choose_sets(work: WorkFile, wanted: SetRequest) -> tuple[dict[str, Any], Iterator[DrawnSet]]:
    """The report of what each filter dropped, and the drawn sets in drawn order."""
    work.rows.executescript(_TABLE)
    table = [
        _filter_relation(work, wanted, relation, direction) for relation in wanted.relations for direction in DIRECTIONS
    ]
    work.rows.execute(
        "DELETE FROM found WHERE rowid NOT IN (SELECT rowid FROM found ORDER BY place, key LIMIT ?)",
        (wanted.count,),
    )
    query = "SELECT relation, direction, count(*) FROM found GROUP BY 1, 2"
    drawn = {(relation, direction): n for relation, direction, n in work.rows.execute(query)}
    for row in table:
        row.drawn = drawn.get((row.relation, row.direction), 0)
    counts, tag = work.counts, wanted.language
    report = {
        "language": tag,
        "wanted": wanted.count,
        "lines": counts.lines,
        "malformed": counts.malformed,
        "relations": [asdict(row) for row in table if row.assertions],
        "absent": sorted({row.relation for row in table if not row.assertions}),
        "unlisted": counts.by_relation("unlisted", tag),
        "foreign": counts.by_relation("foreign", tag),
        "same_ends": {key: n for key, n in counts.by_relation("same", tag).items() if key in wanted.relations and n},
        "kept": sum(row.kept for row in table),
        "drawn": sum(row.drawn for row in table),
    }
    return report, _drawn_sets(work, tag)


def _filter_relation(work: WorkFile, wanted: SetRequest, relation: str, direction: str) -> RelationReport:
    """Cut the targets of every source into threes, filter them, and keep those that are left in `found`."""
    language = wanted.language
    row = RelationReport(relation, direction, work.assertions(language, relation))
    work.rows.execute("BEGIN")
    for source, targets in work.groups(language, relation, backward=direction == BACKWARD):
        row.sources += 1
        sets = draw_sets(wanted.seed, language, relation, direction, source, targets)
        row.few += not sets
        row.left += len(targets) % 3 if sets else 0
        row.sets += len(sets)
        for each in sets:
            dropped = dropping_filter(each, lambda one, other: work.synonyms(language, one, other))
            if dropped in FILTERS:
                setattr(row, dropped, getattr(row, dropped) + 1)
                continue
            row.kept += 1
            key = set_key(each)
            values = (drawn_place(wanted.seed, key), key, relation, direction, source, *each.targets)
            work.rows.execute("INSERT INTO found VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    work.rows.execute("COMMIT")
    return row


def _drawn_sets(work: WorkFile, tag: str) -> Iterator[DrawnSet]:
    query = "SELECT key, relation, direction, source, a, b, c FROM found ORDER BY place, key"
    for key, relation, direction, *terms in work.rows.execute(query):
        source, *targets = map(term_name, terms)
        uris = [node_uri(tag, term) for term in terms]
        data = SetData(relation=relation, direction=direction, source=source, targets=targets, uris=uris)
        yield DrawnSet(key, relation, data)
