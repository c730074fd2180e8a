"""What a Hugging Face dataset card says by machine: the configs, their files, and the features of their columns.

Plain values for the block of YAML at the head of README.md. Only types that every version of the library knows
are used; objects whose keys are data are text that holds JSON.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation import kinds
from annotation.text.gettext import gettext_noop
from annotation.translation.rules.source_units import SHAPES
from exports.formats.release import parquet
from exports.formats.release.base import Form, ReleaseFiles, configs_of, path_in_folder, soft_label_files, vote_file
from exports.formats.rules.configs import Config
from exports.releases.rules.markdown import file_names

if TYPE_CHECKING:
    import pyarrow

LABEL = "label"
VOTES, SOFT = "votes", "soft-labels"
_SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
_SIZE_WORDS = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "n>10M")
# How the hub calls licences, by what people write; anything else is named as it is.
_LICENCES = (
    *("cc0-1.0", "cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "cc-by-nd-4.0", "cc-by-nc-sa-4.0"),
    *("cc-by-nc-nd-4.0", "cc-by-3.0", "cc-by-sa-3.0", "apache-2.0", "mit", "odc-by", "odbl", "pddl"),
)


def label_names(config: Config) -> tuple[str, ...]:
    """The labels that rows of a config may carry, as they are spelled there; none where labels are any text."""
    if not config.task:
        return tuple(config.kind.export.spell(label.key) for label in config.kind.question.release_labels)
    if len(config.shapes) != 1:
        return ()
    kind, shape = kinds.judging_kind(config.shapes[0]), SHAPES[config.shapes[0]]
    return tuple(kind.export.spell(label.key) for label in kind.question.labels) if kind else shape.labels


def fits_class_label(names: Sequence[str], seen: Sequence[object]) -> bool:
    """Whether values are labels by these names, or numbers that stand for them; nulls are."""
    numbers = set(range(len(names)))
    return bool(names) and all(each is None or each in (numbers if isinstance(each, int) else names) for each in seen)


def features(schema: Iterable["pyarrow.Field"], names: Sequence[str]) -> list[dict[str, Any]]:
    """The features of a table; `names` are those of its labels, empty where these are any text."""
    return [
        {"name": column.name} | (_class_label(names) if column.name == LABEL and names else _feature(column.type))
        for column in schema
    ]


def _class_label(names: Sequence[str]) -> dict[str, Any]:
    return {"dtype": {"class_label": {"names": {str(n): name for n, name in enumerate(names)}}}}


def _feature(kind: "pyarrow.DataType") -> dict[str, Any]:
    if hasattr(kind, "value_type"):
        inner = _feature(kind.value_type)
        return {"list": inner.get("dtype") or inner.get("struct") or inner}
    if kind.num_fields:
        return {"struct": features(kind, ())}
    return {"dtype": "float64" if str(kind) == "double" else str(kind)}


def head(configs: Sequence[Config], title: str, licences: Sequence[str], rows: int) -> dict[str, Any]:
    """What the hub lists a dataset by; `licences` are those of its projects."""
    languages = sorted({config.language for config in configs})
    does = [what for config in configs for what in _does(config)]
    return {
        "pretty_name": title,
        "language": languages,
        **_licence(list(dict.fromkeys(filter(None, licences)))),
        "multilinguality": "monolingual" if len(languages) == 1 else "multilingual",
        "size_categories": [_SIZE_WORDS[sum(rows >= size for size in _SIZES)]],
        "task_categories": list(dict.fromkeys(does)),
    }


def _licence(licences: Sequence[str]) -> dict[str, Any]:
    """As the hub calls them; what it has no word for is named beside `other`."""
    if not licences:
        return {}
    plain = ["-".join(licence.casefold().split()) for licence in licences]
    spelled = list(dict.fromkeys(name if name in _LICENCES else "other" for name in plain))
    others = [name for name, known in zip(licences, plain, strict=True) if known not in _LICENCES]
    result: dict[str, Any] = {"license": spelled[0] if len(spelled) == 1 else spelled}
    return result | ({"license_name": "; ".join(others)} if others else {})


def _does(config: Config) -> list[str]:
    held = [SHAPES[shape].hub_tasks for shape in config.shapes] if config.task else []
    return [what for hub in (config.kind.shape.hub_tasks, *held) for what in hub]


def config_data_files(name: str, files: Mapping[str, str]) -> dict[str, Any]:
    """A config as the library reads it: the file of each split."""
    data_files = [{"split": split, "path": path} for split, path in files.items()]
    return {"config_name": name, "data_files": data_files}


def further_configs(release: ReleaseFiles, names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Votes and soft labels of each project, by names that none of these configs has: the file of each split.

    Votes lie in one file, whatever split their items are in; its split is called `votes`.
    """
    found: list[tuple[str, dict[str, str]]] = []
    for part in release.parts:
        for name, files in ((VOTES, {VOTES: vote_file(part)}), (SOFT, soft_label_files(release, part))):
            written = {split: path_in_folder(path, parquet.FOLDER) for split, path in files.items()}
            there = {split: path for split, path in written.items() if release.files.get(path, {}).get("rows")}
            if there:
                found.append(("-".join(filter(None, (name, part.suffix))), there))
    taken = list(names)
    further = file_names([*taken, *(name for name, _ in found)])[len(taken) :]
    return {name: files for name, (_, files) in zip(further, found, strict=True)}


def front(release: ReleaseFiles) -> dict[str, Any]:
    """The configs and their features, behind what a hub lists a dataset by."""
    configs = {config.name: (config, parquet.of_config(release, config)) for config in configs_of(release)}
    there = [(config, files) for config, files in configs.values() if files]
    rows = sum(release.files[path]["rows"] for _, files in there for path in files.values())
    title = ", ".join(str(part.project["name"]) for part in release.parts)
    licences = [str(part.context.get("about", {}).get("licence", "")) for part in release.parts]
    listed = head([config for config, _ in there], title, licences, rows)
    named = [(config.name, files, _features(release, config, files)) for config, files in there]
    for name, files in further_configs(release, configs).items():
        named.append((name, files, features(parquet.schema(release, next(iter(files.values()))), ())))
    return listed | {
        "configs": [config_data_files(name, files) for name, files, _ in named],
        "dataset_info": [{"config_name": name, "features": columns} for name, _, columns in named],
    }


def _features(release: ReleaseFiles, config: Config, files: dict[str, str]) -> list[dict[str, Any]]:
    """Labels are classes only where every row's label is one: a single other value would keep a file from loading."""
    schema, names = parquet.schema(release, next(iter(files.values()))), label_names(config)
    if LABEL in schema.names and names:
        seen = [value for path in files.values() for value in parquet.values_of(release, path, LABEL)]
        names = names if fits_class_label(names, seen) else ()
    return features(schema, names)


FORM = Form(
    slug="huggingface",
    title=gettext_noop("Hugging Face dataset folder"),
    help=gettext_noop("The card says by machine what is loaded by which name; it reads the Parquet files."),
    write=parquet.ensure_written,
    order=60,
    card_metadata=front,
)
