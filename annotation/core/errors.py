"""Refusals of actions and fetchers, with a reason that a person can act on."""

from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from annotation.text.line_breaks import plain_breaks
from annotation.text.normalise import storage_problem

Row = TypeVar("Row", bound=Model)


class Refusal(Exception):
    """Something that a person asked for is not done. `status` is HTTP's, `code` is stable, `message` is for people."""

    status = 400
    code = "refused"
    # With which a page is shown again that could not do what was sent.
    page_status = 422

    def __init__(self, message: str = "", *, field: str = "", code: str = "", **details: Any) -> None:
        super().__init__(message or self.code)
        self.message, self.field, self.details = message, field, details
        if code:
            self.code = code


class SiteFault(Refusal):
    """A job cannot do what was asked through a fault of the site, and whoever runs it has to know."""


class NotFound(Refusal):
    """It does not exist, or is not yours: both look the same."""

    status = 404
    code = "not_found"


class Forbidden(Refusal):
    """You are a member, but your roles here do not include this."""

    status = 403
    code = "forbidden"


class EntryOwed(Forbidden):
    """A member has not confirmed the entry conditions of the project `slug` yet, and does before they work."""

    code = "entry_owed"

    def __init__(self, slug: str) -> None:
        super().__init__()
        self.slug = slug


class QuizOwed(Forbidden):
    """A writer of the project `slug` has not passed its quiz yet, and does before they are given anything to write."""

    code = "quiz_owed"

    def __init__(self, slug: str) -> None:
        super().__init__()
        self.slug = slug


class SecondFactorOwed(Forbidden):
    """A lead or administrator has to set up a second factor of sign-in first (SECOND_FACTOR_REQUIRED)."""

    code = "second_factor_owed"


class Conflict(Refusal):
    """Somebody was faster, or the page was stale; what was typed is kept and shown again."""

    status = page_status = 409
    code = "conflict"


class Invalid(Refusal):
    """The input is wrong: `field` says where, the message how to correct it."""

    status = 400
    code = "invalid"


class Unavailable(Refusal):
    """What it takes is away or full for the moment: nothing was done, and the same may be sent again."""

    status = 503
    code = "unavailable"


def first_or_not_found(rows: QuerySet[Row]) -> Row:
    """The first of the rows. Raises NotFound where there is none."""
    row = rows.first()
    if row is None:
        raise NotFound
    return row


def clean_typed(text: str, field: str, longest: int, *, missing: str = "", wrong: str = "text_not_storable") -> str:
    """What a person typed, with one kind of line break and no blanks around it.

    Raises Invalid with the code `wrong` where it is too long or cannot be stored, `missing` where that is given and
    nothing was typed.
    """
    stripped = plain_breaks(text).strip()
    if missing and not stripped:
        raise Invalid(field=field, code=missing)
    if storage_problem(stripped) or len(stripped) > longest:
        raise Invalid(field=field, code=wrong)
    return stripped
