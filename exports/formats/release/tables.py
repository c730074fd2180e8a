"""The tables of a release that is being written: files of JSON Lines that share their columns, and what these hold."""

from collections.abc import Iterator
from dataclasses import dataclass

from exports.formats.release.base import Told
from exports.formats.release.configs import configs_of
from exports.formats.rules.columns import Learnt, Type
from exports.formats.rules.configs import ENDING


@dataclass(frozen=True)
class Table:
    """Files with the same columns: the splits of a config, or one file by itself (`votes.jsonl`)."""

    files: tuple[str, ...]
    columns: dict[str, Type]


def tables(told: Told) -> Iterator[Table]:
    """Every table with a row, one after another; what is not open to everybody is in none."""
    configs = [tuple(config.splits.values()) for config in configs_of(told)]
    taken = {name for files in configs for name in files}
    alone = [
        (name,) for name in told.files if name not in taken and name.endswith(ENDING) and told.open(name)
    ]
    for files in [*configs, *alone]:
        if files[0] not in told.columns:
            learnt = Learnt()
            for name in files:
                for page in told.rows(name):
                    learnt.take(page)
            told.columns[files[0]] = learnt.columns
        if told.columns[files[0]]:
            yield Table(files, told.columns[files[0]])


def renamed(name: str, folder: str) -> str:
    """A file of another form, by the file of JSON Lines that it is made of: `test.jsonl` is `csv/test.csv`."""
    return f"{folder}/{name.removesuffix(ENDING)}.{folder}"
