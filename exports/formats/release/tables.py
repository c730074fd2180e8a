"""The configs and tables of a release that is being written, and what their columns hold."""

from collections.abc import Iterator
from dataclasses import dataclass

from exports.formats.release.base import Told
from exports.formats.rules.columns import RECORDS, Learnt, Type
from exports.formats.rules.configs import ENDING, Config, PartIn, configs, path_of


def configs_of(told: Told) -> list[Config]:
    """Its configs; a file that is not open to everybody is in none."""
    parts = [
        PartIn(
            kind=part.kind,
            language=part.project["language"],
            register=_register(told, part.suffix, list(part.counts.get("splits", ()))),
            suffix=part.suffix,
            counts=part.counts,
            context=part.context,
            open_qa=part.rules.open_qa,
        )
        for part in told.parts
    ]
    return configs(parts, [name for name in told.files if told.open(name)])


def _register(told: Told, suffix: str, splits: list[str]) -> str:
    """The register of a project with one target: its rows say it, each the same."""
    for name in (path_of(split, suffix) for split in splits):
        if name in told.files and told.files[name]["rows"]:
            return str(next(told.rows(name))[0].get("register", ""))
    return ""


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
            learnt = Learnt(records=RECORDS.union(*(part.kind.records for part in told.parts)))
            for name in files:
                for page in told.rows(name):
                    learnt.take(page)
            told.columns[files[0]] = learnt.columns
        if told.columns[files[0]]:
            yield Table(files, told.columns[files[0]])


def renamed(name: str, folder: str) -> str:
    """A file of another form, by the file of JSON Lines that it is made of: `test.jsonl` is `csv/test.csv`."""
    return f"{folder}/{name.removesuffix(ENDING)}.{folder}"
