"""A list of people to invite: one address a line, or CSV with their roles behind it."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass

from annotation.core.rules.mailboxes import mailbox

MOST_ROWS = 500
ROLES = ("writer", "validator", "lead", "reviewer")
# What the first cell of a header says.
HEADERS = ("email", "e-mail", "address", "mail", "surel")


@dataclass(frozen=True)
class Row:
    """One person by the number of their line; `roles` is empty where the line names none. `problem` is a code."""

    n: int
    email: str
    roles: frozenset[str] = frozenset()
    problem: str = ""
    line: str = ""


def read(text: str) -> Iterator[Row]:
    """The rows of a list; blank lines and a header are none. An address stands once: the second is a problem."""
    seen: set[str] = set()
    count = 0
    for n, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        cells = [cell.strip() for cell in _cells(line)]
        # Excel's first line may say which separator follows.
        heads = cells[0].casefold() in HEADERS or cells[0].casefold() == "sep="
        if not any(cells) or (not seen and heads):
            continue
        count += 1
        email, named = cells[0], " ".join(cells[1:]).replace("+", " ").replace(",", " ").casefold().split()
        problem = ""
        if count > MOST_ROWS:
            problem = "invitation_rows_too_many"
        elif mailbox(email.casefold()) in seen:
            problem = "invitation_listed_twice"
        elif not set(named) <= set(ROLES):
            problem = "invitation_role_unknown"
        seen.add(mailbox(email.casefold()))
        yield Row(n, email, frozenset(named) & set(ROLES), problem, line.strip())


def _cells(line: str) -> list[str]:
    delimiter = next((each for each in ";\t" if each in line), ",")
    return next(csv.reader([line.replace("\0", "")], delimiter=delimiter, skipinitialspace=True), [""]) or [""]
