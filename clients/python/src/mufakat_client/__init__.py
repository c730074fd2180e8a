"""Client of Mufakat's REST API: `Client`, and the errors that it raises."""

from mufakat_client.client import Client, Project
from mufakat_client.errors import (
    ApiError,
    DamagedFile,
    JobFailed,
    MufakatError,
    NotAllowed,
    NotConnected,
    NotFound,
    SignInRefused,
    Stale,
    UnsafeAddress,
)
from mufakat_client.rows import Rows

__all__ = [
    "ApiError",
    "Client",
    "DamagedFile",
    "JobFailed",
    "MufakatError",
    "NotAllowed",
    "NotConnected",
    "NotFound",
    "Project",
    "Rows",
    "SignInRefused",
    "Stale",
    "UnsafeAddress",
]
