"""What is wrong with a file or a row: a code, an English source string for gettext, and its parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as by_default

from annotation.text.gettext import gettext_noop

LONGEST_EXCERPT = 90
LONGEST_REASON = 500
# Each column is a choice on the page that matches them, and one field of its form (DATA_UPLOAD_MAX_NUMBER_FIELDS).
MOST_COLUMNS = 400


@dataclass(frozen=True)
class Problem:
    """Why a row is refused: where, what, and what to do. `field` is ours, or empty where it is the whole row."""

    code: str
    field: str
    message: str
    params: Mapping[str, object] = by_default(default_factory=dict)

    @property
    def reason(self) -> str:
        """The reason in English, for reports that machines read."""
        return (self.message % self.params if self.params else self.message)[:LONGEST_REASON]


class RowRefused(Exception):
    """Raised while one row is read; carries its problem."""

    def __init__(self, code: str, field: str, message: str, **params: object) -> None:
        self.problem = Problem(code, field, message, params)
        super().__init__(code)


class FileRefused(ValueError):
    """A file that is not read at all: a code and the reason, which says what to do."""

    def __init__(self, code: str, message: str, **params: object) -> None:
        self.code, self.message, self.params = code, message, params
        super().__init__(message % params if params else message)


def excerpt(text: str, most: int = LONGEST_EXCERPT) -> str:
    """Shorten a text for a reason."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def check_column_count(columns: Sequence[str]) -> list[str]:
    """The columns of a file, where they are not too many. Raises `FileRefused`."""
    if len(columns) > MOST_COLUMNS:
        message = gettext_noop(
            "The file has %(count)s columns; at most %(most)s can be read. Leave out those that are not needed."
        )
        raise FileRefused("columns_too_many", message, count=len(columns), most=MOST_COLUMNS)
    return list(columns)
