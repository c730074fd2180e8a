"""The configs of a release that is being written (exports.formats.rules.configs), from what lies in its folder."""

from exports.formats.release.base import Told
from exports.formats.rules.configs import Config, PartIn, configs, path_of


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
