"""What can go wrong: every error names what the server said, and what to do about it."""

from collections.abc import Mapping, Sequence
from typing import Any


class MufakatError(Exception):
    """The base of all errors of this package."""


class UnsafeAddress(MufakatError):
    """A token would be sent over plain HTTP to another machine, or to a server that it is not for."""


class NotConnected(MufakatError):
    """No answer, after all retries. What was sent may have arrived: sending it again with its key does it once."""


class DamagedFile(MufakatError):
    """A downloaded file has another SHA-256 than the server stated; it was removed."""


class JobFailed(MufakatError):
    """A job that was waited for ended without its result."""


class ApiError(MufakatError):
    """The server refused. `code` is stable and for programs; `detail` says what is wrong and what to do."""

    def __init__(self, status: int, problem: Mapping[str, Any], request_id: str = "") -> None:
        self.status = status
        self.code = str(problem.get("code", "unknown"))
        self.detail = str(problem.get("detail") or problem.get("title") or "The server gave no reason.")
        self.field = str(problem.get("field", ""))
        self.errors: Sequence[Mapping[str, Any]] = problem.get("errors", ())
        self.problem = dict(problem)
        self.request_id = request_id
        where = f" ({self.field})" if self.field else ""
        super().__init__(f"{status} {self.code}{where}: {self.detail}")


class SignInRefused(ApiError):
    """401: the token is wrong, over, or revoked."""


class NotAllowed(ApiError):
    """403: the token's scopes or its owner's role do not reach that far."""


class NotFound(ApiError):
    """404: there is no such thing, or it is in a project of others."""


class Stale(ApiError):
    """409: something changed in the meantime. `problem` may hold the `version` that stands now."""


BY_STATUS: Mapping[int, type[ApiError]] = {401: SignInRefused, 403: NotAllowed, 404: NotFound, 409: Stale}


def api_error(status: int, problem: Mapping[str, Any], request_id: str = "") -> ApiError:
    """The error that fits a status."""
    return BY_STATUS.get(status, ApiError)(status, problem, request_id)
