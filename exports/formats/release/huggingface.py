"""A Hugging Face dataset folder: the head of README.md says which Parquet files are which config, and their types."""

from typing import Any

from django.utils.translation import gettext_noop

from exports.formats.release import parquet
from exports.formats.release.base import Form, Told
from exports.formats.release.configs import configs_of
from exports.formats.rules.configs import Config
from exports.formats.rules.features import LABEL, features, fits, head, label_names, loaded


def front(told: Told) -> dict[str, Any]:
    """The configs and their features, behind what a hub lists a dataset by."""
    configs = {config.name: (config, parquet.of_config(told, config)) for config in configs_of(told)}
    there = [(config, files) for config, files in configs.values() if files]
    rows = sum(told.files[path]["rows"] for _, files in there for path in files.values())
    title = ", ".join(str(part.project["name"]) for part in told.parts)
    licences = [str(part.context.get("about", {}).get("licence", "")) for part in told.parts]
    listed = head([config for config, _ in there], title, licences, rows)
    return listed | {
        "configs": [loaded(config, files) for config, files in there],
        "dataset_info": [
            {"config_name": config.name, "features": _features(told, config, files)}
            for config, files in there
        ],
    }


def _features(told: Told, config: Config, files: dict[str, str]) -> list[dict[str, Any]]:
    """Labels are classes only where every row's label is one: a single other value would keep a file from loading."""
    columns, names = parquet.columns_of(told, next(iter(files.values()))), label_names(config)
    if LABEL in columns and names:
        seen = [value for path in files.values() for value in parquet.values_of(told, path, LABEL)]
        names = names if fits(names, seen) else ()
    return features(columns, names)


FORM = Form(
    slug="huggingface",
    title=gettext_noop("Hugging Face dataset folder"),
    help=gettext_noop("The card says by machine what is loaded by which name; it reads the Parquet files."),
    write=parquet.ensure,
    order=60,
    front=front,
)
