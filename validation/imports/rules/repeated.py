"""Rows of a file that repeat an earlier row of it, byte for byte: found and listed, whatever becomes of them."""

from array import array
from collections.abc import Hashable
from itertools import pairwise

from annotation.text.gettext import gettext_noop
from validation.imports.rules.problems import Problem

MOST_LISTED = 50
_MASK = (1 << 64) - 1


class RepeatedRows:
    """The numbers and digests of the rows of a file: sixteen bytes a row, however long it is."""

    def __init__(self) -> None:
        self._rows, self._digests = array("Q"), array("Q")

    def add(self, n: int, written: Hashable) -> None:
        """Note what is written in a row."""
        self._rows.append(n)
        self._digests.append(hash(written) & _MASK)

    def pairs(self) -> list[tuple[int, int]]:
        """Each row that repeats another, with the first of that kind, in file order."""
        ordered = sorted(self._digests)
        several = {digest for digest, after in pairwise(ordered) if digest == after}
        first, found = dict[int, int](), []
        for n, digest in zip(self._rows, self._digests, strict=True):
            if digest in several and first.setdefault(digest, n) != n:
                found.append((n, first[digest]))
        return found

    def notes(self) -> list[Problem]:
        """One line, where there is any."""
        found = self.pairs()
        if not found:
            return []
        message = gettext_noop("Rows that repeat an earlier row exactly: %(count)s. Row (first): %(rows)s.")
        listed = ", ".join(f"{n} ({first})" for n, first in found[:MOST_LISTED])
        more = ", …" if len(found) > MOST_LISTED else ""
        return [Problem("rows_repeated", "", message, {"count": len(found), "rows": listed + more})]
