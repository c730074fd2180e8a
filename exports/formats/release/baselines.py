"""What scores on the splits of a release without understanding anything, counted from its files: baselines.json."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import orjson

from annotation.kinds import Kind
from annotation.text.gettext import gettext_noop
from exports.formats.release.base import Form, ReleaseFiles, configs_of, own_split_names
from exports.formats.rules.configs import Config
from exports.formats.rules.source_free import baseline_answers
from exports.predictions.rules import LABEL, AskedRow, asked_of
from exports.releases.rules.baselines import card_section, content_of, report

NAME = "baselines.json"
# The classifier learns from so many rows at most, the first ones of each split: they lie in drawn order.
MOST_ROWS = 20_000


def _scored_configs(release: ReleaseFiles) -> Iterator[Config]:
    """Configs whose rows have one label to score on; those of aligned sets have their source's."""
    for config in configs_of(release):
        if not config.raw and not config.task and config.kind.question.release_labels:
            yield config


def write(release: ReleaseFiles) -> None:
    """Count chance and the most frequent label, and ask the classifier that never sees the source."""
    result = {}
    for config in _scored_configs(release):
        rows = {split: list(_labelled(release, config, split)) for split in config.splits}
        rows = {split: found for split, found in rows.items() if found}
        if rows:
            seed = release.parts[config.part].rules.seed
            right = _source_free(config.kind, [pair for found in rows.values() for pair in found], seed, release)
            suffix = release.parts[config.part].suffix
            end = f"_{suffix}" if suffix else ""
            asked = {f"{split}{end}": [each for each, _ in found] for split, found in rows.items()}
            result[config.name] = report(config.kind, asked, right)
            release.tick()
    if not result:
        return
    release.put(NAME, orjson.dumps(result, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    release.card_sections.extend(card_section(result, own_split_names(release)))


def _labelled(release: ReleaseFiles, config: Config, split: str) -> Iterator[tuple[AskedRow, Mapping[str, Any]]]:
    """The rows of a split with a label, which those of a hidden test have not."""
    for row in islice(release.iter_rows(config.splits[split]), MOST_ROWS):
        asked = asked_of(config.kind, row, split, str(row[config.kind.export.id_column]))
        if asked is not None:
            yield asked, content_of(config.kind, row)


def _source_free(
    kind: Kind, rows: list[tuple[AskedRow, Mapping[str, Any]]], seed: str, release: ReleaseFiles
) -> dict[str, bool]:
    """Whether each row is answered right without its source; empty where nothing can be learnt."""
    asked = [each for each, _ in rows]
    contents = {each.id: content for each, content in rows}
    answers = baseline_answers(kind, asked, contents, seed, release.tick)
    return {each.id: answers[each.id][LABEL] == each.gold for each in asked if each.id in answers}


FORM = Form(
    slug="baselines",
    title=gettext_noop("Baselines"),
    help=gettext_noop("How often chance, the most frequent label and a classifier without the source are right."),
    write=write,
    order=12,
    applies_to=lambda release: any(True for _ in _scored_configs(release)),
)
