"""Public pages that an act closes, because their files show votes on items that people are asked about again.

Whoever acts confirms the pages first. Where nobody can be asked (a job, the sweep, a voter who takes a vote back) the
pages are closed, and leads are told. An app declares in `public_pages` what shows votes to everybody.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from django.utils.module_loading import import_string

from annotation.core import declared
from annotation.core.errors import Refusal
from annotation.core.models.user import User

# In an address, and as a header of the API: the pages that may be closed, with commas between them.
PARAMETER, HEADER = "close_pages", "Close-Pages"
# The pages that were confirmed for what happens now; None where nobody can be asked.
_confirmed_names: ContextVar[frozenset[str] | None] = ContextVar("confirmed_names", default=frozenset())


class PublicPages(Protocol):
    """What shows votes to everybody: its open pages by name, each with its title."""

    def showing(self, items: Any) -> dict[str, str]:
        """The open pages that show votes on one of the items (keys, or a query of items)."""
        ...

    def close(self, names: Collection[str], *, by: User | None, is_confirmed: bool) -> None:
        """Close pages, in the caller's transaction; leads are told of those that nobody confirmed."""
        ...


class ClosesPages(Refusal):
    """The act closes public pages that were not confirmed; nothing was done.

    `titles`: those pages by name; `details["pages"]` names with them what was confirmed before.
    """

    status = page_status = 409
    code = "closes_pages"

    def __init__(self, titles: Mapping[str, str], confirmed_before: Collection[str] = ()) -> None:
        super().__init__(pages=sorted({*titles, *confirmed_before}))
        self.titles = titles


@contextmanager
def confirmed(names: Collection[str] | None) -> Iterator[None]:
    """Whoever acts has confirmed that these pages are closed; None: nobody can be asked."""
    token = _confirmed_names.set(names if names is None else frozenset(names))
    try:
        yield
    finally:
        _confirmed_names.reset(token)


def read_names(text: str) -> frozenset[str]:
    """The names of pages in what a browser or a program sent."""
    return frozenset(name.strip() for name in text.split(",") if name.strip())


def require_confirmation(items: Any, *, by: User | None) -> None:
    """Before a job asks about items again: raise ClosesPages where that closes a page that `by` has not confirmed."""
    for pages in _kinds_of_pages():
        _refuse_unconfirmed(pages.showing(items), by)


def close_pages(items: Any, *, by: User | None) -> None:
    """Close the pages that show votes on items that are asked about again, in the caller's transaction.

    Raises ClosesPages where `by` can be asked and has not confirmed one of them. `by` is None for the system.
    """
    for pages in _kinds_of_pages():
        if found := pages.showing(items):
            _refuse_unconfirmed(found, by)
            pages.close(list(found), by=by, is_confirmed=_can_be_asked(by))


def _kinds_of_pages() -> Iterator[PublicPages]:
    for path in declared.entries("public_pages").values():
        yield import_string(path)


def _can_be_asked(by: User | None) -> bool:
    return by is not None and _confirmed_names.get() is not None


def _refuse_unconfirmed(found: Mapping[str, str], by: User | None) -> None:
    confirmed_before = _confirmed_names.get() or frozenset()
    if _can_be_asked(by) and found.keys() - confirmed_before:
        raise ClosesPages(found, confirmed_before)
