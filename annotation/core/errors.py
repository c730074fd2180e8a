"""What actions and fetchers refuse, with the reason in words that a person can act on."""

from typing import Any


class Refusal(Exception):
    """Something that a person asked for is not done. `status` is HTTP's, `code` is stable, `message` is for people."""

    status = 400
    code = "refused"

    def __init__(self, message: str = "", *, field: str = "", code: str = "", **details: Any) -> None:
        super().__init__(message or self.code)
        self.message, self.field, self.details = message, field, details
        if code:
            self.code = code


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


class Conflict(Refusal):
    """Somebody was faster, or the page was stale; what was typed is kept and shown again."""

    status = 409
    code = "conflict"


class Invalid(Refusal):
    """The input is wrong: `field` says where, the message how to mend it."""

    status = 400
    code = "invalid"
