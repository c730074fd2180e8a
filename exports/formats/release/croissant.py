"""A release in Croissant 1.1: every file with its checksum, and every table's fields by where they are read from.

Without any date: the same release is described by the same bytes.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from annotation.text.gettext import gettext_noop
from exports.formats.release import distributions, parquet
from exports.formats.release.base import Form, ReleaseFiles, configs_of
from exports.formats.release.huggingface import LABEL
from exports.formats.release.rai import reviewed_fields

if TYPE_CHECKING:
    import pyarrow

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
CONFORMS_TO_RAI = "http://mlcommons.org/croissant/RAI/1.0"
_CR, _SC = "http://mlcommons.org/croissant/", "https://schema.org/"
_TERMS = (
    *(
        "arrayShape",
        "citeAs",
        "column",
        "containedIn",
        "equivalentProperty",
        "extract",
        "field",
        "fileProperty",
    ),
    *("fileObject", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath", "key", "md5"),
    *("parentField", "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate"),
    *("separator", "source", "subField", "transform"),
)
CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": _SC,
    **{term: f"cr:{term}" for term in _TERMS},
    "conformsTo": "dct:conformsTo",
    "cr": _CR,
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    "rai": f"{_CR}RAI/",
    "sc": _SC,
}
_MEDIA_TYPES: Mapping[str, str] = {
    "jsonl": "application/jsonlines",
    "json": "application/json",
    "csv": "text/csv",
    "html": "text/html",
    "parquet": "application/x-parquet",
    "md": "text/markdown",
    "yaml": "application/yaml",
    "yml": "application/yaml",
}
# By the name of the Arrow type.
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_TYPES: Mapping[str, str] = {"int64": "sc:Integer", "double": "sc:Float", "bool": "sc:Boolean"}
_SPLIT = "split"


class RecordSet(NamedTuple):
    """A table: its name, what it is, the file that it is read from, and its columns."""

    name: str
    description: str
    path: str
    schema: "pyarrow.Schema"


def describe_release(
    *,
    title: str,
    description: str,
    about: Sequence[Mapping[str, Any]],
    languages: Iterable[str],
    files: Mapping[str, Mapping[str, Any]],
    tables: Iterable[RecordSet],
    reviewed: Mapping[str, Any] | None = None,
    notes: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """The whole description; `about` gives licence, citation and homepage of each project that says them, `reviewed`
    what reviewers ask (`rai`), `notes` by file what else there is to know of it."""
    optional: dict[str, Any] = {
        "license": _each(about, "licence"),
        "citeAs": "\n\n".join(_each(about, "citation")),
        "url": next(iter(_each(about, "homepage")), ""),
    }
    return {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "name": title,
        "description": description,
        "conformsTo": [CONFORMS_TO, CONFORMS_TO_RAI] if reviewed else CONFORMS_TO,
        **{name: value for name, value in optional.items() if value},
        **(reviewed or {}),
        "inLanguage": sorted(set(languages)),
        "isLiveDataset": False,
        "distribution": [_file(name, facts, notes.get(name, "")) for name, facts in sorted(files.items())],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": table.name,
                "name": table.name,
                "description": _describe_table(table),
                "field": [_field(table, column) for column in table.schema if not _is_nested(column)],
            }
            for table in tables
        ],
    }


def _describe_table(table: RecordSet) -> str:
    """What the table is, and the columns that only its file describes."""
    nested = [column.name for column in table.schema if _is_nested(column)]
    return f"{table.description}; without {', '.join(nested)} of the file" if nested else table.description


def _is_nested(column: "pyarrow.Field") -> bool:
    """Whether it holds lists of lists of records: Croissant 1.1 has no way to read a record's fields out of those."""
    made, inner = _named("", column)
    return bool(inner.num_fields) and "," in made.get("arrayShape", "")


def _each(about: Sequence[Mapping[str, Any]], name: str) -> list[str]:
    """What the projects say, each once."""
    return list(dict.fromkeys(str(each[name]) for each in about if each.get(name)))


def _file(name: str, facts: Mapping[str, Any], note: str) -> dict[str, Any]:
    described = {"description": note} if note else {}
    return described | {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{facts['bytes']} B",
        "encodingFormat": _MEDIA_TYPES.get(name.rpartition(".")[2], "application/octet-stream"),
        "sha256": facts["sha256"],
    }


def _field(table: RecordSet, column: "pyarrow.Field") -> dict[str, Any]:
    """A column; a record's fields are read out of it, also where a row has a list of records."""
    made, inner = _named(f"{table.name}/{column.name}", column)
    source = {"fileObject": {"@id": table.path}, "extract": {"column": column.name}}
    if inner.num_fields:
        fields = [
            _named(f"{table.name}/{column.name}/{each.name}", each)[0]
            | {
                "dataType": _TYPES.get(str(each.type), "sc:Text"),
                "source": source | {"transform": {"jsonPath": _path_to(each.name)}},
            }
            for each in inner
        ]
        return made | {"subField": fields}
    plain = _TYPES.get(str(inner), "sc:Text")
    meaning = {LABEL: [plain, "cr:Label"], _SPLIT: [plain, "cr:Split"]}
    return made | {"dataType": meaning.get(column.name, plain), "source": source}


def _path_to(name: str) -> str:
    """A name as JSONPath has it: in quotation marks unless it is a word, as the number of a point is not."""
    return name if _WORD.fullmatch(name) else f'"{name}"'


def _named(id_: str, column: "pyarrow.Field") -> tuple[dict[str, Any], "pyarrow.DataType"]:
    """What every field says, and the type of its values: that of the elements of a list, or of a list of lists."""
    made: dict[str, Any] = {"@type": "cr:Field", "@id": id_, "name": column.name}
    inner, shape = column.type, list[str]()
    while hasattr(inner, "value_type"):
        inner = inner.value_type
        shape.append("-1")
    return made | ({"isArray": True, "arrayShape": ",".join(shape)} if shape else {}), inner


NAME = "croissant.json"


def write(release: ReleaseFiles) -> None:
    """Describe the files that are open to everybody; fields are those of the Parquet files."""
    parquet.ensure_written(release)
    released = sum(part.counts["released"] for part in release.parts)
    whole = describe_release(
        title=", ".join(str(part.project["name"]) for part in release.parts),
        description=f"{released:,} items, made with Mufakat {release.software}. README.md tells how.",
        about=[part.context.get("about", {}) for part in release.parts],
        languages=[config.language for config in configs_of(release)],
        files={name: facts for name, facts in release.files.items() if release.is_public(name)},
        tables=_tables(release),
        reviewed=reviewed_fields(release.parts, release.files),
        notes=distributions.notes(release),
    )
    release.put(NAME, orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _tables(release: ReleaseFiles) -> Iterator[RecordSet]:
    """A table for each split of each config, and one for each further file of rows."""
    taken = set()
    for config in configs_of(release):
        for split, path in parquet.of_config(release, config).items():
            taken.add(path)
            schema = parquet.schema(release, path)
            yield RecordSet(f"{config.name}/{split}", f"{config.title}: {split}", path, schema)
    for path in sorted(release.files):
        if path.startswith(f"{parquet.FOLDER}/") and path not in taken and release.files[path]["rows"]:
            name = path.removeprefix(f"{parquet.FOLDER}/").removesuffix(f".{parquet.FOLDER}")
            yield RecordSet(name, name, path, parquet.schema(release, path))


FORM = Form(
    slug="croissant",
    title="Croissant",
    help=gettext_noop("Every file with its checksum and every field with its type, for dataset search and loaders."),
    write=write,
    order=90,
)
