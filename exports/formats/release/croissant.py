"""Croissant: what every file of a release is, with its checksum, and what the fields of every table are."""

from collections.abc import Iterator

import orjson
from django.utils.translation import gettext_noop

from exports.formats.release import parquet
from exports.formats.release.base import Form, Told
from exports.formats.release.configs import configs_of
from exports.formats.rules.croissant import Records, described

NAME = "croissant.json"


def write(told: Told) -> None:
    """Describe the files that are open to everybody; fields are those of the Parquet files."""
    parquet.ensure(told)
    released = sum(part.counts["released"] for part in told.parts)
    whole = described(
        title=", ".join(str(part.project["name"]) for part in told.parts),
        told=f"{released:,} items, made with Mufakat {told.software}. README.md tells how.",
        about=[part.context.get("about", {}) for part in told.parts],
        languages=[config.language for config in configs_of(told)],
        files={name: facts for name, facts in told.files.items() if told.open(name)},
        tables=_tables(told),
    )
    told.put(NAME, orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _tables(told: Told) -> Iterator[Records]:
    """A table for each split of each config, and one for each further file of rows."""
    taken = set()
    for config in configs_of(told):
        for split, path in parquet.of_config(told, config).items():
            taken.add(path)
            columns = parquet.columns_of(told, path)
            yield Records(f"{config.name}/{split}", f"{config.title}: {split}", path, columns)
    for path in sorted(told.files):
        if path.startswith(f"{parquet.FOLDER}/") and path not in taken and told.files[path]["rows"]:
            name = path.removeprefix(f"{parquet.FOLDER}/").removesuffix(f".{parquet.FOLDER}")
            yield Records(name, name, path, parquet.columns_of(told, path))


FORM = Form(
    slug="croissant",
    title="Croissant",
    help=gettext_noop(
        "Every file with its checksum and every field with its type, for dataset search and loaders."
    ),
    write=write,
    order=90,
)
