"""What the splits of a release share that they should not, counted from its files: leakage.json."""

from collections.abc import Iterable

import orjson

from annotation.text.gettext import gettext_noop
from exports.formats.release.base import Form, ReleaseFiles, configs_of, own_split_names
from exports.formats.rules.configs import Config
from exports.releases.rules.leakage import SplitDigests, card_section, leakage_report, read_row, split_rank

NAME = "leakage.json"


def compared_splits(release: ReleaseFiles) -> dict[str, list[tuple[str, str]]]:
    """What is compared, by name: the splits with their files, of all projects that are one kind in one language.

    Of an aligned set it is the source's, which every target follows. Nothing where there is one split.
    """
    groups: dict[tuple[str, ...], list[Config]] = {}
    for config in configs_of(release):
        if not config.raw and (not config.task or config.target == release.parts[config.part].counts["source"]["file"]):
            key = (config.kind.slug, config.language, config.register, config.task, config.form)
            groups.setdefault(key, []).append(config)
    named = {
        configs[0].name: sorted(_files(release, configs), key=lambda file: split_rank(file[0]))
        for configs in groups.values()
    }
    return {name: files for name, files in named.items() if len(files) > 1}


def _files(release: ReleaseFiles, configs: list[Config]) -> Iterable[tuple[str, str]]:
    """Each split once, with its project's suffix; where all splits stand in one file there is nothing between them."""
    for config in configs:
        if len(set(config.splits.values())) < len(config.splits):
            continue
        suffix = release.parts[config.part].suffix
        for split, path in config.splits.items():
            yield (f"{split}_{suffix}" if suffix else split), path


def write(release: ReleaseFiles) -> None:
    """Compare every two splits."""
    result = {}
    for name, files in compared_splits(release).items():
        splits = []
        for split_name, path in files:
            split = SplitDigests(split_name)
            for row in release.iter_rows(path):
                split.add(read_row(row))
            splits.append(split)
        result[name] = leakage_report(splits)
        release.tick()
    release.put(NAME, orjson.dumps(result, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    release.card_sections.extend(card_section(result, own_split_names(release)))


FORM = Form(
    slug="leakage",
    title=gettext_noop("Leakage report"),
    help=gettext_noop("What the splits share: equal and near texts, premises or concepts, documents, people, words."),
    write=write,
    order=10,
    applies_to=lambda release: bool(compared_splits(release)),
)
