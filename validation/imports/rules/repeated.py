"""Rows of a file that repeat an earlier row of it, byte for byte: found and listed, whatever becomes of them."""

from array import array
from itertools import pairwise

from annotation.text.gettext import gettext_noop
from validation.imports.rules.problems import Problem

MOST_LISTED = 50
MASK = (1 << 64) - 1


class RepeatedRows:
    """Finds them by `digests`: of each row, by its number, the hash of what is written in it, cut by `MASK`.

    Eight bytes a row, however long it is, and no call for it: whoever reads the rows sets them. 0 is no row.
    """

    def __init__(self, rows: int) -> None:
        self.digests = array("Q", bytes(8 * (rows + 2)))

    def pairs(self) -> list[tuple[int, int]]:
        """Each row that repeats another, with the first of that kind, in file order."""
        ordered = sorted(self.digests)
        several = {digest for digest, after in pairwise(ordered) if digest == after} - {0}
        first, found = dict[int, int](), []
        for n, digest in enumerate(self.digests if several else ()):
            if digest in several and first.setdefault(digest, n) != n:
                found.append((n, first[digest]))
        return found

    def notes(self) -> list[Problem]:
        """One line, where there is any."""
        found = self.pairs()
        if not found:
            return []
        message = gettext_noop("Rows that repeat an earlier row exactly: %(count)s. Row (first): %(rows)s.")
        listed = ", ".join([f"{n} ({first})" for n, first in found[:MOST_LISTED]])
        more = ", …" if len(found) > MOST_LISTED else ""
        return [Problem("rows_repeated", "", message, {"count": len(found), "rows": listed + more})]
