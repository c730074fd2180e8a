"""Checks of the ledger: the amounts of approved entries. Open pay is not stored."""

from collections.abc import Iterator

from annotation.core.database import fetch_rows
from annotation.core.models.project import Project
from validation.integrity.base import Breach

# Half a unit of the last decimal: SQLite keeps no exact ones.
_AMOUNTS = """SELECT p.slug, l.key, l.n, l.amount, l.units * r.amount FROM annotation_ledgerentry l
  JOIN annotation_rate r ON r.id = l.rate_id JOIN annotation_project p ON p.id = r.project_id
WHERE ABS(l.amount - l.units * r.amount) > 0.00005{which} ORDER BY l.id"""
_UNITS = """SELECT p.slug, l.key, MAX(l.n), COUNT(*), SUM(l.units) FROM annotation_ledgerentry l
  JOIN annotation_rate r ON r.id = l.rate_id JOIN annotation_project p ON p.id = r.project_id
WHERE 1 = 1{which} GROUP BY p.slug, l.key
HAVING COUNT(*) <> MAX(l.n) OR SUM(l.units) < 0 OR COUNT(DISTINCT l.rate_id) > 1 OR COUNT(DISTINCT l.annotator_id) > 1
ORDER BY l.key"""


def check_pay(project: Project | None, repair: bool) -> Iterator[Breach]:
    """Entries whose amount is not their units' worth, actions whose entries do not follow on each other.

    Nothing is repaired: an entry that is there is never touched.
    """
    which, params = (" AND p.id = %s", [project.pk]) if project is not None else ("", [])
    for slug, key, n, amount, worth in fetch_rows(_AMOUNTS.format(which=which), params):
        yield Breach("P1", slug, f"{key} #{n}", "the amount", str(amount), str(worth))
    for slug, key, last, entries, units in fetch_rows(_UNITS.format(which=which), params):
        found = f"{entries} up to #{last}, {units} units"
        yield Breach("P2", slug, key, "the entries of an action", found, "one a number, of one rate, 0 units or more")
