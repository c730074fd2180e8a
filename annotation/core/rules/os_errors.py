"""What the system says when a file cannot be read or written."""

import errno
import os

# What is raised by us without a number, as for a name that an object store does not have.
_NUMBERS = {
    FileNotFoundError: errno.ENOENT,
    FileExistsError: errno.EEXIST,
    PermissionError: errno.EACCES,
    IsADirectoryError: errno.EISDIR,
    NotADirectoryError: errno.ENOTDIR,
    TimeoutError: errno.ETIMEDOUT,
}


def os_reason(error: Exception) -> str:
    """Why something failed: the system's words, else those of the error, else its name. Never empty.

    Only an OSError is quoted: the message of another one may hold what somebody wrote.
    """
    if not isinstance(error, OSError):
        return type(error).__name__
    number = error.errno or _NUMBERS.get(type(error))
    return error.strerror or (os.strerror(number) if number else str(error).strip()) or type(error).__name__
