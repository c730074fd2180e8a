"""A release in Croissant 1.1: every file with its checksum, and every table's fields by where they are read from.

Without any date: the same release is described by the same bytes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
from django.utils.translation import gettext_noop

from exports.formats.release import parquet
from exports.formats.release.base import Form, Told
from exports.formats.release.huggingface import LABEL
from exports.formats.release.tables import configs_of
from exports.formats.rules.columns import BOOL, INT, LIST, NUMBER, RECORD, Type

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
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
_MEDIA: Mapping[str, str] = {
    "jsonl": "application/jsonlines",
    "json": "application/json",
    "csv": "text/csv",
    "parquet": "application/x-parquet",
    "md": "text/markdown",
    "yaml": "application/yaml",
    "yml": "application/yaml",
}
_TYPES: Mapping[str, str] = {INT: "sc:Integer", NUMBER: "sc:Float", BOOL: "sc:Boolean"}
_SPLIT = "split"


class Records(NamedTuple):
    """A table: its name, what it is, the file that it is read from, and its columns."""

    name: str
    told: str
    path: str
    columns: Mapping[str, Type]


def described(
    *,
    title: str,
    told: str,
    about: Sequence[Mapping[str, Any]],
    languages: Iterable[str],
    files: Mapping[str, Mapping[str, Any]],
    tables: Iterable[Records],
) -> dict[str, Any]:
    """The whole description; `about` gives licence, citation and homepage of each project that says them."""
    said: dict[str, Any] = {
        "license": _each(about, "licence"),
        "citeAs": "\n\n".join(_each(about, "citation")),
        "url": next(iter(_each(about, "homepage")), ""),
    }
    return {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "name": title,
        "description": told,
        "conformsTo": CONFORMS_TO,
        **{name: value for name, value in said.items() if value},
        "inLanguage": sorted(set(languages)),
        "isLiveDataset": False,
        "distribution": [_file(name, facts) for name, facts in sorted(files.items())],
        "recordSet": [_records(table) for table in tables],
    }


def _each(about: Sequence[Mapping[str, Any]], name: str) -> list[str]:
    """What the projects say, each once."""
    return list(dict.fromkeys(str(said[name]) for said in about if said.get(name)))


def _file(name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{facts['bytes']} B",
        "encodingFormat": _MEDIA.get(name.rpartition(".")[2], "application/octet-stream"),
        "sha256": facts["sha256"],
    }


def _records(table: Records) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.told,
        "field": [_field(table, name, kind) for name, kind in table.columns.items()],
    }


def _field(table: Records, name: str, kind: Type) -> dict[str, Any]:
    """A column; a record's fields are read out of it, also where a row has a list of records."""
    id_ = f"{table.name}/{name}"
    found: dict[str, Any] = {"@type": "cr:Field", "@id": id_, "name": name}
    inner = kind.of if kind.what == LIST else kind
    if kind.what == LIST:
        found |= {"isArray": True, "arrayShape": "-1"}
    if inner.what == RECORD:
        fields = [_inner(table, name, each, of) for each, of in inner.fields]
        return found | {"subField": fields}
    return found | {"dataType": _data_type(name, inner), "source": _source(table, name)}


def _inner(table: Records, column: str, name: str, kind: Type | None) -> dict[str, Any]:
    found: dict[str, Any] = {"@type": "cr:Field", "@id": f"{table.name}/{column}/{name}", "name": name}
    if kind is not None and kind.what == LIST:
        found |= {"isArray": True, "arrayShape": "-1"}
    source = _source(table, column) | {"transform": {"jsonPath": name}}
    return found | {"dataType": "sc:Text", "source": source}


def _data_type(name: str, kind: Type) -> str | list[str]:
    plain = _TYPES.get(kind.what, "sc:Text")
    return {LABEL: [plain, "cr:Label"], _SPLIT: [plain, "cr:Split"]}.get(name, plain)


def _source(table: Records, column: str) -> dict[str, Any]:
    return {"fileObject": {"@id": table.path}, "extract": {"column": column}}


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
