"""Rows as they come from the server, and all of them as a table of pandas or a data set of `datasets`."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import datasets
    import pandas as pd

Row = dict[str, Any]


class Rows(Iterator[Row]):
    """An iterator of rows: fetched while one reads, once; `to_pandas` and `to_datasets` take what was not read yet."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = iter(rows)

    def __next__(self) -> Row:
        return next(self._rows)

    def to_pandas(self) -> "pd.DataFrame":
        """A data frame with a column a field; lists and objects stay what they are. Needs `mufakat-client[pandas]`.

        Raises ImportError where pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("pandas is not installed: pip install 'mufakat-client[pandas]'") from error
        return pd.DataFrame(list(self))

    def to_datasets(self) -> "datasets.Dataset":
        """A Dataset with a column a field. Needs `mufakat-client[datasets]`.

        Raises ImportError where `datasets` is not installed.
        """
        try:
            import datasets
        except ImportError as error:
            raise ImportError("datasets is not installed: pip install 'mufakat-client[datasets]'") from error
        return datasets.Dataset.from_list(list(self))
